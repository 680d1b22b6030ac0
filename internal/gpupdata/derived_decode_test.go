// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func TestDecodeDerivedRefuses(t *testing.T) {
	own := attrs{"hw.id": "GPU-0", "gpu.state": "idle"}
	good := pt{attrs: own, start: at(0), time: at(1), value: 1.0}
	change := func(f func(*pt)) pt {
		p := good
		f(&p)
		return p
	}
	for _, tc := range []struct {
		name, metric string
		shape        shape
		point        pt
		want         Drops
	}{
		{"good", "gpu.time", counter, good, nil},
		{"ended", "gpu.time", counter, change(func(p *pt) { p.ended = true }), nil},
		{"foreign metric", "gpu.activity", gauge, good, nil},
		{"cost", "gpu.cost", counter, good, nil},
		{"gauge", "gpu.time", gauge, good, Drops{DropUnsupportedType: 1}},
		{"falling price", "gpu.price", counter, good, Drops{DropUnsupportedType: 1}},
		{"no time", "gpu.time", counter, change(func(p *pt) { p.time = 0 }), Drops{DropUnsetClock: 1}},
		{"no start", "gpu.time", counter, change(func(p *pt) { p.start = 0 }), Drops{DropUnsetClock: 1}},
		{"NaN", "gpu.time", counter, change(func(p *pt) { p.value = math.NaN() }), Drops{DropNotANumber: 1}},
		{"negative", "gpu.time", counter, change(func(p *pt) { p.value = -1.0 }), Drops{DropOutOfRange: 1}},
		{"negative output", "gpu.output", counter, change(func(p *pt) { p.value = -1.0 }), Drops{DropOutOfRange: 1}},
		{"no device", "gpu.time", counter, change(func(p *pt) { p.attrs = with(own, "hw.id", nil) }), Drops{DropNoDevice: 1}},
		{"no device by name", "gpu.time", counter, change(func(p *pt) { p.attrs = with(with(own, "hw.id", nil), "gpu.device.ref", "") }), Drops{DropNoDevice: 1}},
		{"device by name", "gpu.time", counter, change(func(p *pt) { p.attrs = with(with(own, "hw.id", nil), "gpu.device.ref", "r") }), nil},
		{"attribution", "gpu.time", counter, change(func(p *pt) { p.attrs = with(own, "gpu.attribution", "x") }), Drops{DropUnknownState: 1}},
		{"no state", "gpu.time", counter, change(func(p *pt) { p.attrs = with(own, "gpu.state", nil) }), Drops{DropUnknownState: 1}},
		{"reason", "gpu.time", counter, change(func(p *pt) { p.attrs = with(own, "gpu.state.reason", "x") }), Drops{DropUnknownState: 1}},
		{"form", "gpu.time", counter, change(func(p *pt) { p.attrs = with(own, "gpu.idle.form", "x") }), Drops{DropUnknownState: 1}},
		{"resident", "gpu.time", counter, change(func(p *pt) { p.attrs = with(own, "gpu.memory.resident", "x") }), Drops{DropUnknownState: 1}},
		{"idle reason", "gpu.idle.duration", gauge, change(func(p *pt) { p.attrs = with(own, "gpu.state.reason", "x") }), Drops{DropUnknownState: 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, drops := DecodeDerived(metrics(t, nil, tc.metric, tc.shape, tc.point))
			require.Equal(t, tc.want, drops)
		})
	}
}

// Two sends in one batch, in any order, are two accounts; only the first is
// new.
func TestDecodeDerivedOfTwoSends(t *testing.T) {
	first := gpu.Account{
		Device: gpu.Device{ID: "GPU-0"}, Start: at(0), Time: at(1), New: true,
		States: []gpu.StateTime{{Condition: gpu.Condition{State: gpu.Productive}, Nanos: 1e9, Start: at(0), New: true}},
	}
	second := first
	second.Time, second.New = at(2), false
	second.States = []gpu.StateTime{{Condition: gpu.Condition{State: gpu.Productive}, Nanos: 2e9, Start: at(0)}}
	want := gpu.Derived{Accounts: []gpu.Account{first, second}}

	md := pmetric.NewMetrics()
	EncodeDerived(gpu.Derived{Accounts: []gpu.Account{second}}, md)
	EncodeDerived(gpu.Derived{Accounts: []gpu.Account{first}}, md)
	got, _, drops := DecodeDerived(md)
	require.Nil(t, drops)
	require.Empty(t, cmp.Diff(want, got, unordered))

	EncodeDerived(want, md) // the same once more
	got, _, _ = DecodeDerived(md)
	require.Len(t, got.Accounts, 2)
}
