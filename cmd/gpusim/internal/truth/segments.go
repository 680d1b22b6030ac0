// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"cmp"
	"slices"
	"sort"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// segment is a time in which nothing that is told changes, but for the samples.
type segment struct {
	span
	holds  []*hold // by pod
	known  bool    // who holds the device
	out    gpu.Reason
	failed bool
}

// hold is a holder in a segment.
type hold struct {
	*stint
	share      share
	start      start
	terminates bool
	evidence   []*series
	proven     gpu.Condition // of its activity
}

// piece is a part of an interval that lies in one segment.
type piece struct {
	span
	*segment
}

// eachPiece calls f for the pieces into which cuts divide s. It sorts cuts.
func eachPiece(cuts []gpu.Time, s span, f func(span)) {
	slices.Sort(cuts)
	from := s.from
	for _, cut := range append(cuts, s.to) {
		if from < cut && cut <= s.to {
			f(span{from, cut})
			from = cut
		}
	}
}

// segments walks over the segments of a device.
type segments struct {
	device  *device
	cuts    []gpu.Time
	out     levels[gpu.Reason]
	failed  levels[bool]
	current *segment
}

func (d *device) segments() *segments {
	s := &segments{device: d, out: d.closed(), failed: d.failed()}
	cuts := s.failed.cuts(s.out.cuts([]gpu.Time{d.open, d.end}))
	for _, u := range d.unknown {
		cuts = append(cuts, u.from, u.to)
	}
	for _, t := range d.settled {
		cuts = append(cuts, t.to)
	}
	seen := map[*pod]bool{}
	for _, t := range d.tenures {
		cuts = append(cuts, t.from, t.to)
		if !seen[t.pod] {
			cuts = d.podCuts(cuts, t.pod)
			seen[t.pod] = true
		}
	}
	slices.Sort(cuts)
	s.cuts = slices.Compact(cuts)
	return s
}

// podCuts appends the times at which something changes for a pod.
func (d *device) podCuts(cuts []gpu.Time, p *pod) []gpu.Time {
	for _, m := range p.marks {
		cuts = append(cuts, m.At, m.At.Add(longestStart))
	}
	for _, m := range d.node.members[p.Workload.Group] {
		cuts = append(cuts, m.left)
	}
	for _, s := range d.node.series {
		if s.profile.Kind != gpu.OutputCounter || !d.concerns(s, p) {
			continue
		}
		for _, o := range s.points {
			cuts = append(cuts, o.Time, o.Time.Add(-d.node.rules.MaxGap), o.Time.Add(-s.profile.Window))
		}
	}
	return cuts
}

// pieces appends the pieces of an interval. Successive intervals are in order.
func (s *segments) pieces(into []piece, of span) []piece {
	for from := of.from; from < of.to; {
		if s.current == nil || s.current.to <= from {
			s.current = s.at(from)
		}
		to := min(of.to, s.current.to)
		into = append(into, piece{span{from, to}, s.current})
		from = to
	}
	return into
}

// at returns the segment right after t.
func (s *segments) at(t gpu.Time) *segment {
	d := s.device
	i := sort.Search(len(s.cuts), func(i int) bool { return s.cuts[i] > t })
	seg := &segment{span: span{t, s.cuts[i]}}
	for _, held := range d.tenures {
		if !held.covers(seg.span) {
			continue
		}
		i := slices.IndexFunc(seg.holds, func(h *hold) bool { return h.stint == held.stint })
		if i < 0 {
			seg.holds = append(seg.holds, s.holdOf(held, t))
		} else {
			seg.holds[i].share = held.share
		}
	}
	slices.SortFunc(seg.holds, func(a, b *hold) int { return cmp.Compare(a.pod.Key(), b.pod.Key()) })
	seg.known = len(seg.holds) > 0 || !slices.ContainsFunc(d.unknown, func(u span) bool { return u.covers(seg.span) })
	seg.out, _ = s.out.after(t)
	seg.failed, _ = s.failed.after(t)
	return seg
}

func (s *segments) holdOf(held tenure, t gpu.Time) *hold {
	d := s.device
	settled, with := d.settledWith(t)
	k := with.by
	h := &hold{stint: held.stint, share: held.share, evidence: d.seriesFor(held.pod, settled, k)}
	h.start = held.stint.startOf(t, k, h.evidence)
	h.terminates = held.pod.terminates(k) <= t
	h.proven = proven(h.evidence, held.pod.Workload.Group, t, k, d.node.rules.MaxGap)
	return h
}
