// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Streams: §1 -----------------------------------------------------------

// outputStream is one output metric of one pod.
type outputStream struct {
	name   string
	window time.Duration
	series [][]gpu.Output // each by time
}

// streamsKey is what the streams of a holder follow from, while F and the
// holders of all devices stay.
type streamsKey struct {
	device gpu.DeviceID
	key    string
	k      gpu.Time
}

// streamsOf returns the output streams of a holder of a device, as known at k.
func (o *oracle) streamsOf(d *oracleDevice, key string, k gpu.Time) []outputStream {
	memo := streamsKey{d.id, key, k}
	if streams, ok := o.memo[memo]; ok {
		return streams
	}
	var streams []outputStream
	for i, p := range o.all.Outputs {
		if p.Profile.Kind != gpu.OutputCounter || p.Time > k || !o.belongs(p.Join, d, key) {
			continue
		}
		name := o.streams[i]
		n := slices.IndexFunc(streams, func(s outputStream) bool { return s.name == name })
		if n < 0 {
			n = len(streams)
			streams = append(streams, outputStream{name: name, window: p.Profile.Window})
		}
		streams[n].add(p)
	}
	for _, s := range streams {
		for _, series := range s.series {
			slices.SortFunc(series, func(a, b gpu.Output) int { return cmp.Compare(a.Time, b.Time) })
		}
	}
	o.memo[memo] = streams
	return streams
}

// belongs says whether what is joined so is a holder's on a device: joined to
// itself, to its group, or to another holder of its group on the node. What is
// joined to one that left counts for the time before that, if no other pod can
// be meant.
func (o *oracle) belongs(j gpu.Join, d *oracleDevice, key string) bool {
	group := o.groups[key]
	switch {
	case o.means(j, d, key):
		return true
	case group == "":
		return false
	case j.Group == group:
		return true
	}
	for _, other := range o.devices {
		for member, left := range other.left {
			if other.node != d.node || o.groups[member] != group || !o.means(j, other, member) {
				continue
			}
			if left == forever || d.f < left && (j.PodUID != "" || j.Pod != "") {
				return true
			}
		}
	}
	return false
}

// means says whether a join means a holder of a device.
func (o *oracle) means(j gpu.Join, d *oracleDevice, key string) bool {
	h := o.pods[key]
	switch {
	case j.PodUID != "":
		return h.PodUID == j.PodUID
	case j.Pod != "":
		return h.Namespace == j.Namespace && h.Pod == j.Pod
	case j.PodIP != "":
		return h.PodIP == j.PodIP
	}
	return j.Device != "" && d.id == j.Device
}

func (s *outputStream) add(p gpu.Output) {
	i := slices.IndexFunc(s.series, func(series []gpu.Output) bool { return series[0].Series == p.Series })
	if i < 0 {
		s.series = append(s.series, []gpu.Output{p})
		return
	}
	j := slices.IndexFunc(s.series[i], func(q gpu.Output) bool { return q.Time == p.Time })
	if j < 0 {
		s.series[i] = append(s.series[i], p)
	} else if outranks(p, s.series[i][j]) {
		s.series[i][j] = p
	}
}

// outranks says whether p counts, not q, which is of the same series and time.
func outranks(p, q gpu.Output) bool {
	if p.Ended || q.Ended {
		return q.Ended && !p.Ended
	}
	return p.Value > q.Value || p.Value == q.Value && p.Start > q.Start
}

// findPods takes in how pods are named, and which points are of one stream.
func (o *oracle) findPods() {
	for _, a := range o.all.Allocations {
		o.pods[a.Holder.Key()] = a.Holder
	}
	for _, a := range o.all.DeviceAllocations {
		o.pods[a.Holder.Key()] = a.Holder
	}
	for _, p := range o.all.Outputs {
		j := p.Join
		switch { // the first that is known
		case j.PodUID != "":
			j = gpu.Join{PodUID: j.PodUID, Group: j.Group}
		case j.Pod != "":
			j = gpu.Join{Namespace: j.Namespace, Pod: j.Pod, Group: j.Group}
		case j.PodIP != "":
			j = gpu.Join{PodIP: j.PodIP, Group: j.Group}
		}
		o.streams = append(o.streams, fmt.Sprint(j, p.Profile.Metric))
	}
}

