// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

// archiveOwned visits what p, which isn't nil, alone points to.
func archiveOwned[E any](a *archive, p **E, visit func(*archive, *E)) {
	if a.reading {
		*p = new(E)
	}
	visit(a, *p)
}

func archiveLevels[V any](a *archive, l *levels[V], value func(*archive, *V)) {
	archiveSlice(a, (*[]level[V])(&l.timeline), func(a *archive, p *level[V]) {
		archiveInt(a, &p.time)
		value(a, &p.value)
	})
}

func archiveSpan(a *archive, s *span) {
	archiveInt(a, &s.from)
	archiveInt(a, &s.to)
}

func archiveSamples(a *archive, s *samples) {
	archiveSlice(a, (*[]gaugePoint)(&s.gauges), func(a *archive, p *gaugePoint) {
		archiveInt(a, &p.time)
		a.float(&p.value)
		archiveString(a, &p.source)
	})
	archiveSlice(a, (*[]pairPoint)(&s.pairs), func(a *archive, p *pairPoint) {
		archiveInt(a, &p.time)
		archiveString(a, &p.source)
		for part := range p.have {
			a.bool(&p.have[part])
			archiveInt(a, &p.start[part])
			archiveInt(a, &p.nanos[part])
		}
	})
	archiveSlice(a, &s.lost, archiveSourceTime)
}

func archiveSourceTime(a *archive, s *sourceTime) {
	archiveString(a, &s.source)
	archiveInt(a, &s.time)
}

func archiveProcessesAt(a *archive, p *processesAt) {
	archiveInt(a, &p.time)
	archiveMap(a, &p.value, func(a *archive, k *processKey) {
		archiveString(a, &k.pod)
		archiveString(a, &k.pid)
	}, (*archive).float)
}

func archiveCounted(a *archive, c *partitionCount) {
	archiveInt(a, &c.time)
	archiveInt(a, &c.count)
	a.bool(&c.over)
}

func archiveOutputPoint(a *archive, p *outputPoint) {
	archiveInt(a, &p.time)
	archiveInt(a, &p.start)
	a.float(&p.value)
	a.bool(&p.ended)
}

func archiveShare(a *archive, s *share) {
	a.bool(&s.shared)
	archiveInt(a, &s.n)
	archiveInt(a, &s.of)
	if s.n < 1 || s.n > s.of || s.of > maxSlots {
		a.fail("a share of %d of %d", s.n, s.of)
	}
}

func archiveTenure(a *archive, t *tenure) {
	archiveSpan(a, &t.span)
	refer(a, &t.holder)
	archiveShare(a, &t.share)
	a.bool(&t.open)
	archiveInt(a, &t.latest)
}

func archiveClaims(a *archive, c *claims) {
	archiveMap(a, &c.byPod, archiveString[string], archiveClaim)
	a.bool(&c.unknown)
	archiveInt(a, &c.begin)
}

func archiveClaim(a *archive, c *claim) {
	archiveHolder(a, &c.Holder)
	archiveInt(a, &c.begin)
	archiveSlice(a, &c.containers, archiveString[string])
	archiveShare(a, &c.share)
}

func archiveGone(a *archive, g *gone) {
	archiveInt(a, &g.ended)
	archivePointer(a, &g.claimed, archiveClaims)
}

func archiveJoinKey(a *archive, k *joinKey) {
	archiveString(a, &k.by)
	archiveString(a, &k.space)
	archiveString(a, &k.name)
}

func archiveTotalKey(a *archive, k *totalKey) {
	archiveString(a, &k.owner)
	archiveString(a, &k.unit)
}

func archiveActivity(a *archive, v *activity) {
	archiveInt(a, &v.sinceStart)
	archiveInt(a, &v.attempt)
	archiveInt(a, &v.attemptActive)
}

func archiveCounts(a *archive, c *Counts) {
	for r := range c.Points {
		archiveInt(a, &c.Points[r])
	}
	archiveInt(a, &c.Clamped)
	archiveInt(a, &c.Trimmed)
	archiveInt(a, &c.Overlaps)
	archiveInt(a, &c.Sparse)
	archiveInt(a, &c.Rejected)
	archiveInt(a, &c.Accounts)
}
