// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"fmt"
	"testing"
	"time"

	nv "github.com/NVIDIA/go-dcgm/pkg/dcgm"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

// told is a value as a test writes it: status, type and value, and its time
// relative to the start ("-" if it has none).
func told(v nv.FieldValue_v1) string {
	at := "-"
	if v.TS != 0 {
		at = time.Duration((v.TS - start) * int64(time.Microsecond)).String()
	}
	switch v.FieldType {
	case nv.DCGM_FT_DOUBLE:
		return fmt.Sprintf("%d d %v %s", v.Status, v.Float64(), at)
	case nv.DCGM_FT_STRING:
		return fmt.Sprintf("%d s %s %s", v.Status, v.String(), at)
	}
	return fmt.Sprintf("%d i %d %s", v.Status, v.Int64(), at)
}

func latest(t *testing.T, e nv.GroupEntityPair, field nv.Short) string {
	t.Helper()
	values, err := nv.EntityGetLatestValues(e.EntityGroupId, e.EntityId, []nv.Short{field})
	if err != nil {
		t.Fatal(err)
	}
	return told(values[0])
}

func expect(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

var twoInstances = []standin.Instance{
	{Profile: "3g.40gb", Slices: 3, UUID: "MIG-b", NVML: 1},
	{Profile: "1g.10gb", Slices: 1, UUID: "MIG-a", NVML: 9},
}
