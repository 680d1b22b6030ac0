// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"slices"
	"sort"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// stamped is a point with a time.
type stamped interface{ at() gpu.Time }

// timeline holds points by ascending time, one per time.
type timeline[P stamped] []P

// after returns the index of the first point later than t.
func (l timeline[P]) after(t gpu.Time) int {
	n := len(l)
	if n == 0 || l[n-1].at() <= t { // the usual question is about the end
		return n
	}
	return sort.Search(n, func(i int) bool { return l[i].at() > t })
}

// find returns where a point of time t is or belongs, and whether one is there.
func (l timeline[P]) find(t gpu.Time) (int, bool) {
	i := l.after(t)
	if i > 0 && l[i-1].at() == t {
		return i - 1, true
	}
	return i, false
}

// insert puts p at index i, where find said that it belongs.
func (l *timeline[P]) insert(i int, p P) { *l = slices.Insert(*l, i, p) }

// forget drops the points before the last one at or before t: that one still
// anchors what follows. It returns how many it dropped.
func (l *timeline[P]) forget(t gpu.Time) int {
	n := max(l.after(t)-1, 0)
	if n > 0 {
		*l = slices.Delete(*l, 0, n)
	}
	return n
}
