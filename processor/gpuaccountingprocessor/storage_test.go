// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-gpu/otelcol-gpu/internal/checkpoint/checkpointtest"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/processor/gpuaccountingprocessor/internal/metadata"
)

// extensions is a host.
type extensions map[component.ID]component.Component

func (e extensions) GetExtensions() map[component.ID]component.Component { return e }

// fileStorage returns a host with the collector's own file_storage in dir.
func fileStorage(tb testing.TB, dir string, change func(*filestorage.Config)) extensions {
	tb.Helper()
	factory := filestorage.NewFactory()
	cfg := factory.CreateDefaultConfig().(*filestorage.Config)
	cfg.Directory, cfg.Compaction.Directory = dir, dir
	if change != nil {
		change(cfg)
	}
	require.NoError(tb, cfg.Validate())
	e, err := factory.Create(tb.Context(), extension.Settings{
		ID: storageID, TelemetrySettings: componenttest.NewNopTelemetrySettings(),
	}, cfg)
	require.NoError(tb, err)
	require.NoError(tb, e.Start(tb.Context(), componenttest.NewNopHost()))
	return extensions{storageID: e}
}

// create makes a processor of that name, with storage.
func create(tb testing.TB, factory processor.Factory, name string) processor.Metrics {
	tb.Helper()
	set := processortest.NewNopSettings(metadata.Type)
	set.ID = component.NewIDWithName(metadata.Type, name)
	cfg := factory.CreateDefaultConfig().(*Config)
	cfg.Storage = &storageID
	p, err := factory.CreateMetrics(tb.Context(), set, cfg, consumertest.NewNop())
	require.NoError(tb, err)
	return p
}

// TestTwoPipelinesWithOneStorage: the second one of a collector is refused,
// whatever the storage is, before it can touch the checkpoint of the first.
func TestTwoPipelinesWithOneStorage(t *testing.T) {
	factory := NewFactory()
	disk := checkpointtest.New()
	host := disk.Host(storageID)
	first, second := create(t, factory, ""), create(t, factory, "")
	require.NoError(t, first.Start(t.Context(), host))
	err := second.Start(t.Context(), host)
	require.EqualError(t, err, "gpu_accounting: gpu_accounting is in two pipelines with one storage (file_storage): "+
		"keep it in one pipeline, or give each its own name (gpu_accounting/a, gpu_accounting/b)")
	require.Equal(t, 1, disk.Opened())
	require.NoError(t, second.Shutdown(t.Context()))

	other := create(t, factory, "other")
	require.NoError(t, other.Start(t.Context(), host), "another name has another checkpoint")
	require.NoError(t, other.Shutdown(t.Context()))

	third := create(t, factory, "")
	require.Error(t, third.Start(t.Context(), host), "the shutdown of the refused one freed nothing")
	require.NoError(t, first.Shutdown(t.Context()))
	fourth := create(t, factory, "") // as after a reload of the configuration
	require.NoError(t, fourth.Start(t.Context(), host))
	require.NoError(t, fourth.Shutdown(t.Context()))
}

// TestFileInUse: another collector has the file.
func TestFileInUse(t *testing.T) {
	host := fileStorage(t, t.TempDir(), func(cfg *filestorage.Config) { cfg.Timeout = 10 * time.Millisecond })
	first, second := create(t, NewFactory(), ""), create(t, NewFactory(), "")
	require.NoError(t, first.Start(t.Context(), host))
	err := second.Start(t.Context(), host)
	require.ErrorContains(t, err, "gpu_accounting: storage: file_storage can't be opened for gpu_accounting: timeout: ")
	require.ErrorContains(t, err, "is another collector using it")
	require.NoError(t, second.Shutdown(t.Context()))
	require.NoError(t, first.Shutdown(t.Context()))
}

// TestFileThatIsNoDatabase: bbolt returns an error, which recreate doesn't
// handle. Moved away, as the message says, it is no trouble any more.
func TestFileThatIsNoDatabase(t *testing.T) {
	dir := t.TempDir()
	host := fileStorage(t, dir, func(cfg *filestorage.Config) { cfg.Recreate = true })
	p := create(t, NewFactory(), "")
	require.NoError(t, p.Start(t.Context(), host))
	require.NoError(t, p.Shutdown(t.Context()))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.NoError(t, os.WriteFile(files[0], make([]byte, 32<<10), 0o600))

	p = create(t, NewFactory(), "")
	err = p.Start(t.Context(), host)
	require.ErrorContains(t, err, "file_storage can't be opened for gpu_accounting: invalid database: ")
	require.ErrorContains(t, err, "move it away")
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, os.Rename(files[0], files[0]+".damaged"))
	p = create(t, NewFactory(), "")
	require.NoError(t, p.Start(t.Context(), host))
	require.NoError(t, p.Shutdown(t.Context()))
}

