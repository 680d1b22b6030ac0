// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"math"
	"time"
)

// Time is an instant in nanoseconds since the Unix epoch, always taken from a
// data point, never from a clock.
type Time int64

// NoTime is the zero value: "not known". Real points carry later times, see
// Earliest.
const NoTime Time = 0

// Earliest is the oldest time that a point may carry, 2020-01-01T00:00:00Z.
// Older stamps come from a clock that was never set.
const Earliest Time = 1_577_836_800 * Time(time.Second)

// Forever is later than every point.
const Forever Time = math.MaxInt64

// Add returns t + d.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }

// Sub returns t − u.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }
