// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/podtest"
)

// follow returns the milestones of a recorded pod, whose container holds a
// device.
func follow(steps []podtest.Step, name, holder string) *pod.Milestones {
	m := &pod.Milestones{}
	synced := false
	for _, s := range steps {
		synced = synced && s.Type != "STREAM_END" || s.Type == "INITIAL_SYNC_COMPLETE"
		if s.Pod == nil || s.Pod.Name != name || s.Type == "DELETED" {
			continue
		}
		p := pod.Read(s.Pod)
		m.Observe(&p, s.At, synced, func(c string) bool { return c == holder })
	}
	return m
}

func texts(milestones []pod.Milestone) []string {
	var out []string
	for _, s := range milestones {
		at := time.Unix(0, int64(s.At)).UTC().Format("15:04:05.000")
		out = append(out, fmt.Sprintf("%s %d %s %s %s %v", at, s.Attempt, s.Name, s.Container, s.Source, s.Uncertainty.Round(time.Millisecond)))
	}
	return out
}

// TestRecordedStart is a pod with an init container and a readiness probe, from
// its creation to its end, as a real kubelet told it.
func TestRecordedStart(t *testing.T) {
	m := follow(podtest.Life(t), "train-0", "trainer")
	require.Equal(t, []string{
		"12:34:35.000 0 created  api 1s",
		"12:34:35.000 0 scheduled  api 1s",
		"12:34:35.603 0 admitted  kubelet 0s",
		"12:34:36.033 0 sandbox_ready  watch 33ms",
		"12:34:36.109 0 init_started warmup watch 109ms",
		"12:34:40.738 0 init_finished warmup watch 739ms",
		"12:34:40.891 0 container_started sidecar-logger watch 892ms",
		"12:34:40.891 0 container_started trainer watch 892ms",
		"12:34:45.791 0 ready  probe 792ms",
		"12:34:46.000 0 deletion_requested  api 1s",
		"12:34:49.878 0 containers_finished  watch 878ms",
	}, texts(m.All()))
}

// TestEventsRefine: an event dates to the nanosecond what a status dates to the
// second.
func TestEventsRefine(t *testing.T) {
	m := follow(podtest.Life(t), "train-0", "trainer")
	podtest.Lines(t, "events.ndjson", func(line []byte) error {
		var e struct {
			Name, Reason, FieldPath, Message string
			First                            time.Time
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		m.ObserveEvent(&pod.Event{
			Name: e.Name, Reason: e.Reason, FieldPath: e.FieldPath, Message: e.Message, First: gpu.Time(e.First.UnixNano()),
		})
		return nil
	})
	got := texts(m.All())
	require.Contains(t, got, "12:34:36.104 0 init_started warmup event 0s")
	require.Contains(t, got, "12:34:40.820 0 container_started trainer event 0s")
	require.Contains(t, got, "12:34:45.791 0 ready  probe 792ms")
	require.Contains(t, got, "12:34:40.738 0 pull_finished trainer event 0s")
	require.NotContains(t, fmt.Sprint(got), "pull_started", "the image was present")
}

func TestRecordedFailure(t *testing.T) {
	m := follow(podtest.Life(t), "crash", "work")
	require.Equal(t, []string{
		"12:34:57.000 0 created  api 1s",
		"12:34:57.000 0 scheduled  api 1s",
		"12:34:57.282 0 admitted  kubelet 0s",
		"12:34:57.706 0 sandbox_ready  watch 707ms",
		"12:34:57.780 0 container_started work watch 780ms",
		"12:34:57.780 0 ready  none 780ms",
		"12:34:59.000 0 containers_finished  status 1s",
		"12:34:59.000 0 failed  status 1s",
	}, texts(m.All()), "the news of the end came 1.8 s after it")
}

// TestKubeletRestartIsNoNews: a kubelet that starts again sees the pod anew,
// and serves it as not ready.
func TestKubeletRestartIsNoNews(t *testing.T) {
	steps := podtest.Restart(t)
	var before []podtest.Step
	for _, s := range steps {
		if s.Type == "STREAM_END" {
			break
		}
		before = append(before, s)
	}
	require.Less(t, len(before), len(steps))
	const name = "shared-0"
	got := texts(follow(steps, name, "infer").All())
	require.Equal(t, texts(follow(before, name, "infer").All()), got[:6])
	require.Contains(t, got, "12:35:13.116 0 admitted  kubelet 0s")

	// One that was first seen after the restart takes the binding's second.
	after := follow(steps[len(before):], name, "infer")
	require.Contains(t, texts(after.All()), "12:35:13.000 0 admitted  status 1s")
}
