// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"cmp"
	"math/big"
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// The oracle is docs/ledger.md in the slowest, most obvious way: it takes all
// points at once, walks the steps one by one, looks at every point again at
// each of them, and books second by second. It shares no code with the ledger.
// "§" in its comments are the sections of that page.

// hostKey is the holder key of the host itself (allocation: none).
const hostKey = "(host)"

const forever = gpu.Forever

// oracleKey names who got time: of a device, the holder with this key, or the
// device itself ("").
type oracleKey struct {
	Device gpu.DeviceID
	Holder string
}

// oracleTotals is what one of them got.
type oracleTotals struct {
	Start      gpu.Time // when it opens
	States     map[gpu.Condition]time.Duration
	Allocated  time.Duration
	Active     time.Duration
	Productive time.Duration
}

// oracleResult is everything that the oracle says.
type oracleResult struct {
	Totals map[oracleKey]*oracleTotals
	F      map[gpu.DeviceID]gpu.Time
	// Span is the time that each device was open, settled.
	Span map[gpu.DeviceID]time.Duration
	// Lives is how often each device opened.
	Lives map[gpu.DeviceID]int
	// Outputs is what each pod produced that never held but one device, and
	// holds it in the end.
	Outputs map[string]float64
}

type oracle struct {
	cfg     ledger.Config
	all     gpu.Batch
	pods    []string // of each of the outputs, the pod
	nodes   []string
	devices []*oracleDevice
	result  oracleResult
}

type oracleDevice struct {
	id      gpu.DeviceID
	node    string
	gauges  []gpu.Sample  // of engine "engine", by time
	pairs   []oraclePair  // of engine "engine", by time
	sets    []oracleSet   // complete ones, by time
	classes []oracleClass // what the sets say of them

	// What a step hands to the next one.
	open     bool
	named    bool // it was opened before
	openedAt gpu.Time
	livesBy  gpu.Time // the time up to which sets were applied when it opened anew
	f        gpu.Time // F
	known    gpu.Time // k of the last step
	end      gpu.Time // where it ends, or forever
	closedAt gpu.Time // where it ended last
	firstF   gpu.Time // F when the first set was applied
	hasFirst bool
	stretch  map[string]gpu.Time // holder → start of its running stretch
	activity map[string]int64    // holder → its activity since it is a new one
	noticed  []oracleHold        // tenures that were seen, by their first set
}

type oraclePair struct {
	source           string
	start, time      gpu.Time
	observed, active int64
}

// oracleSet is a complete allocation set, as one device sees it.
type oracleSet struct {
	time    gpu.Time
	holders []oracleHold
	shared  bool // somebody's allocation isn't exclusive
}

type oracleHold struct {
	key   string
	begin gpu.Time
}

type oracleClass struct {
	key   string
	time  gpu.Time
	class gpu.Class
}

// span is (from, to].
type span struct{ from, to gpu.Time }

func (s span) has(piece span) bool { return s.from <= piece.from && piece.to <= s.to }
func (s span) len() int64          { return int64(s.to - s.from) }

// evidence is what one sample says of an interval.
type evidence struct {
	span

	speaks   bool // false: no sample speaks
	gauge    bool
	value    float64 // of a gauge
	observed int64   // ΔO
	active   int64   // ΔA of a pair
}

// runOracle computes the ledger of all events.
func runOracle(cfg ledger.Config, all gpu.Batch, finished bool) oracleResult {
	o := &oracle{cfg: cfg, all: all, result: oracleResult{
		Totals: map[oracleKey]*oracleTotals{},
		F:      map[gpu.DeviceID]gpu.Time{},
		Span:   map[gpu.DeviceID]time.Duration{},
		Lives:  map[gpu.DeviceID]int{},
	}}
	o.findDevices()
	o.findPods()
	for _, node := range o.nodes {
		for _, step := range o.steps(node, finished) {
			for _, d := range o.devices {
				if d.node == node {
					o.step(d, step)
				}
			}
		}
	}
	for _, d := range o.devices {
		if d.named {
			o.result.F[d.id] = d.f
		}
	}
	o.result.Outputs = o.outputs()
	return o.result
}

// --- What the points say -------------------------------------------------

func (o *oracle) findDevices() {
	where := map[gpu.DeviceID]string{}
	for _, s := range o.all.Samples {
		where[s.Device.ID] = s.Device.Node
	}
	for _, c := range o.all.Counters {
		where[c.Device.ID] = c.Device.Node
	}
	for _, a := range o.all.Allocations {
		if a.Device != "" {
			where[a.Device] = a.Node
		}
	}
	for _, a := range o.all.DeviceAllocations {
		where[a.Device.ID] = a.Device.Node
	}
	for id, node := range where {
		d := &oracleDevice{id: id, node: node, end: forever, stretch: map[string]gpu.Time{}, activity: map[string]int64{}}
		d.gauges = o.gaugesOf(id)
		d.pairs = o.pairsOf(id)
		d.sets = o.setsOf(d)
		o.devices = append(o.devices, d)
		if !slices.Contains(o.nodes, node) {
			o.nodes = append(o.nodes, node)
		}
	}
}

