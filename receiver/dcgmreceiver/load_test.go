// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgmreceiver

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// Bursts of 20 ms, so many that they make up 3 %, then 15 %, then 80 % of the
// time.
const burst = 20 * time.Millisecond

var duties = []int64{3, 15, 80} // %

// busy returns for how long a device worked in the time since the begin of its
// load, if the duty changes every phase.
func busy(since, phase time.Duration) time.Duration {
	var total time.Duration
	for i := 0; since > 0; i++ {
		period := burst * 100 / time.Duration(duties[i%len(duties)])
		part := min(since, phase)
		total += part/period*burst + min(part%period, burst)
		since -= part
	}
	return total
}

func TestBusy(t *testing.T) {
	require.Equal(t, 10*time.Millisecond, busy(10*time.Millisecond, time.Second))
	require.Equal(t, 20*time.Millisecond, busy(500*time.Millisecond, time.Second))
	require.Equal(t, (2+8+40)*burst, busy(3*time.Second, time.Second), "a phase begins with a burst")
}

// sums returns the active and the observed time of an engine of a device, up to
// the newest point, which ends at the time returned.
func sums(t *testing.T, all []pmetric.Metrics, id gpu.DeviceID, e gpu.Engine) (active, observed time.Duration, from, to gpu.Time) {
	t.Helper()
	for _, md := range all {
		b, _ := decoded(t, md)
		for _, c := range b.Counters {
			switch {
			case c.Device.ID != id || c.Engine != e || c.Time < to:
			case c.Part == gpu.ActivityPart:
				active, from, to = time.Duration(c.Nanos), c.Start, c.Time
			default:
				observed = time.Duration(c.Nanos)
			}
		}
	}
	return active, observed, from, to
}

// TestBursts: the sums are the truth to a microsecond; the newest value, read
// every 30 s, is off by whatever it meets. README.md has the rows that this
// prints.
func TestBursts(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	readme := string(text)
	// When the load of each board begins: a reading each 30 s meets always the
	// same duty. The last board's duty changes in another rhythm.
	loads := []struct{ begin, phase time.Duration }{{0, 10 * time.Second}, {10 * time.Second, 10 * time.Second}, {20 * time.Second, 10 * time.Second}, {0, 7 * time.Second}}
	var zero time.Time
	f := ok(len(loads))
	f.load = func(board uint, field sample.Field, from, to time.Time) (float64, bool) {
		l := loads[board]
		since := func(at time.Time) time.Duration { return busy(max(at.Sub(zero)+l.begin, 0), l.phase) }
		return float64(since(to)-since(from)) / float64(to.Sub(from)), field == sample.EngineActive
	}
	inBubble(t, f, nil, func(t *testing.T, r *rig) {
		f.change(func() { zero = time.Now() })
		all := r.pass(5*time.Minute + 5*time.Second)
		require.Len(t, all, 30)
		for i, l := range loads {
			id := gpu.DeviceID(fmt.Sprintf("GPU-%d", i))
			active, observed, from, to := sums(t, all, id, gpu.EngineAny)
			require.Equal(t, observed, to.Sub(from), "nothing is missing")
			since := func(at gpu.Time) time.Duration {
				return busy(at.Sub(gpu.Time(zero.UnixNano()))+l.begin, l.phase)
			}
			truth := since(to) - since(from)
			require.InDelta(t, 0, active-truth, float64(time.Microsecond))
			row := fmt.Sprintf("| duty changes every %v, from %v on | %.3f s | %.3f s | %.1f s (%+.0f %%) |", l.phase, l.begin,
				truth.Seconds(), active.Seconds(), newest(t, all, id, observed), 100*(newest(t, all, id, observed)/truth.Seconds()-1))
			t.Log(row)
			require.True(t, strings.Contains(readme, row), "README.md lacks it") //nolint:testifylint // Contains would print the whole page
		}
	})
}

// newest returns the busy seconds that a reader concludes who looks at the gauge
// every third collection, over the time observed.
func newest(t *testing.T, all []pmetric.Metrics, id gpu.DeviceID, observed time.Duration) float64 {
	t.Helper()
	var sum, n float64
	for i := 2; i < len(all); i += 3 {
		b, _ := decoded(t, all[i])
		for _, s := range b.Samples {
			if s.Device.ID == id && s.Engine == gpu.EngineAny {
				sum += s.Value
				n++
			}
		}
	}
	return sum / n * observed.Seconds()
}

// TestFewSMs: a kernel on 8 of 132 SMs keeps the engine busy, and few of it.
func TestFewSMs(t *testing.T) {
	var zero time.Time
	f := ok(1)
	f.load = func(_ uint, field sample.Field, from, _ time.Time) (float64, bool) {
		running := !from.Before(zero.Add(10*time.Second)) && from.Before(zero.Add(20*time.Second))
		switch {
		case field == sample.EngineActive && running:
			return 1, true
		case field == sample.SMActive && running:
			return 8. / 132, true
		}
		return 0, field == sample.EngineActive || field == sample.SMActive
	}
	inBubble(t, f, nil, func(t *testing.T, r *rig) {
		f.change(func() { zero = time.Now() })
		all := r.pass(41 * time.Second)
		engine, _, _, _ := sums(t, all, "GPU-0", gpu.EngineAny)
		sm, _, _, _ := sums(t, all, "GPU-0", gpu.EngineSM)
		t.Logf("busy on 8 of 132 SMs for 10 s: engine %.3f s, sm %.3f s", engine.Seconds(), sm.Seconds())
		require.Equal(t, 10*time.Second, engine)
		require.InDelta(t, 80./132, sm.Seconds(), 1e-6)
	})
}
