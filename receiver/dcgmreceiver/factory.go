// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgmreceiver

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/dcgm"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/metadata"
)

// NewFactory returns the factory of the dcgm receiver.
func NewFactory() receiver.Factory {
	return receiver.NewFactory(metadata.Type, createDefaultConfig,
		receiver.WithMetrics(createMetrics, metadata.MetricsStability))
}

func createDefaultConfig() component.Config {
	return &Config{
		Mode:               string(dcgm.Auto),
		CollectionInterval: 10 * time.Second,
		SampleInterval:     time.Second,
	}
}

func createMetrics(
	_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Metrics,
) (receiver.Metrics, error) {
	return newReceiver(set, cfg.(*Config), next)
}