// gaugesOf returns the gauge samples of a device: of several values for one
// time, the larger.
func (o *oracle) gaugesOf(id gpu.DeviceID) []gpu.Sample {
	var gauges []gpu.Sample
	for _, s := range o.all.Samples {
		if s.Device.ID != id || s.Engine != gpu.EngineAny {
			continue
		}
		i := slices.IndexFunc(gauges, func(g gpu.Sample) bool { return g.Time == s.Time })
		switch {
		case i < 0:
			gauges = append(gauges, s)
		case s.Value > gauges[i].Value:
			gauges[i] = s
		}
	}
	slices.SortFunc(gauges, func(a, b gpu.Sample) int { return cmp.Compare(a.Time, b.Time) })
	return gauges
}

// pairsOf joins the halves of the sum pairs of a device.
func (o *oracle) pairsOf(id gpu.DeviceID) []oraclePair {
	var pairs []oraclePair
	for _, c := range o.all.Counters {
		if c.Device.ID != id || c.Engine != gpu.EngineAny ||
			slices.ContainsFunc(pairs, func(p oraclePair) bool { return p.time == c.Time }) {
			continue
		}
		active, hasActive := o.half(c, gpu.ActivityPart)
		observed, hasObserved := o.half(c, gpu.ObservedPart)
		if hasActive && hasObserved {
			pairs = append(pairs, oraclePair{c.Source, c.Start, c.Time, observed, active})
		}
	}
	slices.SortFunc(pairs, func(a, b oraclePair) int { return cmp.Compare(a.time, b.time) })
	return pairs
}

// half returns a half of the pair that c is of: of several, the larger one.
func (o *oracle) half(c gpu.Counter, part gpu.CounterPart) (nanos int64, ok bool) {
	for _, b := range o.all.Counters {
		if b.Device.ID == c.Device.ID && b.Engine == c.Engine && b.Source == c.Source &&
			b.Time == c.Time && b.Start == c.Start && b.Part == part {
			nanos, ok = max(nanos, b.Nanos), true
		}
	}
	return nanos, ok
}

// setsOf returns the complete sets that bear on a device.
func (o *oracle) setsOf(d *oracleDevice) []oracleSet {
	var sets []oracleSet
	if o.cfg.Labels {
		for _, a := range o.all.DeviceAllocations {
			if a.Device.ID != d.id || hasSet(sets, a.Time) {
				continue
			}
			set := oracleSet{time: a.Time}
			if key := a.Holder.Key(); key != "" {
				set.holders = append(set.holders, oracleHold{key: key})
				d.classes = append(d.classes, oracleClass{key, a.Time, a.Holder.Workload.Class})
			}
			sets = append(sets, set)
		}
	} else {
		for _, c := range o.all.AllocationCounts {
			if c.Node != d.node || hasSet(sets, c.Time) {
				continue
			}
			members := o.members(c)
			if len(members) != c.Count {
				continue
			}
			set := oracleSet{time: c.Time}
			for _, a := range members {
				if a.Device != d.id {
					continue
				}
				set.holders = append(set.holders, oracleHold{a.Holder.Key(), a.Begin})
				set.shared = set.shared || a.Sharing != gpu.Exclusive || a.Share != 1
				d.classes = append(d.classes, oracleClass{a.Holder.Key(), a.Time, a.Holder.Workload.Class})
			}
			sets = append(sets, set)
		}
	}
	slices.SortFunc(sets, func(a, b oracleSet) int { return cmp.Compare(a.time, b.time) })
	return sets
}

func hasSet(sets []oracleSet, t gpu.Time) bool {
	return slices.ContainsFunc(sets, func(s oracleSet) bool { return s.time == t })
}

// members returns the different allocations of the set of c.
func (o *oracle) members(c gpu.AllocationCount) []gpu.Allocation {
	var members []gpu.Allocation
	for _, a := range o.all.Allocations {
		if a.Ended || a.Node != c.Node || a.Time != c.Time {
			continue
		}
		if !slices.ContainsFunc(members, func(m gpu.Allocation) bool {
			return m.Device == a.Device && m.Holder.Key() == a.Holder.Key()
		}) {
			members = append(members, a)
		}
	}
	return members
}

// --- Steps: §1 -----------------------------------------------------------

type oracleStep struct {
	k    gpu.Time
	last bool // the last one of a shutdown
}

// steps returns the steps of a node that are taken.
func (o *oracle) steps(node string, finished bool) []oracleStep {
	times := o.stamps(node)
	if len(times) == 0 {
		return nil
	}
	newest := slices.Max(times)
	limit := newest.Add(-o.cfg.SettleDelay)
	if finished {
		limit = newest
		times = append(times, newest)
	}
	var steps []oracleStep
	for _, t := range times {
		k := wholeSecond(t)
		if k > limit || slices.ContainsFunc(steps, func(s oracleStep) bool { return s.k == k }) {
			continue
		}
		steps = append(steps, oracleStep{k: k})
	}
	if finished {
		steps = slices.DeleteFunc(steps, func(s oracleStep) bool { return s.k == newest })
		steps = append(steps, oracleStep{k: newest, last: true})
	}
	slices.SortFunc(steps, func(a, b oracleStep) int { return cmp.Compare(a.k, b.k) })
	return steps
}

// stamps returns the times of a node's samples and allocation counts.
func (o *oracle) stamps(node string) []gpu.Time {
	var times []gpu.Time
	for _, s := range o.all.Samples {
		if s.Device.Node == node {
			times = append(times, s.Time)
		}
	}
	for _, c := range o.all.Counters {
		if c.Device.Node == node {
			times = append(times, c.Time)
		}
	}
	for _, c := range o.all.AllocationCounts {
		if c.Node == node {
			times = append(times, c.Time)
		}
	}
	for _, a := range o.all.DeviceAllocations {
		if a.Device.Node == node {
			times = append(times, a.Time)
		}
	}
	return times
}

func wholeSecond(t gpu.Time) gpu.Time {
	second := gpu.Time(time.Second)
	return (t + second - 1) / second * second
}

// step moves a device to what is known at k.
func (o *oracle) step(d *oracleDevice, s oracleStep) {
	before := d.known
	d.known = s.k
	if !d.open {
		at, ok := o.opening(d, s.k)
		if !ok {
			return
		}
		if !d.named {
			o.totals(d.id, "").Start = at
		}
		o.result.Lives[d.id]++
		if d.named {
			// Of the sets that come in the same step, those before the sample.
			d.livesBy = max(before, at-1)
		}
		d.open, d.named, d.openedAt, d.f = true, true, at, at
	}
	if d.end == forever {
		d.end = o.end(d, s.k)
	}
	if sets := d.knownSets(s.k); len(sets) > 0 && !d.hasFirst {
		d.hasFirst, d.firstF = true, d.f
	}
	o.noticeHolders(d, s.k)
	o.settle(d, min(o.target(d, s), d.end), s.k)
}

// noticeHolders opens the accounts of holders that are seen first. One that
// comes back after all of its time was settled is a new one.
func (o *oracle) noticeHolders(d *oracleDevice, k gpu.Time) {
	held := o.tenures(d, k)
	for _, t := range held {
		if got := o.totals(d.id, t.key); got.Start == gpu.NoTime {
			got.Start = max(t.from, d.f)
		}
		if slices.Contains(d.noticed, oracleHold{t.key, t.set}) {
			continue
		}
		d.noticed = append(d.noticed, oracleHold{t.key, t.set})
		if !t.continues && !slices.ContainsFunc(held, func(before tenure) bool {
			return before.key == t.key && before.set < t.set && d.f < before.to
		}) {
			d.activity[t.key] = 0
		}
	}
}

// settle moves F to target, and ends the device if that is its end.
func (o *oracle) settle(d *oracleDevice, target, k gpu.Time) {
	if target > d.f {
		o.book(d, span{d.f, target}, k)
		o.result.Span[d.id] += target.Sub(d.f)
		d.f = target
	}
	if d.f == d.end {
		d.open, d.closedAt, d.end = false, d.end, forever
		clear(d.stretch)
		clear(d.activity)
	}
}

// opening returns the time at which a device opens, as known at k: §2.
func (o *oracle) opening(d *oracleDevice, k gpu.Time) (gpu.Time, bool) {
	at := forever
	for _, g := range d.gauges {
		if d.closedAt < g.Time && g.Time <= k {
			at = min(at, g.Time)
		}
	}
	for _, p := range d.pairs {
		if d.closedAt < p.time && p.time <= k {
			at = min(at, p.time)
		}
	}
	if !d.named && !o.cfg.Labels { // a label belongs to a sample
		sets := d.knownSets(k)
		for i, set := range sets {
			if len(set.holders) > 0 {
				at = min(at, o.openingBySet(sets, i))
				break
			}
		}
	}
	return at, at < forever
}

func (o *oracle) openingBySet(sets []oracleSet, i int) gpu.Time {
	if i == 0 || o.gap(sets[i-1].time, sets[i].time) {
		return sets[i].time
	}
	earliest := forever
	for _, h := range sets[i].holders {
		earliest = min(earliest, max(h.begin, sets[i-1].time))
	}
	return earliest
}

// gap: from one point to the next it is too long to say anything.
func (o *oracle) gap(from, to gpu.Time) bool { return to.Sub(from) > o.cfg.MaxGap }

// target returns where F moves at a step: §2.
func (o *oracle) target(d *oracleDevice, s oracleStep) gpu.Time {
	k, target := s.k, s.k
	points := o.points(d, k)
	ended := d.end < forever
	if len(points) > 0 && !ended {
		if p := points[len(points)-1].time; !o.gap(p, k) {
			target = min(target, p)
		}
	}
	if !o.cfg.Host {
		sets := d.knownSets(k)
		progress := d.openedAt
		if len(sets) > 0 {
			progress = sets[len(sets)-1].time
		}
		if !o.gap(progress, k) {
			target = min(target, progress)
		}
	}
	if !s.last && !ended {
		for _, key := range d.live(k) {
			target = min(target, o.heldBack(key, k))
		}
	}
	for i := 1; i < len(points); i++ {
		if points[i-1].time < target && target < points[i].time {
			target = points[i-1].time
			break
		}
	}
	return target
}

// live returns the holders that the newest set known at k has.
func (d *oracleDevice) live(k gpu.Time) []string {
	sets := d.knownSets(k)
	if len(sets) == 0 || sets[len(sets)-1].shared {
		return nil
	}
	var keys []string
	for _, h := range sets[len(sets)-1].holders {
		keys = append(keys, h.key)
	}
	return keys
}

// heldBack returns how far the output streams of a pod let F go at k.
func (o *oracle) heldBack(key string, k gpu.Time) gpu.Time {
	limit := forever
	for _, stream := range o.streamsOf(key, k) {
		newest, running := gpu.NoTime, false
		for _, series := range stream.series {
			for _, p := range series {
				if !p.Ended {
					newest = max(newest, p.Time)
				}
			}
			running = running || !series[len(series)-1].Ended
		}
		if running && !o.gap(newest, k) {
			limit = min(limit, newest.Add(-stream.window))
		}
	}
	return limit
}

