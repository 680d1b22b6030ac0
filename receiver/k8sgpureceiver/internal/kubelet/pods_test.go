// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	pods "k8s.io/kubelet/pkg/apis/pods/v1alpha1"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelettest"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// notes is a sink that writes down what it is told.
type notes struct {
	mu   sync.Mutex
	text []string
}

func (n *notes) add(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	text := fmt.Sprintf(format, args...)
	if len(n.text) == 0 || n.text[len(n.text)-1] != text { // a socket is tried many times
		n.text = append(n.text, text)
	}
}

func (n *notes) Resync()           { n.add("resync") }
func (n *notes) Pod(p *pod.Pod)    { n.add("pod %s %s", p.UID, p.Phase) }
func (n *notes) Gone(uid string)   { n.add("gone %s", uid) }
func (n *notes) Missed(uid string) { n.add("missed %s", uid) }
func (n *notes) Synced()           { n.add("synced") }
func (n *notes) Lost(err error)    { n.add("lost: %s", ReasonOf(err)) }
func (n *notes) Refused(err error) { n.add("refused: %s", ReasonOf(err)) }

// eventually waits until the notes end so.
func (n *notes) eventually(t *testing.T, want ...string) {
	t.Helper()
	require.Eventually(t, func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		if len(n.text) < len(want) {
			return false
		}
		for i, text := range n.text[len(n.text)-len(want):] {
			if text != want[i] {
				return false
			}
		}
		return true
	}, wait, tick, "want %q", want)
}

func event(t *testing.T, kind pods.EventType, uid string, phase corev1.PodPhase) *pods.WatchPodsEvent {
	t.Helper()
	p := corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid), Name: uid}, Status: corev1.PodStatus{Phase: phase}}
	data, err := p.Marshal()
	require.NoError(t, err)
	return &pods.WatchPodsEvent{Type: kind, Pod: data}
}

// TestWatchPods through restarts of the kubelet, as one was recorded: the watch
// is closed, nobody listens, the kubelet has no pods yet, all pods follow anew.
func TestWatchPods(t *testing.T) {
	was := Retry
	Retry = Backoff{time.Millisecond, 10 * time.Millisecond}
	defer func() { Retry = was }()
	k := kubelettest.New(t)
	k.Known(event(t, pods.EventType_ADDED, "a", corev1.PodRunning))
	w, err := NewPods(k.Socket)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	sink, done := &notes{}, make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx, sink)
	}()
	sink.eventually(t, "lost: away")
	k.Start(t)
	sink.eventually(t, "resync", "pod a Running", "synced")
	k.Send(event(t, pods.EventType_ADDED, "b", corev1.PodPending))
	k.Send(event(t, pods.EventType_MODIFIED, "b", corev1.PodSucceeded))
	k.Send(&pods.WatchPodsEvent{Type: pods.EventType_MODIFIED, Pod: []byte{0xff}})
	k.Send(&pods.WatchPodsEvent{Type: pods.EventType_MODIFIED})
	k.Send(event(t, pods.EventType_DELETED, "b", ""))
	sink.eventually(t, "synced", "pod b Pending", "pod b Succeeded", "refused: undecodable", "gone b")
	k.Stop()
	sink.eventually(t, "lost: away")
	k.Refuse(status.Error(codes.FailedPrecondition, "Kubelet is initializing"))
	k.Start(t)
	sink.eventually(t, "lost: not_ready")
	k.Known()
	k.Refuse(nil)
	sink.eventually(t, "resync", "synced")
	stop()
	<-done
	require.NoError(t, w.Close())
}

func TestBackoffGrowsToItsLimit(t *testing.T) {
	b, d := Backoff{First: 2, Most: 9}, time.Duration(0)
	var got []time.Duration
	for range 5 {
		d = b.next(d)
		got = append(got, d)
	}
	require.Equal(t, []time.Duration{2, 4, 8, 9, 9}, got)
}
