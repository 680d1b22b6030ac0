// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// BenchmarkCheckpoint sends collections of so many accounts (a device and its
// holder are two): without storage, with the collector's file_storage, and with
// its fsync. Each collection publishes every account (emission), so that the
// whole ledger is stored; or none (journal), so that the batch is.
func BenchmarkCheckpoint(b *testing.B) {
	for _, accounts := range []int{64, 600} {
		for _, emit := range []string{"emission", "journal"} {
			for _, disk := range []string{"none", "file_storage", "fsync"} {
				b.Run(fmt.Sprintf("accounts=%d/%s/%s", accounts, emit, disk), func(b *testing.B) {
					benchmarkCheckpoint(b, accounts, emit, disk)
				})
			}
		}
	}
}

func benchmarkCheckpoint(b *testing.B, accounts int, emit, disk string) {
	cfg := testConfig()
	cfg.SettleDelay = 15 * time.Second
	if emit == "journal" {
		cfg.EmitInterval = longest
	}
	host := componenttest.NewNopHost()
	if disk != "none" {
		cfg.Storage = &storageID
		host = fileStorage(b, b.TempDir(), func(cfg *filestorage.Config) { cfg.FSync = disk == "fsync" })
	}
	p := newAccounting(componenttest.NewNopTelemetrySettings(), cfg, consumertest.NewNop(),
		func() time.Time { return time.Unix(1<<33, 0) })
	p.keeper.id, p.keeper.claims, p.keeper.bootID = selfID, &claims{}, bootID
	require.NoError(b, p.Start(b.Context(), host))
	defer func() { require.NoError(b, p.Shutdown(context.WithoutCancel(b.Context()))) }()

	template := gpupdata.Encode(collection(accounts / 2))
	b.ReportAllocs()
	s := 0
	for b.Loop() {
		md := pmetric.NewMetrics()
		template.CopyTo(md)
		s += 10
		stamp(md, second(float64(s)))
		if err := p.ConsumeMetrics(b.Context(), md); err != nil {
			b.Fatal(err)
		}
	}
	writes := p.own.writes["saved"] + p.own.writes["appended"]
	b.ReportMetric(float64(p.own.written)/float64(max(writes, 1)), "stored-B/op")
}