// end returns where a device ends, as known at k: §2. An end that was seen
// stays: a later sample opens the device anew.
func (o *oracle) end(d *oracleDevice, k gpu.Time) gpu.Time {
	last := map[string]gpu.Time{} // source → its last known sample
	for _, g := range d.gauges {
		if d.closedAt < g.Time && g.Time <= k {
			last[g.Source] = max(last[g.Source], g.Time)
		}
	}
	for _, p := range d.pairs {
		if d.closedAt < p.time && p.time <= k {
			last[p.source] = max(last[p.source], p.time)
		}
	}
	end := gpu.NoTime
	for source, t := range last {
		ended := gpu.NoTime
		for _, e := range o.all.SeriesEnds {
			if e.Device.ID == d.id && e.Engine == gpu.EngineAny && e.Source == source && t <= e.Time && e.Time <= k {
				ended = max(ended, e.Time)
			}
		}
		if ended == gpu.NoTime {
			return forever
		}
		end = max(end, ended)
	}
	if len(last) == 0 {
		return forever
	}
	return end
}

// --- Samples: §3 ---------------------------------------------------------

type oraclePoint struct {
	time  gpu.Time
	gauge *gpu.Sample
	pair  *oraclePair
}

// points returns the sample points of the kind in force at k.
func (o *oracle) points(d *oracleDevice, k gpu.Time) []oraclePoint {
	var gauges, pairs []oraclePoint
	for i := range d.gauges {
		if t := d.gauges[i].Time; d.closedAt < t && t <= min(k, d.end) {
			gauges = append(gauges, oraclePoint{time: t, gauge: &d.gauges[i]})
		}
	}
	for i := range d.pairs {
		if t := d.pairs[i].time; d.closedAt < t && t <= min(k, d.end) {
			pairs = append(pairs, oraclePoint{time: t, pair: &d.pairs[i]})
		}
	}
	if len(pairs) == 0 {
		return gauges
	}
	newest := pairs[len(pairs)-1].time
	if !o.gap(newest, k) || len(gauges) == 0 || gauges[len(gauges)-1].time <= newest {
		return pairs
	}
	return gauges
}

// evidences returns the intervals of which the points known at k say something.
func (o *oracle) evidences(d *oracleDevice, k gpu.Time) []evidence {
	var evs []evidence
	points := o.points(d, k)
	for i := 1; i < len(points); i++ {
		p, q := points[i-1], points[i]
		if o.gap(p.time, q.time) {
			continue
		}
		if q.gauge != nil {
			evs = append(evs, evidence{
				span: span{p.time, q.time}, speaks: true, gauge: true, value: q.gauge.Value,
				observed: int64(q.time - p.time),
			})
			continue
		}
		if ev, ok := pairEvidence(p.pair, q.pair); ok {
			evs = append(evs, ev)
		}
	}
	return slices.DeleteFunc(evs, func(ev evidence) bool { return ev.from < d.f })
}

func pairEvidence(p, q *oraclePair) (evidence, bool) {
	ev := evidence{span: span{p.time, q.time}, speaks: true, observed: q.observed - p.observed, active: q.active - p.active}
	switch {
	case q.start == p.start:
		if ev.observed < 0 || ev.active < 0 {
			return ev, false
		}
	case q.start >= p.time:
		ev = evidence{span: span{q.start, q.time}, speaks: true, observed: q.observed, active: q.active}
	default:
		return ev, false
	}
	ev.observed = min(ev.observed, ev.len())
	ev.active = min(ev.active, ev.observed)
	return ev, ev.len() > 0
}

// o returns O(x), the observed time x ns into the interval.
func (ev evidence) o(x int64) int64 { return mulDiv(ev.observed, x, ev.len()) }

// a returns A(x), the active time x ns into the interval.
func (ev evidence) a(x int64) int64 {
	if !ev.gauge {
		return mulDiv(ev.active, ev.o(x), ev.observed)
	}
	exact := new(big.Rat).SetFloat64(ev.value)
	exact.Mul(exact, new(big.Rat).SetInt64(x))
	return new(big.Int).Quo(exact.Num(), exact.Denom()).Int64()
}

// mulDiv returns ⌊a·b/c⌋, and 0 if c is 0.
func mulDiv(a, b, c int64) int64 {
	if c == 0 {
		return 0
	}
	product := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
	return product.Quo(product, big.NewInt(c)).Int64()
}

// --- Holders: §4 ---------------------------------------------------------

func (d *oracleDevice) knownSets(k gpu.Time) []oracleSet {
	var known []oracleSet
	for _, s := range d.sets {
		if s.time <= k {
			known = append(known, s)
		}
	}
	return known
}

type tenure struct {
	span

	key       string
	set       gpu.Time // the first set that has it
	continues bool     // after an unknown span, the one before it
}

// tenures returns who held the device when, as far as k knows.
func (o *oracle) tenures(d *oracleDevice, k gpu.Time) []tenure {
	if o.cfg.Host {
		return []tenure{{span: span{0, forever}, key: hostKey}}
	}
	sets := d.knownSets(k)
	held := o.tenuresOfNewLife(d, sets, k)
	for i, set := range sets {
		if set.time <= d.livesBy || set.shared { // a share of a device isn't attributed
			continue
		}
		for _, h := range set.holders {
			if i > 0 && !o.gap(sets[i-1].time, set.time) && sets[i-1].has(h.key) {
				continue // it held before
			}
			from := o.holdsFrom(d, sets, i, h)
			held = append(held, tenure{
				span: span{from, o.holdsTo(d, sets, i, h.key, k)}, key: h.key, set: set.time,
				continues: i > 0 && sets[i-1].has(h.key),
			})
		}
	}
	return held
}

