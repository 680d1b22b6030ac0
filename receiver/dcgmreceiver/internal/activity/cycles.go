// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package activity

import "time"

// reading is a counter at a time.
type reading struct {
	at    int64 // ns; 0: none
	value int64
}

// pair is what two counters were at one poll of the hardware. DCGM stamps
// them one after the other.
type pair struct{ elapsed, active reading }

// cycles makes ratios of two counters: active cycles over elapsed ones. They
// lose nothing between two polls: a poll without a value hides no time.
type cycles struct {
	base    pair    // the last complete pair; zero: none
	active  reading // the newest of each
	elapsed reading
}

// ratio returns what the newest pair says of the time since the one before,
// ending at the pair's time. ok is false if there is no new pair; known is
// false if it says nothing: it is the first, or the counters began anew.
func (c *cycles) ratio(tolerance time.Duration) (at int64, v float64, known, ok bool) {
	now := pair{c.elapsed, c.active}
	if now.elapsed.at == 0 || now.active.at == 0 || apart(now) > int64(tolerance) ||
		now.elapsed.at <= c.base.elapsed.at || now.active.at <= c.base.active.at {
		return 0, 0, false, false
	}
	before := c.base
	c.base = now
	at = now.elapsed.at
	elapsed, active := now.elapsed.value-before.elapsed.value, now.active.value-before.active.value
	if before.elapsed.at == 0 || elapsed <= 0 || active < 0 {
		return at, 0, false, true
	}
	return at, float64(active) / float64(elapsed), true, true
}

func apart(p pair) int64 { return max(p.elapsed.at-p.active.at, p.active.at-p.elapsed.at) }
