// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/processor/gpuaccountingprocessor"
)

// scrapes is how often each pod is scraped.
const scrapes = 4

// TestScraped: what is exposed gives the state that it should. Each pod is the
// only one of its node; at each scrape its GPU is half active.
func TestScraped(t *testing.T) {
	pods := []*pod{
		{uid: "vllm", file: "vllm.txt", rises: 100, labels: "k8s_pod_uid: vllm"},
		{uid: "openmetrics", file: "openmetrics.txt", rises: 100, labels: "k8s.pod.uid: openmetrics"},
		{uid: "triton", file: "triton.txt", rises: 10, labels: "namespace: ml, pod: triton"},
		{uid: "tgi", file: "tgi.txt", rises: 100, labels: "k8s_pod_ip: 10.0.0.3"},
		{uid: "sglang", file: "sglang.txt", rises: 100, labels: "k8s_pod_uid: sglang"},
		{uid: "nim", file: "unprefixed.txt", rises: 100, labels: "k8s_pod_uid: nim"},
		{uid: "flat", file: "vllm.txt", labels: "k8s_pod_uid: flat"},
		{uid: "someone", file: "unprefixed.txt", rises: 100, labels: "k8s_pod_uid: someone"},
		{uid: "untyped", file: "untyped.txt", rises: 100, labels: "k8s_pod_uid: untyped"},
		{uid: "other", file: "other.txt", rises: 1, labels: "k8s_pod_uid: other"},
		{uid: "fails", file: "vllm.txt", rises: 100, fails: 3, labels: "k8s_pod_uid: fails"},
		{uid: "never", file: "vllm.txt", rises: 100, fails: 1, labels: "k8s_pod_uid: never"},
	}
	for _, p := range pods {
		p.job = p.uid
	}
	got := account(t, pods)
	for _, uid := range []string{"vllm", "openmetrics", "triton", "tgi", "sglang", "nim"} {
		a := got.accounts[uid]
		require.Positive(t, a.Active, uid)
		require.Equal(t, a.Active, a.Productive, uid)
	}
	for uid, want := range map[string]gpu.Reason{
		"flat": gpu.ReasonOutputFlat, "someone": gpu.ReasonNoAppMetric, "other": gpu.ReasonNoAppMetric,
		"untyped": gpu.ReasonNoAppMetric, // what has no type is a gauge, which has no rises
		"never":   gpu.ReasonNotScraped,
	} {
		a := got.accounts[uid]
		require.Positive(t, a.Active, uid)
		require.Equal(t, a.Active, unproven(a, want), uid)
	}
	fails := got.accounts["fails"]
	require.Positive(t, fails.Productive, "the scrapes that worked prove what was before them")
	require.Positive(t, unproven(fails, gpu.ReasonNotScraped))
	require.Equal(t, fails.Active, fails.Productive+unproven(fails, gpu.ReasonNotScraped))

	require.Equal(t, map[string]float64{
		"vllm {token}": 300, "openmetrics {token}": 300, "tgi {token}": 300, "nim {token}": 300,
		"sglang {token}": 300, "triton {inference}": 30, "fails {token}": 100,
	}, got.outputs, "the ranks of sglang tell one value")
}

// unproven returns the active time that isn't proven for a reason.
func unproven(a gpu.Account, why gpu.Reason) (total time.Duration) {
	for _, s := range a.States {
		if s.Condition == (gpu.Condition{State: gpu.Unproven, Reason: why}) {
			total += s.Nanos
		}
	}
	return total
}

// accounts is the newest account of each pod, and what it produced.
type accounts struct {
	accounts map[string]gpu.Account
	outputs  map[string]float64 // by pod and unit, those above 0
}

// account scrapes the pods and returns what the processor makes of it.
func account(t *testing.T, pods []*pod) accounts {
	t.Helper()
	sink := new(consumertest.MetricsSink)
	factory := gpuaccountingprocessor.NewFactory()
	cfg := factory.CreateDefaultConfig().(*gpuaccountingprocessor.Config)
	cfg.SettleDelay, cfg.EvidenceWindow = 0, 10*time.Second
	p, err := factory.CreateMetrics(t.Context(), processortest.NewNopSettings(factory.Type()), cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	b := &bench{t: t, processor: p, left: map[string]int{}, done: make(chan struct{})}
	for _, p := range pods {
		b.left[p.job] = scrapes
	}
	next, err := consumer.NewMetrics(b.consume)
	require.NoError(t, err)
	scrape(t, serve(t, pods), pods, next)
	limit, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	select {
	case <-b.done:
	case <-limit.Done():
		require.FailNow(t, "the receiver doesn't scrape")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	require.NoError(t, p.Shutdown(context.WithoutCancel(t.Context())))
	return collect(sink)
}

func collect(sink *consumertest.MetricsSink) accounts {
	got := accounts{map[string]gpu.Account{}, map[string]float64{}}
	for _, md := range sink.AllMetrics() {
		derived, _, _ := gpupdata.DecodeDerived(md)
		for _, a := range derived.Accounts {
			got.accounts[a.Holder.PodUID] = a
		}
		for _, o := range derived.Outputs {
			if o.Value > 0 {
				got.outputs[o.Holder.PodUID+" "+o.Unit] = o.Value
			}
		}
	}
	return got
}

// bench passes scrapes on, and lets the devices tell something at each.
type bench struct {
	t         *testing.T
	processor processor.Metrics
	done      chan struct{}

	mu   sync.Mutex
	left map[string]int // scrapes, by job
}

func (b *bench) consume(ctx context.Context, md pmetric.Metrics) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	job, up, found := upPoint(md)
	if !found || b.left[job] == 0 {
		return nil
	}
	t := gpu.Time(up.Timestamp())
	if err := b.processor.ConsumeMetrics(ctx, md); err != nil {
		return err
	}
	if err := b.processor.ConsumeMetrics(ctx, gpupdata.Encode(collection(job, t))); err != nil {
		return err
	}
	b.left[job]--
	for _, n := range b.left {
		if n > 0 {
			return nil
		}
	}
	close(b.done)
	return nil
}

// collection is what the node of a pod tells at t.
func collection(uid string, t gpu.Time) gpu.Batch {
	device := gpu.Device{ID: gpu.DeviceID("GPU-" + uid), Node: uid, Cluster: "c"}
	holder := gpu.Holder{Namespace: "ml", Pod: uid, PodUID: uid}
	if uid == "tgi" {
		holder.PodIP = "10.0.0.3"
	}
	return gpu.Batch{
		Samples: []gpu.Sample{{Device: device, Source: "prof", Time: t, Value: 0.5}},
		Allocations: []gpu.Allocation{{
			Device: device.ID, Node: uid, Cluster: "c", Holder: holder, Sharing: gpu.Exclusive, Share: 1, Time: t, Begin: t,
		}},
		AllocationCounts: []gpu.AllocationCount{{Node: uid, Cluster: "c", Time: t, Count: 1}},
	}
}