// tenuresOfNewLife: the holders that the newest set named when the device opened
// anew hold from there on.
func (o *oracle) tenuresOfNewLife(d *oracleDevice, sets []oracleSet, k gpu.Time) []tenure {
	newest := len(d.knownSets(d.livesBy)) - 1
	if newest < 0 || sets[newest].shared {
		return nil
	}
	var held []tenure
	for _, h := range sets[newest].holders {
		to := o.holdsTo(d, sets, newest, h.key, k)
		held = append(held, tenure{span: span{d.openedAt, to}, key: h.key, set: sets[newest].time})
	}
	return held
}

func (s oracleSet) has(key string) bool {
	return !s.shared && slices.ContainsFunc(s.holders, func(h oracleHold) bool { return h.key == key })
}

// holdsFrom returns when a holder began to hold that set i is the first to have.
// That no time before F can be booked needs no rule here: it isn't asked for.
func (o *oracle) holdsFrom(d *oracleDevice, sets []oracleSet, i int, h oracleHold) gpu.Time {
	at := sets[i].time
	switch {
	case i == 0 && (h.begin == gpu.NoTime || o.gap(d.firstF, at)):
		return at
	case i == 0:
		return h.begin
	case o.gap(sets[i-1].time, at):
		return at
	case h.begin == gpu.NoTime:
		return sets[i-1].time
	}
	return h.begin
}

// holdsTo returns when a holder ended that set i has.
func (o *oracle) holdsTo(d *oracleDevice, sets []oracleSet, i int, key string, k gpu.Time) gpu.Time {
	for ; i+1 < len(sets); i++ {
		this, next := sets[i].time, sets[i+1].time
		if o.gap(this, next) {
			return this
		}
		if sets[i+1].has(key) {
			continue
		}
		end := this
		for _, a := range o.all.Allocations {
			if a.Ended && a.Device == d.id && a.Holder.Key() == key && this < a.Time && a.Time <= min(next, k) {
				end = max(end, a.Time)
			}
		}
		return end
	}
	return forever
}

// holdersOf returns who held the device in a piece, by key, and whether that
// is known.
func (o *oracle) holdersOf(d *oracleDevice, held []tenure, piece span, k gpu.Time) ([]string, bool) {
	var keys []string
	for _, t := range held {
		if t.has(piece) && !slices.Contains(keys, t.key) {
			keys = append(keys, t.key)
		}
	}
	slices.Sort(keys)
	if o.cfg.Host {
		return keys, true
	}
	sets := d.knownSets(k)
	i := slices.IndexFunc(sets, func(s oracleSet) bool { return piece.to <= s.time })
	switch {
	case i < 0:
		return nil, false
	case i == 0 || sets[i].shared || o.gap(sets[i-1].time, sets[i].time):
		return keys, len(keys) > 0 // somebody may be known to have held it
	}
	return keys, true
}

// --- Booking: §3 to §5 ---------------------------------------------------

// book puts newly settled time into its conditions.
func (o *oracle) book(d *oracleDevice, settled span, k gpu.Time) {
	held := o.tenures(d, k)
	evs := o.evidences(d, k)
	for _, part := range cutAt(settled, o.intervalCuts(d, evs, k)) {
		ev := evidence{span: part}
		for _, e := range evs {
			if e.has(part) {
				ev = e
			}
		}
		o.bookInterval(d, ev, held, k)
	}
}

// intervalCuts returns the times at which whole intervals end or begin.
func (o *oracle) intervalCuts(d *oracleDevice, evs []evidence, k gpu.Time) []gpu.Time {
	var cuts []gpu.Time
	for _, p := range o.points(d, k) {
		cuts = append(cuts, p.time)
	}
	for _, ev := range evs {
		cuts = append(cuts, ev.from, ev.to)
	}
	return cuts
}

// cutAt returns s, cut at those of the times that lie in it.
func cutAt(s span, times []gpu.Time) []span {
	times = slices.DeleteFunc(slices.Clone(times), func(t gpu.Time) bool { return t <= s.from || s.to <= t })
	slices.Sort(times)
	var pieces []span
	from := s.from
	for _, t := range slices.Compact(times) {
		pieces = append(pieces, span{from, t})
		from = t
	}
	return append(pieces, span{from, s.to})
}

// booking is one interval while it is booked.
type booking struct {
	ev       evidence
	k        gpu.Time
	held     []tenure
	heldTime int64            // h
	before   map[string]int64 // holder → its activity on the device before the interval
	y, z     int64            // held and other time booked so far
}

func (o *oracle) bookInterval(d *oracleDevice, ev evidence, held []tenure, k gpu.Time) {
	pieces := cutAt(ev.span, o.pieceCuts(d, ev.span, held, k))
	b := &booking{ev: ev, k: k, held: held, before: map[string]int64{}}
	for _, piece := range pieces {
		if keys, _ := o.holdersOf(d, held, piece, k); len(keys) > 0 {
			b.heldTime += piece.len()
		}
	}
	for _, t := range held {
		b.before[t.key] = d.activity[t.key]
	}
	below := o.belowThreshold(d, b, pieces)
	for _, piece := range pieces {
		o.bookPiece(d, b, piece, below)
	}
}

