// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"fmt"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// sum is all of one counter: the same name and attributes.
type sum struct {
	metric     string
	attributes map[string]string
	lives      []life // by start
}

// life is one run of a counter from 0. Values are in 10⁻⁹ of the unit.
type life struct {
	start, time gpu.Time
	value       int64
}

// add takes a point and says what is wrong with it: under one start neither
// time nor value goes back. A 0 at the start may come again.
func (c *sum) add(start, at gpu.Time, value int64) string {
	i, known := slices.BinarySearchFunc(c.lives, start, func(l life, s gpu.Time) int { return int(l.start - s) })
	if !known {
		c.lives = slices.Insert(c.lives, i, life{start: start, time: at, value: value})
		if at != start || value != 0 {
			return fmt.Sprintf("begins with %d at %d, not with 0 at its start %d", value, at, start)
		}
		return ""
	}
	l := &c.lives[i]
	if at == start && value == 0 {
		return ""
	}
	if at < l.time || value < l.value {
		return fmt.Sprintf("goes from %d at %d to %d at %d under the start %d", l.value, l.time, value, at, start)
	}
	l.time, l.value = at, value
	return ""
}

func (c *sum) total() (total int64) {
	for _, l := range c.lives {
		total += l.value
	}
	return total
}

// last returns the time of the newest point.
func (c *sum) last() (last gpu.Time) {
	for _, l := range c.lives {
		last = max(last, l.time)
	}
	return last
}
