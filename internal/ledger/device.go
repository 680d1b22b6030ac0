// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"maps"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// device is one device's evidence, holders and accounts.
type device struct {
	gpu.Device
	ledger *Ledger
	node   *node

	asBoard *board   // of its partitions, if it has or had any
	boarded bool     // it lives as a board now
	turnsAt gpu.Time // when it turns into a board, NoTime if it doesn't
	board   *board   // that it is a partition of
	life    *life    // of the partition
	counted timeline[partitionCount]
	looked  gpu.Time // newest count of partitions that was looked at

	samples   [gpu.EngineDRAM + 1]samples
	processes processes
	sources   map[string]gpu.Time // newest settled sample by source
	ends      []sourceTime        // of EngineAny
	memory    levels[uint64]
	available levels[gpu.Availability]
	failed    levels[bool]

	touched   gpu.Time // newest point of it
	opened    gpu.Time // NoTime until the first evidence
	settled   gpu.Time // F
	published gpu.Time // the F of the last publication that was accepted
	ended     gpu.Time // NoTime while the device lives
	endedIn   gpu.Time // the step that ended it: it doesn't live again in that one
	fresh     bool     // opened in this step
	spanned   int64    // ns that are settled, over all lives

	claimed   *claims // what the newest label said
	labelSets levels[labelSet]
	lastSet   gpu.Time  // newest set that was applied
	unknown   []span    // of which nobody knows the holders
	tenures   []*tenure // unsettled or open
	datedEnds []datedEnd
	holders   map[string]*holder
	own       *account
	overflow  *account
	accounts  map[accountKey]*account
}

// addEnd takes in that the samples of a source ended.
func (d *device) addEnd(e sourceTime) {
	if !slices.Contains(d.ends, e) {
		d.ends = append(d.ends, e)
	}
}

// live reports whether d has time to settle.
func (d *device) live() bool {
	return d.opened != gpu.NoTime && (d.ended == gpu.NoTime || d.settled < d.ended)
}

// firstSample returns the first known sample of another life of d, or Forever.
func (d *device) firstSample(k gpu.Time) gpu.Time {
	switch {
	case d.boarded:
		return d.firstPlain(k)
	case d.live(), d.endedIn == k, d.turnsAt != gpu.NoTime:
		return gpu.Forever
	default:
		return d.samples[gpu.EngineAny].first(d.ended, k)
	}
}

// openBySample opens d at its first known sample, or anew at the first one
// after its end.
func (d *device) openBySample(k gpu.Time) {
	first := d.firstSample(k)
	if first == gpu.Forever {
		return
	}
	if d.boarded {
		d.asBoard.plainFrom = first
		return
	}
	opened := d.opened != gpu.NoTime
	if !opened && !d.ledger.takeAccount() {
		d.ledger.counts.Points[Limit] += uint64(d.samples[gpu.EngineAny].clear())
		return
	}
	switch {
	case isPartition(d.ID) || d.Slices != (gpu.Slices{}):
		if first = d.openPartition(first); first == gpu.NoTime {
			d.ledger.returnAccount(!opened)
			return
		}
	case opened:
		d.reopen(first)
	default:
		d.open(first)
	}
	if !opened {
		d.fresh = !d.ledger.revive(d)
	}
	d.noticeEnd(k)
	if claimed := d.claimsBefore(); claimed != nil && d.live() {
		d.takeClaims(claimed, span{first, max(first, d.lastSet)})
	}
	d.claimed = nil
}

// takeClaims takes in what a set said that was applied before d opened, over the
// time s from then up to that set.
func (d *device) takeClaims(c *claims, s span) {
	if c.unknown {
		d.unknown = append(d.unknown, s)
		return
	}
	for _, pod := range sortedKeys(c.byPod) {
		d.begin(d.holderOf(c.byPod[pod]), c.byPod[pod].share, s.from, s.to)
	}
}

