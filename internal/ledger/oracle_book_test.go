// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// book puts newly settled time into its conditions.
func (o *oracle) book(d *oracleDevice, settled span, k gpu.Time) {
	held := o.tenures(d, k)
	evs := o.evidences(d, k)
	for _, part := range cutAt(settled, o.intervalCuts(d, evs, k)) {
		ev := evidence{span: part}
		for _, e := range evs {
			if e.has(part) {
				ev = e
			}
		}
		o.bookInterval(d, ev, held, k)
	}
}

// intervalCuts returns the times at which whole intervals end or begin.
func (o *oracle) intervalCuts(d *oracleDevice, evs []evidence, k gpu.Time) []gpu.Time {
	var cuts []gpu.Time
	for _, p := range o.points(d, k) {
		cuts = append(cuts, p.time)
	}
	for _, ev := range evs {
		cuts = append(cuts, ev.from, ev.to)
	}
	return cuts
}

// cutAt returns s, cut at those of the times that lie in it.
func cutAt(s span, times []gpu.Time) []span {
	times = slices.DeleteFunc(slices.Clone(times), func(t gpu.Time) bool { return t <= s.from || s.to <= t })
	slices.Sort(times)
	var pieces []span
	from := s.from
	for _, t := range slices.Compact(times) {
		pieces = append(pieces, span{from, t})
		from = t
	}
	return append(pieces, span{from, s.to})
}

// booking is one interval while it is booked.
type booking struct {
	d         *oracleDevice
	ev        evidence
	k         gpu.Time
	held      []tenure
	heldTime  int64                    // h
	before    map[string]int64         // holder → its activity since its start-up, before the interval
	attempts  map[string]map[int]int64 // holder → attempt → its activity in it, before the interval
	processes map[string]int64         // pod → weight of its processes; "": foreign
	modes     map[string]gpu.Reason    // holder → the reason of its idle time
	y, z      int64                    // held and other time booked so far
}

func (o *oracle) bookInterval(d *oracleDevice, ev evidence, held []tenure, k gpu.Time) {
	if !ev.speaks {
		ev.length = d.w(ev.span)
	}
	b := &booking{
		d: d, ev: ev, k: k, held: held,
		before: map[string]int64{}, attempts: map[string]map[int]int64{}, modes: map[string]gpu.Reason{},
	}
	pieces := cutAt(ev.span, o.pieceCuts(d, ev.span, held, k))
	var all, last []string
	for _, piece := range pieces {
		last, _ = o.holdersOf(d, held, piece, k)
		if len(last) > 0 {
			b.heldTime += d.w(piece)
		}
		all = append(all, last...)
	}
	for _, t := range held {
		b.before[t.key] = d.activity[t.key]
		b.attempts[t.key] = maps.Clone(d.attempts[t.key])
	}
	o.weighProcesses(d, b, all)
	below := o.belowThreshold(b)
	for _, piece := range pieces {
		o.bookPiece(b, piece, below)
	}
	o.rememberActive(d, b, last, below)
}

// pieceCuts returns the times in an interval at which something changes, and
// every whole second.
func (o *oracle) pieceCuts(d *oracleDevice, s span, held []tenure, k gpu.Time) []gpu.Time {
	var cuts []gpu.Time
	for t := wholeSecond(s.from); t < s.to; t = t.Add(time.Second) {
		cuts = append(cuts, t)
	}
	for _, set := range d.sets {
		cuts = append(cuts, set.time)
	}
	for _, t := range held {
		if t.to <= s.from || s.to <= t.from {
			continue
		}
		cuts = append(cuts, t.from, t.to)
		cuts = append(cuts, o.terminatingSince(t.key, k))
		cuts = append(cuts, o.startCuts(d, t.key, k)...)
		for _, stream := range o.streamsOf(d, t.key, k) {
			for _, series := range stream.series {
				for _, p := range series {
					cuts = append(cuts, p.Time, p.Time.Add(-stream.window), p.Time.Add(-o.cfg.MaxGap))
				}
			}
		}
	}
	for _, a := range o.all.Availability {
		cuts = append(cuts, a.Time, a.Time.Add(o.cfg.MaxGap))
	}
	for _, a := range o.all.Statuses {
		cuts = append(cuts, a.Time, a.Time.Add(o.cfg.MaxGap))
	}
	// A stretch begins at one of these, or began before; its grace ends here.
	starts := append(slices.Clone(cuts), s.from)
	for _, t := range d.stretch {
		starts = append(starts, t)
	}
	for _, t := range starts {
		cuts = append(cuts, t.Add(o.cfg.IdleGrace))
	}
	return cuts
}

// running are the three running values at one place: observed and active time,
// and all of it.
type running struct{ x, o, a int64 }

