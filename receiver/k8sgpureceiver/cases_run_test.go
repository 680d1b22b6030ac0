// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelettest"
)

// player plays one case: a kubelet with real sockets, the receiver with its real
// clients, and a clock that stands still between the steps.
type player struct {
	t      *testing.T
	script *script
	*rig
	api    *eventServer
	at     atomic.Int64 // the time, as gpu.Time
	pods   map[string]map[string]any
	names  map[string]string // of pods, by UID
	alive  map[string]bool   // the kubelet knows them
	noises int64             // messages that are no pod's
}

func play(t *testing.T, s *script) {
	p := &player{t: t, script: s, pods: s.Pods, names: map[string]string{}, alive: map[string]bool{}}
	p.tick(s.Steps[0].At)
	p.api = newEventServer(t, s.Config["event_lookup"] == true)
	k := kubelettest.New(t)
	k.Answer(&podresources.ListPodResourcesResponse{}, nil)
	k.Start(t)
	p.rig = p.newReceiver(k)
	t.Cleanup(func() { require.NoError(t, p.rig.Shutdown(t.Context())) })
	for i := range s.Steps {
		p.step(&s.Steps[i])
	}
}

// newReceiver starts the receiver of the case beside a kubelet.
func (p *player) newReceiver(k *kubelettest.Kubelet) *rig {
	cfg := validConfig()
	cfg.PodResourcesSocket, cfg.PodsAPISocket, cfg.Pods = k.Socket, k.Socket, podsAPI
	require.NoError(p.t, confmap.NewFromStringMap(p.script.Config).Unmarshal(cfg))
	cfg.ProcPath = procOf(p.t, p.script.Proc)
	require.NoError(p.t, cfg.Validate())
	cfg.EventLookup = false // p.api does it, to know when it has
	sink := new(consumertest.MetricsSink)
	r := newReceiver(p.t, cfg, sink)
	r.between = time.Millisecond
	r.desk.now = func() gpu.Time { return gpu.Time(p.at.Load()) }
	out := &rig{r, p.t, k, sink, &host{Host: componenttest.NewNopHost()}}
	ctx, err := r.open(out.host)
	require.NoError(p.t, err)
	p.api.serve(ctx, out)
	p.noises = 0
	p.rig = out
	p.caughtUp()
	return out
}

// tick sets the clock, always forward.
func (p *player) tick(to string) {
	at, err := timeOf(to)
	require.NoError(p.t, err)
	require.Greater(p.t, int64(at), p.at.Load(), "%s isn't after the step before", to)
	p.at.Store(int64(at))
}

func (p *player) step(s *step) {
	p.t.Helper()
	if p.at.Load() != must(timeOf(s.At)) {
		p.tick(s.At)
	}
	p.kubeletStep(s)
	if s.Receiver == "restart" {
		require.NoError(p.t, p.rig.Shutdown(p.t.Context()))
		p.newReceiver(p.kubelet)
	}
	for _, told := range s.Tell {
		for _, name := range slices.Sorted(maps.Keys(told)) {
			p.tell(name, told[name])
		}
	}
	if len(s.Tell) > 0 && p.kubelet.Watchers() > 0 {
		p.caughtUp()
	}
	p.answers(s)
	p.api.add(p.t, s.Events, p.pods)
	if s.EventsFail != nil {
		p.api.fail(*s.EventsFail)
	}
	if s.Collect != nil {
		p.collectAt(s.At, s.Collect)
	}
}

// kubeletStep stops and starts the kubelet, or its watches.
func (p *player) kubeletStep(s *step) {
	p.t.Helper()
	switch s.Kubelet {
	case "stop":
		p.kubelet.Stop()
		p.lost()
	case "start":
		p.known()
		p.kubelet.Start(p.t)
		p.caughtUp()
	}
	switch s.WatchFails {
	case "":
	case "never":
		p.known()
		p.kubelet.Refuse(nil)
		p.caughtUp()
	default:
		reason, err := failure(s.WatchFails)
		require.NoError(p.t, err)
		p.kubelet.Drop(reason.Err())
		p.lost()
	}
}

// known sets what a new watcher is told: all pods whose end it wasn't told.
func (p *player) known() {
	var all []*pods.WatchPodsEvent
	for _, name := range slices.Sorted(maps.Keys(p.alive)) {
		all = append(all, p.event(name, pods.EventType_ADDED))
	}
	p.kubelet.Known(all...)
}

func (p *player) event(name string, kind pods.EventType) *pods.WatchPodsEvent {
	pod, err := podOf(name, p.pods[name])
	require.NoError(p.t, err)
	p.names[string(pod.UID)] = name
	data, err := pod.Marshal()
	require.NoError(p.t, err)
	return &pods.WatchPodsEvent{Type: kind, Pod: data}
}

// tell patches a pod's object and sends it: null patches nothing, "gone" is the
// end of it.
func (p *player) tell(name string, what any) {
	p.t.Helper()
	kind := pods.EventType_MODIFIED
	switch patch := what.(type) {
	case nil:
	case map[string]any:
		p.pods[name] = patched(p.pods[name], patch)
	default:
		require.Equal(p.t, "gone", what, name)
		kind = pods.EventType_DELETED
	}
	p.kubelet.Send(p.event(name, kind))
	if kind == pods.EventType_DELETED {
		delete(p.alive, name)
	} else {
		p.alive[name] = true
	}
	p.known()
}

// caughtUp waits until the receiver watches and has taken all that it was told:
// it counts a message that is no pod's, which is sent last.
func (p *player) caughtUp() {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		_, err := p.devices.Allocatable(p.t.Context())
		return err == nil && p.kubelet.Watchers() == 1
	}, wait, tick, "the kubelet and its watcher")
	p.noises++
	p.kubelet.Send(&pods.WatchPodsEvent{Type: pods.EventType_MODIFIED, Pod: []byte("no pod")})
	require.Eventually(p.t, func() bool { return p.own.read(0).MessagesRefused >= p.noises }, wait, tick)
}

// lost waits until the receiver knows that its watch has ended.
func (p *player) lost() {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		up, known := p.own.read(0).SourceUp[sourcePodsAPI]
		return known && !up && p.kubelet.Watchers() == 0
	}, wait, tick)
}

// answers sets what the kubelet answers from now on.
func (p *player) answers(s *step) {
	p.t.Helper()
	if s.Offer != nil {
		var offered []*podresources.ContainerDevices
		for _, line := range s.Offer {
			d, err := deviceOf(line)
			require.NoError(p.t, err)
			offered = append(offered, d)
		}
		p.kubelet.Offer(offered...)
	}
	lists := s.Lists
	if s.List != nil {
		lists = append(lists, *s.List)
	}
	var turn []*podresources.ListPodResourcesResponse
	for _, l := range lists {
		answer, err := answerOf(l, s.Bytes)
		require.NoError(p.t, err)
		turn = append(turn, answer)
	}
	if len(turn) > 0 {
		p.kubelet.AnswerInTurn(turn...)
	}
	if s.ListFails != "" {
		reason, err := failure(s.ListFails)
		require.NoError(p.t, err)
		p.kubelet.Answer(nil, reason.Err())
	}
}

func must(at gpu.Time, err error) int64 {
	if err != nil {
		return -1
	}
	return int64(at)
}
