// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"fmt"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// counter is a cumulative sum over all its starts.
type counter struct {
	before time.Duration // under earlier starts
	start  gpu.Time
	time   gpu.Time
	value  time.Duration // since start, at time
}

func (c *counter) total() time.Duration { return c.before + c.value }

// take takes a point. Points arrive in order: an older one comes only where a
// send was repeated, and says nothing new.
func (c *counter) take(metric string, start, t gpu.Time, value time.Duration) error {
	switch {
	case start < c.start || start == c.start && t < c.time:
		return nil
	case start > c.start:
		c.before, c.start = c.total(), start
	case value < c.value:
		return fmt.Errorf("%s fell from %s to %s under one start", metric, c.value, value)
	}
	c.time, c.value = t, value
	return nil
}
