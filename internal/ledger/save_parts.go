// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func archiveNode(a *archive, n *node) {
	if a.reading {
		n.holding = map[string]*pod{}
	}
	archiveString(a, &n.name)
	archiveString(a, &n.cluster)
	archiveInt(a, &n.opened)
	archiveInt(a, &n.told)
	archiveInt(a, &n.clamped)
	archiveInt(a, &n.newest)
	archiveInt(a, &n.stepped)
	archiveInt(a, &n.before)
	archiveSlice(a, &n.pending, archiveInt[gpu.Time])
	archiveSlice(a, (*[]*allocationSet)(&n.sets.waiting), func(a *archive, s **allocationSet) {
		archiveOwned(a, s, archiveAllocationSet)
	})
	archiveInt(a, &n.sets.last)
	archiveMap(a, &n.claims, archiveString[gpu.DeviceID], func(a *archive, c **claims) { archiveOwned(a, c, archiveClaims) })
	archiveSlice(a, &n.devices, refer[device])
	archiveMap(a, &n.totals, archiveTotalKey, refer[total])
	archiveMap(a, &n.groups, archiveString[string], func(a *archive, g **group) {
		archiveOwned(a, g, archiveGroup)
	})
}

func archiveAllocationSet(a *archive, s *allocationSet) {
	archiveInt(a, &s.time)
	archiveInt(a, &s.count)
	archiveMap(a, &s.members, func(a *archive, k *memberKey) {
		archiveString(a, &k.device)
		archiveString(a, &k.ref)
		archiveString(a, &k.pod)
		archiveString(a, &k.container)
	}, archiveAllocation)
}

func archiveGroup(a *archive, g *group) {
	archiveMap(a, &g.former, archiveString[string], func(a *archive, f *former) {
		archiveSlice(a, &f.join, archiveJoinKey)
		archiveInt(a, &f.left)
	})
	archiveMap(a, &g.busy, archiveString[gpu.DeviceID], func(a *archive, busy **levels[bool]) {
		archiveOwned(a, busy, func(a *archive, l *levels[bool]) { archiveLevels(a, l, (*archive).bool) })
	})
}

func archiveDeviceState(a *archive, d *device) {
	archiveDevice(a, &d.Device)
	referIfAny(a, &d.node)
	referIfAny(a, &d.asBoard)
	a.bool(&d.boarded)
	archiveInt(a, &d.turnsAt)
	referIfAny(a, &d.board)
	referIfAny(a, &d.life)
	archiveSlice(a, (*[]partitionCount)(&d.counted), archiveCounted)
	archiveInt(a, &d.looked)
	archiveEvidence(a, d)
	archiveInt(a, &d.touched)
	archiveInt(a, &d.opened)
	archiveInt(a, &d.settled)
	archiveInt(a, &d.published)
	archiveInt(a, &d.ended)
	archiveInt(a, &d.endedIn)
	archiveInt(a, &d.spanned)
	archiveHolders(a, d)
	refer(a, &d.own)
	referIfAny(a, &d.overflow)
	archiveMap(a, &d.accounts, func(a *archive, k *accountKey) {
		archiveString(a, &k.owner)
		archiveEnum(a, &k.by, gpu.HostAttribution)
	}, refer[account])
}

func archiveEvidence(a *archive, d *device) {
	for e := range d.samples {
		archiveSamples(a, &d.samples[e])
	}
	archiveSlice(a, (*[]processesAt)(&d.processes.timeline), archiveProcessesAt)
	archiveMap(a, &d.sources, archiveString[string], archiveInt[gpu.Time])
	archiveSlice(a, &d.ends, archiveSourceTime)
	archiveLevels(a, &d.memory, archiveInt[uint64])
	archiveLevels(a, &d.available, archiveAvailability)
	archiveLevels(a, &d.failed, (*archive).bool)
}

func archiveHolders(a *archive, d *device) {
	archivePointer(a, &d.claimed, archiveClaims)
	archiveLevels(a, &d.labelSets, archiveLabelSet)
	archiveInt(a, &d.lastSet)
	archiveSlice(a, &d.unknown, archiveSpan)
	archiveSlice(a, &d.tenures, func(a *archive, t **tenure) { archiveOwned(a, t, archiveTenure) })
	archiveSlice(a, &d.datedEnds, func(a *archive, e *datedEnd) {
		archiveString(a, &e.pod)
		archiveInt(a, &e.time)
		archiveClaim(a, &e.claim)
		a.bool(&e.told)
	})
	archiveMap(a, &d.holders, archiveString[string], refer[holder])
	if len(d.holders) > 0 && d.node == nil {
		a.fail("holders of a device that is nowhere")
	}
}

