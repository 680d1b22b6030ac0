// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// unavailable says whether an availability of 0 is in force in a piece.
func (o *oracle) unavailable(device gpu.DeviceID, piece span, k gpu.Time) (gpu.Reason, bool) {
	var newest gpu.Availability
	for _, a := range o.all.Availability {
		if a.Device == device && a.Time <= k && a.Time <= piece.from && a.Time > newest.Time {
			newest = a
		}
	}
	inForce := newest.Time != gpu.NoTime && !o.gap(newest.Time, piece.to)
	return newest.Reason, inForce && !newest.Available
}

// failed says whether a failed status is in force in a piece.
func (o *oracle) failed(device gpu.DeviceID, piece span, k gpu.Time) bool {
	var newest gpu.Status
	for _, s := range o.all.Statuses {
		if s.Device == device && s.Time <= k && s.Time <= piece.from && s.Time > newest.Time {
			newest = s
		}
	}
	return newest.Time != gpu.NoTime && !o.gap(newest.Time, piece.to) && newest.Failed
}

// terminatingSince returns when a pod was asked to go or its containers were
// through, as far as k knows.
func (o *oracle) terminatingSince(key string, k gpu.Time) gpu.Time {
	since := forever
	for _, m := range o.all.Milestones {
		if m.Pod == key && m.Time <= k && (m.Name == gpu.DeletionRequested || m.Name == gpu.ContainersFinished) {
			since = min(since, m.At)
		}
	}
	return since
}

// heldCondition says in which conditions a holder's time of a piece is.
type heldCondition struct {
	o     *oracle
	b     *booking
	piece span
	party
}

func (c heldCondition) terminates() bool {
	return c.o.terminatingSince(c.key, c.b.k) <= c.piece.from
}

func (c heldCondition) unobserved() gpu.Condition {
	if c.o.failed(c.b.d.id, c.piece, c.b.k) {
		return gpu.Condition{State: gpu.Unobserved, Reason: gpu.ReasonDevice}
	}
	return gpu.Condition{State: gpu.Unobserved, Reason: gpu.ReasonActivity}
}

func (c heldCondition) active() gpu.Condition {
	return c.o.activeCondition(c.b.d, c.key, c.piece, c.b.k)
}

func (c heldCondition) idle() gpu.Condition {
	return gpu.Condition{
		State:     gpu.Idle,
		Reason:    c.mode(),
		Form:      c.o.form(c.b.d, c.piece, c.key),
		Residence: c.o.residence(c.b.d.id, c.b.ev.to),
	}
}

// mode is that of the whole interval.
func (c heldCondition) mode() gpu.Reason {
	mode, found := c.b.modes[c.key]
	if !found {
		mode = c.o.mode(c.b, c.key)
		c.b.modes[c.key] = mode
	}
	return mode
}

// mode returns the reason of a holder's idle time in an interval.
func (o *oracle) mode(b *booking, key string) gpu.Reason {
	switch {
	case o.gaugeAbove0(gpu.DemandGauge, b, key), o.peerActive(b.d, key, b.ev.to):
		return gpu.ReasonStarved
	case o.gaugeAbove0(gpu.SleepGauge, b, key):
		return gpu.ReasonSleeping
	case b.before[key] < int64(time.Second):
		return gpu.ReasonProvisioning
	}
	switch b.d.classOf(key, b.k) {
	case gpu.ClassInference:
		return gpu.ReasonInference
	case gpu.ClassBatch:
		return gpu.ReasonBatch
	case gpu.ClassInteractive:
		return gpu.ReasonInteractive
	}
	return gpu.ReasonUnclassified
}

func (d *oracleDevice) classOf(key string, k gpu.Time) gpu.Class {
	var newest oracleClass
	for _, c := range d.classes {
		if c.key == key && c.time <= k && c.time > newest.time {
			newest = c
		}
	}
	return newest.class
}

// gaugeAbove0 says whether the newest point at or before the end of the
// interval of a gauge of the holder is above 0.
func (o *oracle) gaugeAbove0(kind gpu.OutputKind, b *booking, key string) bool {
	type series struct{ stream, series string }
	newest, t := map[series]gpu.Output{}, b.ev.to
	for i, p := range o.all.Outputs {
		s := series{o.streams[i], p.Series}
		if p.Profile.Kind != kind || t < p.Time || !o.belongs(p.Join, b.d, key) {
			continue
		}
		if q := newest[s]; q.Time < p.Time || q.Time == p.Time && outranks(p, q) {
			newest[s] = p
		}
	}
	for _, p := range newest {
		if !p.Ended && p.Value > 0 && !o.gap(p.Time, t) {
			return true
		}
	}
	return false
}

func (o *oracle) residence(device gpu.DeviceID, t gpu.Time) gpu.Residence {
	var newest gpu.Memory
	for _, m := range o.all.Memory {
		if m.Device == device && m.Time <= t && m.Time > newest.Time {
			newest = m
		}
	}
	switch {
	case newest.Time == gpu.NoTime || o.gap(newest.Time, t):
		return gpu.ResidentUnknown
	case newest.Bytes >= o.cfg.ResidentThreshold:
		return gpu.ResidentTrue
	}
	return gpu.ResidentFalse
}

// moveStretches begins and ends the stretches of the device's holders with a
// piece.
func (o *oracle) moveStretches(b *booking, piece span, parties []party, known bool, below map[string]bool) {
	d := b.d
	for key := range d.stretch {
		if !known || !slices.ContainsFunc(parties, func(p party) bool { return p.key == key }) {
			delete(d.stretch, key)
		}
	}
	for _, p := range parties {
		if !below[p.key] || !p.start.over || o.terminatingSince(p.key, b.k) <= piece.from {
			delete(d.stretch, p.key)
		} else if _, runs := d.stretch[p.key]; !runs {
			d.stretch[p.key] = piece.from
		}
	}
}

func (o *oracle) form(d *oracleDevice, piece span, key string) gpu.Form {
	start, runs := d.stretch[key]
	if runs && start.Add(o.cfg.IdleGrace) <= piece.from {
		return gpu.Episode
	}
	return gpu.BetweenWork
}
