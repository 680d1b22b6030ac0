// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"maps"
	"math"
	"reflect"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// tree has every shape that an archive knows.
type tree struct {
	Flag   bool
	Number int8
	Large  uint64
	Real   float64
	Name   gpu.DeviceID
	List   []string
	Table  map[gpu.Condition]int64
	Child  *tree
	Friend *tree // shared
}

func archiveTree(a *archive, t *tree) {
	a.bool(&t.Flag)
	archiveInt(a, &t.Number)
	archiveInt(a, &t.Large)
	a.float(&t.Real)
	archiveString(a, &t.Name)
	archiveSlice(a, &t.List, archiveString[string])
	archiveMap(a, &t.Table, archiveCondition, archiveInt[int64])
	archivePointer(a, &t.Child, archiveTree)
	archiveShared(a, &t.Friend, archiveTree)
}

func write(t tree) []byte {
	a := newWriter()
	archiveTree(a, &t)
	return a.data
}

func read(data []byte) (tree, error) {
	a := newReader(data)
	var t tree
	archiveTree(a, &t)
	return t, a.finish()
}

func oak() tree {
	friend := &tree{Name: "friend", Table: map[gpu.Condition]int64{}}
	friend.Friend = friend
	return tree{
		Flag: true, Number: -128, Large: math.MaxUint64, Real: -0.1, Name: "oak",
		List: []string{"oak", "", "friend", "oak"},
		Table: map[gpu.Condition]int64{
			{State: gpu.Idle, Reason: gpu.ReasonBatch, Form: gpu.Episode, Residence: gpu.ResidentFalse}: math.MinInt64,
			{State: gpu.Productive}: 1, {}: 2,
		},
		Child:  &tree{Name: "child", Friend: friend, Table: map[gpu.Condition]int64{}},
		Friend: friend,
	}
}

func TestArchiveReadsWhatItWrote(t *testing.T) {
	want := oak()
	got, err := read(write(want))
	require.NoError(t, err)
	require.Same(t, got.Friend, got.Child.Friend, "one value stays one")
	require.Same(t, got.Friend, got.Friend.Friend)
	require.Equal(t, want, got)
}

func TestArchiveIsDeterministic(t *testing.T) {
	first := write(oak())
	for range 20 { // maps are walked in another order each time
		require.Equal(t, first, write(oak()))
	}
}

// TestArchiveTellsWhatIsWrong: every truncation fails, and so does every value
// that isn't written so.
func TestArchiveTellsWhatIsWrong(t *testing.T) {
	whole := write(oak())
	for n := range whole {
		_, err := read(whole[:n])
		require.ErrorIs(t, err, ErrCorrupt, n)
	}
	_, err := read(append(whole, 0))
	require.ErrorIs(t, err, ErrCorrupt)
	require.EqualError(t, err, "not what was saved: 1 bytes too many")

	newer := newWriter()
	newer.data = nil
	next := archiveVersion + 1
	archiveInt(newer, &next)
	_, err = read(newer.data)
	require.ErrorIs(t, err, ErrNewerFormat)
	_, err = read([]byte{0})
	require.ErrorIs(t, err, ErrCorrupt, "format 0 never was")
}

func TestArchiveRefusesKeysThatComeTwice(t *testing.T) {
	a := newWriter()
	n, k := 2, "key"
	a.length(n)
	for range n {
		archiveString(a, &k)
		archiveString(a, &k)
	}
	var m map[string]string
	r := newReader(a.data)
	archiveMap(r, &m, archiveString[string], archiveString[string])
	require.ErrorIs(t, r.finish(), ErrCorrupt)
}

// TestArchiveOfEndlessDepth: data in which each value is in the next doesn't
// exhaust the stack.
func TestArchiveOfEndlessDepth(t *testing.T) {
	type link struct{ next *link }
	var visit func(*archive, *link)
	visit = func(a *archive, l *link) { archiveShared(a, &l.next, visit) }
	a := newWriter()
	for i := range 100_000 {
		place := i + 1
		archiveInt(a, &place)
	}
	r := newReader(a.data)
	visit(r, &link{})
	require.ErrorIs(t, r.finish(), ErrCorrupt)
}

// TestBatchArchiveForgetsNothing sets every field of a batch, one at a time, and
// expects it back: a field that is added to the domain and not to the archive
// fails.
func TestBatchArchiveForgetsNothing(t *testing.T) {
	full := gpu.Batch{}
	fill(reflect.ValueOf(&full).Elem(), &counter{})
	fields := leaves(reflect.ValueOf(&full).Elem(), "Batch")
	require.Greater(t, len(fields), 100)
	got, err := DecodeBatch(EncodeBatch(full))
	require.NoError(t, err)
	require.Equal(t, full, got)
	for name, field := range fields {
		before := reflect.ValueOf(field.Interface())
		field.SetZero()
		got, err = DecodeBatch(EncodeBatch(full))
		require.NoError(t, err, name)
		require.Equal(t, full, got, name)
		field.Set(before)
	}
}