func archiveBoard(a *archive, b *board) {
	refer(a, &b.device)
	archiveInt(a, &b.of)
	archiveSlice(a, &b.lives, refer[life])
	archiveInt(a, &b.ended)
	archiveInt(a, &b.floor)
	archiveInt(a, &b.plainFrom)
	archiveInt(a, &b.again)
	archiveSlice(a, &b.later, func(a *archive, s *laterSet) {
		archiveInt(a, &s.last)
		archiveInt(a, &s.time)
		archivePointer(a, &s.claims, archiveClaims)
	})
	if b.of < 1 || b.of > gpu.MaxSlices {
		a.fail("a board of %d slices", b.of)
	}
}

func archiveLife(a *archive, l *life) {
	archiveSpan(a, &l.span)
	referIfAny(a, &l.device)
	archiveSlice(a, &l.slices, archiveInt[int])
}

func archivePod(a *archive, p *pod) {
	archiveString(a, &p.key)
	archiveSlice(a, &p.milestones, func(a *archive, m *milestone) {
		archiveString(a, &m.name)
		archiveInt(a, &m.attempt)
		archiveString(a, &m.container)
		archiveString(a, &m.source)
		archiveLevels(a, &m.told, archiveInt[gpu.Time])
		m.row = newMilestone(m.milestoneKey).row
	})
	archiveInt(a, &p.touched)
	archiveSlice(a, &p.totals, refer[total])
}

func archiveHolderState(a *archive, h *holder) {
	archiveHolder(a, &h.Holder)
	archiveString(a, &h.key)
	archiveSlice(a, &h.containers, archiveString[string])
	refer(a, &h.device)
	a.bool(&h.host)
	referIfAny(a, &h.pod)
	archiveSlice(a, &h.join, archiveJoinKey)
	for by := range h.accounts {
		referIfAny(a, &h.accounts[by])
	}
	archiveInt(a, &h.tenures)
	archiveInt(a, &h.began)
	archiveInt(a, &h.closed)
	archiveInt(a, &h.left)
	archiveActivity(a, &h.activity)
	archiveActivity(a, &h.before)
	archiveInt(a, &h.started)
	archiveInt(a, &h.bookedTo)
	archiveInt(a, &h.stretch)
	archiveReason(a, &h.mode)
	if !h.host && h.pod == nil {
		a.fail("a holder without a pod")
	}
}

func archiveAccount(a *archive, c *account) {
	archiveEnum(a, &c.kind, gpu.OverflowAccount)
	archiveHolder(a, &c.owner)
	archiveEnum(a, &c.by, gpu.HostAttribution)
	archiveInt(a, &c.opened)
	archiveSlice(a, &c.times, func(a *archive, t *conditionTime) {
		archiveCondition(a, &t.condition)
		archiveInt(a, &t.nanos)
		archiveInt(a, &t.start)
		a.bool(&t.published)
	})
	archiveInt(a, &c.active)
	archiveInt(a, &c.entitled)
	for e := range c.depth {
		archiveInt(a, &c.depth[e].nanos)
		archiveInt(a, &c.depth[e].start)
		a.bool(&c.depth[e].sampled)
		a.bool(&c.depth[e].published)
	}
	archiveInt(a, &c.holders)
	archiveInt(a, &c.closed)
	a.bool(&c.published)
}

func archiveStream(a *archive, s *outputStream) {
	archiveProfile(a, &s.profile)
	archiveJoinKey(a, &s.join)
	archiveString(a, &s.group)
	archiveMap(a, &s.series, archiveString[string], func(a *archive, points **timeline[outputPoint]) {
		archiveOwned(a, points, func(a *archive, l *timeline[outputPoint]) {
			archiveSlice(a, (*[]outputPoint)(l), archiveOutputPoint)
		})
	})
	archiveInt(a, &s.newest)
	archiveInt(a, &s.counted)
	archiveInt(a, &s.late)
}

func archiveTotal(a *archive, t *total) {
	archiveHolder(a, &t.owner)
	archiveInt(a, &t.opened)
	archiveInt(a, &t.settled)
	a.float(&t.value)
	archiveInt(a, &t.published)
	archiveInt(a, &t.usedAt)
}
