// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// archiveVersion is the format that is written. A reader takes this one and
// the one before it: what a version added is visited under
// `if a.version >= version`.
const archiveVersion = 1

// oldestVersion is the oldest format that is read.
const oldestVersion = 1

// What is wrong with bytes that can't be read.
var (
	ErrCorrupt     = errors.New("not what was saved")
	ErrNewerFormat = errors.New("saved by a newer version")
)

// archive writes values to bytes, or reads them back. One function describes a
// struct and serves both ways: it visits the fields in their order by
// reference. A reader that meets what wasn't written so fails once: from then
// on every value is left as it is, and err says why.
type archive struct {
	version int // of the format that is written or read
	reading bool
	data    []byte // what was written, or is still to be read
	err     error

	// Strings and shared values are written once. Their first place counts.
	stringPlaces map[string]uint64 // writing
	strings      []string          // reading
	sharedPlaces map[any]uint64    // writing
	shared       []any             // reading
	depth        int               // of shared values in each other
}

// newWriter returns an archive that writes the current format.
func newWriter() *archive {
	a := &archive{version: archiveVersion, stringPlaces: map[string]uint64{"": 0}, sharedPlaces: map[any]uint64{}}
	archiveInt(a, &a.version)
	return a
}

// newReader returns an archive that reads data.
func newReader(data []byte) *archive {
	a := &archive{reading: true, data: data, strings: []string{""}}
	archiveInt(a, &a.version)
	switch {
	case a.err != nil:
	case a.version > archiveVersion:
		a.err = fmt.Errorf("%w: format %d, this version reads up to %d", ErrNewerFormat, a.version, archiveVersion)
	case a.version < oldestVersion:
		a.fail("format %d", a.version)
	}
	return a
}

// finish returns why reading failed; all data must have been read.
func (a *archive) finish() error {
	if a.reading && len(a.data) > 0 {
		a.fail("%d bytes too many", len(a.data))
	}
	return a.err
}

// fail makes a reader fail, unless it did. Callers use it for values that no
// writer writes.
func (a *archive) fail(format string, args ...any) {
	if a.reading && a.err == nil {
		a.err = fmt.Errorf("%w: "+format, append([]any{ErrCorrupt}, args...)...)
	}
}

// bool visits a bool.
func (a *archive) bool(p *bool) {
	b := uint8(0)
	if *p {
		b = 1
	}
	archiveInt(a, &b)
	if a.reading && a.err == nil {
		*p = b == 1
		if b > 1 {
			a.fail("bool %d", b)
		}
	}
}

// float visits a float64, bit by bit.
func (a *archive) float(p *float64) {
	if !a.reading {
		a.data = binary.LittleEndian.AppendUint64(a.data, math.Float64bits(*p))
		return
	}
	if b, ok := a.take(8); ok {
		*p = math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
}

// take returns the next n bytes of a reader.
func (a *archive) take(n uint64) ([]byte, bool) {
	if a.err == nil && n > uint64(len(a.data)) {
		a.fail("%d bytes are left, %d needed", len(a.data), n)
	}
	if a.err != nil {
		return nil, false
	}
	b := a.data[:n]
	a.data = a.data[n:]
	return b, true
}

// length visits the number of elements of something. Each takes a byte at
// least, so that a false number is found before anything is allocated for it.
func (a *archive) length(n int) int {
	length := uint64(n)
	archiveInt(a, &length)
	if !a.reading {
		return n
	}
	if length > uint64(len(a.data)) {
		a.fail("%d bytes are left for %d elements", len(a.data), length)
	}
	if a.err != nil {
		return 0
	}
	return int(length)
}
