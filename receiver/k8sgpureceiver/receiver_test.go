// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelettest"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/metadata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/podtest"
)

const wait, tick = 20 * time.Second, 5 * time.Millisecond

// rig is a receiver beside a kubelet. collect is called by the test, so that
// nothing waits for a ticker.
type rig struct {
	*nodeReceiver
	t       *testing.T
	kubelet *kubelettest.Kubelet
	sink    *consumertest.MetricsSink
	host    *host
}

// host notes what components report.
type host struct {
	component.Host
	mu     sync.Mutex
	events []componentstatus.Status
}

func (h *host) Report(e *componentstatus.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e.Status())
}

func newRig(t *testing.T, change func(*Config)) *rig {
	t.Helper()
	k := kubelettest.New(t)
	cfg := validConfig()
	cfg.PodResourcesSocket, cfg.PodsAPISocket, cfg.Pods = k.Socket, k.Socket, podsAPI
	if change != nil {
		change(cfg)
	}
	sink := new(consumertest.MetricsSink)
	r := newReceiver(t, cfg, sink)
	r.between = time.Millisecond
	out := &rig{r, t, k, sink, &host{Host: componenttest.NewNopHost()}}
	_, err := r.open(out.host)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Shutdown(t.Context())) })
	return out
}

func newReceiver(t *testing.T, cfg *Config, next consumer.Metrics) *nodeReceiver {
	t.Helper()
	r, err := NewFactory().CreateMetrics(t.Context(), receivertest.NewNopSettings(metadata.Type), cfg, next)
	require.NoError(t, err)
	return r.(*nodeReceiver)
}

// batch collects once and returns what was sent.
func (r *rig) batch() (gpu.Batch, pmetric.Metrics) {
	r.t.Helper()
	r.sink.Reset()
	r.collect(r.t.Context())
	all := r.sink.AllMetrics()
	md := all[len(all)-1]
	b, drops := gpupdata.NewDecoder(gpupdata.Settings{}).Decode(md, gpu.NoTime)
	require.Empty(r.t, drops)
	return b, md
}

// sources returns what a batch says of the sources, "up" or the reason.
func sources(md pmetric.Metrics) map[string]string {
	out := map[string]string{}
	for _, rm := range md.ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			if m.Name() != gpupdata.MetricSourceUp {
				continue
			}
			for _, p := range m.Gauge().DataPoints().All() {
				name, _ := p.Attributes().Get(gpupdata.AttrSource)
				reason, _ := p.Attributes().Get(gpupdata.AttrSourceReason)
				out[name.Str()] = reason.Str()
				if p.IntValue() == 1 {
					out[name.Str()] = "up"
				}
			}
		}
	}
	return out
}

// recorded returns the first message about a pod of the recording in that phase.
func recorded(t *testing.T, name string, phase corev1.PodPhase) *pods.WatchPodsEvent {
	t.Helper()
	for _, s := range podtest.Life(t) {
		if s.Pod != nil && s.Pod.Name == name && s.Pod.Status.Phase == phase && s.Type != "DELETED" {
			data, err := s.Pod.Marshal()
			require.NoError(t, err)
			return &pods.WatchPodsEvent{Type: pods.EventType_MODIFIED, Pod: data}
		}
	}
	t.Fatalf("%s is never %s", name, phase)
	return nil
}

// withoutDevices is a message of a kubelet whose statuses have no devices.
func withoutDevices(t *testing.T, e *pods.WatchPodsEvent) *pods.WatchPodsEvent {
	t.Helper()
	var p corev1.Pod
	require.NoError(t, p.Unmarshal(e.Pod))
	for i := range p.Status.ContainerStatuses {
		p.Status.ContainerStatuses[i].AllocatedResourcesStatus = nil
	}
	data, err := p.Marshal()
	require.NoError(t, err)
	return &pods.WatchPodsEvent{Type: e.Type, Pod: data}
}

const recordedGPU = "GPU-5f1c6f3e-0a3d-4b2e-9c1a-000000000000"