// claimsBefore returns what the newest set said that was applied before d opens.
func (d *device) claimsBefore() *claims {
	if !d.ledger.cfg.Labels {
		return d.node.claims[d.ID]
	}
	for _, set := range d.labelSets.timeline {
		if set.time <= d.node.before && set.time > d.lastSet {
			d.claimed, d.lastSet = set.value.claims(), set.time
		}
	}
	return d.claimed
}

// reopen begins another life of d: the time since its end isn't accounted, its
// accounts go on.
func (d *device) reopen(t gpu.Time) {
	for e := range d.samples {
		d.samples[e].forgetLife(d.ended)
	}
	d.ended, d.sources = gpu.NoTime, map[string]gpu.Time{}
	d.opened, d.settled = t, t
	if len(d.own.times) == 0 {
		d.own.opened = t
	}
	if !d.ledger.cfg.Labels {
		d.lastSet = d.node.sets.last
	}
	d.beginHost(t)
}

// open begins the ledger time of d.
func (d *device) open(t gpu.Time) {
	d.opened, d.settled, d.published = t, t, t
	d.own.opened = t
	if !d.ledger.cfg.Labels {
		d.lastSet = d.node.sets.last
	}
	d.beginHost(t)
}

// beginHost lets the host hold d, if there is no allocation.
func (d *device) beginHost(t gpu.Time) {
	if d.ledger.cfg.Host {
		d.begin(&holder{host: true, device: d, join: keysOf(gpu.Holder{}, d.ID)}, wholeDevice, t, gpu.Forever)
	}
}

// advance settles d as far as step k allows.
func (d *device) advance(k gpu.Time, final bool) {
	if d.boarded {
		d.asBoard.advance(k)
		return
	}
	if !d.live() {
		return
	}
	d.applyLabels(k) // it may have turned into a plain device just now
	d.noticeEnd(k)
	if to := d.target(k, final); to > d.settled {
		d.settle(to, k)
		d.forget(k)
	}
	d.forgetTenures()
	if d.asBoard != nil {
		d.asBoard.takeOver()
	}
}

// target returns the F that step k allows.
func (d *device) target(k gpu.Time, final bool) gpu.Time {
	maxGap := d.ledger.cfg.MaxGap
	to := k
	if d.ended != gpu.NoTime {
		to = min(to, d.ended)
	} else if p, ok := d.samples[gpu.EngineAny].newest(k, maxGap); ok && k.Sub(p) <= maxGap {
		to = min(to, p)
	}
	if !d.ledger.cfg.Host {
		s := d.lastSet
		if s == gpu.NoTime {
			s = d.opened
		}
		if k.Sub(s) <= maxGap {
			to = min(to, s)
		}
	}
	if !final && d.ended == gpu.NoTime {
		to = d.awaitOutputs(to, k)
	}
	return d.samples[gpu.EngineAny].wholeIntervals(to, d.lifeUntil(k), k, maxGap)
}

// lifeUntil returns k, but not beyond the end of d: samples after it are of
// another life.
func (d *device) lifeUntil(k gpu.Time) gpu.Time {
	if d.ended != gpu.NoTime {
		return min(k, d.ended)
	}
	return k
}

// awaitOutputs holds F back until the evidence window of every output stream
// that isn't silent is over. A series that ended may go on: a scrape failed.
func (d *device) awaitOutputs(to, k gpu.Time) gpu.Time {
	for _, t := range d.tenures {
		if !t.open {
			continue
		}
		for _, s := range d.streams(t.holder) {
			o := s.progress(k)
			if s.profile.Kind == gpu.OutputCounter && o != gpu.NoTime && k.Sub(o) <= d.ledger.cfg.MaxGap {
				to = min(to, o.Add(-s.profile.Window))
			}
		}
	}
	return to
}

// noticeEnd ends d if every source of its samples has ended.
func (d *device) noticeEnd(k gpu.Time) {
	if len(d.ends) == 0 || d.ended != gpu.NoTime || d.boarded || !d.live() {
		return
	}
	last := d.lastBySource(k)
	end := gpu.NoTime
	for source, sample := range last {
		ended := gpu.NoTime
		for _, e := range d.ends {
			if e.source == source && e.time <= k {
				ended = max(ended, e.time)
			}
		}
		if ended < sample || ended == gpu.NoTime {
			return
		}
		end = max(end, ended)
	}
	if end == gpu.NoTime {
		return
	}
	d.endAt(max(end, d.settled))
}