// heldRunning returns the running values y ns into the held time.
func (b *booking) heldRunning(y int64) running {
	length := b.ev.length
	if b.heldTime == length {
		return running{y, b.ev.o(y), b.ev.a(y)}
	}
	heldO, heldA := b.heldShare()
	at := mulDiv(heldO, y, b.heldTime)
	return running{y, at, mulDiv(heldA, at, heldO)}
}

// heldShare returns O_h and A_h of an interval held only in part.
func (b *booking) heldShare() (observed, active int64) {
	length := b.ev.length
	observed = mulDiv(b.ev.observed, b.heldTime, length)
	return observed, min(b.ev.a(length), observed)
}

// foreignRunning returns the foreign activity z ns into the time that isn't held.
func (b *booking) foreignRunning(z int64) int64 {
	length := b.ev.length
	_, heldA := b.heldShare()
	return mulDiv(b.ev.a(length)-heldA, z, length-b.heldTime)
}

// belowThreshold returns, for every holder in the interval, whether its activity
// is below the threshold; nothing if none was observed. It is the device's, in
// the time that somebody held it.
func (o *oracle) belowThreshold(b *booking) map[string]bool {
	observed, active := b.ev.observed, b.ev.a(b.ev.length)
	throughout := b.heldTime == b.ev.length
	if !throughout {
		observed, active = b.heldShare()
	}
	if !b.ev.speaks || observed == 0 {
		return nil
	}
	activity := big.NewRat(active, observed)
	if b.ev.gauge && throughout {
		activity.SetFloat64(b.ev.value)
	}
	below := map[string]bool{}
	for _, t := range b.held {
		below[t.key] = activity.Cmp(new(big.Rat).SetFloat64(o.cfg.IdleThreshold)) < 0
	}
	return below
}

func (o *oracle) bookPiece(b *booking, piece span, below map[string]bool) {
	keys, known := o.holdersOf(b.d, b.held, piece, b.k)
	parties := o.parties(b, piece, keys)
	o.moveStretches(b, piece, parties, known, below)
	length := b.d.w(piece)
	if len(parties) == 0 && b.d.pseudo {
		return // a pseudo-device is only what somebody holds
	}
	o.result.Span[b.d.id] += time.Duration(length)
	if len(parties) == 0 {
		o.bookFree(b, piece, known)
		b.z += length
		return
	}
	from, to := b.heldRunning(b.y), b.heldRunning(b.y+length)
	if !b.ev.speaks {
		from, to = running{x: b.d.upTo(piece.from)}, running{x: b.d.upTo(piece.to)}
	}
	b.y += length
	division := b.divide(parties)
	active := between(division.active, from.a, to.a)
	idle := between(division.idle, from.o-from.a, to.o-to.a)
	unobserved := between(division.idle, from.x-from.o, to.x-to.o)
	for i, p := range parties {
		t := heldTime{active: active[i], idle: idle[i], unobserved: unobserved[i]}
		o.bookHeld(b, piece, p, o.attribution(b.d, p.oracleHold, division.processes), t)
	}
	rest := len(parties)
	o.add(b.d, "", gpu.NoAttribution, gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonForeignActivity}, active[rest])
	o.add(b.d, "", gpu.NoAttribution, gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonSharedSlot}, idle[rest]+unobserved[rest])
}

// parties returns the holders of a piece, the one with the largest key first.
func (o *oracle) parties(b *booking, piece span, keys []string) []party {
	var parties []party
	for _, key := range slices.Backward(keys) {
		newest := tenure{}
		for _, t := range b.held {
			if t.key == key && t.has(piece) && t.set >= newest.set {
				newest = t
			}
		}
		parties = append(parties, party{
			oracleHold: newest.in(piece),
			start:      o.startUpOf(b.d, key, piece, b.k, b.attempts[key]),
		})
	}
	return parties
}

// between returns what the parts of a running value grow by.
func between(weights []int64, from, to int64) []int64 {
	growth := parts(to, weights)
	for i, part := range parts(from, weights) {
		growth[i] -= part
	}
	return growth
}

// bookFree books a piece that nobody holds, or of which nobody knows.
func (o *oracle) bookFree(b *booking, piece span, known bool) {
	length := b.d.w(piece)
	own := func(c gpu.Condition, nanos int64) { o.add(b.d, "", gpu.NoAttribution, c, nanos) }
	if !known {
		own(gpu.Condition{State: gpu.Unobserved, Reason: gpu.ReasonAllocation}, length)
		return
	}
	if reason, out := o.unavailable(b.d.id, piece, b.k); out {
		own(gpu.Condition{State: gpu.Unavailable, Reason: reason}, length)
		return
	}
	foreign := b.foreignRunning(b.z+length) - b.foreignRunning(b.z)
	own(gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonForeignActivity}, foreign)
	own(gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonFree}, length-foreign)
}

