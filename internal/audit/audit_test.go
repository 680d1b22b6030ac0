// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var (
	node0 = Node{"n0", "c0"}
	pod0  = gpu.Holder{Namespace: "ns", Pod: "pod", PodUID: "uid"}
)

// at is s seconds after an arbitrary instant.
func at(s int) gpu.Time { return gpu.Time(1_700_000_000e9).Add(time.Duration(s) * time.Second) }

func device(id gpu.DeviceID) gpu.Device { return gpu.Device{ID: id, Node: "n0", Cluster: "c0"} }

// sends is what a ledger publishes of one device that opened at 0: every 10 s,
// 4 s are free and 6 s are its holder's, half of them productive.
type sends struct {
	device gpu.Device
	scale  time.Duration // of every value
}

func (s sends) at(n int) (gpu.Derived, []gpu.DeviceSpan) {
	t := at(10 * n * int(s.scale))
	state := func(c gpu.Condition, each time.Duration) gpu.StateTime {
		return gpu.StateTime{Condition: c, Nanos: time.Duration(n) * each * s.scale, Start: at(0), New: n == 1}
	}
	free := gpu.Account{Device: s.device, Kind: gpu.DeviceAccount, Time: t, States: []gpu.StateTime{
		state(gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonFree}, 4*time.Second),
	}}
	held := gpu.Account{
		Device: s.device, Kind: gpu.HolderAccount, Holder: pod0, Attribution: gpu.ExclusiveAttribution, Time: t,
		States: []gpu.StateTime{
			state(gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonOutputFlat}, 3*time.Second),
			state(gpu.Condition{State: gpu.Productive}, 3*time.Second),
		},
	}
	span := time.Duration(n) * 10 * time.Second * s.scale
	return gpu.Derived{Accounts: []gpu.Account{free, held}}, []gpu.DeviceSpan{{Device: s.device, Time: t, Span: span}}
}

// accepted returns an Audit that accepted the first n sends.
func (s sends) accepted(t *testing.T, n int) *Audit {
	t.Helper()
	a := New()
	for i := range n {
		require.Equal(t, map[Node]time.Duration{node0: 0}, a.Check(s.at(i+1)))
		a.Accept()
	}
	return a
}

var gpu0 = sends{device("GPU-0"), 1}

// Each way to lie is found, to the nanosecond, in a first send and later.
func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fault func(*gpu.Derived)
		want  time.Duration
	}{
		{"none", func(*gpu.Derived) {}, 0},
		{"a share doubled", func(d *gpu.Derived) { d.Accounts[1].States[1].Nanos += 3 * time.Second }, 3 * time.Second},
		{"a share halved", func(d *gpu.Derived) { d.Accounts[0].States[0].Nanos -= 2 * time.Second }, -2 * time.Second},
		{"one nanosecond", func(d *gpu.Derived) { d.Accounts[0].States[0].Nanos++ }, 1},
		{"an account dropped", func(d *gpu.Derived) { d.Accounts = d.Accounts[:1] }, -6 * time.Second},
		{"a series dropped", func(d *gpu.Derived) { d.Accounts[1].States = d.Accounts[1].States[:1] }, -3 * time.Second},
		{"a value counted twice", func(d *gpu.Derived) {
			d.Accounts[1].States = append(d.Accounts[1].States, d.Accounts[1].States[1])
		}, 3 * time.Second},
		{"two faults that don't cancel", func(d *gpu.Derived) {
			d.Accounts[0].States[0].Nanos -= 5
			d.Accounts[1].States[0].Nanos += 3
		}, -2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for n := range 3 {
				a := gpu0.accepted(t, n)
				sent, spans := gpu0.at(n + 1)
				tt.fault(&sent)
				require.Equal(t, map[Node]time.Duration{node0: tt.want}, a.Check(sent, spans), "send %d", n+1)
			}
		})
	}
}

