// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

const origin = gpu.Earliest + 1000*gpu.Time(time.Second)

// at returns the time s seconds after origin.
func at(s float64) gpu.Time { return origin + gpu.Time(s*1e9) }

func holdsAll(string) bool { return true }

func observe(m *Milestones, p *Pod, when float64) { m.Observe(p, at(when), true, holdsAll) }

func named(m *Milestones, name gpu.MilestoneName) []Milestone {
	var found []Milestone
	for _, s := range m.All() {
		if s.Name == name {
			found = append(found, s)
		}
	}
	return found
}

// TestCrashLoop: attempts are numbered by the starts of the container; a
// back-off has the number of the attempt that it delays.
func TestCrashLoop(t *testing.T) {
	m := &Milestones{}
	p := &Pod{Phase: Running, RestartPolicy: RestartAlways, Containers: []Container{{Name: "c"}}}
	c := &p.Containers[0]
	c.Run = Run{Started: at(1), Running: true}
	observe(m, p, 1.2)
	c.Run = Run{Started: at(1), Finished: at(5), ExitCode: 1}
	observe(m, p, 5.1)
	c.Before, c.Run, c.Waiting = c.Run, Run{}, "CrashLoopBackOff"
	observe(m, p, 5.4)
	require.Empty(t, named(m, gpu.ContainersFinished), "it will start again")
	// The news of the second run come with those of its end.
	c.Restarts, c.Before, c.Run, c.Waiting = 1, Run{Started: at(15), Finished: at(20), ExitCode: 1}, Run{}, "CrashLoopBackOff"
	observe(m, p, 21)
	// Of the third, only that a fourth runs.
	c.Restarts, c.Before, c.Run, c.Waiting = 3, Run{Started: at(60), Finished: at(70)}, Run{Started: at(150), Running: true}, ""
	p.Ready = Condition{true, at(151)}
	observe(m, p, 151.5)

	var got []string
	for _, s := range m.All() {
		got = append(got, string(s.Name), s.At.Sub(origin).String())
		require.Equal(t, map[string]int{"1.2s": 0, "5.1s": 1, "15s": 1, "20s": 2, "1m0s": 2, "1m10s": 3, "2m30s": 3, "2m31.5s": 3}[s.At.Sub(origin).String()], s.Attempt, s)
	}
	require.Equal(t, []string{
		"container_started", "1.2s", "backoff_started", "5.1s", "container_started", "15s", "backoff_started", "20s",
		"container_started", "1m0s", "backoff_started", "1m10s", "container_started", "2m30s", "ready", "2m31.5s",
	}, got)
}

// TestDeletedInBackOff: a container that waits to start again holds its device
// until the pod is deleted, not until its last run ended.
func TestDeletedInBackOff(t *testing.T) {
	for policy, want := range map[RestartPolicy]float64{RestartAlways: 47.8, RestartNever: 40} {
		m := &Milestones{}
		p := &Pod{
			Phase: Succeeded, RestartPolicy: policy, DeletionAsked: at(47),
			Containers: []Container{{Name: "c", Restarts: 2, Run: Run{Started: at(38), Finished: at(40)}}},
		}
		observe(m, p, 47.8)
		require.Equal(t, at(want), named(m, gpu.ContainersFinished)[0].At, policy)
	}
}

// TestOthersRestartsAreNoAttempts: only the container that holds the device
// numbers attempts.
func TestOthersRestartsAreNoAttempts(t *testing.T) {
	m := &Milestones{}
	p := &Pod{Phase: Running, RestartPolicy: RestartAlways, Containers: []Container{
		{Name: "logger", Restarts: 4, Before: Run{Started: at(20), Finished: at(21)}, Run: Run{Started: at(30), Running: true}},
		{Name: "main", Run: Run{Started: at(2), Running: true}, Probed: true},
	}, Ready: Condition{true, at(31)}}
	m.Observe(p, at(31.5), true, func(name string) bool { return name == "main" })
	require.Len(t, m.All(), 2)
	require.Equal(t, gpu.SourceProbe, named(m, gpu.Ready)[0].Source)
	require.Zero(t, named(m, gpu.Ready)[0].Attempt)
}

// TestReadyIsLatched: a flap moves the condition's time, ten days later.
func TestReadyIsLatched(t *testing.T) {
	m := &Milestones{}
	p := &Pod{Phase: Running, Containers: []Container{{Name: "c", Run: Run{Started: at(1), Running: true}}}}
	p.Ready = Condition{true, at(3)}
	observe(m, p, 3.5)
	p.Ready = Condition{false, at(500)}
	observe(m, p, 500)
	p.Ready = Condition{true, at(864_000)}
	observe(m, p, 864_000)
	require.Equal(t, at(3.5), named(m, gpu.Ready)[0].At)
}

// TestReadyOfTheRunBefore: after a restart the condition still says True for a
// moment.
func TestReadyOfTheRunBefore(t *testing.T) {
	m := &Milestones{}
	p := &Pod{Phase: Running, Containers: []Container{{Name: "c", Restarts: 1, Run: Run{Started: at(10), Running: true}}}}
	p.Ready = Condition{true, at(3)}
	observe(m, p, 10.5)
	require.Empty(t, named(m, gpu.Ready))
}

// TestNoNegativeStages: whole seconds and nanoseconds are mixed, and the clocks
// of two machines.
func TestNoNegativeStages(t *testing.T) {
	m := &Milestones{}
	p := &Pod{
		Created: at(5), Scheduled: Condition{true, at(5)}, Seen: at(4.4), Started: at(4), // the node's clock is behind
		SandboxReady: Condition{true, at(5)}, Containers: []Container{{Name: "c", Run: Run{Started: at(5), Running: true}}},
	}
	m.Observe(p, at(7), false, holdsAll)
	require.Equal(t, Mark{at(5), SourceKubelet, 600 * time.Millisecond}, named(m, gpu.Admitted)[0].Mark)
	m.ObserveEvent(&Event{
		Name: "p." + hex(at(5.6)), Reason: "Started", FieldPath: "spec.containers{c}", First: at(5),
	})
	p.Ready = Condition{true, at(5)}
	m.Observe(p, at(7), false, holdsAll)
	require.Equal(t, Mark{at(5.6), SourceNone, time.Second}, named(m, gpu.Ready)[0].Mark)
}

// TestReboot: the agent sees a pod first after its node started again. The
// sandbox is a new one; the first start was a day before.
func TestReboot(t *testing.T) {
	const day = 86_400
	m := &Milestones{}
	p := &Pod{
		Phase: Running, RestartPolicy: RestartAlways, Created: at(0), Started: at(1), Scheduled: Condition{true, at(0)},
		SandboxReady: Condition{true, at(day + 5)}, Containers: []Container{{
			Name: "c", Restarts: 1, Before: Run{Started: at(20), Finished: at(day - 10), ExitCode: 255}, Run: Run{Started: at(day + 8), Running: true},
		}},
	}
	m.Observe(p, at(day+60), false, holdsAll)
	require.Empty(t, named(m, gpu.SandboxReady), "nobody knows when the first was")
	starts := named(m, gpu.ContainerStarted)
	require.Equal(t, Mark{at(20), SourceStatus, Resolution}, starts[0].Mark)
	require.Equal(t, Mark{at(day + 8), SourceStatus, Resolution}, starts[1].Mark)
	require.Equal(t, 1, m.Conflicts)
}

// TestOutOfOrder: a little is moved, and the distance told; more is dropped.
func TestOutOfOrder(t *testing.T) {
	for late, want := range map[float64][]Mark{26: {{at(20), SourceStatus, 6 * time.Second}}, 27: nil} {
		m := &Milestones{}
		p := &Pod{SandboxReady: Condition{true, at(late)}, Containers: []Container{{Name: "c", Run: Run{Started: at(20), Running: true}}}}
		m.Observe(p, at(40), false, holdsAll)
		var got []Mark
		for _, s := range named(m, gpu.SandboxReady) {
			got = append(got, s.Mark)
		}
		require.Equal(t, want, got, late)
	}
}

// TestRejectedPod fails without a start (UnexpectedAdmissionError).
func TestRejectedPod(t *testing.T) {
	m := &Milestones{}
	p := &Pod{Phase: Failed, Reason: "UnexpectedAdmissionError", Scheduled: Condition{true, at(1)}, Started: at(1), Containers: []Container{{Name: "c"}}}
	observe(m, p, 1.3)
	require.Len(t, named(m, gpu.Failed), 1)
	require.Empty(t, named(m, gpu.ContainersFinished))
	require.Empty(t, named(m, gpu.ContainerStarted))
}

// TestEvicted: the kubelet calls a pod failed before it stops its containers.
func TestEvicted(t *testing.T) {
	m := &Milestones{}
	p := &Pod{Phase: Failed, Reason: "Evicted", RestartPolicy: RestartAlways, Containers: []Container{{Name: "c", Run: Run{Started: at(1), Running: true}}}}
	observe(m, p, 15)
	require.Empty(t, named(m, gpu.Failed))
	require.Empty(t, named(m, gpu.ContainersFinished))
	p.Containers[0].Run = Run{Started: at(1), Finished: at(45), ExitCode: 137}
	observe(m, p, 45.2)
	require.Equal(t, at(45.2), named(m, gpu.ContainersFinished)[0].At)
	require.Equal(t, at(45.2), named(m, gpu.Failed)[0].At)
}

func TestImagePullBackOff(t *testing.T) {
	m := &Milestones{}
	p := &Pod{Phase: Pending, Containers: []Container{{Name: "c", Waiting: "ErrImagePull"}}}
	observe(m, p, 3)
	p.Containers[0].Waiting = "ImagePullBackOff"
	observe(m, p, 9)
	require.Equal(t, []Milestone{{gpu.BackoffStarted, 0, "c", Mark{at(3), SourceWatch, time.Second}}}, m.All())
}