// pieceCuts returns the times in an interval at which something changes, and
// every whole second.
func (o *oracle) pieceCuts(d *oracleDevice, s span, held []tenure, k gpu.Time) []gpu.Time {
	var cuts []gpu.Time
	for t := wholeSecond(s.from); t < s.to; t = t.Add(time.Second) {
		cuts = append(cuts, t)
	}
	for _, set := range d.sets {
		cuts = append(cuts, set.time)
	}
	for _, t := range held {
		cuts = append(cuts, t.from, t.to)
		cuts = append(cuts, o.terminatingSince(t.key, k))
		for _, stream := range o.streamsOf(t.key, k) {
			for _, series := range stream.series {
				for _, p := range series {
					cuts = append(cuts, p.Time, p.Time.Add(-stream.window), p.Time.Add(-o.cfg.MaxGap))
				}
			}
		}
	}
	for _, a := range o.all.Availability {
		cuts = append(cuts, a.Time, a.Time.Add(o.cfg.MaxGap))
	}
	for _, a := range o.all.Statuses {
		cuts = append(cuts, a.Time, a.Time.Add(o.cfg.MaxGap))
	}
	// A stretch begins at one of these, or began before; its grace ends here.
	starts := append(slices.Clone(cuts), s.from)
	for _, t := range d.stretch {
		starts = append(starts, t)
	}
	for _, t := range starts {
		cuts = append(cuts, t.Add(o.cfg.IdleGrace))
	}
	return cuts
}

// running are the three running values at one place: observed and active time,
// and all of it.
type running struct{ x, o, a int64 }

// heldRunning returns the running values y ns into the held time.
func (b *booking) heldRunning(y int64) running {
	length := b.ev.len()
	if b.heldTime == length {
		return running{y, b.ev.o(y), b.ev.a(y)}
	}
	heldO, heldA := b.heldShare()
	at := mulDiv(heldO, y, b.heldTime)
	return running{y, at, mulDiv(heldA, at, heldO)}
}

// heldShare returns O_h and A_h of an interval held only in part.
func (b *booking) heldShare() (observed, active int64) {
	length := b.ev.len()
	observed = mulDiv(b.ev.observed, b.heldTime, length)
	return observed, min(b.ev.a(length), observed)
}

// foreignRunning returns the foreign activity z ns into the time that isn't held.
func (b *booking) foreignRunning(z int64) int64 {
	length := b.ev.len()
	_, heldA := b.heldShare()
	return mulDiv(b.ev.a(length)-heldA, z, length-b.heldTime)
}

// belowThreshold returns, for every holder with observed time in the interval,
// whether its activity is below the threshold.
func (o *oracle) belowThreshold(d *oracleDevice, b *booking, pieces []span) map[string]bool {
	observed, active, throughout := map[string]int64{}, map[string]int64{}, map[string]bool{}
	for _, t := range b.held {
		throughout[t.key] = true
	}
	y := int64(0)
	for _, piece := range pieces {
		keys, _ := o.holdersOf(d, b.held, piece, b.k)
		for key := range throughout {
			throughout[key] = throughout[key] && slices.Contains(keys, key)
		}
		if len(keys) == 0 {
			continue
		}
		from, to := b.heldRunning(y), b.heldRunning(y+piece.len())
		y += piece.len()
		for _, key := range keys {
			observed[key] += to.o - from.o
			active[key] += to.a - from.a
		}
	}
	threshold := new(big.Rat).SetFloat64(o.cfg.IdleThreshold)
	below := map[string]bool{}
	for key, t := range observed {
		if t == 0 {
			continue
		}
		activity := big.NewRat(active[key], t)
		if b.ev.gauge && throughout[key] {
			activity.SetFloat64(b.ev.value)
		}
		below[key] = activity.Cmp(threshold) < 0
	}
	return below
}

func (o *oracle) bookPiece(d *oracleDevice, b *booking, piece span, below map[string]bool) {
	keys, known := o.holdersOf(d, b.held, piece, b.k)
	o.moveStretches(d, b, piece, keys, known, below)
	length := piece.len()
	if len(keys) == 0 {
		o.bookFree(d, b, piece, known)
		b.z += length
		return
	}
	from, to := b.heldRunning(b.y), b.heldRunning(b.y+length)
	if !b.ev.speaks {
		from, to = running{x: int64(piece.from)}, running{x: int64(piece.to)}
	}
	b.y += length
	for i, key := range keys {
		n := int64(len(keys))
		share := func(r int64) int64 { return (r + n - 1 - int64(i)) / n }
		o.bookHeld(d, b, piece, key, heldTime{
			active:     share(to.a) - share(from.a),
			idle:       share(to.o-to.a) - share(from.o-from.a),
			unobserved: share(to.x-to.o) - share(from.x-from.o),
		})
	}
}

// bookFree books a piece that nobody holds, or of which nobody knows.
func (o *oracle) bookFree(d *oracleDevice, b *booking, piece span, known bool) {
	length := piece.len()
	if !known {
		o.add(d.id, "", gpu.Condition{State: gpu.Unobserved, Reason: gpu.ReasonAllocation}, length)
		return
	}
	if reason, out := o.unavailable(d.id, piece, b.k); out {
		o.add(d.id, "", gpu.Condition{State: gpu.Unavailable, Reason: reason}, length)
		return
	}
	foreign := b.foreignRunning(b.z+length) - b.foreignRunning(b.z)
	o.add(d.id, "", gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonForeignActivity}, foreign)
	o.add(d.id, "", gpu.Condition{State: gpu.Unallocated, Reason: gpu.ReasonFree}, length-foreign)
}

