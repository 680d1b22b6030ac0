// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package drive

import (
	"context"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Pace returns a pace at which real time passes speed times as fast as the
// clock, from start on. It begins now.
func Pace(start gpu.Time, speed float64) func(context.Context, gpu.Time) error {
	began := time.Now()
	return func(ctx context.Context, t gpu.Time) error {
		return wait(ctx, time.Until(began.Add(scaled(t.Sub(start), speed))))
	}
}

func scaled(d time.Duration, speed float64) time.Duration { return time.Duration(float64(d) / speed) }

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Start returns the latest start of a world with which no event of it is told
// before it happens: it takes length, at speed times real time (0: at once),
// and ends at now at the latest.
func Start(now time.Time, length time.Duration, speed float64) time.Time {
	switch {
	case speed == 0:
		return now.Add(-length)
	case speed <= 1:
		return now
	default:
		return now.Add(scaled(length, speed) - length)
	}
}