// TestUndatedInAList: what the agent finds when it starts may be as old as what
// came before. Later news of it say no better when it began.
func TestUndatedInAList(t *testing.T) {
	pulls := Container{Name: "c", Waiting: "ImagePullBackOff"}
	again := Container{Name: "c", Waiting: "ImagePullBackOff", Before: Run{Started: at(5), Finished: at(7000), ExitCode: 1}}
	for _, c := range []struct {
		pod  Pod
		want Milestone
	}{
		{Pod{Phase: Pending, Containers: []Container{pulls}}, Milestone{gpu.BackoffStarted, 0, "c", Mark{at(7200), SourceWatch, 7199 * time.Second}}},
		{Pod{Phase: Running, Containers: []Container{again}}, Milestone{gpu.BackoffStarted, 1, "c", Mark{at(7200), SourceWatch, 200 * time.Second}}},
		{Pod{Phase: Failed}, Milestone{gpu.Failed, 0, "", Mark{at(7200), SourceWatch, 7199 * time.Second}}},
	} {
		m := &Milestones{}
		c.pod.Created, c.pod.Started, c.pod.Scheduled = at(0), at(1), Condition{true, at(1)}
		m.Observe(&c.pod, at(7200), false, holdsAll)
		require.Equal(t, []Milestone{c.want}, named(m, c.want.Name))
		observe(m, &c.pod, 7300)
		require.Equal(t, []Milestone{c.want}, named(m, c.want.Name))
	}
}

func TestDue(t *testing.T) {
	m := &Milestones{}
	p := &Pod{
		Phase: Running, Created: at(0), RestartPolicy: RestartAlways,
		Containers: []Container{{Name: "c", Probed: true, Run: Run{Started: at(1), Running: true}}}, Ready: Condition{true, at(2)},
	}
	observe(m, p, 2)
	require.Len(t, m.Due(at(30)), 3)
	require.Equal(t, named(m, gpu.Ready), m.Due(at(63)))
	p.DeletionAsked = at(80)
	observe(m, p, 80)
	require.Len(t, m.Due(at(90)), 2)
	p.DeletionAsked = gpu.NoTime
	c := &p.Containers[0]
	c.Restarts, c.Before, c.Run = 1, Run{Started: at(1), Finished: at(100)}, Run{Started: at(110), Running: true}
	observe(m, p, 110.5)
	require.Greater(t, len(m.Due(at(111))), 4, "a new attempt is a new start")
}

// TestPropMilestones: whatever order news come in, a stage has no negative
// length and what was told stays within its uncertainty.
func TestPropMilestones(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &Milestones{}
		known := map[markKey]Mark{}
		for range rapid.IntRange(1, 12).Draw(t, "news") {
			m.Observe(drawPod(t), drawTime(t, "arrival"), rapid.Bool().Draw(t, "streamed"), holdsAll)
			for key, mark := range m.marks {
				if old, ok := known[key]; ok && apart(old, mark) {
					t.Fatalf("%v was %v, is %v", key, old, mark)
				}
				known[key] = mark
			}
		}
		for a, first := range m.marks {
			for b, second := range m.marks {
				if precedes(a, b) && first.At > second.At {
					t.Fatalf("%v at %v comes before %v at %v", a, first.At, b, second.At)
				}
			}
		}
	})
}

func drawTime(t *rapid.T, what string) gpu.Time {
	return at(float64(rapid.IntRange(0, 600).Draw(t, what)) / 10)
}

func drawSecond(t *rapid.T, what string) gpu.Time {
	return at(float64(rapid.IntRange(0, 60).Draw(t, what)))
}

func drawPod(t *rapid.T) *Pod {
	p := &Pod{
		Phase: rapid.SampledFrom([]Phase{Pending, Running, Succeeded, Failed}).Draw(t, "phase"), RestartPolicy: RestartAlways,
		Created: drawSecond(t, "created"), Started: drawSecond(t, "started"), Seen: drawTime(t, "seen"),
		Scheduled:    Condition{rapid.Bool().Draw(t, "scheduled"), drawSecond(t, "scheduled at")},
		SandboxReady: Condition{rapid.Bool().Draw(t, "sandbox"), drawSecond(t, "sandbox at")},
		Ready:        Condition{rapid.Bool().Draw(t, "ready"), drawSecond(t, "ready at")},
	}
	for _, name := range []string{"init", "main", "side"} {
		c := Container{Name: name, Init: name == "init", Restarts: rapid.IntRange(0, 3).Draw(t, "restarts")}
		for _, r := range []*Run{&c.Before, &c.Run} {
			if rapid.Bool().Draw(t, "ran") {
				*r = Run{Started: drawSecond(t, "run"), Finished: drawSecond(t, "end"), ExitCode: rapid.IntRange(0, 1).Draw(t, "code")}
			}
		}
		p.Containers = append(p.Containers, c)
	}
	return p
}
