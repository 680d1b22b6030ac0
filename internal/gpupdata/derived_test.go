// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var genPrice = rapid.Custom(func(t *rapid.T) *gpu.Price {
	if rapid.Bool().Draw(t, "none") {
		return nil
	}
	return &gpu.Price{
		PerHour: gpu.Nanos(rapid.Int64Range(0, 1e14).Draw(t, "price")), Currency: "EUR",
		Version: rapid.SampledFrom([]string{"", "2026-09-17-1234abcd"}).Draw(t, "version"), Source: "file", Kind: "list",
	}
})

var twoEuros = &gpu.Price{PerHour: 2e9, Currency: "EUR", Version: "v1", Source: "file", Kind: "contract"}

func encodeDerived(d gpu.Derived, price *gpu.Price) pmetric.Metrics {
	md := pmetric.NewMetrics()
	EncodeDerived(priced(d, price), md)
	return md
}

// priced returns d with the price, and with a cost of each state: new if none of
// its series was published, from the first of their starts on.
func priced(d gpu.Derived, price *gpu.Price) gpu.Derived {
	d.Accounts = slices.Clone(d.Accounts)
	for i := range d.Accounts {
		a := &d.Accounts[i]
		if a.Price = price; price == nil {
			continue
		}
		costs := map[gpu.State]gpu.StateCost{}
		for _, st := range a.States {
			c, has := costs[st.Condition.State]
			if !has {
				c = gpu.StateCost{State: st.Condition.State, Currency: price.Currency, Start: st.Start, New: true}
			}
			c.Start, c.New = min(c.Start, st.Start), c.New && st.New
			c.Nanos += gpu.Nanos(st.Nanos.Hours() * float64(price.PerHour))
			costs[c.State] = c
		}
		for _, state := range slices.Sorted(maps.Keys(costs)) {
			a.Costs = append(a.Costs, costs[state])
		}
	}
	return d
}

func TestDerivedRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want, price := genDerived(t), genPrice.Draw(t, "price")
		got, prices, drops := DecodeDerived(overWire(t, encodeDerived(want, price)))
		require.Nil(t, drops)
		require.Empty(t, cmp.Diff(want, got, unordered))
		wantPrices := map[gpu.Device]gpu.Price{}
		for _, a := range want.Accounts {
			if price != nil {
				wantPrices[a.Device] = *price
			}
		}
		require.Equal(t, wantPrices, prices)
	})
}

// DecodeTime reads the states of every account, and nothing else.
func TestDecodeTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		md := encodeDerived(genDerived(t), genPrice.Draw(t, "price"))
		all, _, _ := DecodeDerived(md)
		var want gpu.Derived
		for _, a := range all.Accounts {
			of := gpu.Account{
				Device: a.Device, Kind: a.Kind, Holder: a.Holder, Attribution: a.Attribution,
				Time: a.Time, Start: gpu.Forever, New: true, States: a.States,
			}
			for _, st := range a.States {
				of.Start, of.New = min(of.Start, st.Start), of.New && st.New
			}
			want.Accounts = append(want.Accounts, of)
		}
		got, drops := DecodeTime(md)
		require.Nil(t, drops)
		require.Empty(t, cmp.Diff(want, got, unordered))
	})
}

// counterSeries returns the points of every series of a counter, in order.
func counterSeries(t require.TestingT, md pmetric.Metrics) map[string][]pmetric.NumberDataPoint {
	out := map[string][]pmetric.NumberDataPoint{}
	for _, rm := range md.ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			if m.Type() == pmetric.MetricTypeGauge {
				continue
			}
			require.Equal(t, counters, kindOf(m), m.Name())
			for _, p := range m.Sum().DataPoints().All() {
				key := m.Name() + formatMap(rm.Resource().Attributes()) + formatMap(p.Attributes())
				out[key] = append(out[key], p)
			}
		}
	}
	return out
}

func formatMap(m pcommon.Map) string {
	var labels []label
	for k, v := range m.All() {
		labels = append(labels, label{k, v.AsString()})
	}
	return "{" + formatSeries(labels) + "}"
}

// newSeries counts the series of d that were not published yet.
func newSeries(d gpu.Derived, priced bool) (n int) {
	for _, a := range d.Accounts {
		published := map[gpu.State]bool{} // by state: one of its series was
		for _, s := range a.States {
			if s.New {
				n++
			}
			published[s.Condition.State] = published[s.Condition.State] || !s.New
		}
		for _, was := range published {
			if priced && !was {
				n++
			}
		}
		if a.New && a.Kind != gpu.DeviceAccount {
			n += 4
		}
		for _, depth := range a.Depth {
			if depth.New {
				n++
			}
		}
	}
	for _, o := range d.Outputs {
		if o.New {
			n++
		}
	}
	return n
}

