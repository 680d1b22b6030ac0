// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"strconv"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// metric is an application metric that is being told of.
type metric struct {
	*world.Metric
	series  string
	begun   bool
	scrapes []watch.Scrape // that weren't told yet, once it has begun
}

// newMetric returns metric i of a pod. Metrics of one name are series of it.
func newMetric(p *world.Pod, i int) *metric {
	m := &metric{Metric: &p.Metrics[i]}
	same := 0
	for _, other := range p.Metrics[:i] {
		if other.Profile.Metric == m.Profile.Metric {
			same++
		}
	}
	if id := m.Join.Device; id != "" {
		m.series = gpupdata.AttrHWID + "=" + strconv.Quote(string(id))
	}
	if same > 0 {
		if m.series != "" {
			m.series += ","
		}
		m.series += "series=" + strconv.Quote(strconv.Itoa(same))
	}
	return m
}

// outputs tells what was scraped from a pod since the tick before.
func (f *feed) outputs(p *pod, tick int, b *gpu.Batch) {
	for _, m := range p.metrics {
		if !m.begun && m.From <= f.Ticks[tick].Real {
			m.scrapes, m.begun = f.Scrapes(p.Pod, m.Metric), true
		}
		for len(m.scrapes) > 0 && m.scrapes[0].Tick <= tick {
			s := m.scrapes[0]
			m.scrapes = m.scrapes[1:]
			b.Outputs = append(b.Outputs, gpu.Output{
				Profile: m.Profile, Join: m.Join, Series: m.series,
				Start: s.Start, Time: s.Time, Value: s.Value, Ended: s.Ended,
			})
		}
	}
}
