// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// DCGM's sentinels say why there is no value: blank, not found, not supported,
// not permissioned. They are tested on the raw value, before any scaling.
const (
	blankInt64  = 9223372036854775792
	blankInt32  = 2147483632
	blankDouble = 140737488355328.0 // this one and everything above it
	blanks      = 4                 // sentinels a type
)

// maxSeconds is the last whole second that fits gpu.Time with its fraction.
const maxSeconds = math.MaxInt64/1_000_000_000 - 1

// number returns the value of a point of any numeric type.
func number(p pmetric.NumberDataPoint) (float64, DropReason) {
	switch p.ValueType() {
	case pmetric.NumberDataPointValueTypeInt:
		return float64(p.IntValue()), accepted
	case pmetric.NumberDataPointValueTypeDouble:
		if v := p.DoubleValue(); !math.IsNaN(v) {
			return v, accepted
		}
		return 0, DropNotANumber
	default:
		return 0, DropNoValue
	}
}

// finite is number without infinities.
func finite(p pmetric.NumberDataPoint) (float64, DropReason) {
	v, why := number(p)
	if math.IsInf(v, 0) {
		return 0, DropOutOfRange
	}
	return v, why
}

// reading is finite without DCGM's sentinels: for values that a device gave.
func reading(p pmetric.NumberDataPoint) (float64, DropReason) {
	v, why := finite(p)
	if why != accepted {
		return 0, why
	}
	// A scrape turns an int32 sentinel into a double. As bytes it is no
	// multiple of a page, as seconds 68 years: no reading has that value.
	if v >= blankInt32 && v < blankInt32+blanks && v == math.Trunc(v) {
		return 0, DropBlank
	}
	if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
		if p.IntValue() >= blankInt64 {
			return 0, DropBlank
		}
	} else if v >= blankDouble {
		return 0, DropBlank
	}
	return v, accepted
}

// nanos returns a reading in seconds as nanoseconds, rounded to the nearest.
func nanos(p pmetric.NumberDataPoint) (int64, DropReason) {
	v, why := reading(p)
	if why != accepted {
		return 0, why
	}
	return scaled(v, 1)
}

// scaled turns seconds into nanoseconds, rounded to a multiple of unit, which
// divides a second. The fraction is scaled by itself: the product with the
// whole value would round twice.
func scaled(seconds float64, unit int64) (int64, DropReason) {
	if seconds < 0 || seconds > maxSeconds {
		return 0, DropOutOfRange
	}
	whole, fraction := math.Modf(seconds)
	units := math.Round(fraction * float64(1_000_000_000/unit))
	return int64(whole)*1_000_000_000 + int64(units)*unit, accepted
}

// count returns a value that must be a whole number of things.
func count(p pmetric.NumberDataPoint) (int, DropReason) {
	v, why := number(p)
	if why != accepted {
		return 0, why
	}
	if v < 0 || v > math.MaxInt32 || v != math.Trunc(v) {
		return 0, DropOutOfRange
	}
	return int(v), accepted
}

// start returns the start timestamp, or NoTime if it isn't a real one.
func start(p pmetric.NumberDataPoint) gpu.Time {
	ts := p.StartTimestamp()
	if ts > math.MaxInt64 || gpu.Time(ts) < gpu.Earliest {
		return gpu.NoTime
	}
	return gpu.Time(ts)
}

// stamp returns the timestamp, if it is a real one that is at most limit
// (0: none).
func stamp(p pmetric.NumberDataPoint, limit gpu.Time) (gpu.Time, DropReason) {
	ts := p.Timestamp()
	if ts > math.MaxInt64 {
		return 0, DropFuture
	}
	t := gpu.Time(ts)
	switch {
	case t < gpu.Earliest:
		return 0, DropUnsetClock
	case limit != gpu.NoTime && t > limit:
		return 0, DropFuture
	}
	return t, accepted
}