// Coverage is what isn't unobserved of the time since the accepted send, of all
// devices of a node; of what can't be told there is none.
func TestCoverage(t *testing.T) {
	unobserved := func(sent gpu.Derived) { // 4 s of every 10 s
		sent.Accounts[0].States[0].Condition = gpu.Condition{State: gpu.Unobserved, Reason: gpu.ReasonDevice}
	}
	for n := range 3 {
		a := gpu0.accepted(t, n)
		require.Empty(t, a.Coverage(), "nothing was checked since")
		a.Check(gpu0.at(n + 1))
		require.Equal(t, map[Node]float64{node0: 1}, a.Coverage())
	}
	a := New()
	for n := range 3 {
		sent, spans := gpu0.at(n + 1)
		unobserved(sent)
		require.Equal(t, map[Node]time.Duration{node0: 0}, a.Check(sent, spans))
		require.InDelta(t, 0.6, a.Coverage()[node0], 1e-15)
		if n != 1 { // the second fails
			a.Accept()
		}
	}
	sent, spans := gpu0.at(4)
	unobserved(sent)
	other, its := sends{device("GPU-1"), 3}.at(1) // 30 s, observed
	sent.Accounts, spans = append(sent.Accounts, other.Accounts...), append(spans, its...)
	a.Check(sent, spans)
	require.Equal(t, map[Node]float64{node0: 0.9}, a.Coverage())
	a.Accept()
	a.Check(sent, spans)
	require.Empty(t, a.Coverage(), "no time passed")

	a = New()
	sent, spans = gpu0.at(5)
	a.Check(gpu.Derived{Accounts: sent.Accounts[1:]}, spans)
	require.Empty(t, a.Coverage(), "nothing is claimed of a restored ledger's first send")
	a = gpu0.accepted(t, 1)
	sent, spans = gpu0.at(2)
	unobserved(sent) // a series that moved counts anew: it is a fault
	sent.Accounts[0].States[0].Nanos = time.Hour
	a.Check(sent, spans)
	require.Equal(t, map[Node]float64{node0: 0}, a.Coverage())
}

// A series that moved to other attributes or to another start counts from 0
// again: so would a backend count it.
func TestMovedSeriesCountAgain(t *testing.T) {
	for name, move := range map[string]func(*gpu.Account){
		"pod":         func(a *gpu.Account) { a.Holder.PodUID = "other" },
		"attribution": func(a *gpu.Account) { a.Attribution = gpu.EqualAttribution },
		"start":       func(a *gpu.Account) { a.States[0].Start++ },
		"reason":      func(a *gpu.Account) { a.States[0].Condition.Reason = gpu.ReasonNotScraped },
	} {
		a := gpu0.accepted(t, 2)
		sent, spans := gpu0.at(3)
		sent.Accounts[1].States = sent.Accounts[1].States[:1:1]
		rest, _ := gpu0.at(3)
		rest.Accounts[1].States = rest.Accounts[1].States[1:]
		sent.Accounts = append(sent.Accounts, rest.Accounts[1])
		move(&sent.Accounts[1])
		require.Equal(t, map[Node]time.Duration{node0: 6 * time.Second}, a.Check(sent, spans), name)
	}
}

// What wasn't accepted is no base.
func TestFailedSends(t *testing.T) {
	a := New()
	for n := range 5 {
		require.Equal(t, map[Node]time.Duration{node0: 0}, a.Check(gpu0.at(1)))
		if n == 3 {
			a.Accept()
			break
		}
	}
	a.Check(gpu0.at(2)) // fails
	require.Equal(t, map[Node]time.Duration{node0: 0}, a.Check(gpu0.at(4)))
	a.Accept()
	a.Accept() // of nothing
	require.Equal(t, map[Node]time.Duration{node0: 0}, a.Check(gpu0.at(5)))
}

// After a restart the accounts that ended are missing: nothing is claimed of
// the first send, and all of the next.
func TestFirstSendOfARestoredLedger(t *testing.T) {
	a := New()
	sent, spans := gpu0.at(7)
	sent.Accounts = sent.Accounts[1:]
	require.Empty(t, a.Check(sent, spans))
	require.Empty(t, a.Check(sent, spans), "it wasn't accepted")
	a.Accept()
	sent, spans = gpu0.at(8)
	sent.Accounts = sent.Accounts[1:]
	require.Equal(t, map[Node]time.Duration{node0: -4 * time.Second}, a.Check(sent, spans))
}

// An account that ended stops: its time was in a send before.
func TestEndedAccounts(t *testing.T) {
	a := gpu0.accepted(t, 3)
	for n := 4; n < 4+2*keepSeries; n++ {
		sent, spans := gpu0.at(n)
		sent.Accounts = sent.Accounts[:1]
		spans[0].Span -= time.Duration(n-3) * 6 * time.Second
		require.Equal(t, map[Node]time.Duration{node0: 0}, a.Check(sent, spans))
		a.Accept()
	}
	require.Len(t, a.devices[keyOf(gpu0.device)].series, 1, "what ended is forgotten")
}

// A series that a mistake left out once counts on from where it was.
func TestSeriesComesBack(t *testing.T) {
	a := gpu0.accepted(t, 3)
	sent, spans := gpu0.at(4)
	sent.Accounts = sent.Accounts[:1]
	require.Equal(t, map[Node]time.Duration{node0: -6 * time.Second}, a.Check(sent, spans))
	a.Accept()
	require.Equal(t, map[Node]time.Duration{node0: 6 * time.Second}, a.Check(gpu0.at(5)))
	a.Accept()
	require.Equal(t, map[Node]time.Duration{node0: 0}, a.Check(gpu0.at(6)))
}

