// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// processKey tells apart the processes on a device.
type processKey struct{ pod, pid string }

// processes is what the processes of a device did, by the times of the points.
type processes struct {
	timeline[processesAt]
}

type processesAt struct {
	time  gpu.Time
	value map[processKey]float64
}

func (p processesAt) at() gpu.Time { return p.time }

// add stores a point. Of two values of one process and time the larger wins.
func (p *processes) add(o gpu.Process, counts *Counts) {
	i, found := p.find(o.Time)
	if !found {
		p.insert(i, processesAt{o.Time, map[processKey]float64{}})
	}
	key, values := processKey{o.Pod, o.PID}, p.timeline[i].value
	old, repeated := values[key]
	if repeated {
		counts.Points[collision(old == o.Value)]++
	}
	if !repeated || o.Value > old {
		values[key] = o.Value
	}
}

// processUse weighs the processes of an interval, in millionths.
type processUse struct {
	byPod   map[string]int64
	foreign int64
}

// use returns the weights for the interval s, held by holders at some time.
func (p *processes) use(s span, k gpu.Time, holders []string) *processUse {
	from, to := p.after(s.from), p.after(min(s.to, k))
	if from >= to {
		return nil
	}
	use := &processUse{byPod: map[string]int64{}}
	for _, at := range p.timeline[from:to] {
		for key, value := range at.value {
			weight := (floorProduct(value, 2*millionths) + 1) / 2 // to the nearest, halves up
			if slices.Contains(holders, key.pod) {
				use.byPod[key.pod] += weight
			} else {
				use.foreign += weight
			}
		}
	}
	return use
}

// tells reports whether u divides the activity of holds.
func (u *processUse) tells(holds []hold) bool {
	if u == nil {
		return false
	}
	return u.foreign > 0 || slices.ContainsFunc(holds, func(h hold) bool { return u.byPod[h.key] > 0 })
}
