// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

// The oracle is docs/ledger.md in the slowest, most obvious way: it takes all
// points at once, walks the steps one by one, looks at every point again at
// each of them, and books second by second. It shares no code with the ledger.
// "§" in its comments are the sections of that page; each topic has its own file.

// hostKey is the holder key of the host itself (allocation: none).
const hostKey = "(host)"

const forever = gpu.Forever

// oracleKey names who got time: of a device, the holder with this key, or the
// device itself ("").
type oracleKey struct {
	Device      gpu.DeviceID
	Holder      string
	Attribution gpu.Attribution
}

// oracleTotals is what one of them got.
type oracleTotals struct {
	Start      gpu.Time // when it opens
	States     map[gpu.Condition]time.Duration
	Allocated  time.Duration
	Active     time.Duration
	Productive time.Duration
	Entitled   time.Duration
}

// oracleResult is everything that the oracle says.
type oracleResult struct {
	Totals map[oracleKey]*oracleTotals
	F      map[gpu.DeviceID]gpu.Time
	// Span is the time that each device was open, settled: of a partition in
	// its weighted time, of a board that of its own slices.
	Span map[gpu.DeviceID]time.Duration
	// Lives is how often each device opened.
	Lives map[gpu.DeviceID]int
	// Ended: a device ended.
	Ended bool
	// Depth is what the holders would have if the samples were those of another
	// engine; the attribution isn't told.
	Depth map[oracleKey]time.Duration
	// Outputs is what each pod produced that never held but one device, and
	// holds it in the end.
	Outputs map[string]float64
	Boards  map[gpu.DeviceID]*boardSums
}

type oracle struct {
	cfg     ledger.Config
	deep    bool // compute the depth, too
	all     gpu.Batch
	streams []string              // of each of the outputs, what it is a point of
	groups  map[string]string     // pod → its group
	pods    map[string]gpu.Holder // pod → its names
	nodes   []string
	devices []*oracleDevice // by id
	memo    map[streamsKey][]outputStream
	result  oracleResult
}

type oracleDevice struct {
	id      gpu.DeviceID
	node    string
	parent  gpu.DeviceID // of a partition
	slices  gpu.Slices   // of a partition
	pseudo  bool         // an allocation named it by a reference
	gauges  []gpu.Sample // of engine "engine", by time
	pairs   []oraclePair // of engine "engine", by time
	sets    []oracleSet  // complete ones, by time
	classes []oracleClass

	// What a step hands to the next one.
	open        bool
	named       bool // it was opened before
	openedAt    gpu.Time
	wholeAgain  bool     // a board was until then: nobody holds on
	openedAfter gpu.Time // k of the step before that
	livesBy     gpu.Time // the time up to which sets were applied when it opened anew
	f           gpu.Time // F
	before      gpu.Time // k of the step before
	known       gpu.Time // k of the last step
	end         gpu.Time // where it ends, or forever
	closedAt    gpu.Time // where it ended last
	since       gpu.Time // samples up to here are of an earlier life
	firstF      gpu.Time // F when the first set was applied
	hasFirst    bool
	stretch     map[string]gpu.Time      // holder → start of its running stretch
	activity    map[string]int64         // holder → its activity since its start-up was over
	attempts    map[string]map[int]int64 // holder → attempt → its activity in it
	started     map[string]int           // holder → the first attempt that isn't over for good
	first       map[string]firstTenure
	left        map[string]gpu.Time // holder → the first set that lacks it, or forever
	noticed     []seenTenure        // tenures that were seen, by their first set
	settled     []peerInterval      // whole intervals, for peers on other devices

	partition // §5
	board     // §5
}

// firstTenure is where a holder began, and the set that told so first.
type firstTenure struct{ from, set gpu.Time }

// seenTenure is a tenure that a set was the first to tell of.
type seenTenure struct {
	key string
	set gpu.Time
}

type oraclePair struct {
	source           string
	start, time      gpu.Time
	observed, active int64
}

// span is (from, to].
type span struct{ from, to gpu.Time }

func (s span) has(piece span) bool { return s.from <= piece.from && piece.to <= s.to }
func (s span) len() int64          { return int64(s.to - s.from) }

// runOracle computes the ledger of all events.
func runOracle(cfg ledger.Config, all gpu.Batch, finished bool) oracleResult {
	return newOracle(cfg, all).run(finished)
}

func newOracle(cfg ledger.Config, all gpu.Batch) *oracle {
	return &oracle{cfg: cfg, all: all, groups: map[string]string{}, pods: map[string]gpu.Holder{}, result: oracleResult{
		Totals: map[oracleKey]*oracleTotals{},
		F:      map[gpu.DeviceID]gpu.Time{},
		Span:   map[gpu.DeviceID]time.Duration{},
		Lives:  map[gpu.DeviceID]int{},
		Boards: map[gpu.DeviceID]*boardSums{},
		Depth:  map[oracleKey]time.Duration{},
	}}
}

func (o *oracle) run(finished bool) oracleResult {
	o.findDevices()
	o.findPods()
	for _, node := range o.nodes {
		for _, step := range o.steps(node, finished) {
			o.step(node, step)
		}
	}
	for _, d := range o.devices {
		if d.named {
			o.result.F[d.id] = d.f
		}
	}
	o.sumBoards()
	o.result.Outputs = o.outputs()
	return o.result
}
