// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// level is a value in force from its time until the next one.
type level[V any] struct {
	time  gpu.Time
	value V
}

func (p level[V]) at() gpu.Time { return p.time }

// levels is a step function of time.
type levels[V any] struct{ timeline[level[V]] }

// set adds a value. Of two values for one time, wins decides.
func (l *levels[V]) set(t gpu.Time, v V, wins func(newer, older V) bool) {
	i, found := l.find(t)
	if !found {
		l.insert(i, level[V]{t, v})
	} else if wins(v, l.timeline[i].value) {
		l.timeline[i].value = v
	}
}

// newest returns the newest value at or before t that is known at step k and
// at most maxAge older than t.
func (l levels[V]) newest(t, k gpu.Time, maxAge time.Duration) (v V, ok bool) {
	i := l.after(min(t, k)) - 1
	if i < 0 || t.Sub(l.timeline[i].time) > maxAge {
		return v, false
	}
	return l.timeline[i].value, true
}

// over returns the value in force right after t, for maxAge at most.
func (l levels[V]) over(t, k gpu.Time, maxAge time.Duration) (v V, ok bool) {
	i := l.after(min(t, k)) - 1
	if i < 0 || t.Sub(l.timeline[i].time) >= maxAge {
		return v, false
	}
	return l.timeline[i].value, true
}

// cuts appends the times at which the value in force may change.
func (l levels[V]) cuts(to []gpu.Time, maxAge time.Duration) []gpu.Time {
	for _, p := range l.timeline {
		to = append(to, p.time, p.time.Add(maxAge))
	}
	return to
}