type counter struct{ n int }

func (c *counter) next() int { c.n++; return c.n }

// fill sets every field below v to a value of its own, slices to two elements.
func fill(v reflect.Value, c *counter) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, c)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), c)
		}
	case reflect.String:
		v.SetString(strconv.Itoa(c.next()))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(float64(c.next()))
	case reflect.Uint8:
		v.SetUint(1) // of every enumeration
	case reflect.Uint64:
		v.SetUint(uint64(c.next()))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(c.next()))
	default:
		panic("fill " + v.Kind().String() + " too")
	}
}

// leaves returns the fields below v that have no fields, by their path.
func leaves(v reflect.Value, path string) map[string]reflect.Value {
	out := map[string]reflect.Value{}
	add := func(below reflect.Value, name string) { maps.Copy(out, leaves(below, path+name)) }
	switch v.Kind() {
	case reflect.Struct:
		for field, below := range v.Fields() {
			add(below, "."+field.Name)
		}
	case reflect.Slice:
		for i := range v.Len() {
			add(v.Index(i), "["+strconv.Itoa(i)+"]")
		}
	default:
		out[path] = v
	}
	return out
}

func TestBatchArchiveReadsWhatItWrote(t *testing.T) {
	batch := rapid.MakeCustom[gpu.Batch](rapid.MakeConfig{Kinds: map[reflect.Kind]*rapid.Generator[any]{
		reflect.Uint8: rapid.Uint8Range(0, 1).AsAny(), // of every enumeration
	}})
	rapid.Check(t, func(t *rapid.T) {
		want := batch.Draw(t, "batch")
		data := EncodeBatch(want)
		got, err := DecodeBatch(data)
		require.NoError(t, err)
		require.Equal(t, data, EncodeBatch(got))
	})
}

func FuzzDecodeBatch(f *testing.F) {
	full := gpu.Batch{}
	fill(reflect.ValueOf(&full).Elem(), &counter{})
	f.Add(EncodeBatch(full))
	f.Add(EncodeBatch(gpu.Batch{}))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := DecodeBatch(data)
		if err != nil {
			return
		}
		again, err := DecodeBatch(EncodeBatch(b))
		require.NoError(t, err)
		require.Equal(t, EncodeBatch(b), EncodeBatch(again))
	})
}

// FuzzArchive reads every shape; what it allocates is bounded by what it reads.
func FuzzArchive(f *testing.F) {
	f.Add(write(oak()))
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := read(data)
		runtime.ReadMemStats(&after)
		if spent := after.TotalAlloc - before.TotalAlloc; spent > 1<<20+1000*uint64(len(data)) {
			t.Fatalf("%d bytes allocated for %d", spent, len(data))
		}
		if err == nil {
			_, err = read(write(got))
			require.NoError(t, err)
		}
	})
}

// TestArchiveKnowsEveryValue: a value that an enumeration gets is archived too,
// and one that it hasn't is refused.
func TestArchiveKnowsEveryValue(t *testing.T) {
	knowsAll(t, gpu.Engine.String, archiveEngine)
	knowsAll(t, gpu.Reason.String, archiveReason)
	knowsAll(t, gpu.Class.String, func(a *archive, v *gpu.Class) {
		archiveHolder(a, &gpu.Holder{Workload: gpu.Workload{Class: *v}})
	})
	knowsAll(t, gpu.OutputKind.String, func(a *archive, v *gpu.OutputKind) {
		archiveProfile(a, &gpu.OutputProfile{Kind: *v})
	})
	knowsAll(t, gpu.State.String, func(a *archive, v *gpu.State) { archiveCondition(a, &gpu.Condition{State: *v}) })
	knowsAll(t, gpu.Form.String, func(a *archive, v *gpu.Form) { archiveCondition(a, &gpu.Condition{Form: *v}) })
	knowsAll(t, gpu.Residence.String, func(a *archive, v *gpu.Residence) {
		archiveCondition(a, &gpu.Condition{Residence: *v})
	})
}

// knowsAll holds what can be read to the values that have a name.
func knowsAll[T ~uint8](t *testing.T, name func(T) string, visit func(*archive, *T)) {
	t.Helper()
	for v := range 256 {
		value, named := T(v), true
		func() {
			defer func() { named = recover() == nil }()
			name(value)
		}()
		a := newWriter()
		visit(a, &value)
		r := newReader(a.data)
		visit(r, &value)
		if named {
			require.NoError(t, r.finish(), "%T %d", value, v)
		} else {
			require.ErrorIs(t, r.finish(), ErrCorrupt, "%T %d", value, v)
		}
	}
}
