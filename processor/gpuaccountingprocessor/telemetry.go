// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"maps"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
	"github.com/otelcol-gpu/otelcol-gpu/internal/price"
	"github.com/otelcol-gpu/otelcol-gpu/processor/gpuaccountingprocessor/internal/metadata"
)

// remedies says once, for drops that a change of the set-up ends, what to do.
var remedies = map[gpupdata.DropReason]string{
	gpupdata.DropDerived:    "the pipeline carries points of another gpu_accounting: keep the processor in one pipeline only",
	gpupdata.DropFuture:     "a source's clock is more than 5 minutes ahead: synchronise the clocks",
	gpupdata.DropUnsetClock: "a source's clock was never set: synchronise the clocks",
	gpupdata.DropNoDevice:   "points need the attribute hw.id with the UUID of the device",
	gpupdata.DropNoPod:      "points need k8s.pod.uid, k8s.namespace.name and k8s.pod.name, or k8s.pod.ip",
}

// telemetry is what the component says of itself.
type telemetry struct {
	set      component.TelemetrySettings
	limit    int
	callback metric.Registration

	mu           sync.Mutex // guards what follows
	drops        gpupdata.Drops
	publications map[string]int64
	restores     map[string]int64
	writes       map[string]int64
	written      int64         // bytes
	writing      time.Duration // in which these were written
	warned       map[gpupdata.DropReason]bool
	loads        map[string]int64 // of the price file
	noPrice      map[price.Reason]time.Duration
	missed       map[price.Unpriced]bool // told
	wrong        bool                    // a self-check that found an error was told
}

func newTelemetry(set component.TelemetrySettings, limit int) *telemetry {
	return &telemetry{
		set: set, limit: limit,
		drops: gpupdata.Drops{}, publications: map[string]int64{}, warned: map[gpupdata.DropReason]bool{},
		restores: map[string]int64{}, writes: map[string]int64{}, loads: map[string]int64{},
		noPrice: map[price.Reason]time.Duration{}, missed: map[price.Unpriced]bool{},
	}
}

func (t *telemetry) start(read func() metadata.Telemetry) (err error) {
	t.callback, err = metadata.Register(t.set, read)
	return err
}

func (t *telemetry) stop() error {
	if t.callback == nil {
		return nil
	}
	return t.callback.Unregister()
}

// dropped counts what the codec refused.
func (t *telemetry) dropped(drops gpupdata.Drops) {
	if len(drops) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for reason, n := range drops {
		t.drops[reason] += n
		if remedy, has := remedies[reason]; has && !t.warned[reason] {
			t.warned[reason] = true
			t.set.Logger.Warn("points count for nothing", zap.String("reason", string(reason)),
				zap.Int("points", n), zap.String("remedy", remedy))
		}
	}
}

// refused tells of a metric of dcgm-exporter that isn't read. It is called once
// for each.
func (t *telemetry) refused(name string, why gpupdata.DropReason) {
	t.set.Logger.Warn("a metric of dcgm-exporter counts for nothing", zap.String("metric", name), zap.String("reason", string(why)),
		zap.String("remedy", refusals[why]))
}

// refusals says what to do about a metric of dcgm-exporter that isn't read.
var refusals = map[gpupdata.DropReason]string{
	gpupdata.DropUnknownMetric: "it is named like an activity, but of no version that is known: see the README for the names that are read, " +
		"and report it if it is of a newer dcgm-exporter",
	gpupdata.DropUnknownUnit:     "its values or its HELP text say another unit than its name: give the field the name of its generation",
	gpupdata.DropUnsupportedType: "it has to be a gauge: correct its type in the counters file of dcgm-exporter",
}

// Outcomes of a batch with derived points.
const (
	publicationAccepted = "accepted"
	publicationFailed   = "failed"
	publicationHeldBack = "held_back" // they couldn't be stored
)