func listOf(name, container string, ids ...string) *podresources.ListPodResourcesResponse {
	return &podresources.ListPodResourcesResponse{PodResources: []*podresources.PodResources{{
		Name: name, Namespace: "ml-team", Containers: []*podresources.ContainerResources{
			{Name: container, Devices: []*podresources.ContainerDevices{{ResourceName: "nvidia.com/gpu", DeviceIds: ids}}},
		},
	}}}
}

// synced waits until the receiver knows the kubelet's pods.
func (r *rig) synced() {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		b, md := r.batch()
		return sources(md)[sourcePodsAPI] == "up" && len(b.AllocationCounts) == 1
	}, wait, tick)
}

func TestFactory(t *testing.T) {
	require.Equal(t, "k8s_gpu", NewFactory().Type().String())
	require.Equal(t, metadata.MetricsStability, NewFactory().MetricsStability())
}

func TestShutdownWithoutStart(t *testing.T) {
	r := newReceiver(t, validConfig(), consumertest.NewNop())
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, r.Shutdown(t.Context()))
}

// TestLivesAndDiesWithoutAKubelet, also when a batch is refused.
func TestLivesAndDiesWithoutAKubelet(t *testing.T) {
	for _, next := range []consumer.Metrics{consumertest.NewNop(), consumertest.NewErr(errors.New("full"))} {
		cfg := validConfig()
		cfg.PodResourcesSocket, cfg.PodsAPISocket = t.TempDir()+"/a", t.TempDir()+"/b"
		r := newReceiver(t, cfg, next)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		require.NoError(t, r.Shutdown(t.Context()))
		require.NoError(t, r.Shutdown(t.Context()), "a second shutdown is fine")
	}
}

// TestHolderOfADevice from a kubelet's recorded messages: allocation, count,
// milestones, notes, and the end.
func TestHolderOfADevice(t *testing.T) {
	r := newRig(t, func(c *Config) { c.PodLabels, c.StorageLabel = []string{"team"}, "team" })
	r.kubelet.Known(recorded(t, "train-0", corev1.PodRunning))
	r.kubelet.Answer(listOf("train-0", "trainer", recordedGPU), nil)
	r.kubelet.Offer(&podresources.ContainerDevices{ResourceName: "nvidia.com/gpu", DeviceIds: []string{recordedGPU}})
	r.kubelet.Start(t)
	r.synced()

	b, md := r.batch()
	require.Len(t, b.Allocations, 1)
	got := b.Allocations[0]
	require.Equal(t, []gpu.AllocationCount{{Node: "gpu-node-0", Cluster: "prod", Time: got.Time, Count: 1}}, b.AllocationCounts)
	got.Time = gpu.NoTime
	require.Equal(t, gpu.Allocation{
		Device: recordedGPU, Node: "gpu-node-0", Cluster: "prod", Sharing: gpu.Exclusive, Share: 1,
		Begin: podtest.Time("12:34:35.603801321"),
		Holder: gpu.Holder{
			Namespace: "ml-team", Pod: "train-0", PodUID: "a513c6d3-bb04-46e3-8900-60e730cab707", PodIP: got.Holder.PodIP,
			Container: "trainer", Workload: gpu.Workload{Kind: "Pod", Name: "train-0"},
		},
	}, got)
	require.Equal(t, []gpu.Availability{{Device: recordedGPU, Time: b.AllocationCounts[0].Time, Available: true}}, b.Availability)
	names := map[gpu.MilestoneName]bool{}
	for _, m := range b.Milestones {
		names[m.Name] = true
		require.Equal(t, got.Holder.PodUID, m.Pod)
	}
	for _, name := range []gpu.MilestoneName{gpu.Created, gpu.Scheduled, gpu.Admitted, gpu.SandboxReady, gpu.InitStarted, gpu.InitFinished, gpu.ContainerStarted} {
		require.True(t, names[name], name)
	}
	notes := notesOf(md)
	require.Contains(t, notes, "gpu.allocation.source=podresources")
	require.Contains(t, notes, "gpu.milestone.uncertainty=1")
	require.Contains(t, notes, "k8s.pod.label.team=ml")
	require.Contains(t, notes, "gpu.model.storage=ml")
	require.Equal(t, map[string]string{sourceDevices: "up", sourcePodsAPI: "up"}, sources(md))

	r.kubelet.Send(recorded(t, "train-0", corev1.PodSucceeded))
	require.Eventually(t, func() bool { b, _ = r.batch(); return len(b.Allocations) == 1 && b.Allocations[0].Ended }, wait, tick)
	require.Equal(t, podtest.Time("12:34:49"), b.Allocations[0].Time)
	require.Equal(t, 0, b.AllocationCounts[0].Count)
	b, _ = r.batch()
	require.Empty(t, b.Allocations, "told once")
}