// activeCondition returns what the activity in a piece is.
func (o *oracle) activeCondition(d *oracleDevice, key string, piece span, k gpu.Time) gpu.Condition {
	streams := o.streamsOf(d, key, k)
	flat := false
	for _, stream := range streams {
		for _, series := range stream.series {
			for i, p := range series {
				if first(series, i) {
					continue
				}
				if within(piece, p.Time, o.cfg.MaxGap) {
					flat = true
				}
				if rise(series, i) > 0 && within(piece, p.Time, stream.window) {
					return gpu.Condition{State: gpu.Productive}
				}
			}
		}
	}
	switch {
	case flat:
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonOutputFlat}
	case len(streams) > 0:
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonNotScraped}
	case o.groups[key] != "":
		return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonGroupUnknown}
	}
	return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonNoAppMetric}
}

// within says whether t is in (τ, τ + d] for all τ of a piece, which is cut at
// t and t − d.
func within(piece span, t gpu.Time, d time.Duration) bool {
	return t.Add(-d) <= piece.from && piece.to <= t
}

// --- Outputs: §7 -----------------------------------------------------------

// outputs adds up the rises of every pod that holds a device in the end, and
// never held another one, from when it holds to F of the device.
func (o *oracle) outputs() map[string]float64 {
	produced := map[string]float64{}
	for _, d := range o.devices {
		if !d.open || d.boardOrTurning() {
			continue
		}
		for _, key := range d.live(d.known) {
			if o.cfg.Labels || o.heldDevices(key) != 1 || o.groups[key] != "" || o.sharesCounters(d, key) {
				continue // it may have come back
			}
			produced[key] = 0
			o.memo = map[streamsKey][]outputStream{}
			for _, stream := range o.streamsOf(d, key, d.f) {
				for _, series := range stream.series {
					for i, p := range series {
						if o.holdsSince(d, key) < p.Time {
							produced[key] += rise(series, i)
						}
					}
				}
			}
		}
	}
	return produced
}

// sharesCounters says whether a counter of a holder means another pod, too.
func (o *oracle) sharesCounters(d *oracleDevice, key string) bool {
	return slices.ContainsFunc(o.all.Outputs, func(p gpu.Output) bool {
		pods := map[string]bool{}
		for other := range o.pods {
			if _, onDevice := d.left[other]; o.means(p.Join, d, other) && (onDevice || p.Join.PodIP != "") {
				pods[other] = true
			}
		}
		return pods[key] && len(pods) > 1
	})
}

// holdsSince returns when the first account of a holder opened.
func (o *oracle) holdsSince(d *oracleDevice, key string) gpu.Time {
	since := forever
	for of, got := range o.result.Totals {
		if of.Device == d.id && of.Holder == key {
			since = min(since, got.Start)
		}
	}
	return since
}

func (o *oracle) heldDevices(key string) int {
	on := map[gpu.DeviceID]bool{}
	for of := range o.result.Totals {
		if of.Holder == key {
			on[of.Device] = true
		}
	}
	return len(on)
}

// first says whether the i-th point of a series is no value or the first one.
func first(series []gpu.Output, i int) bool {
	return series[i].Ended || !slices.ContainsFunc(series[:i], func(p gpu.Output) bool { return !p.Ended })
}

// rise returns by how much the i-th point of a series is above the value before it.
func rise(series []gpu.Output, i int) float64 {
	if first(series, i) {
		return 0
	}
	p, before := series[i], series[i-1]
	for n := i - 2; before.Ended; n-- {
		before = series[n]
	}
	if p.Value < before.Value || p.Start != before.Start && p.Start >= before.Time && p.Start != p.Time {
		return max(p.Value, 0)
	}
	return p.Value - before.Value
}