// lastBySource returns the newest known sample of every source.
func (d *device) lastBySource(k gpu.Time) map[string]gpu.Time {
	last := map[string]gpu.Time{}
	maps.Copy(last, d.sources)
	busy := &d.samples[gpu.EngineAny]
	for _, p := range busy.gauges[:busy.gauges.after(k)] {
		last[p.source] = max(last[p.source], p.time)
	}
	for _, p := range busy.pairs[:busy.pairs.after(k)] {
		if p.complete() {
			last[p.source] = max(last[p.source], p.time)
		}
	}
	for _, p := range busy.lost {
		if p.time <= k {
			last[p.source] = max(last[p.source], p.time)
		}
	}
	return last
}

// forget drops the evidence that settled time doesn't need any more.
func (d *device) forget(k gpu.Time) {
	busy := &d.samples[gpu.EngineAny]
	for _, p := range busy.gauges[:busy.gauges.after(d.settled)] {
		d.sources[p.source] = max(d.sources[p.source], p.time)
	}
	for _, p := range busy.pairs[:busy.pairs.after(d.settled)] {
		if p.complete() {
			d.sources[p.source] = max(d.sources[p.source], p.time)
		}
	}
	for _, p := range busy.lost {
		if p.time <= d.settled {
			d.sources[p.source] = max(d.sources[p.source], p.time)
		}
	}
	d.ends = slices.DeleteFunc(d.ends, func(e sourceTime) bool { return e.time < d.sources[e.source] })
	for e := range d.samples {
		d.samples[e].forget(d.settled, d.lifeUntil(k), k, d.ledger.cfg.MaxGap, &d.ledger.counts)
	}
	d.processes.forget(d.settled)
	d.memory.forget(d.settled)
	d.available.forget(d.settled)
	d.failed.forget(d.settled)
}

// forgetBefore bounds what is kept of a device whose F doesn't move: one that
// was never sampled or that ended, or whose node's clock stands still.
func (d *device) forgetBefore(t gpu.Time) {
	d.memory.forget(t)
	d.available.forget(t)
	d.failed.forget(t)
	d.processes.forget(t)
	d.counted.forget(t)
	d.datedEnds = slices.DeleteFunc(d.datedEnds, func(e datedEnd) bool { return e.time < t })
	d.forgetEnds(t)
	if !d.live() || d.settled < t { // no step takes them
		d.labelSets.forget(t)
	}
	for e := range d.samples {
		if d.opened == gpu.NoTime || !d.live() && gpu.Engine(e) != gpu.EngineAny { // of those it lives again
			d.samples[e].forgetBefore(t)
		}
	}
}

// forgetEnds drops the ends before t that can't end d: those of sources without
// samples, and those that aren't the newest of their source.
func (d *device) forgetEnds(t gpu.Time) {
	if len(d.ends) == 0 {
		return
	}
	sampled, newest := d.lastBySource(gpu.Forever), map[string]gpu.Time{}
	for _, e := range d.ends {
		newest[e.source] = max(newest[e.source], e.time)
	}
	d.ends = slices.DeleteFunc(d.ends, func(e sourceTime) bool {
		_, may := sampled[e.source]
		return e.time < t && (!may || e.time < newest[e.source])
	})
}

// forgetTenures drops the spans that are settled.
func (d *device) forgetTenures() {
	d.unknown = slices.DeleteFunc(d.unknown, func(s span) bool { return s.to <= d.settled })
	d.tenures = slices.DeleteFunc(d.tenures, func(t *tenure) bool {
		if t.open || t.to > d.settled {
			return false
		}
		t.holder.closed = max(t.holder.closed, t.to)
		if t.holder.tenures--; t.holder.tenures == 0 {
			d.node.leaving = append(d.node.leaving, t.holder)
		}
		return true
	})
}
