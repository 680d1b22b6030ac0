// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var specSourceUp = &metricSpec{
	MetricSourceUp, "1", "Whether the source of evidence answers.", gauges,
}

// Source says whether a source of evidence answers: an engine, a socket, an API.
type Source struct {
	Name    string
	Node    string
	Cluster string
	Time    gpu.Time
	Up      bool
	Reason  string // if it isn't up
}

// EncodeSources appends a point for each source to dest: a heartbeat, also when
// nothing else is known. The ledger doesn't read them. What is known of the host
// goes along, so that its devices have a price: see DecodeHosts.
func EncodeSources(sources []Source, host gpu.Node, dest pmetric.Metrics) {
	writers := map[place]*writer{}
	for i := range sources {
		s := &sources[i]
		at := place{s.Cluster, s.Node}
		w, ok := writers[at]
		if !ok {
			var rm pmetric.ResourceMetrics
			rm, w = newResource(dest, "")
			putPlace(rm.Resource().Attributes(), at)
			putHost(rm.Resource().Attributes(), &host)
			writers[at] = w
		}
		p := w.point(specSourceUp, gpu.NoTime, s.Time)
		attrs := p.Attributes()
		put(attrs, AttrSource, s.Name)
		if s.Up {
			p.SetIntValue(1)
		} else {
			p.SetIntValue(0)
			put(attrs, AttrSourceReason, s.Reason)
		}
	}
}