func TestStorageThatIsNone(t *testing.T) {
	p := create(t, NewFactory(), "")
	require.ErrorContains(t, p.Start(t.Context(), extensions{}),
		"storage: there is no extension file_storage: configure it, and name it in service::extensions")
	require.NoError(t, p.Shutdown(t.Context()))
	p = create(t, NewFactory(), "")
	require.ErrorContains(t, p.Start(t.Context(), extensions{storageID: create(t, NewFactory(), "x")}),
		"storage: file_storage is no storage extension: set one, as file_storage")
	require.NoError(t, p.Shutdown(t.Context()))
}

func TestWithoutStorageItSaysSo(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	set := componenttest.NewNopTelemetrySettings()
	set.Logger = zap.New(core)
	p := newAccounting(set, testConfig(), consumertest.NewNop(), wallClock)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, p.Shutdown(t.Context()))
	require.Len(t, logs.All(), 1)
	require.Contains(t, logs.All()[0].Message, "a restart begins new streams")
}

// onFile starts the node's process on the collector's own file_storage.
func (n *node) onFile(tb testing.TB, dir string, change func(*filestorage.Config)) {
	tb.Helper()
	n.accounting = newAccounting(n.set, n.cfg, n.out, func() time.Time { return n.clock })
	n.keeper.id, n.keeper.claims, n.keeper.bootID = selfID, &claims{}, func() string { return n.boot }
	require.NoError(tb, n.Start(tb.Context(), reporter{fileStorage(tb, dir, change), n}))
}

// reporter is a host that tells a node what is reported to it.
type reporter struct {
	extensions
	*node
}

func (r reporter) GetExtensions() map[component.ID]component.Component { return r.extensions }

// TestFileStorage: a process is killed, which leaves the file as it is at that
// moment: the next one goes on from a copy of it.
func TestFileStorage(t *testing.T) {
	dir, copied := t.TempDir(), t.TempDir()
	n := newNode(t)
	n.cfg.EmitInterval = 30 * time.Second
	n.onFile(t, dir, nil)
	for i := range 9 {
		n.consume(work(i))
	}
	killed := n.accounting
	require.NotZero(t, killed.own.writes["appended"], "a journal, too")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(copied, f.Name()), data, 0o600))
	}
	n.onFile(t, copied, nil)
	require.Equal(t, map[string]int64{"resumed": 1}, n.own.restores)
	for i := 9; i < 13; i++ {
		n.consume(work(i))
	}
	n.stop()
	require.Equal(t, second(0), n.out.published()["uid-0"].start)
	require.Equal(t, 110*time.Second, n.out.published()["uid-0"].allocated)
	n.out.quiet = true
	require.NoError(t, killed.Shutdown(t.Context()))
}

// TestFileStorageIsFull: max_size is less than the ledger needs.
func TestFileStorageIsFull(t *testing.T) {
	n := newNode(t)
	n.onFile(t, t.TempDir(), func(cfg *filestorage.Config) { cfg.MaxSize = 64 << 10 })
	for i := range 12 {
		n.consume(at(collection(1500), float64(10*i)))
		n.clock = n.clock.Add(10 * time.Second)
	}
	require.ErrorIs(t, n.status[0].Err(), storage.ErrStorageFull)
	require.ErrorContains(t, n.status[0].Err(), "raise max_size of the storage extension")
	require.Len(t, n.status, 1)
	require.Equal(t, second(60), n.out.published()["uid-0001"].start, "new streams after a minute")
	require.Equal(t, second(100), n.out.published()["uid-0001"].time)
	require.ErrorIs(t, n.Shutdown(t.Context()), storage.ErrStorageFull)
}

// at returns b at another second.
func at(b gpu.Batch, s float64) gpu.Batch {
	for i := range b.Samples {
		b.Samples[i].Time = second(s)
	}
	for i := range b.Memory {
		b.Memory[i].Time = second(s)
	}
	for i := range b.Allocations {
		b.Allocations[i].Time = second(s)
	}
	for i := range b.AllocationCounts {
		b.AllocationCounts[i].Time = second(s)
	}
	for i := range b.Outputs {
		b.Outputs[i].Time = second(s)
	}
	return b
}
