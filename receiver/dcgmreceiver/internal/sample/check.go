// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"math"
	"strings"
)

// Drop says why a sample isn't a value. Its String is the reason under which
// it is counted.
type Drop uint8

// The reasons, in the order in which they are looked for.
const (
	Kept         Drop = iota
	NoSpec            // not a field that is read as a number
	NoData            // the engine has no sample (yet), or the field isn't watched
	Failed            // another status
	Blank             // a sentinel: no value now
	NotSupported      // a sentinel: never a value, of this field of this entity
	NotPermitted      // a sentinel: root rights are missing
	WrongType
	WrongLevel // a value of the board, asked of an instance
	Stale      // not newer than what was read before, or too old
	Future     // stamped after the time of the read
	OutOfRange // impossible, in the field's own unit
	drops
)

var dropNames = [drops]string{
	"", "no_spec", "no_data", "failed", "blank", "not_supported", "not_permitted",
	"wrong_type", "wrong_level", "stale", "future", "out_of_range",
}

func (d Drop) String() string { return dropNames[d] }

// Drops returns all reasons.
func Drops() []Drop {
	all := make([]Drop, 0, drops-1)
	for d := Kept + 1; d < drops; d++ {
		all = append(all, d)
	}
	return all
}

// DCGM's statuses that mean no sample, and its sentinels.
const (
	statusNoData     = -14
	statusNotWatched = -16

	int64Blank  = math.MaxInt64 - 15 // 0x7ffffffffffffff0; above: its relatives
	doubleBlank = 140737488355328.0  // 2⁴⁷

	relativeNotSupported = 2
	relativeNotPermitted = 3
)

// Value is a number in the base unit of its metric. A counter of integers is
// exact in Int, in the field's own unit.
type Value struct {
	Float   float64
	Int     int64
	Clamped bool // a ratio was above 1
}

// Window is the time in which a sample must have been taken: after After, and
// not after Until. Both in µs since 1970.
type Window struct{ After, Until int64 }

// Check returns the value of a sample, or why it isn't one.
func Check(r Raw, w Window) (Value, Drop) {
	spec, ok := SpecOf(r.Field)
	if !ok {
		return Value{}, NoSpec
	}
	if d := check(r, spec.Type, w); d != Kept {
		return Value{}, d
	}
	if r.Entity.Kind > spec.Level {
		return Value{}, WrongLevel
	}
	v := r.Double
	if r.Type == Integer {
		v = float64(r.Int)
	}
	clamped := spec.Ratio && v > spec.Max && !math.IsInf(v, 1)
	if clamped {
		v = spec.Max
	}
	if !(spec.Min <= v && v <= spec.Max) { // NaN is out of range too
		return Value{}, OutOfRange
	}
	return Value{Float: v * spec.Scale, Int: r.Int, Clamped: clamped}, Kept
}

// CheckText returns the value of a sample that is a text: a name, a UUID.
func CheckText(r Raw, w Window) (string, Drop) {
	if d := check(r, Text, w); d != Kept {
		return "", d
	}
	if r.Text == "" {
		return "", Blank
	}
	return r.Text, Kept
}

// CheckInt returns the value of a sample that is a mode or a number of
// something, of whatever field.
func CheckInt(r Raw, w Window) (int64, Drop) {
	if d := check(r, Integer, w); d != Kept {
		return 0, d
	}
	return r.Int, Kept
}

// check looks at status, sentinel, type and timestamp.
func check(r Raw, want Type, w Window) Drop {
	if d := sentinel(r); d != Kept {
		return d
	}
	switch {
	case r.Type != want:
		return WrongType
	case r.Micros <= w.After:
		return Stale
	case r.Micros > w.Until:
		return Future
	}
	return Kept
}

// sentinel tells the samples that hold no value, by status or by sentinel.
func sentinel(r Raw) Drop {
	switch {
	case r.Status == statusNoData || r.Status == statusNotWatched:
		return NoData
	case r.Status != 0:
		return Failed
	}
	switch r.Type {
	case Integer:
		if r.Int >= int64Blank {
			return relative(r.Int - int64Blank)
		}
	case Double:
		if r.Double >= doubleBlank && !math.IsInf(r.Double, 1) {
			return relative(int64(min(r.Double-doubleBlank, 9)))
		}
	case Text:
		if strings.HasPrefix(r.Text, "<<<") && strings.HasSuffix(r.Text, ">>>") {
			return relativeText(r.Text)
		}
	}
	return Kept
}

// relative tells the sentinels of a type apart, by their distance from blank.
func relative(n int64) Drop {
	switch n {
	case relativeNotSupported:
		return NotSupported
	case relativeNotPermitted:
		return NotPermitted
	}
	return Blank // also what isn't known here
}

func relativeText(text string) Drop {
	switch text {
	case "<<<NOT_SUPPORTED>>>":
		return NotSupported
	case "<<<NOT_PERM>>>":
		return NotPermitted
	}
	return Blank
}
