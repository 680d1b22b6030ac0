// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package drive

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/feed"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

const start = 1_800_000_000 * gpu.Time(time.Second)

// walk delivers a count of allocations at each of some seconds.
func walk(seconds ...int64) feed.Walk {
	return func() (feed.Delivery, bool) {
		if len(seconds) == 0 {
			return feed.Delivery{}, false
		}
		t := start + gpu.Time(seconds[0])*gpu.Time(time.Second)
		seconds = seconds[1:]
		return feed.Delivery{Real: t, Batch: gpu.Batch{AllocationCounts: []gpu.AllocationCount{{Node: "n", Time: t}}}}, true
	}
}

// book keeps when what was sent is from.
type book struct {
	mutex sync.Mutex
	times []int64
}

func (b *book) send(_ context.Context, m pmetric.Metrics) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	t := m.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum().DataPoints().At(0).Timestamp()
	b.times = append(b.times, int64(gpu.Time(t).Sub(start)/time.Second))
	return 1, nil
}

func TestRun(t *testing.T) {
	var one, two book
	d := &Drive{Lanes: []*Lane{{Walk: walk(0, 2, 3), Send: one.send}, {Walk: walk(1, 4), Send: two.send}}}
	var mutex sync.Mutex
	var due []gpu.Time
	d.Pace = func(_ context.Context, t gpu.Time) error {
		mutex.Lock()
		defer mutex.Unlock()
		due = append(due, t)
		return nil
	}
	require.NoError(t, d.Run(t.Context()))
	assert.Equal(t, []int64{0, 2, 3}, one.times, "a lane keeps its order")
	assert.Equal(t, []int64{1, 4}, two.times)
	assert.Len(t, due, 5)
	assert.Equal(t, Totals{Points: 5, Requests: 5, Retries: 5, Real: gpu.Forever}, d.Totals())
}

// The first error stops the other lanes, and what was sent before it counts.
func TestRunFails(t *testing.T) {
	failure := errors.New("no room")
	var one book
	broken := func(context.Context, pmetric.Metrics) (int, error) { return 3, failure }
	blocked := func(ctx context.Context, _ pmetric.Metrics) (int, error) {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	d := &Drive{Lanes: []*Lane{
		{Walk: walk(0), Send: one.send}, {Walk: walk(1, 2), Send: broken}, {Walk: walk(1, 2), Send: blocked},
	}}
	require.ErrorIs(t, d.Run(t.Context()), failure)
	assert.Equal(t, int64(4), d.Totals().Retries)
	assert.LessOrEqual(t, d.Totals().Points, int64(1))
	assert.Equal(t, gpu.NoTime, d.Totals().Real, "two lanes sent nothing")
}

func TestRunIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var one book
	d := &Drive{Lanes: []*Lane{{Walk: walk(0, 5), Send: one.send}}, Pace: Pace(start, 1)}
	require.ErrorIs(t, d.Run(ctx), context.Canceled)
	assert.Empty(t, one.times)
}

func TestPace(t *testing.T) {
	began := time.Now()
	pace := Pace(start, 1000)
	require.NoError(t, pace(t.Context(), start))
	require.NoError(t, pace(t.Context(), start.Add(20*time.Second)))
	assert.GreaterOrEqual(t, time.Since(began), 20*time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, pace(ctx, start.Add(1000*time.Hour)), context.DeadlineExceeded)
}

// Nothing is told before it happens, neither at the beginning nor at the end.
func TestStart(t *testing.T) {
	now, length := time.Unix(1_800_000_000, 0), time.Hour
	for _, speed := range []float64{0, 0.5, 1, 2, 60, 1e6} {
		began := Start(now, length, speed)
		ends := now
		if speed > 0 {
			ends = now.Add(scaled(length, speed))
		}
		assert.False(t, began.After(now), speed)
		assert.False(t, began.Add(length).After(ends.Add(time.Microsecond)), speed)
	}
	assert.Equal(t, now.Add(-30*time.Minute), Start(now, length, 2))
	assert.Equal(t, now, Start(now, length, 1))
	assert.Equal(t, now.Add(-length), Start(now, length, 0))
}
