// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"

	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
	"github.com/otelcol-gpu/otelcol-gpu/internal/profile"
	"github.com/otelcol-gpu/otelcol-gpu/processor/gpuaccountingprocessor/internal/metadata"
)

// NewFactory returns the factory of the gpu_accounting processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(
		metadata.Type,
		createDefaultConfig,
		processor.WithMetrics(createMetrics(&claims{}), metadata.MetricsStability),
	)
}

func createDefaultConfig() component.Config {
	d := ledger.DefaultConfig()
	return &Config{
		MaxGap:            d.MaxGap,
		SettleDelay:       d.SettleDelay,
		EvidenceWindow:    time.Minute,
		EmitInterval:      d.EmitInterval,
		IdleThreshold:     d.IdleThreshold,
		IdleGrace:         d.IdleGrace,
		ResidentThreshold: Bytes(d.ResidentThreshold),
		MaxAccounts:       d.MaxAccounts,
		Allocation:        allocationRequired,
		Granularity:       granularityPod,
		ForwardInputs:     "device",
		Prices:            configoptional.Default(PricesConfig{ReloadInterval: 30 * time.Second}),
		Profiles:          profile.Defaults(),
	}
}

func createMetrics(used *claims) processor.CreateMetricsFunc {
	return func(
		_ context.Context, set processor.Settings, cfg component.Config, next consumer.Metrics,
	) (processor.Metrics, error) {
		a := newAccounting(set.TelemetrySettings, cfg.(*Config), next, time.Now)
		a.keeper.id, a.keeper.claims, a.keeper.bootID = set.ID, used, bootID
		return a, nil
	}
}
