// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"math"
	"testing"
)

var anyTime = Window{After: 0, Until: math.MaxInt64}

func double(f Field, v float64) Raw { return Raw{Field: f, Type: Double, Micros: 1, Double: v} }
func integer(f Field, v int64) Raw  { return Raw{Field: f, Type: Integer, Micros: 1, Int: v} }
func text(f Field, v string) Raw    { return Raw{Field: f, Type: Text, Micros: 1, Text: v} }

func on(k Kind, r Raw) Raw { r.Entity.Kind = k; return r }

func status(n int, r Raw) Raw { r.Status = n; return r }

// The rows of what was measured of DCGM, and the rules of range.
func TestCheck(t *testing.T) {
	for name, test := range map[string]struct {
		raw  Raw
		want Value
		drop Drop
	}{
		"never watched":                  {status(-16, integer(Util, int64Blank)), Value{}, NoData},
		"no sample yet":                  {status(-14, double(EngineActive, doubleBlank)), Value{}, NoData},
		"lost":                           {status(-18, integer(Util, 5)), Value{}, Failed},
		"203 in MIG mode":                {integer(Util, 9223372036854775794), Value{}, NotSupported},
		"not permitted":                  {integer(Util, 9223372036854775795), Value{}, NotPermitted},
		"int not found":                  {integer(Util, 9223372036854775793), Value{}, Blank},
		"first GPM sample":               {double(EngineActive, 140737488355328), Value{}, Blank},
		"double not supported":           {double(EngineActive, 140737488355330), Value{}, NotSupported},
		"beyond the doubles' sentinels":  {double(PowerWatts, 1e15), Value{}, Blank},
		"lost, status 0":                 {integer(MemoryUsed, 9223372036854775792), Value{}, Blank},
		"an integer as a string":         {text(Util, "<<<NOT_SUPPORTED>>>"), Value{}, NotSupported},
		"a string where a number is due": {text(Util, "7"), Value{}, WrongType},
		"a double where an int is due":   {double(Util, 7), Value{}, WrongType},
		"a blob":                         {Raw{Field: Util, Type: Blob, Micros: 1}, Value{}, WrongType},
		"not read":                       {integer(9, 1), Value{}, NoSpec},
		"the board's watts on a GI":      {on(GPUInstance, double(PowerWatts, 400)), Value{}, WrongLevel},
		"1005 on a CI":                   {on(ComputeInstance, double(DRAMActive, 0.5)), Value{}, WrongLevel},
		"1005 on a GI":                   {on(GPUInstance, double(DRAMActive, 0.5)), Value{Float: 0.5}, Kept},
		"util":                           {integer(Util, 37), Value{Float: 0.37, Int: 37}, Kept},
		"util above 100":                 {integer(Util, 101), Value{}, OutOfRange},
		"util below 0":                   {integer(Util, -1), Value{}, OutOfRange},
		"ratio above 1":                  {double(SMActive, 1.0001), Value{Float: 1, Clamped: true}, Kept},
		"ratio below 0":                  {double(SMActive, -1e-9), Value{}, OutOfRange},
		"NaN":                            {double(SMActive, math.NaN()), Value{}, OutOfRange},
		"infinite":                       {double(SMActive, math.Inf(1)), Value{}, OutOfRange},
		"memory is in MiB":               {integer(MemoryUsed, 3), Value{Float: 3 * 1048576, Int: 3}, Kept},
		"a counter past 2³¹":             {integer(SMCycles, 1<<40), Value{Float: 1 << 40, Int: 1 << 40}, Kept},
		"a negative counter":             {integer(SMCycles, -5), Value{}, OutOfRange},
	} {
		got, drop := Check(test.raw, anyTime)
		if got != test.want || drop != test.drop {
			t.Errorf("%s: got %+v, %v, want %+v, %v", name, got, drop, test.want, test.drop)
		}
	}
}

func TestCheckLooksAtTheTime(t *testing.T) {
	for at, want := range map[int64]Drop{0: Stale, 10: Stale, 11: Kept, 20: Kept, 21: Future} {
		r := integer(Util, 1)
		r.Micros = at
		if _, got := Check(r, Window{After: 10, Until: 20}); got != want {
			t.Errorf("at %d: got %v, want %v", at, got, want)
		}
		r = text(50, "NVIDIA L4")
		r.Micros = at
		if _, got := CheckText(r, Window{After: 10, Until: 20}); got != want {
			t.Errorf("text at %d: got %v, want %v", at, got, want)
		}
	}
}

func TestCheckText(t *testing.T) {
	for name, test := range map[string]struct {
		raw  Raw
		want string
		drop Drop
	}{
		"name":      {text(50, "NVIDIA L4"), "NVIDIA L4", Kept},
		"lost":      {text(50, "<<<NULL>>>"), "", Blank},
		"supported": {text(50, "<<<NOT_SUPPORTED>>>"), "", NotSupported},
		"permitted": {text(50, "<<<NOT_PERM>>>"), "", NotPermitted},
		"empty":     {text(50, ""), "", Blank},
		"no data":   {status(-14, text(50, "<<<NULL>>>")), "", NoData},
		"a number":  {integer(50, 1), "", WrongType},
	} {
		if got, drop := CheckText(test.raw, anyTime); got != test.want || drop != test.drop {
			t.Errorf("%s: got %q, %v, want %q, %v", name, got, drop, test.want, test.drop)
		}
	}
}

func TestDropsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Drops() {
		if d.String() == "" || seen[d.String()] {
			t.Errorf("reason %d: %q", d, d)
		}
		seen[d.String()] = true
	}
}

// Whatever the engine says: what is kept is in range, and finite.
func FuzzCheck(f *testing.F) {
	f.Add(uint8(0), uint16(Util), uint8(Integer), 0, int64(5), int64(99), 0.0, "")
	f.Add(uint8(2), uint16(EngineActive), uint8(Double), 0, int64(5), int64(0), 140737488355328.0, "")
	f.Add(uint8(1), uint16(MemoryUsed), uint8(Text), 0, int64(5), int64(0), 0.0, "<<<NULL>>>")
	f.Fuzz(func(t *testing.T, kind uint8, field uint16, typ uint8, status int, at, i int64, d float64, s string) {
		r := Raw{
			Entity: Entity{Kind: Kind(kind % 3)}, Field: Field(field), Type: Type(typ % 4),
			Status: status, Micros: at, Int: i, Double: d, Text: s,
		}
		v, drop := Check(r, Window{After: 0, Until: 10})
		if drop != Kept {
			if v != (Value{}) {
				t.Errorf("dropped for %v, but %+v", drop, v)
			}
			return
		}
		spec, _ := SpecOf(r.Field)
		if r.Status != 0 || at <= 0 || at > 10 || r.Entity.Kind > spec.Level {
			t.Errorf("kept: %+v", r)
		}
		if v.Float < spec.Min*spec.Scale || v.Float > spec.Max*spec.Scale || v.Float != v.Float {
			t.Errorf("%+v gives %v", r, v.Float)
		}
		if spec.Ratio && v.Float > 1 || r.Type == Integer && r.Int >= int64Blank {
			t.Errorf("%+v gives %v", r, v.Float)
		}
	})
}
