// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Steps: §1 -----------------------------------------------------------

type oracleStep struct {
	k    gpu.Time
	last bool // the last one of a shutdown
}

// steps returns the steps of a node that are taken.
func (o *oracle) steps(node string, finished bool) []oracleStep {
	times := o.stamps(node)
	if len(times) == 0 {
		return nil
	}
	newest := slices.Max(times)
	limit := newest.Add(-o.cfg.SettleDelay)
	if finished {
		limit = newest
		times = append(times, newest)
	}
	var steps []oracleStep
	for _, t := range times {
		k := wholeSecond(t)
		if k > limit || slices.ContainsFunc(steps, func(s oracleStep) bool { return s.k == k }) {
			continue
		}
		steps = append(steps, oracleStep{k: k})
	}
	if finished {
		steps = slices.DeleteFunc(steps, func(s oracleStep) bool { return s.k == newest })
		steps = append(steps, oracleStep{k: newest, last: true})
	}
	slices.SortFunc(steps, func(a, b oracleStep) int { return cmp.Compare(a.k, b.k) })
	return steps
}

// stamps returns the times of a node's samples and allocation counts.
func (o *oracle) stamps(node string) []gpu.Time {
	var times []gpu.Time
	for _, s := range o.all.Samples {
		if s.Device.Node == node {
			times = append(times, s.Time)
		}
	}
	for _, c := range o.all.Counters {
		if c.Device.Node == node {
			times = append(times, c.Time)
		}
	}
	for _, c := range o.all.AllocationCounts {
		if c.Node == node {
			times = append(times, c.Time)
		}
	}
	for _, a := range o.all.DeviceAllocations {
		if a.Device.Node == node {
			times = append(times, a.Time)
		}
	}
	return times
}

func wholeSecond(t gpu.Time) gpu.Time {
	second := gpu.Time(time.Second)
	return (t + second - 1) / second * second
}

// step moves the devices of a node to what is known at k: what ended, what
// opens, who holds, and how far that settles.
func (o *oracle) step(node string, s oracleStep) {
	o.memo = map[streamsKey][]outputStream{}
	var devices []*oracleDevice
	for _, d := range o.devices {
		if d.node == node {
			devices = append(devices, d)
			d.before, d.known = d.known, s.k
			d.beginStep()
			o.noticeEnd(d, s.k)
		}
	}
	for _, d := range devices {
		o.lookAtCounts(d, s.k)
	}
	o.openDevices(devices, s.k)
	for _, d := range devices {
		d.dropAllocations(s.k)
		o.notice(d, s.k)
	}
	for _, boards := range []bool{false, true} {
		for _, d := range devices {
			if d.boardOrTurning() == boards && d.open {
				o.settle(d, s)
			}
		}
	}
}

// notice takes in what the sets say.
func (o *oracle) notice(d *oracleDevice, k gpu.Time) {
	if !d.open || d.current {
		return
	}
	if len(d.knownSets(k)) > 0 && !d.hasFirst {
		d.hasFirst, d.firstF = true, d.f
	}
	o.noticeHolders(d, k)
}

// heldBefore says whether the newest set before the step in which the device
// opened has a holder.
func (d *oracleDevice) heldBefore(key string) bool {
	sets := d.knownSets(d.openedAfter)
	return len(sets) > 0 && sets[len(sets)-1].has(key)
}

// noticeHolders opens the accounts of holders that are seen first. One that
// comes back after all of its time was settled is a new one.
func (o *oracle) noticeHolders(d *oracleDevice, k gpu.Time) {
	held := o.tenures(d, k)
	left := map[string]gpu.Time{}
	for _, t := range held {
		if t.set < d.openedAt && t.to <= d.openedAt && !d.heldBefore(t.key) {
			if d.left[t.key] == forever { // the step that opened the device didn't know
				d.left[t.key] = t.left
			}
			continue // it was over when the device opened
		}
		if max(t.from, d.f) >= d.end {
			continue // the device was over when it began
		}
		o.openAccounts(d, t)
		left[t.key] = max(left[t.key], t.left)
		seen := seenTenure{t.key, t.set}
		if slices.Contains(d.noticed, seen) {
			continue
		}
		d.noticed = append(d.noticed, seen)
		goesOn := t.continues || slices.ContainsFunc(held, func(before tenure) bool {
			return before.key == t.key && before.set < t.set && d.f < before.to
		})
		if _, known := d.first[t.key]; !known || !goesOn {
			d.activity[t.key] = 0
			delete(d.stretch, t.key)
			d.attempts[t.key] = map[int]int64{}
			delete(d.started, t.key)
			d.first[t.key] = firstTenure{max(t.from, d.f), t.set}
		}
	}
	maps.Copy(d.left, left)
	clear(o.memo)
}

// settle moves F as far as the step allows. A device that ends with it may go
// on at once as what it became.
func (o *oracle) settle(d *oracleDevice, s oracleStep) {
	for d.open {
		target := min(o.target(d, s), d.end)
		if target > d.f {
			o.settleTo(d, target, s.k)
		}
		if d.f != d.end {
			return
		}
		o.close(d)
		o.goOn(d, s.k)
	}
}

func (o *oracle) settleTo(d *oracleDevice, target, k gpu.Time) {
	settled := span{d.f, target}
	if d.current {
		o.result.Span[d.id] += o.bookBoard(d, settled, k)
	} else {
		if o.deep {
			o.bookDepth(d, settled, k)
		}
		o.book(d, settled, k)
		d.plain += d.w(settled)
	}
	d.f = target
	clear(o.memo)
}

// close ends the life of a device that is settled to its end.
func (o *oracle) close(d *oracleDevice) {
	o.result.Ended = true
	d.leave()
	d.open, d.closedAt, d.since, d.end, d.current = false, d.end, d.end, forever, false
	d.noticed = nil
	clear(d.stretch)
	clear(d.activity)
	clear(d.attempts)
	clear(d.started)
	clear(d.first)
	clear(o.memo)
}
