// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"bytes"
	"encoding/binary"
	"math"

	nv "github.com/NVIDIA/go-dcgm/pkg/dcgm"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// raw copies what a value holds, without the 4 KiB that it is held in. DCGM's
// numbers are in the machine's byte order, which is little endian wherever
// there is DCGM.
func raw(e sample.Entity, field nv.Short, fieldType uint, status int, micros int64, value *[4096]byte) sample.Raw {
	r := sample.Raw{Entity: e, Field: sample.Field(field), Status: status, Micros: micros}
	switch fieldType {
	case nv.DCGM_FT_INT64:
		r.Type, r.Int = sample.Integer, int64(binary.LittleEndian.Uint64(value[:]))
	case nv.DCGM_FT_DOUBLE:
		r.Type, r.Double = sample.Double, math.Float64frombits(binary.LittleEndian.Uint64(value[:]))
	case nv.DCGM_FT_STRING:
		text, _, _ := bytes.Cut(value[:], []byte{0})
		r.Type, r.Text = sample.Text, string(text)
	}
	return r
}