type heldTime struct{ active, idle, unobserved int64 }

// bookHeld books what one holder gets of a piece.
func (o *oracle) bookHeld(d *oracleDevice, b *booking, piece span, key string, t heldTime) {
	o.totals(d.id, key).Active += time.Duration(t.active)
	d.activity[key] += t.active
	if o.terminatingSince(key, b.k) <= piece.from {
		o.add(d.id, key, gpu.Condition{State: gpu.Terminating}, t.active+t.idle+t.unobserved)
		return
	}
	unobserved := gpu.Condition{State: gpu.Unobserved, Reason: gpu.ReasonActivity}
	if o.failed(d.id, piece, b.k) {
		unobserved.Reason = gpu.ReasonDevice
	}
	o.add(d.id, key, unobserved, t.unobserved)
	o.add(d.id, key, o.activeCondition(key, piece, b.k), t.active)
	o.add(d.id, key, gpu.Condition{
		State:     gpu.Idle,
		Reason:    o.mode(d, b, key),
		Form:      o.form(d, piece, key),
		Residence: o.residence(d.id, b.ev.to),
	}, t.idle)
}

func (o *oracle) totals(device gpu.DeviceID, holder string) *oracleTotals {
	key := oracleKey{device, holder}
	if o.result.Totals[key] == nil {
		o.result.Totals[key] = &oracleTotals{States: map[gpu.Condition]time.Duration{}}
	}
	return o.result.Totals[key]
}

func (o *oracle) add(device gpu.DeviceID, holder string, c gpu.Condition, nanos int64) {
	if nanos == 0 {
		return
	}
	t := o.totals(device, holder)
	t.States[c] += time.Duration(nanos)
	if holder == "" {
		return
	}
	t.Allocated += time.Duration(nanos)
	if c.State == gpu.Productive {
		t.Productive += time.Duration(nanos)
	}
}

// --- States: §5 ----------------------------------------------------------

// unavailable says whether an availability of 0 is in force in a piece.
func (o *oracle) unavailable(device gpu.DeviceID, piece span, k gpu.Time) (gpu.Reason, bool) {
	var newest gpu.Availability
	for _, a := range o.all.Availability {
		if a.Device == device && a.Time <= k && a.Time <= piece.from && a.Time > newest.Time {
			newest = a
		}
	}
	inForce := newest.Time != gpu.NoTime && !o.gap(newest.Time, piece.to)
	return newest.Reason, inForce && !newest.Available
}

// failed says whether a failed status is in force in a piece.
func (o *oracle) failed(device gpu.DeviceID, piece span, k gpu.Time) bool {
	var newest gpu.Status
	for _, s := range o.all.Statuses {
		if s.Device == device && s.Time <= k && s.Time <= piece.from && s.Time > newest.Time {
			newest = s
		}
	}
	return newest.Time != gpu.NoTime && !o.gap(newest.Time, piece.to) && newest.Failed
}

// terminatingSince returns when a pod was asked to go or its containers were
// through, as far as k knows.
func (o *oracle) terminatingSince(key string, k gpu.Time) gpu.Time {
	since := forever
	for _, m := range o.all.Milestones {
		if m.Pod == key && m.Time <= k && (m.Name == gpu.DeletionRequested || m.Name == gpu.ContainersFinished) {
			since = min(since, m.At)
		}
	}
	return since
}

// mode returns the reason of a holder's idle time in an interval.
func (o *oracle) mode(d *oracleDevice, b *booking, key string) gpu.Reason {
	switch {
	case o.gaugeAbove0(gpu.DemandGauge, key, b.ev.to):
		return gpu.ReasonStarved
	case o.gaugeAbove0(gpu.SleepGauge, key, b.ev.to):
		return gpu.ReasonSleeping
	case b.before[key] < int64(time.Second):
		return gpu.ReasonProvisioning
	}
	switch d.classOf(key, b.k) {
	case gpu.ClassInference:
		return gpu.ReasonInference
	case gpu.ClassBatch:
		return gpu.ReasonBatch
	case gpu.ClassInteractive:
		return gpu.ReasonInteractive
	}
	return gpu.ReasonUnclassified
}

func (d *oracleDevice) classOf(key string, k gpu.Time) gpu.Class {
	var newest oracleClass
	for _, c := range d.classes {
		if c.key == key && c.time <= k && c.time > newest.time {
			newest = c
		}
	}
	return newest.class
}

// gaugeAbove0 says whether the newest point at or before t of a gauge of the
// pod is above 0.
func (o *oracle) gaugeAbove0(kind gpu.OutputKind, key string, t gpu.Time) bool {
	type series struct{ metric, series string }
	newest := map[series]gpu.Output{}
	for i, p := range o.all.Outputs {
		s := series{p.Profile.Metric, p.Series}
		if o.pods[i] == key && p.Profile.Kind == kind && p.Time <= t && p.Time > newest[s].Time {
			newest[s] = p
		}
	}
	for _, p := range newest {
		if !p.Ended && p.Value > 0 && !o.gap(p.Time, t) {
			return true
		}
	}
	return false
}

