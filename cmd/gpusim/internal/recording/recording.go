// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Recording is what the replay uses of the recording. Each slice is in order
// of time.
type Recording struct {
	Duty     []Duty
	Memory   []Memory
	Requests []Requests
	// Start is the first duty-cycle sample of the whole recording; a cut
	// doesn't move it.
	Start gpu.Time
	// pods names the pod of every container of the whole recording.
	pods map[Container]string
}

// Duty is a duty-cycle sample: how much of the time since the container's
// sample before it the device was busy.
type Duty struct {
	Time      gpu.Time
	Container Container
	Percent   float64
}

// Memory is the used memory of a container's device.
type Memory struct {
	Time      gpu.Time
	Container Container
	Bytes     uint64
}

// Requests is the rate at which a container served generative requests, in
// 1/s.
type Requests struct {
	Time      gpu.Time
	Container Container
	PerSecond float64
}

// End is the upper bound of a cut that goes to the end of the recording.
const End = time.Duration(math.MaxInt64)

// Cut returns the rows between from and to after the start of the recording,
// both included. Everything that is computed from a cut (sums, firsts, lasts,
// "has an app metric") is that of the cut.
func (r Recording) Cut(from, to time.Duration) (Recording, error) {
	in := func(t gpu.Time) bool { return t.Sub(r.Start) >= from && t.Sub(r.Start) <= to }
	cut := Recording{
		Duty:     filter(r.Duty, func(d Duty) bool { return in(d.Time) }),
		Memory:   filter(r.Memory, func(m Memory) bool { return in(m.Time) }),
		Requests: filter(r.Requests, func(q Requests) bool { return in(q.Time) }),
		Start:    r.Start,
		pods:     r.pods,
	}
	if len(cut.Duty) == 0 {
		last := r.Duty[len(r.Duty)-1].Time.Sub(r.Start)
		return cut, fmt.Errorf("the cut from %s to %s has no duty-cycle sample: the recording spans 0 to %s (seconds since its first sample)",
			seconds(from), seconds(to), seconds(last))
	}
	return cut, nil
}

// Containers returns how many containers have duty-cycle samples.
func (r Recording) Containers() int { return len(lives(r)) }

// Spanned returns how much device time the ledger should account: each
// device from its first sample to the end of the recording.
func (r Recording) Spanned() time.Duration {
	var sum time.Duration
	for _, l := range lives(r) {
		sum += r.last().Sub(l.first)
	}
	return sum
}

// Bounds returns the times of the first and of the last duty-cycle sample.
func (r Recording) Bounds() (first, last gpu.Time) { return r.Duty[0].Time, r.last() }

func (r Recording) last() gpu.Time { return r.Duty[len(r.Duty)-1].Time }

func (r *Recording) sort() {
	slices.SortStableFunc(r.Duty, func(a, b Duty) int { return cmp.Compare(a.Time, b.Time) })
	slices.SortStableFunc(r.Memory, func(a, b Memory) int { return cmp.Compare(a.Time, b.Time) })
	slices.SortStableFunc(r.Requests, func(a, b Requests) int { return cmp.Compare(a.Time, b.Time) })
}

func filter[T any](all []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(v T) bool { return !keep(v) })
}

func seconds(d time.Duration) string {
	if d == End {
		return "the end"
	}
	return fmt.Sprintf("%g", d.Seconds())
}
