// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"math"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// DecodeDerived reads derived points back: accounts and outputs, the price of
// each device, and how many points were refused. It is the inverse of
// EncodeDerived, up to order and to what the points don't say:
//
//   - Device.Model, Device.Slices and Holder.PodIP are empty, and so is Device.Ref
//     of a device that has an ID. Prices are by such devices.
//   - There are no Spans.
//   - Times are exact below 2²³ s (97 days): a double of seconds has 53 bits.
//   - Start is the earliest start of the account's sums, and New says that all
//     of them are new: for an account that the ledger gave that is the same.
//   - An account without any sum and the measures of a device's own account
//     aren't written.
//   - gpu.cost isn't read: accounts have no Costs, and no Price.
//
// Metrics may hold several sends: an account comes once for each time. The
// points may be in any order.
func DecodeDerived(md pmetric.Metrics) (gpu.Derived, map[gpu.Device]gpu.Price, Drops) {
	r := derivedReader{reads: derivedKinds, prices: map[gpu.Device]gpu.Price{}}
	r.all(md)
	return r.assemble(), r.prices, r.drops
}

// DecodeTime is DecodeDerived for gpu.time only: what a send says of how much
// time passed.
func DecodeTime(md pmetric.Metrics) (gpu.Derived, Drops) {
	r := derivedReader{reads: map[string]kinds{MetricTime: counters}}
	r.all(md)
	return r.assemble(), r.drops
}

// derivedReader is one call of DecodeDerived.
type derivedReader struct {
	reads  map[string]kinds
	points []derivedPoint
	prices map[gpu.Device]gpu.Price
	drops  Drops
}

func (r *derivedReader) all(md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		res := resource{attributes: rm.Resource().Attributes()}
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				r.metric(m, &res)
			}
		}
	}
}

// derivedPoint is a point with everything that it says.
type derivedPoint struct {
	derivedSeries
	time  gpu.Time
	value float64       // of an output
	span  time.Duration // of all others
}

// derivedSeries identifies the series of a point.
type derivedSeries struct {
	metric    string
	account   accountKey
	condition gpu.Condition
	unit      string // of an output
	start     gpu.Time
}

// accountKey identifies an account; of an output, the device has a place only.
type accountKey struct {
	device      gpu.Device
	kind        gpu.AccountKind
	holder      gpu.Holder
	attribution gpu.Attribution
}

// zero says whether the point only precedes a new series.
func (p *derivedPoint) zero() bool {
	return p.time == p.start && p.span == 0 && p.value == 0
}

// derivedKinds has the metrics that are read, and their types.
var derivedKinds = map[string]kinds{
	MetricTime:           counters,
	MetricAllocatedTime:  counters,
	MetricActiveTime:     counters,
	MetricProductiveTime: counters,
	MetricEntitledTime:   counters,
	MetricSMActiveTime:   counters,
	MetricTensorTime:     counters,
	MetricDRAMTime:       counters,
	MetricOutput:         counters,
	MetricIdleDuration:   gauges,
	MetricPrice:          gauges,
}

func (r *derivedReader) metric(m pmetric.Metric, res *resource) {
	name := m.Name()
	kind, ok := r.reads[name]
	if !ok {
		return
	}
	if kindOf(m) != kind {
		r.drops.add(DropUnsupportedType, pointCount(m))
		return
	}
	points, _ := numberPoints(m)
	r.points = slices.Grow(r.points, points.Len())
	for _, p := range points.All() {
		r.drops.add(r.read(name, kind, res.point(p)), 1)
	}
}

func (r *derivedReader) read(name string, kind kinds, p point) (why DropReason) {
	if p.ended() {
		return ignored
	}
	d := derivedPoint{derivedSeries: derivedSeries{metric: name}}
	if d.time, why = stamp(p.NumberDataPoint, gpu.NoTime); why != accepted {
		return why
	}
	if d.start = start(p.NumberDataPoint); kind == counters && d.start == gpu.NoTime {
		return DropUnsetClock
	}
	if d.value, why = finite(p.NumberDataPoint); why != accepted {
		return why
	}
	if name == MetricOutput {
		return r.output(d, p)
	}
	span, why := scaled(d.value, 1)
	if why != accepted {
		return why
	}
	d.span, d.value = time.Duration(span), 0
	if d.account, why = p.account(); why != accepted {
		return why
	}
	return r.ofAccount(d, p)
}

func (r *derivedReader) output(d derivedPoint, p point) DropReason {
	if d.value < 0 {
		return DropOutOfRange
	}
	d.unit = p.str(AttrOutputUnit)
	d.account = accountKey{
		device: gpu.Device{Node: p.node(), Cluster: p.str(AttrClusterName)},
		holder: p.publicHolder(),
	}
	r.points = append(r.points, d)
	return accepted
}

func (r *derivedReader) ofAccount(d derivedPoint, p point) (why DropReason) {
	switch d.metric {
	case MetricPrice:
		// Currency per hour has nine decimals as well.
		r.prices[d.account.device] = gpu.Price{
			PerHour: gpu.Nanos(d.span), Currency: p.str(AttrCurrency),
			Version: p.str(AttrPriceVersion), Source: p.str(AttrPriceSource), Kind: p.str(AttrPriceKind),
		}
		return accepted
	case MetricIdleDuration:
		d.condition.Reason, why = named(gpu.ParseReason, p.str(AttrStateReason))
	case MetricTime:
		d.condition, why = p.condition()
	}
	if why == accepted {
		r.points = append(r.points, d)
	}
	return why
}

func (p point) account() (key accountKey, why DropReason) {
	d := p.attributes.device()
	d.Ref = p.str(AttrDeviceRef)
	if d.ID == "" && d.Ref == "" {
		return key, DropNoDevice
	}
	key.device = publicDevice(d)
	attribution, why := named(gpu.ParseAttribution, p.str(AttrAttribution))
	overflow, isOverflow := p.own.Get(AttrMetricOverflow)
	switch {
	case isOverflow && overflow.Bool():
		key.kind = gpu.OverflowAccount
	case attribution != gpu.NoAttribution:
		key.kind = gpu.HolderAccount
		key.attribution = attribution
		key.holder = p.publicHolder()
	}
	return key, why
}

func (p point) publicHolder() gpu.Holder {
	h := p.holder()
	h.PodIP = ""
	return h
}

func (p point) condition() (c gpu.Condition, why DropReason) {
	if c.State, why = named(gpu.ParseState, p.str(AttrState)); why != accepted {
		return c, why
	}
	if c.Reason, why = named(gpu.ParseReason, p.str(AttrStateReason)); why != accepted {
		return c, why
	}
	c.Residence, why = named(gpu.ParseResidence, p.str(AttrMemoryResident))
	switch form := p.str(AttrIdleForm); form {
	case gpu.BetweenWork.String():
		c.Form = gpu.BetweenWork
	case gpu.Episode.String():
		c.Form = gpu.Episode
	case gpu.NoForm.String():
	default:
		why = DropUnknownState
	}
	return c, why
}

// named reads a word of the domain.
func named[T any](parse func(string) (T, bool), name string) (T, DropReason) {
	v, ok := parse(name)
	if !ok {
		return v, DropUnknownState
	}
	return v, accepted
}

// earliest is the earlier of two starts, of which a may be unknown.
func earliest(a, b gpu.Time) gpu.Time {
	if a == gpu.NoTime {
		a = math.MaxInt64
	}
	return min(a, b)
}
