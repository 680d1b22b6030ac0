// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"context"
	"sync"
	"testing"
	"time"

	metricsservice "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
)

// Device is a GPU, or a MIG instance with so many slices of its board.
type Device struct {
	ID            string
	Parent        string
	Slices, Total int64
}

// Sampler tells collectors of the activity of devices, once a second as
// NVIDIA's own agent does.
type Sampler struct {
	node    string
	devices []Device
	// active returns how busy a device was lately.
	active func(id string) float64

	mu sync.Mutex // guards what follows
	to []metricsservice.MetricsServiceClient
}

// Sample begins to send, until the test ends.
func Sample(t testing.TB, node string, devices []Device, active func(id string) float64) *Sampler {
	t.Helper()
	s := &Sampler{node: node, devices: devices, active: active}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				s.send(ctx)
			}
		}
	})
	t.Cleanup(func() { cancel(); running.Wait() })
	return s
}

// To sends to a collector from now on, whenever it runs.
func (s *Sampler) To(t testing.TB, c *Collector) {
	t.Helper()
	conn, err := grpc.NewClient("unix://"+c.socket(), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1, MaxDelay: 50 * time.Millisecond}}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Errorf("closing a connection to a collector: %v", err)
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = append(s.to, metricsservice.NewMetricsServiceClient(conn))
}

// send tells all of one sample. A collector that is away misses it, as it would
// miss that of its own receiver.
func (s *Sampler) send(ctx context.Context) {
	s.mu.Lock()
	to := s.to
	s.mu.Unlock()
	request := s.request(uint64(time.Now().UnixNano()))
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var sending sync.WaitGroup
	for _, client := range to {
		sending.Go(func() { _, _ = client.Export(ctx, request) })
	}
	sending.Wait()
}

func (s *Sampler) request(at uint64) *metricsservice.ExportMetricsServiceRequest {
	request := &metricsservice.ExportMetricsServiceRequest{}
	instances := map[string]int64{}
	for _, d := range s.devices {
		attributes := []*common.KeyValue{word("hw.id", d.ID), word("hw.type", "gpu"), word("k8s.node.name", s.node), word("k8s.cluster.name", ClusterName)}
		if d.Parent != "" {
			instances[d.Parent]++
			attributes = append(attributes, word("hw.parent", d.Parent), count("gpu.mig.slices", d.Slices), count("gpu.mig.slices_total", d.Total))
		}
		request.ResourceMetrics = append(request.ResourceMetrics, gauge(attributes, "gpu.activity", &metrics.NumberDataPoint{
			TimeUnixNano: at, Value: &metrics.NumberDataPoint_AsDouble{AsDouble: s.active(d.ID)},
			Attributes: []*common.KeyValue{word("gpu.engine", "engine"), word("gpu.activity.source", "prof")},
		}))
	}
	for board, n := range instances {
		attributes := []*common.KeyValue{word("hw.id", board), word("hw.type", "gpu"), word("k8s.node.name", s.node), word("k8s.cluster.name", ClusterName)}
		point := &metrics.NumberDataPoint{TimeUnixNano: at, Value: &metrics.NumberDataPoint_AsInt{AsInt: n}}
		instance := gauge(attributes, "gpu.mig.instances", nil)
		instance.ScopeMetrics[0].Metrics[0].Data = &metrics.Metric_Sum{Sum: &metrics.Sum{
			AggregationTemporality: metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE, DataPoints: []*metrics.NumberDataPoint{point},
		}}
		request.ResourceMetrics = append(request.ResourceMetrics, instance)
	}
	return request
}

func gauge(of []*common.KeyValue, name string, p *metrics.NumberDataPoint) *metrics.ResourceMetrics {
	return &metrics.ResourceMetrics{
		Resource: &resource.Resource{Attributes: of},
		ScopeMetrics: []*metrics.ScopeMetrics{{Metrics: []*metrics.Metric{{
			Name: name, Unit: "1", Data: &metrics.Metric_Gauge{Gauge: &metrics.Gauge{DataPoints: []*metrics.NumberDataPoint{p}}},
		}}}},
	}
}

func word(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func count(key string, n int64) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: n}}}
}
