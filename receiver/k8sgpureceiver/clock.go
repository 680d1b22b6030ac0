// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"sync"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// clock tells the time of collections and of news: that of the wall clock, never
// the same twice and never an earlier one, since the ledger's time goes forward
// only. If the wall clock steps back, time goes on at half the speed until it has
// caught up: the ledger's clock doesn't stand, and what others date is soon in
// step again. Beyond mostAhead it stands, as good as: the ledger wouldn't take
// what is further ahead.
type clock struct {
	// read returns the wall clock's time, and a time that never steps.
	read func() (wall gpu.Time, elapsed time.Duration)
	// stepped is told by how much the wall clock was set back.
	stepped func(back time.Duration)

	mu      sync.Mutex // guards what follows
	last    gpu.Time
	wall    gpu.Time      // of the newest reading
	elapsed time.Duration // likewise
}

const (
	// mostAhead of the wall clock; the ledger takes 5 minutes.
	mostAhead = 4 * time.Minute
	// leastStep is more than what a clock is set back by in small corrections.
	leastStep = time.Second
)

// wallClock reads the machine's clocks.
func wallClock() func() (gpu.Time, time.Duration) {
	start := time.Now()
	return func() (gpu.Time, time.Duration) {
		now := time.Now()
		return gpu.Time(now.UnixNano()), now.Sub(start)
	}
}

// now returns the time.
func (c *clock) now() gpu.Time {
	now, back := c.next()
	if back >= leastStep {
		c.stepped(back)
	}
	return now
}

// next reads the clocks; back is by how much the wall clock was set back.
func (c *clock) next() (now gpu.Time, back time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall, elapsed := c.read()
	passed := max(elapsed-c.elapsed, 0)
	if c.wall != gpu.NoTime {
		back = c.wall.Add(passed).Sub(wall)
	}
	c.wall, c.elapsed = wall, elapsed
	least := c.last + 1
	if c.last.Sub(wall) < mostAhead {
		least = max(least, c.last.Add(passed/2))
	}
	c.last = max(wall, least)
	return c.last, back
}

// ahead returns how far the time was ahead of the wall clock when it was told.
func (c *clock) ahead() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last.Sub(c.wall)
}