// published counts a batch with derived points.
func (t *telemetry) published(err error) {
	if err != nil {
		t.count(publicationFailed)
	} else {
		t.count(publicationAccepted)
	}
}

// checked tells the first error that a self-check finds.
func (t *telemetry) checked(n *gpupdata.NodeHealth) {
	if n.Error == nil || *n.Error == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wrong {
		return
	}
	t.wrong = true
	t.set.Logger.Error("the points of gpu.time don't add up to the time that passed: don't trust them from here on",
		zap.String("node", n.Node), zap.Duration("error", *n.Error),
		zap.String("remedy", "this is a defect of gpu_accounting: please report it, with its version, its configuration and this message; "+
			"gpu.ledger.error tells every further error"))
}

func (t *telemetry) count(publication string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.publications[publication]++
}

// restored counts how the ledger began.
func (t *telemetry) restored(outcome string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.restores[outcome]++
}

// wrote counts a write of the checkpoint.
func (t *telemetry) wrote(outcome string, size int, took time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writing += took
	if err != nil {
		t.writes["failed"]++
		return
	}
	t.writes[outcome]++
	t.written += int64(size)
}

// loaded counts a new content of the price file.
func (t *telemetry) loaded(err error) {
	outcome := "loaded"
	if err != nil {
		outcome = "failed"
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.loads[outcome]++
}

// mostMissed bounds for how many kinds of devices it is told that they have no
// price.
const mostMissed = 100

// unpriced counts time without a price, and tells once for each kind of device
// what is missing.
func (t *telemetry) unpriced(missing map[price.Unpriced]time.Duration) {
	if len(missing) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for what, d := range missing {
		t.noPrice[what.Reason] += d
		kind := what
		if kind.Facts.Node = ""; t.missed[kind] || len(t.missed) >= mostMissed {
			continue
		}
		t.missed[kind] = true
		f := what.Facts
		t.set.Logger.Warn("no price is in force: this time has no cost", zap.String("reason", string(what.Reason)),
			zap.String("node", f.Node), zap.String("host_type", f.HostType), zap.String("model", f.Model), zap.String("zone", f.Zone),
			zap.String("region", f.Region), zap.String("capacity_type", f.CapacityType), zap.Int("gpus", f.GPUs),
			zap.String("remedy", "add an entry about these to the price file, see docs/prices.md"))
	}
}

// observeSelf reads everything that the component says of itself.
func (a *accounting) observeSelf() metadata.Telemetry {
	a.mu.Lock()
	counts, lag := a.ledger.Counts().After(a.before), a.ledger.Lag()
	a.mu.Unlock()

	t := a.own
	t.mu.Lock()
	defer t.mu.Unlock()
	out := metadata.Telemetry{
		Accounts:        int64(counts.Accounts),
		AccountsLimit:   int64(t.limit),
		HoldersRejected: int64(counts.Rejected),
		OutputsSparse:   int64(counts.Sparse),
		PairsTrimmed:    int64(counts.Trimmed),
		PointsDropped:   map[string]int64{},
		Publications:    maps.Clone(t.publications),
		Restores:        maps.Clone(t.restores),
		Writes:          maps.Clone(t.writes),
		WrittenBytes:    t.written,
		WritingTime:     t.writing.Seconds(),
		SettleLag:       lag.Seconds(),
		TimeClamped:     counts.Clamped.Seconds(),
		TimeOverlapped:  counts.Overlaps.Seconds(),
		PriceLoads:      maps.Clone(t.loads),
		TimeUnpriced:    map[string]float64{},
	}
	for reason, d := range t.noPrice {
		out.TimeUnpriced[string(reason)] = d.Seconds()
	}
	for reason, n := range t.drops {
		out.PointsDropped[string(reason)] += int64(n)
	}
	for _, reason := range ledger.Reasons() {
		if n := counts.Points[reason]; n > 0 {
			out.PointsDropped[reason.String()] += int64(n)
		}
	}
	return out
}
