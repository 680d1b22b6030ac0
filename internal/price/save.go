// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"errors"
	"fmt"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// ErrCorrupt says that bytes are none that Save returned.
var ErrCorrupt = errors.New("corrupt costs")

// ErrNewerFormat says that costs were saved by a newer version.
var ErrNewerFormat = errors.New("costs of a newer format")

const saveFormat = 1

// Save returns everything that c knows as bytes: in an order that depends on
// nothing else.
func (c *Costs) Save() []byte {
	var w writer
	w.uint(saveFormat)
	w.uint(uint64(len(c.nodes)))
	for _, key := range sortedNodes(c.nodes) {
		n := c.nodes[key]
		for _, s := range []string{n.Cluster, n.Name, n.HostType, n.Zone, n.Region, n.CapacityType} {
			w.text(s)
		}
		w.int(int64(n.Capacity))
		w.bool(n.Ended)
	}
	w.uint(uint64(len(c.tallies)))
	for _, key := range sortedTallies(c.tallies) {
		w.text(key.account)
		w.int(int64(key.start))
		c.tallies[key].save(&w)
	}
	return w.data
}

func (t *tally) save(w *writer) {
	w.int(int64(t.charged))
	for s := range t.states {
		w.int(int64(t.states[s].start))
		w.int(int64(t.states[s].total))
	}
	w.uint(uint64(len(t.sums)))
	for i := range t.sums {
		s := &t.sums[i]
		w.text(s.state.String())
		w.text(s.currency)
		w.int(int64(s.start))
		w.int(int64(s.before))
		w.uint(s.rate.num)
		w.uint(s.rate.den)
		w.int(int64(s.time))
		w.bool(s.published)
	}
}

// RestoreCosts returns the costs that were saved. They go on exactly as they
// would have.
func RestoreCosts(saved []byte) (*Costs, error) {
	r, c := reader{data: saved}, NewCosts()
	if format := r.uint(); format > saveFormat {
		return nil, fmt.Errorf("%w: %d, this version reads up to %d", ErrNewerFormat, format, saveFormat)
	}
	for range r.count() {
		n := gpu.Node{
			Cluster: r.text(), Name: r.text(), HostType: r.text(), Zone: r.text(), Region: r.text(), CapacityType: r.text(),
			Capacity: int(r.int()), Ended: r.bool(),
		}
		c.nodes[nodeKey{n.Cluster, n.Name}] = n
	}
	for range r.count() {
		key := tallyKey{r.text(), gpu.Time(r.int())}
		c.tallies[key] = restoreTally(&r)
	}
	if r.bad || len(r.data) > 0 {
		return nil, fmt.Errorf("%w (%d bytes)", ErrCorrupt, len(saved))
	}
	return c, nil
}

func restoreTally(r *reader) *tally {
	t := &tally{charged: gpu.Time(r.int())}
	for s := range t.states {
		t.states[s].start = gpu.Time(r.int())
		t.states[s].total = time.Duration(r.amount())
	}
	for range r.count() {
		state, known := gpu.ParseState(r.text())
		r.bad = r.bad || !known
		t.sums = append(t.sums, sum{
			state: state, currency: r.text(), start: gpu.Time(r.int()), before: gpu.Nanos(r.amount()),
			rate: Rate{r.uint(), r.uint()}, time: time.Duration(r.amount()), published: r.bool(),
		})
	}
	return t
}