func TestNewSeriesArePrecededByZero(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d, price := genDerived(t), genPrice.Draw(t, "price")
		preceded := 0
		for key, points := range counterSeries(t, encodeDerived(d, price)) {
			for _, p := range points {
				require.NotZero(t, p.StartTimestamp(), key)
				require.Equal(t, points[0].StartTimestamp(), p.StartTimestamp(), key)
			}
			first := points[0]
			if first.Timestamp() != first.StartTimestamp() {
				require.Len(t, points, 1, key)
				continue
			}
			preceded++
			require.Zero(t, first.DoubleValue(), key)
			require.LessOrEqual(t, len(points), 2, key)
		}
		require.Equal(t, newSeries(d, price != nil), preceded)
	})
}

// account0 is a published account of a holder, with a new series.
func account0() gpu.Account {
	return gpu.Account{
		Device: gpu.Device{
			ID: "GPU-0", Ref: "resolved", Parent: "GPU-9", Slices: gpu.Slices{N: 3, Of: 7},
			Node: "n0", Cluster: "c0", Model: "H200",
		},
		Kind: gpu.HolderAccount, Holder: holder0, Attribution: gpu.PartitionAttribution, Start: at(0), Time: at(3600),
		States: []gpu.StateTime{
			{
				Condition: gpu.Condition{
					State: gpu.Idle, Reason: gpu.ReasonBatch, Form: gpu.BetweenWork, Residence: gpu.ResidentUnknown,
				}, Nanos: 1800 * time.Second, Start: at(0),
			},
			{
				Condition: gpu.Condition{
					State: gpu.Idle, Reason: gpu.ReasonStarved, Form: gpu.Episode, Residence: gpu.ResidentTrue,
				}, Nanos: 900 * time.Second, Start: at(60), New: true,
			},
			{Condition: gpu.Condition{State: gpu.Productive}, Nanos: 900 * time.Second, Start: at(120), New: true},
		},
		Allocated: 3600 * time.Second, Active: 900 * time.Second, Productive: 900 * time.Second, Entitled: 1800 * time.Second,
		Depth:   []gpu.DepthTime{{Engine: gpu.EngineSM, Nanos: time.Second, Start: at(0)}, {Engine: gpu.EngineAny, Nanos: time.Hour}},
		Episode: &gpu.IdleEpisode{Reason: gpu.ReasonStarved, Age: 90 * time.Second},
	}
}

// plainPoint is all of a point.
type plainPoint struct {
	attrs       attrs
	start, time gpu.Time
	value       float64
}

// plainPoints returns the points of a metric in the first resource.
func plainPoints(t *testing.T, md pmetric.Metrics, name string) (out []plainPoint) {
	t.Helper()
	for _, m := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		if m.Name() != name {
			continue
		}
		points, ok := numberPoints(m)
		require.True(t, ok)
		for _, p := range points.All() {
			out = append(out, plainPoint{
				p.Attributes().AsRaw(), gpu.Time(p.StartTimestamp()), gpu.Time(p.Timestamp()), value(p),
			})
		}
	}
	return out
}

func value(p pmetric.NumberDataPoint) float64 {
	if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
		return float64(p.IntValue())
	}
	return p.DoubleValue()
}

func TestEncodeDerivedPoints(t *testing.T) {
	md := encodeDerived(gpu.Derived{Accounts: []gpu.Account{account0()}}, twoEuros)
	rm := md.ResourceMetrics().At(0)
	require.Equal(t, attrs{"k8s.cluster.name": "c0", "k8s.node.name": "n0"}, rm.Resource().Attributes().AsRaw())
	require.Equal(t, ScopeName, rm.ScopeMetrics().At(0).Scope().Name())
	require.Equal(t, []string{
		"gpu.time", "gpu.allocated.time", "gpu.active.time", "gpu.productive.time", "gpu.entitled.time", "gpu.sm_active.time",
		"gpu.idle.duration", "gpu.cost", "gpu.price",
	}, names(md))

	device := attrs{"hw.id": "GPU-0", "hw.parent": "GPU-9", "k8s.node.name": "n0"}
	base := with(device, "gpu.attribution", "partition")
	for k, v := range resHolder0 {
		if k != "k8s.pod.ip" && k != "k8s.cluster.name" {
			base[k] = v
		}
	}
	idle := with(base, "gpu.state", "idle")
	between := with(with(with(idle, "gpu.state.reason", "batch"), "gpu.idle.form", "between_work"), "gpu.memory.resident", "unknown")
	episode := with(with(with(idle, "gpu.state.reason", "starved"), "gpu.idle.form", "episode"), "gpu.memory.resident", "true")
	productive := with(base, "gpu.state", "productive")
	end := at(3600)
	require.Equal(t, []plainPoint{
		{between, at(0), end, 1800},
		{episode, at(60), at(60), 0},
		{episode, at(60), end, 900},
		{productive, at(120), at(120), 0},
		{productive, at(120), end, 900},
	}, plainPoints(t, md, "gpu.time"))
	require.Equal(t, []plainPoint{{base, at(0), end, 3600}}, plainPoints(t, md, "gpu.allocated.time"))
	require.Equal(t, []plainPoint{{base, at(0), end, 1800}}, plainPoints(t, md, "gpu.entitled.time"))
	require.Equal(t, []plainPoint{{base, at(0), end, 1}}, plainPoints(t, md, "gpu.sm_active.time"))
	require.Equal(t, []plainPoint{{with(base, "gpu.state.reason", "starved"), 0, end, 90}},
		plainPoints(t, md, "gpu.idle.duration"))
	require.Equal(t, []plainPoint{
		// One of idle's two series was published: so was its cost.
		{with(idle, "gpu.currency", "EUR"), at(0), end, 1.5},
		{with(productive, "gpu.currency", "EUR"), at(120), at(120), 0},
		{with(productive, "gpu.currency", "EUR"), at(120), end, 0.5},
	}, plainPoints(t, md, "gpu.cost"))
	price := with(with(device, "gpu.currency", "EUR"), "gpu.price.source", "file")
	price = with(with(price, "gpu.price.version", "v1"), "gpu.price.kind", "contract")
	require.Equal(t, []plainPoint{{price, 0, end, 2}}, plainPoints(t, md, "gpu.price"))
}

