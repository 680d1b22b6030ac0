// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Observe takes what a pod's status says, which arrived at a time, on a stream
// or in a list. holds reports whether a container holds a device: only its
// restarts are attempts.
func (m *Milestones) Observe(p *Pod, at gpu.Time, streamed bool, holds func(container string) bool) {
	o := observation{m, p, at, streamed, holds}
	m.latch(gpu.Created, 0, "", Mark{p.Created, SourceAPI, Resolution})
	if p.Scheduled.True {
		m.latch(gpu.Scheduled, 0, "", Mark{p.Scheduled.At, SourceAPI, Resolution})
	}
	if p.Started != gpu.NoTime {
		m.latch(gpu.Admitted, 0, "", p.Admission())
	}
	for i := range p.Containers {
		o.container(&p.Containers[i])
	}
	if p.SandboxReady.True { // the newest one's: if it is after a start, it isn't that of attempt 0
		m.latch(gpu.SandboxReady, 0, "", o.narrow(p.SandboxReady.At))
	}
	o.ready()
	o.end()
}

// observation is one call of Observe.
type observation struct {
	*Milestones
	pod      *Pod
	at       gpu.Time
	streamed bool
	holds    func(container string) bool
}

func (o *observation) narrow(second gpu.Time) Mark {
	if second == gpu.NoTime {
		return Mark{}
	}
	return Narrow(second, o.at, o.streamed)
}

func (o *observation) container(c *Container) {
	if c.Init && !c.Sidecar {
		o.latch(gpu.InitStarted, 0, c.Name, o.narrow(c.Run.Started))
		if !c.Run.Running && c.Run.ExitCode == 0 {
			o.latch(gpu.InitFinished, 0, c.Name, o.narrow(c.Run.Finished))
		}
		return
	}
	newest := c.Run
	if newest == (Run{}) { // waits: the last run is the one before, its number hasn't changed
		newest = c.Before
	} else if c.Before != (Run{}) && c.Restarts > 0 {
		o.run(c, c.Before, c.Restarts-1)
		o.backoff(c, c.Before.Finished, c.Restarts)
	}
	if newest != (Run{}) {
		o.run(c, newest, c.Restarts)
	}
	o.delay(c, newest)
}

// run latches the start of a container. Of one that holds no device only the
// first start says something of the pod.
func (o *observation) run(c *Container, r Run, attempt int) {
	if attempt == 0 || o.holds(c.Name) {
		o.latch(gpu.ContainerStarted, attempt, c.Name, o.narrow(r.Started))
	}
}

func (o *observation) backoff(c *Container, finished gpu.Time, attempt int) {
	if finished != gpu.NoTime && o.holds(c.Name) {
		o.latch(gpu.BackoffStarted, attempt, c.Name, o.narrow(finished))
	}
}

// delay latches what keeps a container that doesn't run from starting. The
// number is that of the attempt that is delayed.
func (o *observation) delay(c *Container, last Run) {
	switch {
	case last.Running || !o.holds(c.Name):
	case c.Waiting == "ErrImagePull" || c.Waiting == "ImagePullBackOff":
		attempt := c.Restarts
		if last != (Run{}) {
			attempt++
		}
		o.undated(gpu.BackoffStarted, attempt, c.Name, last.Finished)
	case c.Waiting == "CrashLoopBackOff", c.Waiting == "" && o.pod.restarts(c):
		o.backoff(c, last.Finished, c.Restarts+1)
	}
}

// ready latches the first time that an attempt was ready. A pod's condition
// changes with every flap: later ones are no news.
func (o *observation) ready() {
	if !o.pod.Ready.True {
		return
	}
	attempt, probed, known := 0, false, false
	for i := range o.pod.Containers {
		c := &o.pod.Containers[i]
		if c.Init && !c.Sidecar || !o.holds(c.Name) {
			continue
		}
		known = true
		attempt = max(attempt, c.Restarts)
		probed = probed || c.Probed
		if c.Run.Started > o.pod.Ready.At {
			return // the condition is that of the run before
		}
	}
	if !known {
		return
	}
	mark := o.narrow(o.pod.Ready.At)
	mark.Source = SourceNone
	if probed {
		mark.Source = gpu.SourceProbe
	}
	o.latch(gpu.Ready, attempt, "", mark)
}

// end latches what says that the pod stops. That containers finished is said
// only when none will start again. The kubelet that evicts a pod calls it failed
// before it stops the containers: until then it hasn't.
func (o *observation) end() {
	p := o.pod
	if p.DeletionAsked != gpu.NoTime {
		o.latch(gpu.DeletionRequested, 0, "", Mark{p.DeletionAsked, SourceAPI, Resolution})
	}
	finished := p.Released()
	if finished != gpu.NoTime && (p.Terminal() || p.DeletionAsked != gpu.NoTime && o.allEnded()) {
		o.latch(gpu.ContainersFinished, 0, "", o.narrow(finished))
	}
	if p.Phase == Failed && !slices.ContainsFunc(p.Containers, func(c Container) bool { return c.Run.Running }) {
		if finished == gpu.NoTime {
			o.undated(gpu.Failed, 0, "", gpu.NoTime)
		}
		o.latch(gpu.Failed, 0, "", o.narrow(finished))
	}
}

// undated latches what a status doesn't date: once, at the first news of it. In
// a list they may be as old as what came before: after, if it is known, or the
// pod's admission.
func (o *observation) undated(name gpu.MilestoneName, attempt int, container string, after gpu.Time) {
	if _, known := o.marks[markKey{name, attempt, container}]; known {
		return
	}
	mark := Mark{o.at, SourceWatch, Resolution}
	if !o.streamed {
		after = max(after, o.pod.Created, o.pod.Admission().At)
		mark.Uncertainty = max(Resolution, o.at.Sub(after))
	}
	o.latch(name, attempt, container, mark)
}

// allEnded reports whether every container that ever ran has ended, and one of
// the main ones did.
func (o *observation) allEnded() bool {
	ended := false
	for i := range o.pod.Containers {
		c := &o.pod.Containers[i]
		if c.Run.Running {
			return false
		}
		ended = ended || !c.Init && c.Run.Finished != gpu.NoTime
	}
	return ended
}
