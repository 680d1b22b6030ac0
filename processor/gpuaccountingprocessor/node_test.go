// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/checkpoint/checkpointtest"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/processor/gpuaccountingprocessor/internal/metadata"
)

var (
	storageID = component.MustNewID("file_storage")
	selfID    = component.NewID(metadata.Type)
	errDisk   = errors.New("input/output error")
)

// tester is a test, or a run of a property.
type tester interface {
	require.TestingT
	Helper()
	Context() context.Context
}

// node is a machine on which processes live and die. Its disk, its clock, and
// what was sent outlive them.
type node struct {
	t      tester
	cfg    *Config
	disk   *checkpointtest.Storage
	boot   string
	clock  time.Time
	out    *downstream
	set    component.TelemetrySettings
	status []*componentstatus.Event
	dead   bool // the process was killed, whatever it still does

	*accounting // the process
}

func newNode(t tester) *node {
	cfg := testConfig()
	cfg.Storage = &storageID
	n := &node{
		t: t, cfg: cfg, disk: checkpointtest.New(), boot: "boot-1", clock: wallClock(),
		set: componenttest.NewNopTelemetrySettings(),
	}
	n.out = &downstream{node: n, streams: map[string]map[gpu.Time]stream{}, newest: map[string]gpu.Account{}}
	return n
}

// start starts a process, the one before having been killed if there was one.
func (n *node) start() *node {
	n.t.Helper()
	n.disk.Kill()
	n.disk.Before(nil)
	n.disk.After(nil)
	n.dead, n.status = false, nil
	n.accounting = newAccounting(n.set, n.cfg, n.out, func() time.Time { return n.clock })
	n.keeper.id, n.keeper.claims, n.keeper.bootID = selfID, &claims{}, func() string { return n.boot }
	require.NoError(n.t, n.Start(n.t.Context(), n))
	return n
}

// GetExtensions makes the node the host of its process.
func (n *node) GetExtensions() map[component.ID]component.Component {
	return n.disk.Host(storageID).GetExtensions()
}

// Report takes the status of the process.
func (n *node) Report(event *componentstatus.Event) { n.status = append(n.status, event) }

// statuses returns what was reported, in order.
func (n *node) statuses() (all []componentstatus.Status) {
	for _, e := range n.status {
		all = append(all, e.Status())
	}
	return all
}

// try sends a batch to the process.
func (n *node) try(b gpu.Batch) error {
	return n.ConsumeMetrics(n.t.Context(), gpupdata.Encode(b))
}

// consume sends a batch, which must be accepted.
func (n *node) consume(b gpu.Batch) {
	n.t.Helper()
	require.NoError(n.t, n.try(b))
}

// stop shuts the process down.
func (n *node) stop() {
	n.t.Helper()
	require.NoError(n.t, n.Shutdown(n.t.Context()))
}

// failWrites has every write fail, before or after it happened.
func (n *node) failWrites(err error) { n.disk.Before(onWrites(err)) }

func onWrites(err error) func([]*storage.Operation) error {
	return func(ops []*storage.Operation) error {
		if checkpointtest.Writes(ops) {
			return err
		}
		return nil
	}
}

// killOn returns a script that kills the process at the first write.
func (n *node) killOn() func([]*storage.Operation) error {
	return func([]*storage.Operation) error {
		n.dead = true
		return checkpointtest.ErrKilled
	}
}

// downstream takes what the processes send, and fails the test if a counter
// lies: if it falls, or if two streams of one series count the same time.
type downstream struct {
	node    *node
	before  func() error // fails a send before it arrives
	after   func() error // and after it did
	streams map[string]map[gpu.Time]stream
	newest  map[string]gpu.Account // by pod UID
	sends   int                    // with derived points
	quiet   bool                   // takes everything and looks at nothing
}

// stream is where a series stands that began at some start.
type stream struct {
	time  gpu.Time
	value float64
}

var _ consumer.Metrics = (*downstream)(nil)

func (*downstream) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }

func (d *downstream) ConsumeMetrics(_ context.Context, md pmetric.Metrics) error {
	if d.node.dead {
		return checkpointtest.ErrKilled
	}
	if d.quiet {
		return nil
	}
	if d.before != nil {
		if err := d.before(); err != nil {
			return err
		}
	}
	derived, _, _ := gpupdata.DecodeDerived(md)
	if isDue(derived) {
		d.sends++
		d.takeHealth(healthPoints(md))
	}
	for _, a := range derived.Accounts {
		d.newest[a.Holder.PodUID] = a
	}
	for name, p := range derivedSums(md) {
		d.take(name, p)
	}
	if d.after != nil {
		return d.after()
	}
	return nil
}

// takeHealth checks what a send says of itself: what it claims is that all adds
// up; it claims nothing of a device that a restart may have parted from its past.
func (d *downstream) takeHealth(said map[string]pmetric.NumberDataPoint) {
	require.Contains(d.node.t, said, gpupdata.MetricLedgerLag)
	require.Contains(d.node.t, said, gpupdata.MetricLedgerClamped)
	if e, claimed := said[gpupdata.MetricLedgerError]; claimed {
		require.Zero(d.node.t, e.DoubleValue())
	}
}

// take checks one point against all that came before it.
func (d *downstream) take(name string, p pmetric.NumberDataPoint) {
	t, start, at := d.node.t, gpu.Time(p.StartTimestamp()), gpu.Time(p.Timestamp())
	if at == start {
		require.Zero(t, p.DoubleValue(), name)
		return // the point that precedes a series may come again
	}
	if d.streams[name] == nil {
		d.streams[name] = map[gpu.Time]stream{}
	}
	for other, last := range d.streams[name] {
		if other == start {
			require.GreaterOrEqual(t, p.DoubleValue(), last.value, "%s of %v fell", name, start)
			require.GreaterOrEqual(t, at, last.time, "%s of %v went back", name, start)
		} else {
			require.GreaterOrEqual(t, start, last.time, "%s began anew in time that was counted", name)
		}
	}
	d.streams[name][start] = stream{at, p.DoubleValue()}
}

// derivedSums returns the points of our own sums, by metric and attributes.
func derivedSums(md pmetric.Metrics) func(func(string, pmetric.NumberDataPoint) bool) {
	return func(yield func(string, pmetric.NumberDataPoint) bool) {
		for _, rm := range md.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				if sm.Scope().Name() != gpupdata.ScopeName {
					continue
				}
				for _, m := range sm.Metrics().All() {
					if m.Type() != pmetric.MetricTypeSum {
						continue
					}
					for _, p := range m.Sum().DataPoints().All() {
						if !yield(m.Name()+fmt.Sprint(p.Attributes().AsRaw()), p) {
							return
						}
					}
				}
			}
		}
	}
}

// sums is what an account adds up to, without what depends on when it was
// published.
type sums struct {
	start, time                   gpu.Time
	allocated, active, productive time.Duration
	states                        map[gpu.Condition]time.Duration
}

// published returns the newest sums, by pod UID.
func (d *downstream) published() map[string]sums {
	all := map[string]sums{}
	for uid, a := range d.newest {
		s := sums{a.Start, a.Time, a.Allocated, a.Active, a.Productive, map[gpu.Condition]time.Duration{}}
		for _, state := range a.States {
			s.states[state.Condition] += state.Nanos
		}
		all[uid] = s
	}
	return maps.Clone(all)
}