func (o *oracle) residence(device gpu.DeviceID, t gpu.Time) gpu.Residence {
	var newest gpu.Memory
	for _, m := range o.all.Memory {
		if m.Device == device && m.Time <= t && m.Time > newest.Time {
			newest = m
		}
	}
	switch {
	case newest.Time == gpu.NoTime || o.gap(newest.Time, t):
		return gpu.ResidentUnknown
	case newest.Bytes >= o.cfg.ResidentThreshold:
		return gpu.ResidentTrue
	}
	return gpu.ResidentFalse
}

// moveStretches begins and ends the stretches of the device's holders with a
// piece.
func (o *oracle) moveStretches(
	d *oracleDevice, b *booking, piece span, keys []string, known bool, below map[string]bool,
) {
	for key := range d.stretch {
		if !known || !slices.Contains(keys, key) {
			delete(d.stretch, key)
		}
	}
	for _, key := range keys {
		if !below[key] || o.terminatingSince(key, b.k) <= piece.from {
			delete(d.stretch, key)
		} else if _, runs := d.stretch[key]; !runs {
			d.stretch[key] = piece.from
		}
	}
}

func (o *oracle) form(d *oracleDevice, piece span, key string) gpu.Form {
	start, runs := d.stretch[key]
	if runs && start.Add(o.cfg.IdleGrace) <= piece.from {
		return gpu.Episode
	}
	return gpu.BetweenWork
}

// outputStream is one output metric of one pod.
type outputStream struct {
	metric string
	window time.Duration
	series [][]gpu.Output // each by time
}

// streamsOf returns the output streams of a pod, as known at k.
func (o *oracle) streamsOf(key string, k gpu.Time) []outputStream {
	var streams []outputStream
	for i, p := range o.all.Outputs {
		if o.pods[i] != key || p.Profile.Kind != gpu.OutputCounter || p.Time > k {
			continue
		}
		n := slices.IndexFunc(streams, func(s outputStream) bool { return s.metric == p.Profile.Metric })
		if n < 0 {
			n = len(streams)
			streams = append(streams, outputStream{metric: p.Profile.Metric, window: p.Profile.Window})
		}
		streams[n].add(p)
	}
	for _, s := range streams {
		for _, series := range s.series {
			slices.SortFunc(series, func(a, b gpu.Output) int { return cmp.Compare(a.Time, b.Time) })
		}
	}
	return streams
}

func (s *outputStream) add(p gpu.Output) {
	i := slices.IndexFunc(s.series, func(series []gpu.Output) bool { return series[0].Series == p.Series })
	if i < 0 {
		s.series = append(s.series, []gpu.Output{p})
		return
	}
	if !slices.ContainsFunc(s.series[i], func(q gpu.Output) bool { return q.Time == p.Time }) {
		s.series[i] = append(s.series[i], p)
	}
}

// findPods joins the points of applications to pods.
func (o *oracle) findPods() {
	var holders []gpu.Holder
	for _, a := range o.all.Allocations {
		holders = append(holders, a.Holder)
	}
	for _, a := range o.all.DeviceAllocations {
		holders = append(holders, a.Holder)
	}
	for _, p := range o.all.Outputs {
		o.pods = append(o.pods, podOf(p.Join, holders))
	}
}

// podOf returns the key of the pod that a join means.
func podOf(j gpu.Join, holders []gpu.Holder) string {
	if j.PodUID != "" {
		return j.PodUID
	}
	for _, h := range holders {
		byName := j.Pod != "" && h.Namespace == j.Namespace && h.Pod == j.Pod
		byIP := j.Pod == "" && j.PodIP != "" && h.PodIP == j.PodIP
		if byName || byIP {
			return h.Key()
		}
	}
	return ""
}

// activeCondition returns what the activity in a piece is.
func (o *oracle) activeCondition(key string, piece span, k gpu.Time) gpu.Condition {
	streams := o.streamsOf(key, k)
	flat := false
	for _, stream := range streams {
		for _, series := range stream.series {
			for i, p := range series {
				if i == 0 || p.Ended {
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
	}
	return gpu.Condition{State: gpu.Unproven, Reason: gpu.ReasonNoAppMetric}
}

// within says whether t is in (τ, τ + d] for all τ of a piece, which is cut at
// t and t − d.
func within(piece span, t gpu.Time, d time.Duration) bool {
	return t.Add(-d) <= piece.from && piece.to <= t
}

// outputs adds up the rises of every pod that holds a device in the end, and
// never held another one, from when it holds to F of the device: §6.
func (o *oracle) outputs() map[string]float64 {
	produced := map[string]float64{}
	for _, d := range o.devices {
		for _, key := range d.live(d.known) {
			if o.cfg.Labels || o.heldDevices(key) != 1 {
				continue // it may have come back
			}
			produced[key] = 0
			for _, stream := range o.streamsOf(key, d.f) {
				for _, series := range stream.series {
					for i, p := range series {
						if o.totals(d.id, key).Start < p.Time {
							produced[key] += rise(series, i)
						}
					}
				}
			}
		}
	}
	return produced
}

func (o *oracle) heldDevices(key string) int {
	n := 0
	for of := range o.result.Totals {
		if of.Holder == key {
			n++
		}
	}
	return n
}

// rise returns by how much the i-th point of a series is above the one before it.
func rise(series []gpu.Output, i int) float64 {
	p := series[i]
	if i == 0 || p.Ended {
		return 0
	}
	before := series[i-1]
	reset := before.Ended || p.Value < before.Value || p.Start != before.Start && p.Start >= before.Time
	if reset {
		return max(p.Value, 0)
	}
	return p.Value - before.Value
}
