// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"slices"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Resolution is that of every time in a Kubernetes object: they are whole
// seconds, rounded down.
const Resolution = time.Second

// Pod is a pod as one source told of it at one time. Times are gpu.NoTime if
// they aren't set; all but Seen are whole seconds.
type Pod struct {
	UID         string
	Namespace   string
	Name        string
	Node        string
	IP          string
	Labels      map[string]string
	Annotations map[string]string
	Owner       Owner // the controller, zero if there is none
	// SchedulingGroup is the PodGroup of the pod, which the scheduler places as one.
	SchedulingGroup string

	Phase   Phase
	Reason  string
	Created gpu.Time
	Started gpu.Time // status.startTime: the kubelet acknowledged it
	// Seen is when the kubelet first saw the pod, to the nanosecond; a restart
	// of the kubelet sets it anew. Only the kubelet's own sources tell.
	Seen gpu.Time
	// DeletionAsked is deletionTimestamp less the grace period.
	DeletionAsked gpu.Time
	Forced        bool // deleted with a grace period of 0
	RestartPolicy RestartPolicy

	Scheduled    Condition
	SandboxReady Condition
	Ready        Condition

	// Extended is the claim that serves its extended resources, "" if device
	// plugins do.
	Extended string

	Containers []Container // init containers first, in their order
	Volumes    []Volume
}

// Phase is a pod's phase.
type Phase string

// The phases that matter.
const (
	Pending   Phase = "Pending"
	Running   Phase = "Running"
	Succeeded Phase = "Succeeded"
	Failed    Phase = "Failed"
)

// RestartPolicy says which containers start again.
type RestartPolicy string

// The restart policies.
const (
	RestartAlways    RestartPolicy = "Always"
	RestartOnFailure RestartPolicy = "OnFailure"
	RestartNever     RestartPolicy = "Never"
)

// Owner is the controller of an object.
type Owner struct {
	Group string // of the API, "" for the core one
	Kind  string
	Name  string
	UID   string
}

// Condition is a condition of a pod and when it last changed.
type Condition struct {
	True bool
	At   gpu.Time
}

// Container is a container of a pod with its state.
type Container struct {
	Name    string
	Init    bool // runs before the others, and ends
	Sidecar bool // an init container that goes on running
	Probed  bool // has a readiness or startup probe: ready says something
	Image   string
	// Requests are the extended resources that it asks for, by name.
	Requests map[string]int64
	Claims   []Claim // that it uses
	Devices  []Device
	Mounts   []Mount // of Pod.Volumes

	Restarts int
	Waiting  string // reason, "" if it doesn't wait
	Run      Run    // the run that is on or was the last
	Before   Run    // the run before that
}

// Device is a device that the pod's status says a container has.
type Device struct {
	Resource, ID string
	Unhealthy    bool
}

// Run is one run of a container.
type Run struct {
	Started, Finished gpu.Time
	Running           bool
	ExitCode          int
}

// Terminal reports whether no container of the pod will start again. Some may
// still run: of a pod that it evicts, the kubelet says so before it stops them.
func (p *Pod) Terminal() bool { return p.Phase == Succeeded || p.Phase == Failed }

// Over reports whether the pod is terminal and no container of it runs: then its
// devices are free.
func (p *Pod) Over() bool {
	return p.Terminal() && !slices.ContainsFunc(p.Containers, func(c Container) bool { return c.Run.Running })
}

// Ran reports whether a container of the pod ever ran.
func (p *Pod) Ran() bool {
	return slices.ContainsFunc(p.Containers, func(c Container) bool {
		return c.Run.Started != gpu.NoTime || c.Run.Finished != gpu.NoTime || c.Before.Started != gpu.NoTime
	})
}

// Key is the pod's namespace and name.
func (p *Pod) Key() Key { return Key{p.Namespace, p.Name} }

// Key names a pod. Another pod can have the same name later.
type Key struct{ Namespace, Name string }

// Ref names one pod.
type Ref struct {
	Key
	UID string
}

// Container returns the container with that name, or nil.
func (p *Pod) Container(name string) *Container {
	i := slices.IndexFunc(p.Containers, func(c Container) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Containers[i]
}

// Finished returns when the last container finished, NoTime if one runs or none
// ever ran.
func (p *Pod) Finished() gpu.Time {
	last := gpu.NoTime
	for i := range p.Containers {
		run := p.Containers[i].Run
		if run.Running {
			return gpu.NoTime
		}
		last = max(last, run.Finished)
	}
	return last
}

// Released returns when the pod let go of its devices: when its last container
// finished. One that waited to start, again or at all, holds them until it is
// deleted; NoTime if the status doesn't tell.
func (p *Pod) Released() gpu.Time {
	finished := p.Finished()
	switch {
	case finished == gpu.NoTime, p.DeletionAsked != gpu.NoTime && p.DeletionAsked <= finished:
		return finished
	case p.waits(): // what finished before it says nothing
		return p.DeletionAsked
	case p.DeletionAsked == gpu.NoTime:
		return finished
	}
	for i := range p.Containers {
		c := &p.Containers[i]
		again := p.RestartPolicy == RestartAlways || p.RestartPolicy == RestartOnFailure && c.Run.ExitCode != 0
		if again && !c.Init {
			return p.DeletionAsked
		}
	}
	return finished
}

// waits reports whether a main container waits to start. It never will once an
// init container failed that isn't started again.
func (p *Pod) waits() bool {
	waits := false
	for i := range p.Containers {
		c := &p.Containers[i]
		if c.Init && c.Run.ExitCode != 0 && !c.Sidecar && p.RestartPolicy == RestartNever {
			return false
		}
		waits = waits || !c.Init && c.Run.Finished == gpu.NoTime
	}
	return waits
}

// Admission returns when the kubelet gave the pod its devices, who says so and
// how uncertain that is: the true time is in (at − u, at] if the source is a
// stream, else in [at, at + u).
func (p *Pod) Admission() Mark {
	switch {
	// The kubelet sets startTime right after it saw the pod. A later Seen is that
	// of a kubelet that started again.
	case p.Seen != gpu.NoTime && p.Started != gpu.NoTime && p.Seen < p.Started.Add(Resolution):
		return Mark{p.Seen, SourceKubelet, 0}
	case p.Scheduled.True:
		return Mark{p.Scheduled.At, SourceStatus, Resolution}
	case p.Started != gpu.NoTime:
		return Mark{p.Started, SourceStatus, Resolution}
	case p.Seen != gpu.NoTime:
		return Mark{p.Seen, SourceKubelet, Resolution}
	}
	return Mark{}
}

// restarts reports whether the container will start again, as far as its last
// exit tells.
func (p *Pod) restarts(c *Container) bool {
	switch {
	case p.Terminal() || p.DeletionAsked != gpu.NoTime || c.Init && !c.Sidecar:
		return false
	case c.Sidecar:
		return true
	}
	return p.RestartPolicy == RestartAlways || p.RestartPolicy == RestartOnFailure && c.Run.ExitCode != 0
}
