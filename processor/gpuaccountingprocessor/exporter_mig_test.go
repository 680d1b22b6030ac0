// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// migScrape is a scrape of a board: of each instance its profile and pod, none
// if it isn't in MIG mode. Each is active for a quarter of the time.
func migScrape(s float64, instances map[int][2]string) pmetric.Metrics {
	md := scraped(s, profiled, 0.25, map[string]string{"modelName": "NVIDIA H100 80GB HBM3"})
	points := md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Gauge().DataPoints()
	if len(instances) == 0 {
		return md
	}
	whole := pmetric.NewNumberDataPoint()
	points.At(0).MoveTo(whole)
	points.RemoveIf(func(pmetric.NumberDataPoint) bool { return true })
	for number, of := range instances {
		p := points.AppendEmpty()
		whole.CopyTo(p)
		labels := map[string]string{"GPU_I_ID": strconv.Itoa(number), "GPU_I_PROFILE": of[0], "pod": of[1], "namespace": "ml"}
		for k, v := range labels {
			p.Attributes().PutStr(k, v)
		}
	}
	return md
}

// migSet is an allocation set: which instance a pod has.
func migSet(s float64, byPod map[string]gpu.DeviceID) gpu.Batch {
	b := gpu.Batch{AllocationCounts: []gpu.AllocationCount{{Node: "n1", Cluster: "c1", Time: second(s), Count: len(byPod)}}}
	for pod, id := range byPod {
		b.Allocations = append(b.Allocations, gpu.Allocation{
			Device: id, Node: "n1", Cluster: "c1", Holder: gpu.Holder{Namespace: "ml", Pod: pod, PodUID: "uid-" + pod},
			Sharing: gpu.MIG, Share: 1, Time: second(s), Begin: second(0),
		})
	}
	return b
}

// newest returns the newest account of each device and pod, and what the
// device's own time was.
func newest(t *testing.T, sink *consumertest.MetricsSink) map[string]time.Duration {
	t.Helper()
	sums := map[string]time.Duration{}
	for _, md := range sink.AllMetrics() {
		derived, _, _ := gpupdata.DecodeDerived(md)
		for i := range derived.Accounts {
			a := &derived.Accounts[i]
			name, sum := string(a.Device.ID)+" "+a.Holder.Pod, time.Duration(0)
			for _, state := range a.States {
				sum += state.Nanos
			}
			sums[name] = max(sums[name], sum)
		}
	}
	return sums
}

// TestExporterInstanceOfPod: k8s_gpu knows the UUID of an instance,
// dcgm-exporter its number; the pod joins the two.
func TestExporterInstanceOfPod(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	p := start(t, testConfig(), sink)
	for s := range 10 {
		at := float64(10 * s)
		consume(t, p, migSet(at, map[string]gpu.DeviceID{"a": "MIG-a"}))
		require.NoError(t, p.ConsumeMetrics(t.Context(), migScrape(at+1, map[int][2]string{1: {"3g.40gb", "a"}, 2: {"4g.40gb", ""}})))
	}
	require.NoError(t, p.Shutdown(t.Context()))
	got := newest(t, sink)
	require.InDelta(t, 80*3./7, got["MIG-a a"].Seconds(), 0.01, "to the last sample before the last set")
	require.InDelta(t, 60*4./7, got["MIG-GPU-1:gi2 "].Seconds(), 0.01, "held back until 21, as its UUID might be told")
	require.InDelta(t, 20*4./7, got["GPU-1 "].Seconds(), 0.01, "unpartitioned until then")
	require.EqualValues(t, 1, p.observeSelf().PointsDropped["unresolved_device"], "the first set comes before the first scrape")
}

// TestExporterLayout: a board is divided, laid out anew, and is whole again;
// series that end in between end nothing.
func TestExporterLayout(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	cfg := testConfig()
	cfg.Allocation = allocationLabels
	p := start(t, cfg, sink)
	layouts := map[int]map[int][2]string{
		0:  {1: {"3g.40gb", "a"}, 2: {"4g.40gb", "b"}},
		10: {1: {"3g.40gb", "a"}, 9: {"1g.10gb", "c"}},
		20: {},
	}
	var now map[int][2]string
	for s := range 30 {
		if layout, changed := layouts[s]; changed {
			now = layout
		}
		md := migScrape(float64(10*s), now)
		if s%10 == 5 { // a scrape that failed
			for _, dp := range md.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Gauge().DataPoints().All() {
				dp.SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true))
				dp.SetTimestamp(pcommon.Timestamp(second(float64(10*s) - 1)))
			}
		}
		require.NoError(t, p.ConsumeMetrics(t.Context(), md))
	}
	require.NoError(t, p.Shutdown(t.Context()))
	got := newest(t, sink)
	require.InDelta(t, 190*3./7, got["MIG-GPU-1:gi1 a"].Seconds(), 1, "0 to 190, whatever failed")
	require.InDelta(t, 90*4./7, got["MIG-GPU-1:gi2 b"].Seconds(), 1, "0 to 90")
	require.InDelta(t, 90*1./7, got["MIG-GPU-1:gi9 c"].Seconds(), 1, "100 to 190")
	sum := time.Duration(0)
	for _, of := range got {
		sum += of
	}
	require.InDelta(t, 290, sum.Seconds(), 0.01, "all of the board's time, once")
}

// TestExporterManyProducers: several targets and k8s_gpu send at once.
func TestExporterManyProducers(t *testing.T) {
	sink := new(consumertest.MetricsSink)
	cfg := testConfig()
	cfg.SettleDelay = time.Minute // they overtake each other
	p := start(t, cfg, sink)
	var wg sync.WaitGroup
	for producer := range 4 {
		wg.Go(func() {
			for i := range 25 {
				at := float64(4*i + producer)
				consume(t, p, migSet(at, map[string]gpu.DeviceID{"a": "MIG-a"}))
				md := migScrape(at, map[int][2]string{1: {"3g.40gb", "a"}, 2: {"4g.40gb", ""}})
				require.NoError(t, p.ConsumeMetrics(t.Context(), md))
				require.NoError(t, p.ConsumeMetrics(t.Context(), scraped(at, "DCGM_FI_PROF_NEW_ACTIVE", 1, nil)))
			}
		})
	}
	wg.Wait()
	require.NoError(t, p.Shutdown(t.Context()))
	require.Positive(t, newest(t, sink)["MIG-a a"])
	require.EqualValues(t, 100, p.observeSelf().PointsDropped[string(gpupdata.DropUnknownMetric)])
}
