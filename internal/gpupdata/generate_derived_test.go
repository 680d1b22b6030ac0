// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"time"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// genDerived gives what a ledger could publish, as far as the points tell it.
func genDerived(t *rapid.T) gpu.Derived {
	keys := rapid.SliceOfNDistinct(rapid.Custom(drawAccountKey), 0, 4, accountAt.identity).Draw(t, "accounts")
	d := gpu.Derived{Outputs: rapid.SliceOfNDistinct(rapid.Custom(drawOutputTotal), 0, 3, func(o gpu.OutputTotal) any {
		return [...]any{o.Holder, o.Node, o.Cluster, o.Unit}
	}).Draw(t, "outputs")}
	for _, key := range keys {
		d.Accounts = append(d.Accounts, drawAccount(t, key))
	}
	return d
}

func drawPublicHolder(t *rapid.T) gpu.Holder {
	h := genHolder.Draw(t, "holder")
	h.PodIP = ""
	return h
}

func (a accountAt) identity() accountKey { return a.key }

// attributions are those that a holder's account can have.
var attributions = []gpu.Attribution{
	gpu.ExclusiveAttribution, gpu.PartitionAttribution, gpu.EqualAttribution,
	gpu.ProcessAttribution, gpu.HostAttribution,
}

func drawAccountKey(t *rapid.T) accountAt {
	key := accountKey{
		device: genDevice.Draw(t, "device"),
		kind: rapid.SampledFrom([]gpu.AccountKind{
			gpu.DeviceAccount, gpu.HolderAccount, gpu.OverflowAccount,
		}).Draw(t, "kind"),
	}
	if rapid.Bool().Draw(t, "unresolved") {
		key.device.ID, key.device.Ref = "", rapid.StringMatching(`[a-b]`).Draw(t, "ref")
	}
	key.device = publicDevice(key.device)
	if key.kind == gpu.HolderAccount {
		key.attribution = rapid.SampledFrom(attributions).Draw(t, "attribution")
		if key.attribution != gpu.HostAttribution {
			key.holder = drawPublicHolder(t)
		}
	}
	return accountAt{key, genTime.Draw(t, "time") + 1}
}

func drawAccount(t *rapid.T, at accountAt) gpu.Account {
	a := gpu.Account{
		Device: at.key.device, Kind: at.key.kind, Holder: at.key.holder, Attribution: at.key.attribution,
		Time: at.time, New: rapid.Bool().Draw(t, "new"),
	}
	a.Start = drawStart(t, a.Time, a.New)
	conditions := rapid.SliceOfNDistinct(rapid.Custom(drawCondition), 1, 6, rapid.ID[gpu.Condition]).Draw(t, "states")
	for i, c := range conditions {
		st := gpu.StateTime{Condition: c, New: a.New || i > 0 && rapid.Bool().Draw(t, "new state")}
		st.Start = max(a.Start, drawStart(t, a.Time, st.New))
		if i == 0 {
			st.Start = a.Start // the account opens with its first state
		}
		st.Nanos = drawSpan(t, st.Start, a.Time)
		a.States = append(a.States, st)
	}
	if a.Kind != gpu.DeviceAccount {
		drawMeasures(t, &a)
	}
	return a
}

// drawStart gives a start: that of a series that isn't new is past.
func drawStart(t *rapid.T, now gpu.Time, isNew bool) gpu.Time {
	start := gpu.Time(rapid.Int64Range(int64(at(-5)), int64(now)).Draw(t, "start"))
	if start == now && !isNew {
		start--
	}
	return start
}

// drawSpan gives a time that passed: at its start, a series is 0.
func drawSpan(t *rapid.T, start, now gpu.Time) time.Duration {
	if start == now {
		return 0
	}
	return time.Duration(genNanos.Draw(t, "nanos"))
}

func drawMeasures(t *rapid.T, a *gpu.Account) {
	a.Allocated = drawSpan(t, a.Start, a.Time)
	a.Active = drawSpan(t, a.Start, a.Time)
	a.Productive = drawSpan(t, a.Start, a.Time)
	a.Entitled = drawSpan(t, a.Start, a.Time)
	depth := []gpu.Engine{gpu.EngineSM, gpu.EngineTensor, gpu.EngineDRAM}
	for _, e := range depth[:rapid.IntRange(0, 3).Draw(t, "depth")] {
		d := gpu.DepthTime{Engine: e, New: a.New || rapid.Bool().Draw(t, "new depth")}
		d.Start = max(a.Start, drawStart(t, a.Time, d.New))
		d.Nanos = drawSpan(t, d.Start, a.Time)
		a.Depth = append(a.Depth, d)
	}
	if rapid.Bool().Draw(t, "episode") {
		a.Episode = &gpu.IdleEpisode{
			Reason: rapid.SampledFrom(gpu.Idle.Reasons()).Draw(t, "reason"),
			Age:    time.Duration(genNanos.Draw(t, "age")),
		}
	}
}

func drawCondition(t *rapid.T) gpu.Condition {
	c := gpu.Condition{State: rapid.SampledFrom([]gpu.State{
		gpu.Unavailable, gpu.Unobserved, gpu.Unallocated, gpu.Terminating, gpu.Startup,
		gpu.Idle, gpu.Unproven, gpu.Productive,
	}).Draw(t, "state")}
	if reasons := c.State.Reasons(); len(reasons) > 0 {
		c.Reason = rapid.SampledFrom(reasons).Draw(t, "reason")
	}
	if c.State == gpu.Idle {
		c.Form = rapid.SampledFrom([]gpu.Form{gpu.BetweenWork, gpu.Episode}).Draw(t, "form")
		c.Residence = rapid.SampledFrom([]gpu.Residence{
			gpu.ResidentUnknown, gpu.ResidentTrue, gpu.ResidentFalse,
		}).Draw(t, "resident")
	}
	return c
}

func drawOutputTotal(t *rapid.T) gpu.OutputTotal {
	o := gpu.OutputTotal{
		Holder:  drawPublicHolder(t),
		Node:    genName.Draw(t, "node"),
		Cluster: genName.Draw(t, "cluster"),
		Unit:    genName.Draw(t, "unit"),
		Time:    genTime.Draw(t, "time"),
		New:     rapid.Bool().Draw(t, "new"),
	}
	o.Start = drawStart(t, o.Time, o.New)
	if o.Start < o.Time {
		o.Value = genValue.Draw(t, "value")
	}
	return o
}