// A device that all had accounts of before lives again, in a ledger that knows
// so or in one that had forgotten it.
func TestDeviceLivesAgain(t *testing.T) {
	life := func(earlier time.Duration) (gpu.Derived, []gpu.DeviceSpan) {
		sent, spans := gpu0.at(1)
		for i := range sent.Accounts {
			sent.Accounts[i].Time = at(1010)
			for j := range sent.Accounts[i].States {
				sent.Accounts[i].States[j].Start = at(1000)
			}
		}
		spans[0].Time = at(1010)
		spans[0].Span += earlier
		return sent, spans
	}
	a := gpu0.accepted(t, 2)
	require.Equal(t, map[Node]time.Duration{node0: 0}, a.Check(life(20*time.Second)))
	require.Equal(t, map[Node]time.Duration{node0: 0}, a.Check(life(0)))
	require.Equal(t, map[Node]time.Duration{node0: -3}, a.Check(life(3)), "neither adds up")
	require.Equal(t, map[Node]time.Duration{node0: 2}, a.Check(life(20*time.Second-2)), "neither adds up")
	require.Empty(t, New().Check(life(20*time.Second)), "its first life is gone: nothing is claimed")
}

// Of a node the worst device counts; nodes and nameless devices are apart.
func TestNodes(t *testing.T) {
	elsewhere := gpu.Device{ID: "GPU-2", Node: "n1", Cluster: "c0"}
	nameless := gpu.Device{Ref: "nvidia0", Node: "n1", Cluster: "c0"}
	namesake := gpu.Device{Ref: "nvidia0", Node: "n2", Cluster: "c0"}
	var sent gpu.Derived
	var spans []gpu.DeviceSpan
	for d, off := range map[gpu.Device]time.Duration{
		device("GPU-0"): 1, device("GPU-1"): -3, device("GPU-3"): 0, elsewhere: 0, nameless: 5, namesake: 0,
	} {
		one, its := sends{d, 1}.at(1)
		one.Accounts[0].States[0].Nanos += off
		sent.Accounts = append(sent.Accounts, one.Accounts...)
		spans = append(spans, its...)
	}
	require.Equal(t, map[Node]time.Duration{node0: -3, {"n1", "c0"}: 5, {"n2", "c0"}: 0}, New().Check(sent, spans))
}

// Points of a device that the ledger didn't settle are an error as far as they
// rise; a device of which no point is sent misses all of its time.
func TestOneSidedDevices(t *testing.T) {
	a := gpu0.accepted(t, 2)
	sent, spans := gpu0.at(3)
	require.Equal(t, map[Node]time.Duration{node0: 10 * time.Second}, a.Check(sent, nil))
	require.Equal(t, map[Node]time.Duration{node0: -10 * time.Second}, a.Check(gpu.Derived{}, spans))
	a = New()
	sent, _ = gpu0.at(1)
	require.Equal(t, map[Node]time.Duration{node0: 10 * time.Second}, a.Check(sent, nil))
	a.Accept()
	require.Empty(t, a.devices)
	require.Empty(t, a.Check(gpu.Derived{}, nil))
}

// What isn't in a send for long is forgotten.
func TestBounded(t *testing.T) {
	a := New()
	for i := range 1000 {
		s := sends{device(gpu.DeviceID("GPU-" + strconv.Itoa(i))), 1}
		sent, spans := s.at(1)
		spans[0].Time = at(60 * i)
		a.Check(sent, spans)
		a.Accept()
		require.LessOrEqual(t, len(a.devices), 2*60+1)
	}
	require.Equal(t, map[Node]time.Duration{node0: 0}, a.Check(sends{device("GPU-999"), 1}.at(2)))
}

// Beyond 97 days a double doesn't tell every nanosecond: what it can't tell is
// no error, and everything above is.
func TestResolution(t *testing.T) {
	require.Zero(t, resolution(0))
	require.Zero(t, resolution((1<<23-1)*time.Second))
	require.EqualValues(t, 1, resolution(1<<23*time.Second))
	require.EqualValues(t, 7, resolution(100_000_000*time.Second))

	years := sends{device("GPU-0"), 1e7} // 3 and 4 times 10⁷ s a send
	a := years.accepted(t, 4)
	sent, spans := years.at(5)
	var blur time.Duration
	for _, account := range sent.Accounts {
		for _, st := range account.States {
			blur += resolution(st.Nanos) + resolution(st.Nanos/5*4)
		}
	}
	for _, off := range []time.Duration{-blur - 1, -blur, blur, blur + 1} {
		want := off
		if off.Abs() <= blur {
			want = 0
		}
		faulty := gpu.Derived{Accounts: slices.Clone(sent.Accounts)}
		faulty.Accounts[0].States = slices.Clone(faulty.Accounts[0].States)
		faulty.Accounts[0].States[0].Nanos += off
		require.Equal(t, map[Node]time.Duration{node0: want}, a.Check(faulty, spans))
	}
}
