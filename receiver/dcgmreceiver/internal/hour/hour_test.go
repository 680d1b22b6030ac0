// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build dcgm && linux

package hour

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

const (
	boards, parts = 8, 7
	sampleEvery   = 100 * time.Millisecond
	// Until then the engine keeps as many samples as it is told to.
	warmUp     = time.Minute
	mostGrowth = 1.05
)

func TestHour(t *testing.T) {
	duration, err := time.ParseDuration(cmp.Or(os.Getenv("HOUR_DURATION"), "3m"))
	require.NoError(t, err, "HOUR_DURATION")
	require.GreaterOrEqual(t, duration, 3*time.Minute, "HOUR_DURATION: a part of it has to be long enough to measure")
	library, err := standin.Build(t.Context(), t.TempDir())
	require.NoError(t, err)
	engine, err := standin.NewScript(filepath.Join(t.TempDir(), "script"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	t.Setenv(standin.ScriptVariable, engine.Path())
	s := newSink()
	// Its settings can't be made in a bubble.
	r := newReceiver(t, library, s)

	var rss []int64
	synctest.Test(t, func(t *testing.T) { rss = play(t, r, engine, duration) })
	first, last := window(rss, 0.20, 0.30), window(rss, 0.90, 1)
	growth := float64(last) / float64(first)
	t.Logf("%v: %d points in %d batches, %v of processor time", duration, s.points, s.batches, processorTime())
	t.Logf("memory: %d kB after 20 %%, %d kB at the end (%.3f), %d kB at most", first, last, growth, peak())
	s.requireAll(t, warmUp+duration)
	require.LessOrEqual(t, growth, mostGrowth, "memory grows")
}

func newReceiver(t *testing.T, library string, s *sink) receiver.Metrics {
	t.Helper()
	factory := dcgmreceiver.NewFactory()
	cfg := factory.CreateDefaultConfig().(*dcgmreceiver.Config)
	cfg.Node, cfg.LibraryPath, cfg.SampleInterval = "node-0", library, sampleEvery
	require.NoError(t, cfg.Validate())
	r, err := factory.CreateMetrics(context.Background(), receivertest.NewNopSettings(factory.Type()), cfg, s)
	require.NoError(t, err)
	return r
}

// play lets the engine take samples for so long, and returns the memory of the
// process at each of them, in kB, but for those of the warm-up.
func play(t *testing.T, r receiver.Metrics, engine *standin.Script, duration time.Duration) []int64 {
	t.Helper()
	time.Sleep(time.Until(time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))) // bubbles begin in 2000
	require.NoError(t, engine.Say("clock manual"))
	require.NoError(t, engine.Say("now %d", time.Now().UnixMicro()))
	build(t, engine)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	var rss []int64
	for passed := time.Duration(0); passed < warmUp+duration; passed += sampleEvery {
		time.Sleep(sampleEvery)
		require.NoError(t, engine.Say("now %d", time.Now().UnixMicro()))
		if passed >= warmUp {
			rss = append(rss, resident(t, os.Getpid()))
		}
	}
	require.NoError(t, r.Shutdown(t.Context()))
	return rss
}

// build makes the engine, of which each instance has a load of its own.
func build(t *testing.T, engine *standin.Script) {
	t.Helper()
	for board := range uint(boards) {
		instances := make([]standin.Instance, parts)
		for i := range instances {
			instances[i] = standin.Instance{Profile: "1g.10gb", Slices: 1, UUID: uuid(board, uint(i)), NVML: 7 + uint(i)}
		}
		require.NoError(t, engine.Board(board, standin.H100, instances...))
		for i := range uint(parts) {
			require.NoError(t, engine.Set(standin.CI(board*parts+i), 1001, standin.Double(load(board, i))))
		}
	}
	require.NoError(t, engine.Say("start"))
}

func uuid(board, part uint) string { return fmt.Sprintf("MIG-%d-%d", board, part) }

// load is for which part of the time an instance is busy.
func load(board, part uint) float64 { return float64(board*parts+part+1) / 64 }
