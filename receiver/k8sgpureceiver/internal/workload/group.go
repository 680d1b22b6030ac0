// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"cmp"
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// workLabels name pods that work as one, from the tools that make them. The
// second is a part of the first: a replica of a LeaderWorkerSet serves alone.
var workLabels = [][2]string{
	{"leaderworkerset.sigs.k8s.io/name", "leaderworkerset.sigs.k8s.io/group-index"},
	{"jobset.sigs.k8s.io/jobset-name", ""}, // Kubeflow's TrainJob as well
	{"training.kubeflow.org/job-name", ""}, // Kubeflow's other jobs
	{"mpi-job-name", ""},                   // MPIJob, before Kubeflow's labels
	{"ray.io/cluster", ""},
	{"volcano.sh/job-name", ""},
}

// gangLabels name pods that a scheduler places together.
var gangLabels = []string{
	"kueue.x-k8s.io/pod-group-name",
	"pod-group.scheduling.sigs.k8s.io/name", "scheduling.x-k8s.io/pod-group", // coscheduling
	"pod-group.scheduling.sigs.k8s.io", // Koordinator
}

// gangAnnotations do as well, but their schedulers group whatever they place:
// the pods of each Job, and each pod that has no owner.
var gangAnnotations = []string{
	"scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name", // Volcano
	"pod-group-name", // KAI
}

// group returns the key of the pods that work as one, "" if this one works for
// itself: "namespace/name".
func (r *Rules) group(p *pod.Pod, top pod.Owner) string {
	name := cmp.Or(told(p, r.GroupLabel), workGroup(p), gang(p, top), index(p, top))
	if name == "" {
		return ""
	}
	return p.Namespace + "/" + name
}

func workGroup(p *pod.Pod) string {
	for _, l := range workLabels {
		if name := p.Labels[l[0]]; name != "" {
			if part := p.Labels[l[1]]; part != "" {
				name += "-" + part
			}
			return name
		}
	}
	return ""
}

// replicated are kinds whose pods each serve alone, though a scheduler may place
// them together.
var replicated = []string{"Deployment", "ReplicaSet", "StatefulSet"}

// gang returns the group of pods that a scheduler places together: those work as
// one, unless they are replicas.
func gang(p *pod.Pod, top pod.Owner) string {
	if slices.Contains(replicated, p.Owner.Kind) || slices.Contains(replicated, top.Kind) {
		return ""
	}
	if p.SchedulingGroup != "" {
		return p.SchedulingGroup
	}
	for _, l := range gangLabels {
		if name := p.Labels[l]; name != "" {
			return name
		}
	}
	for _, a := range gangAnnotations {
		name := p.Annotations[a]
		own := p.UID != "" && strings.Contains(name, p.UID)
		if name != "" && !own && p.Owner.Kind != "Job" {
			return name
		}
	}
	return ""
}

// index returns the name of the Indexed Job of a pod: its pods know each other
// by their index.
func index(p *pod.Pod, top pod.Owner) string {
	if p.Annotations["batch.kubernetes.io/job-completion-index"] == "" {
		return ""
	}
	return cmp.Or(p.Labels["batch.kubernetes.io/job-name"], p.Labels["job-name"], top.Name)
}
