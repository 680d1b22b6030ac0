// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// take keeps what a test may ask for.
func (r *Record) take(p *point) {
	switch {
	case p.metric == "gpu.allocation":
		r.allocation(p)
	case p.metric == "gpu.node.allocations":
		r.sets = append(r.sets, p.at)
	case p.metric == "gpu.milestone.time":
		r.milestone(p)
	case p.metric == "gpu.source.up":
		name := p.attributes["gpu.source"]
		now := Source{At: p.at, Up: p.value == 1, Reason: p.attributes["gpu.source.reason"]}
		if all := r.sources[name]; len(all) == 0 || all[len(all)-1].Up != now.Up || all[len(all)-1].Reason != now.Reason {
			r.sources[name] = append(all, now)
		}
	case p.metric == "gpu.ledger.error" && p.value != 0:
		r.problem("gpu.ledger.error is %g at %v", p.value, p.at)
	case p.counter && strings.HasPrefix(p.metric, "gpu.") && p.metric != "gpu.activity.time":
		r.sum(p)
	}
}

func (r *Record) allocation(p *point) {
	uid, container := p.attributes["k8s.pod.uid"], p.attributes["k8s.container.name"]
	device := p.attributes["hw.id"] + p.attributes["gpu.device.ref"]
	i := slices.IndexFunc(r.holdings, func(h *Holding) bool {
		return h.UID == uid && h.Container == container && h.Device == device && h.Begin.Equal(p.start)
	})
	if i < 0 {
		r.holdings = append(r.holdings, &Holding{UID: uid, Container: container, Device: device, Begin: p.start})
		i = len(r.holdings) - 1
	}
	h := r.holdings[i]
	switch {
	case p.none:
		if !slices.ContainsFunc(h.Ends, p.at.Equal) {
			h.Ends = append(h.Ends, p.at)
		}
	case h.First.IsZero():
		h.First, h.Last, h.Attributes = p.at, p.at, p.attributes
	default:
		h.Last, h.Attributes = p.at, p.attributes
	}
	if len(h.Ends) > 0 && !p.none { // the end itself may be dated before the last set
		r.problem("pod %s has %s at %v, and its end at %v was told before", uid, device, p.at, h.Ends[0])
	}
}

func (r *Record) milestone(p *point) {
	m := Mark{
		UID: p.attributes["k8s.pod.uid"], Name: p.attributes["gpu.milestone"], Attempt: p.attributes["gpu.milestone.attempt"],
		Container: p.own["k8s.container.name"], Source: p.attributes["gpu.milestone.source"],
		At: time.UnixMicro(int64(p.value*1e6 + 0.5)), Present: p.attributes["gpu.image.present"] == "true",
	}
	if seconds, err := strconv.ParseFloat(p.attributes["gpu.milestone.uncertainty"], 64); err == nil {
		m.Uncertainty = time.Duration(seconds * float64(time.Second))
	}
	for _, known := range r.marks {
		if known.UID == m.UID && known.Name == m.Name && known.Attempt == m.Attempt && known.Container == m.Container {
			m.Before = known.Before
			if !known.At.Equal(m.At) {
				m.Before = append(m.Before, known.At)
			}
			*known = m
			return
		}
	}
	r.marks = append(r.marks, &m)
}

func (r *Record) sum(p *point) {
	key := fmt.Sprint(p.metric, p.attributes) // in the order of its keys
	s := r.sums[key]
	switch {
	case s == nil:
		s = &Sum{Metric: p.metric, Attributes: p.attributes, First: p.start}
		r.sums[key] = s
	case !s.Start.Equal(p.start):
		if p.start.Before(s.At) {
			r.problem("%s begins anew at %v, before its end at %v", key, p.start, s.At)
		}
		s.Earlier += s.Value
	case p.at.After(s.At) && p.value < s.Value:
		r.problem("%s falls from %g to %g", key, s.Value, p.value)
	case p.at.Before(s.At):
		return // sent again
	}
	s.Start, s.At, s.Value = p.start, p.at, p.value
}
