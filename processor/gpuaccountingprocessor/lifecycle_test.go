// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-gpu/otelcol-gpu/processor/gpuaccountingprocessor/internal/metadata"
)

func TestFactoryType(t *testing.T) {
	require.Equal(t, "gpu_accounting", NewFactory().Type().String())
	require.Equal(t, metadata.MetricsStability, NewFactory().MetricsStability())
}

func TestConfigStruct(t *testing.T) {
	require.NoError(t, componenttest.CheckConfigStruct(NewFactory().CreateDefaultConfig()))
}

func newComponent(t *testing.T, next consumer.Metrics) processor.Metrics {
	t.Helper()
	p, err := NewFactory().CreateMetrics(t.Context(), processortest.NewNopSettings(metadata.Type),
		NewFactory().CreateDefaultConfig(), next)
	require.NoError(t, err)
	return p
}

func TestShutdownWithoutStart(t *testing.T) {
	p := newComponent(t, consumertest.NewNop())
	require.NoError(t, p.Shutdown(t.Context()))
	require.NoError(t, p.Shutdown(t.Context()))
}

func TestTwoInstancesLiveAndDie(t *testing.T) {
	for range 2 {
		p := newComponent(t, consumertest.NewNop())
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		require.NoError(t, p.ConsumeMetrics(t.Context(), foreignMetrics()))
		require.NoError(t, p.Shutdown(t.Context()))
		require.NoError(t, p.Shutdown(t.Context()), "a second shutdown is fine")
		require.ErrorIs(t, p.ConsumeMetrics(t.Context(), foreignMetrics()), errStopped)
	}
}

// contextConsumer remembers the context of its last call.
type contextConsumer struct {
	consumertest.Consumer
	last context.Context
}

func (c *contextConsumer) ConsumeMetrics(ctx context.Context, md pmetric.Metrics) error {
	c.last = ctx
	return c.Consumer.ConsumeMetrics(ctx, md)
}

func TestPassesSynchronouslyWithTheSameContext(t *testing.T) {
	type key struct{}
	next := &contextConsumer{Consumer: consumertest.NewNop()}
	p := newComponent(t, next)
	ctx := context.WithValue(t.Context(), key{}, "value")
	require.NoError(t, p.ConsumeMetrics(ctx, foreignMetrics()))
	require.Same(t, ctx, next.last)
	require.True(t, p.Capabilities().MutatesData)
}

func TestUnknownMetricsPassUntouched(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	p := newComponent(t, sink)
	require.NoError(t, p.ConsumeMetrics(t.Context(), foreignMetrics()))
	require.Equal(t, []pmetric.Metrics{foreignMetrics()}, sink.AllMetrics())
}

// foreignMetrics is a batch that has nothing to do with GPUs.
func foreignMetrics() pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "shop")
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName("http.server.request.duration")
	h := m.SetEmptyHistogram().DataPoints().AppendEmpty()
	h.SetCount(3)
	h.SetTimestamp(1)
	return md
}
