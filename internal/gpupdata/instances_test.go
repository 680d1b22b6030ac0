// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// deviceNumbered is the resource of a MIG instance with its number.
func deviceNumbered(md pmetric.Metrics, id, board string, number any) {
	attrs := md.ResourceMetrics().AppendEmpty().Resource().Attributes()
	put(attrs, AttrHWID, id)
	put(attrs, AttrHWParent, board)
	if n, ok := number.(int); ok {
		attrs.PutInt(AttrMIGInstance, int64(n))
	} else if s, ok := number.(string); ok {
		attrs.PutStr(AttrMIGInstance, s)
	}
}

// allocatedByNumber is an allocation of a MIG instance of which only the number
// is told, s seconds after the beginning.
func allocatedByNumber(s int, board string, number int) pmetric.Metrics {
	md := Encode(gpu.Batch{Allocations: []gpu.Allocation{{
		Ref: "nvidia0/gi7", Node: "n", Holder: gpu.Holder{PodUID: "u", Container: "c"}, Sharing: gpu.MIG, Share: 1,
		Time: gpu.Earliest.Add(time.Duration(s) * time.Second),
	}}})
	Annotate(md, Notes{Instance: func(_, _, device string) (gpu.DeviceID, int, bool) {
		return gpu.DeviceID(board), number, device == "nvidia0/gi7"
	}})
	return md
}

func decodeOne(t *testing.T, d *Decoder, md pmetric.Metrics) (device string, drops Drops) {
	t.Helper()
	b, drops := d.Decode(md, gpu.NoTime)
	for _, a := range b.Allocations {
		require.Equal(t, gpu.MIG, a.Sharing)
		require.NotEqual(t, a.Device == "", a.Ref == "", "one of the two")
		device = string(a.Device) + a.Ref
	}
	return device, drops
}

// TestInstanceIsFoundByNumber, whichever of the two is told first, and before
// and after the board was laid out anew.
func TestInstanceIsFoundByNumber(t *testing.T) {
	d := NewDecoder(Settings{Instances: NewInstances(90 * time.Second)})
	device, drops := decodeOne(t, d, allocatedByNumber(0, "GPU-1", 7))
	require.Empty(t, device)
	require.Equal(t, Drops{DropUnknownInstance: 1}, drops, "its device will be told")

	together := allocatedByNumber(10, "GPU-1", 7)
	deviceNumbered(together, "MIG-a", "GPU-1", 7)
	deviceNumbered(together, "MIG-b", "GPU-1", 8)
	deviceNumbered(together, "MIG-c", "GPU-2", "7")
	device, drops = decodeOne(t, d, together)
	require.Equal(t, "MIG-a", device)
	require.Empty(t, drops)
	device, _ = decodeOne(t, d, allocatedByNumber(20, "GPU-2", 7))
	require.Equal(t, "MIG-c", device)

	anew := pmetric.NewMetrics()
	deviceNumbered(anew, "MIG-d", "GPU-1", 7)
	_, drops = d.Decode(anew, gpu.NoTime)
	require.Empty(t, drops)
	device, _ = decodeOne(t, d, allocatedByNumber(30, "GPU-1", 7))
	require.Equal(t, "MIG-d", device)
}

// TestInstanceIsNeverTold: after a while it is a device by its reference; also
// if it is one of several.
func TestInstanceIsNeverTold(t *testing.T) {
	d := NewDecoder(Settings{Instances: NewInstances(90 * time.Second)})
	for s, want := range []string{0: "", 89: "", 90: "nvidia0/gi7", 100: "nvidia0/gi7"} {
		if s == 0 || s >= 89 && s <= 90 || s == 100 {
			device, drops := decodeOne(t, d, allocatedByNumber(s, "GPU-1", 7))
			require.Equal(t, want, device, s)
			require.Equal(t, want == "", drops[DropUnknownInstance] == 1, s)
		}
	}
	several := allocatedByNumber(0, "GPU-2", 7)
	deviceNumbered(several, "MIG-a", "GPU-2", 7)
	deviceNumbered(several, "MIG-b", "GPU-2", 7)
	device, drops := decodeOne(t, d, several)
	require.Equal(t, "nvidia0/gi7", device)
	require.Empty(t, drops)

	device, drops = decodeOne(t, NewDecoder(Settings{}), allocatedByNumber(0, "GPU-1", 7))
	require.Equal(t, "nvidia0/gi7", device, "nobody is asked")
	require.Empty(t, drops)
}

// TestInstanceOfNothing: what has no number, or none that can be, isn't learned
// and never waits.
func TestInstanceOfNothing(t *testing.T) {
	i := NewInstances(time.Minute)
	md := pmetric.NewMetrics()
	deviceNumbered(md, "MIG-a", "GPU-1", nil)
	deviceNumbered(md, "MIG-a", "GPU-1", -1)
	deviceNumbered(md, "MIG-a", "GPU-1", "seven")
	deviceNumbered(md, "MIG-a", "", 7)
	deviceNumbered(md, "GPU-1", "GPU-0", 7)
	i.learn(md)
	require.Empty(t, i.known)
	for _, number := range []pcommon.Value{pcommon.NewValueInt(-1), pcommon.NewValueStr("x"), pcommon.NewValueEmpty()} {
		m := pcommon.NewMap()
		put(m, AttrHWParent, "GPU-1")
		number.CopyTo(m.PutEmpty(AttrMIGInstance))
		_, ok := attributes{own: m, outer: nothing}.instance()
		require.False(t, ok)
	}
	zero := pmetric.NewMetrics()
	deviceNumbered(zero, "MIG-a", "GPU-1", 0) // a number as others
	i.learn(zero)
	id, wait := i.find(numbered{"GPU-1", 0}, gpu.Earliest)
	require.Equal(t, gpu.DeviceID("MIG-a"), id)
	require.False(t, wait)
}

// TestInstancesAreBounded, whatever numbers are told.
func TestInstancesAreBounded(t *testing.T) {
	i := NewInstances(time.Minute)
	for n := range mostNumbered + 10 {
		md := pmetric.NewMetrics()
		deviceNumbered(md, "MIG-a", "GPU-1", n)
		i.learn(md)
		i.find(numbered{"GPU-2", int64(n)}, gpu.Earliest)
	}
	require.LessOrEqual(t, len(i.known), mostNumbered)
	require.LessOrEqual(t, len(i.since), mostNumbered)
}
