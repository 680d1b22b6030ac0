// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// Progress is how far a collector has come with each device, by its UUID.
type Progress struct {
	Observed map[gpu.DeviceID]gpu.Time // the newest point of its activity that was passed on
	Settled  map[gpu.DeviceID]gpu.Time // up to when its account was published
}

func newProgress() Progress {
	return Progress{map[gpu.DeviceID]gpu.Time{}, map[gpu.DeviceID]gpu.Time{}}
}

var decoder = gpupdata.NewDecoder(gpupdata.Settings{})

func (p Progress) take(metrics pmetric.Metrics) {
	// What isn't read is of no device.
	read, _ := decoder.Decode(metrics, gpu.NoTime)
	for _, c := range read.Counters {
		p.Observed[c.Device.ID] = max(p.Observed[c.Device.ID], c.Time)
	}
	derived, _, _ := gpupdata.DecodeDerived(metrics) // the ledger counts what can't be read
	for i := range derived.Accounts {
		a := &derived.Accounts[i]
		p.Settled[a.Device.ID] = max(p.Settled[a.Device.ID], a.Time)
	}
}

// Until waits until what arrived is enough, or ctx is done.
func (s *Sink) Until(ctx context.Context, enough func(Progress) bool) error {
	for {
		s.mu.Lock()
		done, news := enough(s.progress), s.news
		s.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-news:
		}
	}
}
