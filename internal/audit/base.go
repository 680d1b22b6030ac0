// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"maps"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// base is what accepted sends said of a device.
type base struct {
	span   time.Duration
	time   gpu.Time
	sends  int // how many were accepted
	series map[seriesKey]last
}

// last is the last accepted value of a series, and in which send of the device
// it was.
type last struct {
	value time.Duration
	send  int
}

func (b *base) accept(s *send) {
	b.sends++
	b.time = max(b.time, s.time)
	if s.settled {
		b.span = s.span
	}
	for _, p := range s.points {
		b.series[p.series] = last{p.value, b.sends}
	}
	maps.DeleteFunc(b.series, func(_ seriesKey, l last) bool { return b.sends-l.send > keepSeries })
}