// notesOf returns "name=value" of all attributes.
func notesOf(md pmetric.Metrics) map[string]bool {
	out := map[string]bool{}
	for _, rm := range md.ResourceMetrics().All() {
		for name, v := range rm.Resource().Attributes().All() {
			out[name+"="+v.AsString()] = true
		}
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			points := m.Gauge().DataPoints
			if m.Type() == pmetric.MetricTypeSum {
				points = m.Sum().DataPoints
			}
			for _, p := range points().All() {
				for name, v := range p.Attributes().All() {
					out[name+"="+v.AsString()] = true
				}
			}
		}
	}
	return out
}

// TestHeartbeat: a batch without any source is still one, never an empty set.
func TestHeartbeat(t *testing.T) {
	r := newRig(t, nil)
	var md pmetric.Metrics
	var b gpu.Batch
	require.Eventually(t, func() bool {
		b, md = r.batch()
		return sources(md)[sourcePodsAPI] == "away" && sources(md)[sourceDevices] == "away"
	}, wait, tick)
	require.Empty(t, b.AllocationCounts)
	b, _ = r.batch()
	require.Empty(t, b.AllocationCounts)
	r.host.mu.Lock()
	require.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError}, r.host.events, "on change only")
	r.host.mu.Unlock()

	r.kubelet.Answer(&podresources.ListPodResourcesResponse{}, nil)
	r.kubelet.Start(t)
	require.Eventually(t, func() bool { b, _ = r.batch(); return len(b.AllocationCounts) == 1 }, wait, tick)
	require.Equal(t, 0, b.AllocationCounts[0].Count)
	r.host.mu.Lock()
	require.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError, componentstatus.StatusOK}, r.host.events)
	r.host.mu.Unlock()

	r.kubelet.Answer(nil, status.Error(codes.ResourceExhausted, "rejected by rate limit"))
	b, md = r.batch()
	require.Equal(t, "rate_limited", sources(md)[sourceDevices])
	require.Empty(t, b.AllocationCounts)
}

// TestRefusedBatchRepeatsEnds.
func TestRefusedBatchRepeatsEnds(t *testing.T) {
	r := newRig(t, nil)
	r.kubelet.Known(recorded(t, "crash", corev1.PodRunning))
	r.kubelet.Answer(listOf("crash", "work", recordedGPU), nil)
	r.kubelet.Start(t)
	r.synced()
	next := r.next
	r.kubelet.Send(recorded(t, "crash", corev1.PodFailed))
	require.Eventually(t, func() bool {
		r.next = consumertest.NewErr(errors.New("full"))
		r.collect(t.Context())
		r.next = next
		r.desk.mu.Lock()
		defer r.desk.mu.Unlock()
		set := r.desk.book.Set(r.desk.now())
		return len(set.Ends) == 1
	}, wait, tick)
	b, _ := r.batch()
	require.True(t, b.Allocations[0].Ended)
}

// TestOwnersCantBeAsked outside of a cluster: the pod's own are enough.
func TestOwnersCantBeAsked(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	r := newRig(t, func(c *Config) { c.OwnerLookup = true })
	require.EqualValues(t, 1, r.own.read(0).SourceFailures[[2]string{sourceOwners, "disconnected"}])
	r.batch()
}

