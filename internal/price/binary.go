// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// writer appends values.
type writer struct{ data []byte }

func (w *writer) uint(n uint64) { w.data = binary.AppendUvarint(w.data, n) }
func (w *writer) int(n int64)   { w.data = binary.AppendVarint(w.data, n) }

func (w *writer) text(s string) {
	w.uint(uint64(len(s)))
	w.data = append(w.data, s...)
}

func (w *writer) bool(b bool) {
	if b {
		w.uint(1)
	} else {
		w.uint(0)
	}
}

// reader takes values off data. Once bad, it returns zero values.
type reader struct {
	data []byte
	bad  bool
}

func (r *reader) take(n int) {
	if n <= 0 || r.bad {
		r.data, r.bad = nil, true
		return
	}
	r.data = r.data[n:]
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.data)
	if r.take(n); r.bad {
		return 0
	}
	return v
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.data)
	if r.take(n); r.bad {
		return 0
	}
	return v
}

// amount is an int of 0 or more.
func (r *reader) amount() int64 {
	v := r.int()
	r.bad = r.bad || v < 0
	return max(v, 0)
}

func (r *reader) bool() bool {
	v := r.uint()
	r.bad = r.bad || v > 1
	return v == 1
}

// count returns a number of things, of which each needs a byte at least.
func (r *reader) count() int {
	n := r.uint()
	if n > uint64(len(r.data)) {
		r.bad = true
		return 0
	}
	return int(n)
}

func (r *reader) text() string {
	n := r.count()
	if r.bad {
		return ""
	}
	s := string(r.data[:n])
	r.data = r.data[n:]
	return s
}

func sortedNodes(m map[nodeKey]gpu.Node) []nodeKey {
	return slices.SortedFunc(maps.Keys(m), func(a, b nodeKey) int {
		return cmp.Or(cmp.Compare(a.cluster, b.cluster), cmp.Compare(a.name, b.name))
	})
}

func sortedTallies(m map[tallyKey]*tally) []tallyKey {
	return slices.SortedFunc(maps.Keys(m), func(a, b tallyKey) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.start, b.start))
	})
}
