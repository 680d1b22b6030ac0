// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package checkpoint

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// currentFormat is what is written; the one before it is read as well.
const currentFormat = 1

// maxRecords bounds the journal.
const maxRecords = 1000

// magic begins every header.
const magic = "gpck"

const sumSize = 4 // bytes of a checksum

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

// header describes everything else that is stored.
type header struct {
	format     int
	boot       string
	settings   string
	generation uint64 // of the snapshot; its records carry it too
	size       uint64 // of the snapshot, in bytes
	sum        uint32 // of the snapshot
	records    uint64
}

// encode returns magic, format, the fields, and a checksum of these.
func (h *header) encode() []byte {
	b := binary.AppendUvarint([]byte(magic), uint64(h.format))
	for _, s := range []string{h.boot, h.settings} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	for _, n := range []uint64{h.generation, h.size, uint64(h.sum), h.records} {
		b = binary.AppendUvarint(b, n)
	}
	return appendSum(b)
}

// decodeHeader is the inverse of encode. The frame (magic, format, checksum) is
// that of every format.
func decodeHeader(data []byte, current int) (h header, err error) {
	body, ok := cutSum(data)
	if !ok || len(body) < len(magic) || string(body[:len(magic)]) != magic {
		return h, fmt.Errorf("%w: the header (%d bytes)", errCorrupt, len(data))
	}
	f := fields{data: body[len(magic):]}
	h.format = int(f.number())
	if h.format > current {
		return h, fmt.Errorf("%w: format %d, this version reads up to %d", ErrNewerFormat, h.format, current)
	}
	h.boot, h.settings = f.text(), f.text()
	h.generation, h.size, h.sum, h.records = f.number(), f.number(), uint32(f.number()), f.number()
	if f.bad || len(f.data) > 0 || h.format < max(current-1, 1) || h.records > maxRecords {
		return h, fmt.Errorf("%w: the header (format %d, %d records)", errCorrupt, h.format, h.records)
	}
	return h, nil
}

// encodeRecord returns a record with its generation and place before it, and a
// checksum of all that behind it.
func encodeRecord(generation, place uint64, record []byte) []byte {
	b := make([]byte, 0, len(record)+2*binary.MaxVarintLen64+sumSize)
	b = binary.AppendUvarint(b, generation)
	b = binary.AppendUvarint(b, place)
	return appendSum(append(b, record...))
}

// decodeRecord is the inverse of encodeRecord.
func decodeRecord(data []byte, generation, place uint64) ([]byte, error) {
	body, ok := cutSum(data)
	f := fields{data: body}
	if g, p := f.number(), f.number(); !ok || f.bad || g != generation || p != place {
		return nil, fmt.Errorf("%w: record %d (%d bytes, of snapshot %d)", errCorrupt, place, len(data), generation)
	}
	return f.data, nil
}

func appendSum(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, sum(b)) }

// cutSum returns what a checksum follows, and whether it is right.
func cutSum(data []byte) ([]byte, bool) {
	n := len(data) - sumSize
	if n < 0 {
		return nil, false
	}
	return data[:n], binary.LittleEndian.Uint32(data[n:]) == sum(data[:n])
}

// fields reads what encode wrote.
type fields struct {
	data []byte
	bad  bool
}

func (f *fields) number() uint64 {
	n, size := binary.Uvarint(f.data)
	if size <= 0 {
		f.bad = true
		return 0
	}
	f.data = f.data[size:]
	return n
}

func (f *fields) text() string {
	n := f.number()
	if n > uint64(len(f.data)) {
		f.bad = true
		return ""
	}
	s := string(f.data[:n])
	f.data = f.data[n:]
	return s
}