// TestDriverIsLoadedLater: GKE's names are numbers of the driver's devices.
func TestDriverIsLoadedLater(t *testing.T) {
	proc := t.TempDir()
	r := newRig(t, func(c *Config) { c.ProcPath = proc })
	r.kubelet.Known(withoutDevices(t, recorded(t, "crash", corev1.PodRunning))) // the recording's have other names
	r.kubelet.Answer(listOf("crash", "work", "nvidia0/vgpu1"), nil)
	r.kubelet.Start(t)
	r.synced()
	b, _ := r.batch()
	require.Equal(t, "nvidia.com/gpu/nvidia0", b.Allocations[0].Ref)
	board := proc + "/driver/nvidia/gpus/0000:19:00.0"
	require.NoError(t, os.MkdirAll(board, 0o700))
	require.NoError(t, os.WriteFile(board+"/information", []byte("GPU UUID: "+recordedGPU+"\nDevice Minor: 0\n"), 0o600))
	r.batch()
	b, _ = r.batch()
	require.Equal(t, gpu.DeviceID(recordedGPU), b.Allocations[0].Device)
	require.Equal(t, gpu.Slots{N: 1, Of: 2}, b.Allocations[0].Slots)
}

// TestInstanceByNumber: board and number are told as soon as the board is known.
func TestInstanceByNumber(t *testing.T) {
	proc := t.TempDir()
	r := newRig(t, func(c *Config) { c.ProcPath = proc })
	r.kubelet.Known(withoutDevices(t, recorded(t, "crash", corev1.PodRunning)))
	r.kubelet.Answer(listOf("crash", "work", "nvidia3/gi7"), nil)
	r.kubelet.Start(t)
	r.synced()
	_, md := r.batch()
	require.NotContains(t, notesOf(md), "gpu.mig.gi=7", "a number of what?")
	board := proc + "/driver/nvidia/gpus/0000:19:00.0"
	require.NoError(t, os.MkdirAll(board, 0o700))
	require.NoError(t, os.WriteFile(board+"/information", []byte("GPU UUID: "+recordedGPU+"\nDevice Minor: 3\n"), 0o600))
	r.batch()
	b, md := r.batch()
	require.Equal(t, "nvidia.com/gpu/nvidia3/gi7", b.Allocations[0].Ref)
	require.Contains(t, notesOf(md), "gpu.mig.gi=7")
	require.Contains(t, notesOf(md), "hw.parent="+recordedGPU)
}

// TestLadder: without the Pods API the next source is tried, in turn.
func TestLadder(t *testing.T) {
	cfg := validConfig()
	cfg.Kubelet.Endpoint = "https://127.0.0.1:1"
	names := func() (out []string) {
		for _, step := range cfg.ladder() {
			out = append(out, step.name)
		}
		return out
	}
	cfg.PodsAPISocket = t.TempDir() + "/none"
	require.Equal(t, []string{"api_server", "kubelet", "pods_api"}, names())
	cfg.PodsAPISocket = t.TempDir()
	require.Equal(t, []string{"pods_api", "api_server", "kubelet"}, names())
	for _, one := range []string{podsAPI, podsAPIServer, podsKubelet} {
		cfg.Pods = one
		require.Equal(t, []string{one}, names())
	}
}

// TestFallsBack from a source that never tells of all pods to one that does.
func TestFallsBack(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Pods = podsAPI })
	require.NoError(t, r.Shutdown(t.Context()))
	r.kubelet.Start(t)
	dead := kubelettest.New(t)
	cfg := *r.cfg
	cfg.PodsAPISocket = dead.Socket
	r2 := newReceiver(t, r.cfg, r.sink)
	r2.own.host = r.host
	ladder := append(cfg.ladder(), r.cfg.ladder()...)
	ladder[0].name = "dead"
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r2.follow(ctx, ladder, 50*time.Millisecond)
	}()
	require.Eventually(t, func() bool {
		found := r2.own.sources("n", "c", 1)
		return len(found) == 2 && found[1].Name == sourcePodsAPI && found[1].Up
	}, wait, tick)
	cancel()
	<-done
}