func TestEncodeDerivedKindsOfAccounts(t *testing.T) {
	account := func(kind gpu.AccountKind, attribution gpu.Attribution) gpu.Account {
		return gpu.Account{
			Device: device0, Kind: kind, Attribution: attribution, Start: at(0), Time: at(1),
			States: []gpu.StateTime{{Condition: gpu.Condition{State: gpu.Productive}, Nanos: 1, Start: at(0)}},
		}
	}
	unresolved := account(gpu.HolderAccount, gpu.EqualAttribution)
	unresolved.Device.ID, unresolved.Device.Ref = "", "nvidia3"
	md := encodeDerived(gpu.Derived{Accounts: []gpu.Account{
		account(gpu.DeviceAccount, gpu.NoAttribution), account(gpu.HolderAccount, gpu.HostAttribution),
		account(gpu.OverflowAccount, gpu.NoAttribution), unresolved,
	}}, nil)
	base := attrs{"hw.id": "GPU-0", "k8s.node.name": "n0"}
	host := with(with(base, "gpu.attribution", "host"), "gpu.workload.class", "unclassified")
	overflow := with(base, "otel.metric.overflow", true)
	nameless := with(with(with(host, "hw.id", nil), "gpu.device.ref", "nvidia3"), "gpu.attribution", "equal")
	require.Equal(t, []plainPoint{
		{with(base, "gpu.state", "productive"), at(0), at(1), 1e-9},
		{with(host, "gpu.state", "productive"), at(0), at(1), 1e-9},
		{with(overflow, "gpu.state", "productive"), at(0), at(1), 1e-9},
		{with(nameless, "gpu.state", "productive"), at(0), at(1), 1e-9},
	}, plainPoints(t, md, "gpu.time"))
	require.Equal(t, []plainPoint{{host, at(0), at(1), 0}, {overflow, at(0), at(1), 0}, {nameless, at(0), at(1), 0}},
		plainPoints(t, md, "gpu.allocated.time"), "a device's own account has no measures")
	require.False(t, slices.Contains(names(md), "gpu.price"))
	require.False(t, slices.Contains(names(md), "gpu.cost"))
}

func TestEncodeDerivedGroupsByNode(t *testing.T) {
	a, b := account0(), account0()
	b.Device.Node = "n1"
	o := gpu.OutputTotal{Holder: holder0, Node: "n1", Cluster: "c0", Unit: "{token}", Start: at(0), Time: at(1), Value: 7, New: true}
	md := metrics(t, nil, "kept", gauge, pt{time: at(0)})
	EncodeDerived(gpu.Derived{Accounts: []gpu.Account{a, b, a}, Outputs: []gpu.OutputTotal{o}}, md)
	require.Equal(t, 3, md.ResourceMetrics().Len())
	last := md.ResourceMetrics().At(2)
	node, _ := last.Resource().Attributes().Get("k8s.node.name")
	require.Equal(t, "n1", node.Str())
	all := last.ScopeMetrics().At(0).Metrics()
	output := all.At(all.Len() - 1)
	require.Equal(t, "gpu.output", output.Name())
	require.Equal(t, 2, output.Sum().DataPoints().Len())
	raw := output.Sum().DataPoints().At(1).Attributes().AsRaw()
	require.Equal(t, "{token}", raw["gpu.output.unit"])
	require.NotContains(t, raw, "hw.id")
	require.NotContains(t, raw, "k8s.pod.ip")
}

func TestPriceIsTheDevices(t *testing.T) {
	a := account0()
	own := a
	own.Kind, own.Holder = gpu.DeviceAccount, gpu.Holder{}
	other := a
	other.Device.ID = "GPU-1"
	md := encodeDerived(gpu.Derived{Accounts: []gpu.Account{a, own, other, a}}, twoEuros)
	var priced []any
	for _, p := range plainPoints(t, md, "gpu.price") {
		priced = append(priced, p.attrs["hw.id"])
		require.NotContains(t, p.attrs, "k8s.pod.uid")
	}
	require.Equal(t, []any{"GPU-0", "GPU-1"}, priced)
}
