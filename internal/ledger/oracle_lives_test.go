// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Opening and end: §2 ---------------------------------------------------

// openAt begins a life of a device.
func (o *oracle) openAt(d *oracleDevice, at gpu.Time) {
	if !d.named {
		o.totals(d.id, "", gpu.NoAttribution).Start = at
	}
	o.result.Lives[d.id]++
	d.open, d.named, d.openedAt, d.f, d.end = true, true, at, at, forever
	d.openedAfter, d.wholeAgain = d.before, false
}

// opening returns the time at which a device opens, as known at k.
func (o *oracle) opening(d *oracleDevice, k gpu.Time) (gpu.Time, bool) {
	at := d.firstSample(k)
	if o.cfg.Labels { // a label belongs to a sample
		return at, at < forever
	}
	sets := d.knownSets(k)
	for i, set := range sets {
		if len(set.holders) == 0 || d.named {
			continue
		}
		at = min(at, o.openingBySet(sets, i))
		break
	}
	return at, at < forever
}

// firstSample returns the first known sample of the life that may begin.
func (d *oracleDevice) firstSample(k gpu.Time) gpu.Time {
	at := forever
	for _, t := range d.sampleTimes(d.since, k) {
		at = min(at, t)
	}
	return at
}

// sampleTimes returns the times of the samples, of whatever kind, in (from, to].
func (d *oracleDevice) sampleTimes(from, to gpu.Time) []gpu.Time {
	var times []gpu.Time
	for _, g := range d.gauges {
		if from < g.Time && g.Time <= to {
			times = append(times, g.Time)
		}
	}
	for _, p := range d.pairs {
		if from < p.time && p.time <= to {
			times = append(times, p.time)
		}
	}
	slices.Sort(times)
	return times
}

func (o *oracle) openingBySet(sets []oracleSet, i int) gpu.Time {
	if i == 0 || o.gap(sets[i-1].time, sets[i].time) {
		return sets[i].time
	}
	earliest := forever
	for _, h := range sets[i].holders {
		earliest = min(earliest, max(h.begin, sets[i-1].time))
	}
	return earliest
}

// gap: from one point to the next it is too long to say anything.
func (o *oracle) gap(from, to gpu.Time) bool { return to.Sub(from) > o.cfg.MaxGap }

// noticeEnd finds out whether a device ended. An end that was seen stays: a
// later sample opens the device anew.
func (o *oracle) noticeEnd(d *oracleDevice, k gpu.Time) {
	if !d.open || d.current || d.end < forever {
		return
	}
	if end := o.endOfSeries(d, k); end < forever && !d.pseudo {
		d.endsAt(end)
	}
}

// endsAt ends a device, but not before F. If that is its F already, its holders
// left before anything settles in this step.
func (d *oracleDevice) endsAt(end gpu.Time) {
	d.end = max(end, d.f)
	d.endTaken()
	if d.end == d.f {
		d.leave()
	}
}

// leave lets those who hold the device leave at its end.
func (d *oracleDevice) leave() {
	for key, left := range d.left {
		if left == forever {
			d.left[key] = d.end
		}
	}
}

// endOfSeries returns when all series of a device have ended.
func (o *oracle) endOfSeries(d *oracleDevice, k gpu.Time) gpu.Time {
	last := map[string]gpu.Time{} // source → its last known sample
	for _, g := range d.gauges {
		if d.since < g.Time && g.Time <= k {
			last[g.Source] = max(last[g.Source], g.Time)
		}
	}
	for _, p := range d.pairs {
		if d.since < p.time && p.time <= k {
			last[p.source] = max(last[p.source], p.time)
		}
	}
	end := gpu.NoTime
	for source, t := range last {
		ended := gpu.NoTime
		for _, e := range o.all.SeriesEnds {
			if e.Device.ID == d.id && e.Engine == gpu.EngineAny && e.Source == source && t <= e.Time && e.Time <= k {
				ended = max(ended, e.Time)
			}
		}
		if ended == gpu.NoTime {
			return forever
		}
		end = max(end, ended)
	}
	if len(last) == 0 {
		return forever
	}
	return end
}

// target returns where F moves at a step.
func (o *oracle) target(d *oracleDevice, s oracleStep) gpu.Time {
	if d.current {
		return o.boardTarget(d, s.k)
	}
	k, target := s.k, s.k
	points := o.points(d, k)
	ended := d.end < forever
	if len(points) > 0 && !ended {
		if p := points[len(points)-1].time; !o.gap(p, k) {
			target = min(target, p)
		}
	}
	if !o.cfg.Host {
		sets := d.knownSets(k)
		progress := d.openedAt
		if len(sets) > 0 {
			progress = sets[len(sets)-1].time
		}
		if !o.gap(progress, k) {
			target = min(target, progress)
		}
	}
	if !s.last && !ended {
		for _, key := range d.live(k) {
			target = min(target, o.heldBack(d, key, k))
		}
	}
	for i := 1; i < len(points); i++ {
		if points[i-1].time < target && target < points[i].time {
			target = points[i-1].time
			break
		}
	}
	return target
}

// live returns the holders that the newest set known at k has.
func (d *oracleDevice) live(k gpu.Time) []string {
	sets := d.knownSets(k)
	if len(sets) == 0 || sets[len(sets)-1].bad || d.wholeAgain && sets[len(sets)-1].time < d.openedAt {
		return nil
	}
	var keys []string
	for _, h := range sets[len(sets)-1].holders {
		keys = append(keys, h.key)
	}
	return keys
}

// heldBack returns how far the output streams of a holder let F go at k.
func (o *oracle) heldBack(d *oracleDevice, key string, k gpu.Time) gpu.Time {
	limit := forever
	for _, stream := range o.streamsOf(d, key, k) {
		newest := gpu.NoTime
		for _, series := range stream.series {
			for _, p := range series {
				if !p.Ended {
					newest = max(newest, p.Time)
				}
			}
		}
		if !o.gap(newest, k) {
			limit = min(limit, newest.Add(-stream.window))
		}
	}
	return limit
}
