// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// integer is every type that archiveInt visits.
type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// archiveInt visits a number; small ones of either sign take few bytes.
func archiveInt[T integer](a *archive, p *T) {
	if !a.reading {
		a.data = binary.AppendVarint(a.data, int64(*p))
		return
	}
	if a.err != nil {
		return
	}
	v, n := binary.Varint(a.data)
	switch {
	case n <= 0:
		a.fail("%d bytes are left, none of them a number", len(a.data))
	case int64(T(v)) != v:
		a.fail("number %d is out of range", v)
	default:
		*p, a.data = T(v), a.data[n:]
	}
}

// archiveString visits a string. The first time it is written as 0, length and
// bytes, then as its place.
func archiveString[T ~string](a *archive, p *T) {
	if a.reading {
		a.readString(func(s string) { *p = T(s) })
		return
	}
	place, known := a.stringPlaces[string(*p)]
	place++
	if !known {
		place = 0
		if a.stringPlaces != nil {
			a.stringPlaces[string(*p)] = uint64(len(a.stringPlaces))
		}
	}
	archiveInt(a, &place)
	if !known {
		a.length(len(*p))
		a.data = append(a.data, *p...)
	}
}

func (a *archive) readString(set func(string)) {
	place := uint64(0)
	archiveInt(a, &place)
	if place == 0 {
		if b, ok := a.take(uint64(a.length(0))); ok {
			a.strings = append(a.strings, string(b))
			set(string(b))
		}
		return
	}
	if place > uint64(len(a.strings)) {
		a.fail("string %d of %d", place, len(a.strings))
	}
	if a.err == nil {
		set(a.strings[place-1])
	}
}

// archiveSlice visits a slice. An empty one comes back as nil.
func archiveSlice[S ~[]E, E any](a *archive, p *S, visit func(*archive, *E)) {
	n := a.length(len(*p))
	if !a.reading {
		for i := range *p {
			visit(a, &(*p)[i])
		}
		return
	}
	var read S // grows as it is read: a false length costs nothing
	for i := 0; i < n && a.err == nil; i++ {
		var e E
		visit(a, &e)
		read = append(read, e)
	}
	if a.err == nil {
		*p = read
	}
}

// archiveMap visits a map, in the order of its keys' bytes: the same map always
// gives the same bytes. It never comes back as nil.
func archiveMap[M ~map[K]V, K comparable, V any](
	a *archive, p *M, key func(*archive, *K), value func(*archive, *V),
) {
	n := a.length(len(*p))
	if !a.reading {
		for _, k := range sortedByBytes(*p, key) {
			v := (*p)[k]
			key(a, &k)
			value(a, &v)
		}
		return
	}
	read := M{}
	for i := 0; i < n && a.err == nil; i++ {
		var k K
		var v V
		key(a, &k)
		value(a, &v)
		if _, twice := read[k]; twice {
			a.fail("key %v comes twice", k)
		}
		read[k] = v
	}
	if a.err == nil {
		*p = read
	}
}

func sortedByBytes[M ~map[K]V, K comparable, V any](m M, visit func(*archive, *K)) []K {
	type pair struct {
		key      K
		from, to int // its bytes
	}
	pairs := make([]pair, 0, len(m))
	plain := archive{version: archiveVersion} // writes no places: they depend on the order
	for k := range m {
		from := len(plain.data)
		if len(m) > 1 {
			visit(&plain, &k)
		}
		pairs = append(pairs, pair{k, from, len(plain.data)})
	}
	slices.SortFunc(pairs, func(x, y pair) int {
		return bytes.Compare(plain.data[x.from:x.to], plain.data[y.from:y.to])
	})
	keys := make([]K, len(pairs))
	for i := range pairs {
		keys[i] = pairs[i].key
	}
	return keys
}

// archivePointer visits what p points to, or nil. Two pointers to one value
// come back as pointers to two: use archiveShared for those.
func archivePointer[E any](a *archive, p **E, visit func(*archive, *E)) {
	has := *p != nil
	a.bool(&has)
	if a.reading && has && a.err == nil {
		*p = new(E)
	}
	if has && a.err == nil {
		visit(a, *p)
	}
}

// maxDepth is deeper than any shared value is in others.
const maxDepth = 1000

// archiveShared visits what p points to, or nil, once: every other pointer to
// the same value comes back as a pointer to the same value, also one in itself.
func archiveShared[E any](a *archive, p **E, visit func(*archive, *E)) {
	place, known := uint64(0), *p == nil
	if !a.reading && !known {
		if place, known = a.sharedPlaces[*p]; !known {
			place = uint64(len(a.sharedPlaces)) + 1
			a.sharedPlaces[*p] = place
		}
	}
	archiveInt(a, &place)
	if a.reading {
		known = a.readShared(place, func(v any) (ok bool) { *p, ok = v.(*E); return ok }, func() any { *p = new(E); return *p })
	}
	if known {
		return
	}
	if a.depth++; a.depth > maxDepth {
		a.fail("more than %d values in each other", maxDepth)
	}
	if a.err == nil {
		visit(a, *p)
	}
	a.depth--
}

// readShared sets a pointer to the value of a place and reports whether nothing
// is to be read for it.
func (a *archive) readShared(place uint64, set func(any) bool, create func() any) bool {
	switch {
	case a.err != nil || place == 0:
		return true
	case place == uint64(len(a.shared))+1:
		a.shared = append(a.shared, create())
		return false
	case place > uint64(len(a.shared)) || !set(a.shared[place-1]):
		a.fail("shared value %d of %d", place, len(a.shared))
	}
	return true
}
