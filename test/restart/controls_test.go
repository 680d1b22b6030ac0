// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// The controls: each check of this package finds what it is there for.

// told is a point of gpu.time: times in seconds since the epoch.
type told struct {
	device, state string
	start, at     int
	nanos         int64
}

// tell has a sink take points, each in a request of its own.
func tell(points ...told) *sink {
	s := emptySink()
	for _, p := range points {
		md, m := derivedMetric(gpupdata.MetricTime)
		sum := m.SetEmptySum()
		sum.SetIsMonotonic(true)
		n := sum.DataPoints().AppendEmpty()
		n.Attributes().PutStr(gpupdata.AttrHWID, p.device)
		n.Attributes().PutStr(gpupdata.AttrState, p.state)
		n.SetStartTimestamp(stamp(p.start))
		n.SetTimestamp(stamp(p.at))
		n.SetDoubleValue(time.Duration(p.nanos).Seconds())
		s.take(md)
	}
	return s
}

func stamp(seconds int) pcommon.Timestamp {
	return pcommon.Timestamp(epoch.Add(time.Duration(seconds) * time.Second))
}

func derivedMetric(name string) (pmetric.Metrics, pmetric.Metric) {
	md := pmetric.NewMetrics()
	sm := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
	sm.Scope().SetName(gpupdata.ScopeName)
	m := sm.Metrics().AppendEmpty()
	m.SetName(name)
	return md, m
}

const second = int64(time.Second)

func TestSinkSeesWrongPoints(t *testing.T) {
	begin := told{"GPU", "idle", 0, 0, 0}
	good := []told{begin, {"GPU", "idle", 0, 10, 7 * second}}
	for name, test := range map[string]struct {
		next  told
		wrong bool
	}{
		"goes on":                  {told{"GPU", "idle", 0, 20, 7 * second}, false},
		"again":                    {told{"GPU", "idle", 0, 10, 7 * second}, false},
		"its begin again":          {begin, false},
		"another life":             {told{"GPU", "idle", 10, 10, 0}, false},
		"falls by a nanosecond":    {told{"GPU", "idle", 0, 20, 7*second - 1}, true},
		"less at the same time":    {told{"GPU", "idle", 0, 10, 6 * second}, true},
		"an earlier time":          {told{"GPU", "idle", 0, 9, 7 * second}, true},
		"another life without a 0": {told{"GPU", "idle", 10, 20, second}, true},
	} {
		s := tell(append(good[:2:2], test.next)...)
		assert.Equal(t, test.wrong, len(s.problems) > 0, "%s: %v", name, s.problems)
	}
}

func TestSinkSeesTheLedgersError(t *testing.T) {
	for _, off := range []float64{0, 1e-9} {
		md, m := derivedMetric(gpupdata.MetricLedgerError)
		m.SetEmptyGauge().DataPoints().AppendEmpty().SetDoubleValue(off)
		s := emptySink()
		s.take(md)
		assert.Equal(t, off != 0, len(s.problems) > 0, "%g: %v", off, s.problems)
	}
}

// oneDevice is held to be right by all checks.
func oneDevice() []told {
	return []told{
		{"GPU", "idle", 0, 0, 0},
		{"GPU", "idle", 0, 10, 7 * second},
		{"GPU", "productive", 0, 0, 0},
		{"GPU", "productive", 0, 10, 3 * second},
		{"GPU", "idle", 0, 20, 8 * second},
		{"GPU", "productive", 0, 20, 12 * second},
	}
}

func TestConservationSeesANanosecond(t *testing.T) {
	points := oneDevice()
	require.Empty(t, conserved(tell(points...)))
	points[4].nanos++
	require.Len(t, conserved(tell(points...)), 1)
	require.Len(t, conserved(emptySink()), 1, "a run without any time")
}

func TestDifferencesAreSeen(t *testing.T) {
	want := tell(oneDevice()...)
	for name, test := range map[string]struct {
		change                func(points []told) []told
		exactly, again, inAll bool // that they are equal
		diverges              gpu.Time
	}{
		"nothing":      {func(p []told) []told { return p }, true, true, true, gpu.Forever},
		"a nanosecond": {func(p []told) []told { p[4].nanos++; return p }, false, false, false, epoch.Add(20 * time.Second)},
		"a nanosecond in between": {
			func(p []told) []told { p[3].nanos++; return p }, true, true, true, epoch.Add(10 * time.Second),
		},
		"a counter less": {func(p []told) []told { return append(p[:2], p[4]) }, false, false, false, epoch.Add(20 * time.Second)},
		"a counter more": {
			func(p []told) []told { return append(p, told{"GPU", "busy", 0, 5, 0}) }, false, false, false, epoch.Add(5 * time.Second),
		},
		"told again later": {func(p []told) []told { return append(p, told{"GPU", "idle", 0, 30, 8 * second}) }, false, true, true, gpu.Forever},
		"told again much later": {
			func(p []told) []told { return append(p, told{"GPU", "idle", 0, 70, 8 * second}) }, false, false, true, gpu.Forever,
		},
		"a life more": {func(p []told) []told {
			p[4] = told{"GPU", "idle", 10, 10, 0}
			return append(p, told{"GPU", "idle", 10, 20, second})
		}, false, false, true, gpu.Forever},
		"begins earlier": {func(p []told) []told { p[2].start, p[3].start, p[5].start = -10, -10, -10; p[2].at = -10; return p }, false, true, true, gpu.Forever},
		"begins later":   {func(p []told) []told { p[2].start, p[3].start, p[5].start = 1, 1, 1; p[2].at = 1; return p }, false, false, true, gpu.Forever},
	} {
		got := tell(test.change(oneDevice())...)
		assert.Equal(t, test.exactly, len(differences(want, got, exactly)) == 0, "%s: exactly", name)
		assert.Equal(t, test.again, len(differences(want, got, again)) == 0, "%s: again", name)
		assert.Equal(t, test.inAll, len(differences(want, got, inAll)) == 0, "%s: in all", name)
		assert.Equal(t, test.diverges, divergence(want, got), "%s: diverges", name)
	}
}

// TestGaps: one batch of samples, one of allocations, and both.
func TestGaps(t *testing.T) {
	batches := simulate(t, 1)
	without := func(lost ...int) []batch {
		return slices.DeleteFunc(slices.Clone(batches), func(b batch) bool { return slices.Contains(lost, b.number) })
	}
	require.Zero(t, gaps(batches))
	require.Equal(t, 11*time.Second, gaps(without(100)), "samples")
	require.Equal(t, 20*time.Second, gaps(without(101)), "allocations")
	require.Equal(t, 32*time.Second, gaps(without(100, 102, 300)), "samples: two in a row, and one alone")
	require.Equal(t, 20*time.Second, gaps(without(100, 101)), "both: samples are within allocations")
}

// TestMergedBatchesHaveTheSamePoints: the merged hour is the same hour.
func TestMergedBatchesHaveTheSamePoints(t *testing.T) {
	batches := simulate(t, 1)
	merged := merge(batches, 4)
	require.Len(t, merged, len(batches)/4)
	points := func(batches []batch) (n int) {
		for _, b := range batches {
			n += b.metrics.DataPointCount()
		}
		return n
	}
	require.Equal(t, points(batches), points(merged))
}
