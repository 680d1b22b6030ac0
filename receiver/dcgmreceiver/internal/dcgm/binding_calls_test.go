// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"strings"
	"testing"
	"time"

	nv "github.com/NVIDIA/go-dcgm/pkg/dcgm"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

func since(t *testing.T, group nv.GroupHandle, fields nv.FieldHandle, from time.Time) ([]string, time.Time) {
	t.Helper()
	values, next, err := nv.GetValuesSince(group, fields, from)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range values {
		v := &values[i]
		got = append(got, told(nv.FieldValue_v1{FieldType: v.FieldType, Status: v.Status, TS: v.TS, Value: v.Value}))
	}
	return got, next
}

func TestValuesSince(t *testing.T) {
	s := newScript(t)
	s.must(s.Board(0, standin.H100))
	s.say("start")
	connect(t)
	group, fields, err := watch(t, "w", []nv.Short{1001, 230}, gpuEntity(0))
	if err != nil {
		t.Fatal(err)
	}
	s.must(s.Set(standin.GPU(0), 1001, standin.Double(0.5)))
	s.pass(2 * second)
	s.must(s.Sample(standin.GPU(0), 1001, s.now+1, -14, standin.DoubleBlank))
	s.must(s.Sample(standin.GPU(0), 230, start+second/2, 0, standin.Int(31)))
	got, next := since(t, group, fields, time.Time{})
	expect(t, "all", strings.Join(got, "; "),
		"0 d 1.40737488355328e+14 0s; 0 d 0.5 1s; 0 d 0.5 2s; -14 d 1.40737488355328e+14 2.000001s; 0 i 31 500ms")
	got, next = since(t, group, fields, next)
	expect(t, "nothing new", strings.Join(got, "; "), "")
	s.pass(second)
	got, _ = since(t, group, fields, next)
	expect(t, "what came since", strings.Join(got, "; "), "0 d 0.5 3s")
	s.pass(100 * second)
	if got, _ = since(t, group, fields, time.Time{}); len(got) != 61+1 {
		t.Errorf("%d values are kept, want those of 60 s and the XID", len(got))
	}
}