type heldTime struct{ active, idle, unobserved int64 }

// bookHeld books what one holder gets of a piece.
func (o *oracle) bookHeld(b *booking, piece span, p party, a gpu.Attribution, t heldTime) {
	d, all := b.d, t.active+t.idle+t.unobserved
	got := o.totals(d.id, p.key, a)
	if got.Start == gpu.NoTime {
		got.Start = piece.from
	}
	got.Active += time.Duration(t.active)
	got.Entitled += time.Duration(all)
	if p.shares() {
		got.Entitled += time.Duration(mulDiv(d.upTo(piece.to), p.slots.N, p.slots.Of) -
			mulDiv(d.upTo(piece.from), p.slots.N, p.slots.Of) - all)
	}
	o.countActivity(b, p, t.active)
	c := heldCondition{o: o, b: b, piece: piece, party: p}
	if c.terminates() {
		o.add(d, p.key, a, gpu.Condition{State: gpu.Terminating}, all)
		return
	}
	if !p.start.over {
		o.add(d, p.key, a, gpu.Condition{State: gpu.Startup, Reason: p.start.reason}, all)
		return
	}
	o.add(d, p.key, a, c.unobserved(), t.unobserved)
	o.add(d, p.key, a, c.active(), t.active)
	o.add(d, p.key, a, c.idle(), t.idle)
}

// countActivity counts the activity of a piece as later intervals ask for it.
func (o *oracle) countActivity(b *booking, p party, active int64) {
	d := b.d
	d.activity[p.key] += active
	if !p.start.over {
		d.activity[p.key] = 0
	}
	if d.attempts[p.key] == nil {
		d.attempts[p.key] = map[int]int64{}
	}
	d.attempts[p.key][p.start.attempt] += active
}

func (o *oracle) totals(device gpu.DeviceID, holder string, a gpu.Attribution) *oracleTotals {
	key := oracleKey{device, holder, a}
	if o.result.Totals[key] == nil {
		o.result.Totals[key] = &oracleTotals{States: map[gpu.Condition]time.Duration{}}
	}
	return o.result.Totals[key]
}

func (o *oracle) add(d *oracleDevice, holder string, a gpu.Attribution, c gpu.Condition, nanos int64) {
	if nanos == 0 {
		return
	}
	t := o.totals(d.id, holder, a)
	t.States[c] += time.Duration(nanos)
	if holder == "" {
		return
	}
	t.Allocated += time.Duration(nanos)
	if c.State == gpu.Productive {
		t.Productive += time.Duration(nanos)
	}
}

// bookDepth books what the same samples would say of the depth: equal parts for
// all holders, by time.
func (o *oracle) bookDepth(d *oracleDevice, settled span, k gpu.Time) {
	held := o.tenures(d, k)
	for _, ev := range o.allEvidences(d, k) {
		part := span{max(ev.from, settled.from), min(ev.to, settled.to)}
		if part.from >= part.to || d.parent != "" && ev.from < d.openedAt {
			continue // before a partition opened, its slices were somebody else's
		}
		for _, piece := range cutAt(part, o.pieceCuts(d, part, held, k)) {
			keys, _ := o.holdersOf(d, held, piece, k)
			weights := slices.Repeat([]int64{1}, len(keys))
			from, to := d.w(span{ev.from, piece.from}), d.w(span{ev.from, piece.to})
			depth := between(weights, ev.a(from), ev.a(to))
			slices.Reverse(depth) // the largest key is first
			for i, key := range keys {
				o.result.Depth[oracleKey{Device: d.id, Holder: key}] += time.Duration(depth[i])
			}
		}
	}
}

// --- Accounts: §7 ----------------------------------------------------------

// openAccounts opens the accounts of a tenure, each when its holder holds so
// first; what processes tell opens with what is booked in it.
func (o *oracle) openAccounts(d *oracleDevice, t tenure) {
	for i, told := range t.told {
		from := told.from
		if i == 0 {
			from = t.from
		}
		a := o.attribution(d, told.oracleHold, false)
		if got := o.totals(d.id, t.key, a); got.Start == gpu.NoTime {
			got.Start = max(from, d.f)
		}
	}
}

// attribution says how what a holder gets is found.
func (o *oracle) attribution(d *oracleDevice, h oracleHold, processes bool) gpu.Attribution {
	switch {
	case o.cfg.Host:
		return gpu.HostAttribution
	case h.shares() && processes:
		return gpu.ProcessAttribution
	case h.shares():
		return gpu.EqualAttribution
	case d.parent != "":
		return gpu.PartitionAttribution
	}
	return gpu.ExclusiveAttribution
}
