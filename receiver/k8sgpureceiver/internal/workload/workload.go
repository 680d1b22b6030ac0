// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"cmp"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// DefaultClassLabel is the label of a pod that says its class.
const DefaultClassLabel = "gpu.workload.class"

// DefaultGroupLabel is the label of a pod that says its group.
const DefaultGroupLabel = "gpu.workload.group"

// Rules say which labels decide.
type Rules struct {
	ClassLabel   string
	GroupLabel   string
	StorageLabel string
}

// Owners finds the controller of an object. It returns false if the object
// isn't known or has none.
type Owners func(of pod.Owner, namespace string) (pod.Owner, bool)

// deepest is more owners than any pod has above it; a chain may be a ring.
const deepest = 8

// Identify returns what a pod belongs to. Without access to the API only the
// pod's own owner is known: owners is nil.
func (r *Rules) Identify(p *pod.Pod, owners Owners) gpu.Workload {
	top := r.top(p, owners)
	w := gpu.Workload{Kind: top.Kind, Name: top.Name}
	if top.Kind == "" {
		w.Kind, w.Name = "Pod", p.Name
	}
	w.Class = r.class(p, top)
	w.Group = r.group(p, top)
	return w
}

func (r *Rules) top(p *pod.Pod, owners Owners) pod.Owner {
	top := p.Owner
	if owners != nil {
		for range deepest {
			next, ok := owners(top, p.Namespace)
			if !ok {
				break
			}
			top = next
		}
	}
	if top.Kind == "ReplicaSet" {
		return deployment(p, top)
	}
	return top
}

// deployment returns the Deployment of a ReplicaSet whose own owner isn't
// known: the Deployment's controller names it after itself and the hash that it
// also puts on the pods.
func deployment(p *pod.Pod, set pod.Owner) pod.Owner {
	hash := p.Labels["pod-template-hash"]
	name, ok := strings.CutSuffix(set.Name, "-"+hash)
	if hash == "" || !ok || name == "" {
		return set
	}
	return pod.Owner{Group: set.Group, Kind: "Deployment", Name: name}
}

var classes = map[string]gpu.Class{
	"Job": gpu.ClassBatch, "CronJob": gpu.ClassBatch, "JobSet": gpu.ClassBatch, "TrainJob": gpu.ClassBatch,
	"PyTorchJob": gpu.ClassBatch, "MPIJob": gpu.ClassBatch, "TFJob": gpu.ClassBatch, "XGBoostJob": gpu.ClassBatch,
	"PaddleJob": gpu.ClassBatch, "JAXJob": gpu.ClassBatch, "RayJob": gpu.ClassBatch, "Workflow": gpu.ClassBatch,
	"PipelineRun": gpu.ClassBatch, "TaskRun": gpu.ClassBatch, "SparkApplication": gpu.ClassBatch,
	"AppWrapper": gpu.ClassBatch,

	"Notebook": gpu.ClassInteractive, "Workspace": gpu.ClassInteractive,

	"Deployment": gpu.ClassInference, "ReplicaSet": gpu.ClassInference, "StatefulSet": gpu.ClassInference,
	"LeaderWorkerSet": gpu.ClassInference, "InferenceService": gpu.ClassInference, "RayService": gpu.ClassInference,
	"Service": gpu.ClassInference, "Configuration": gpu.ClassInference, "Revision": gpu.ClassInference, // Knative
	"DynamoGraphDeployment": gpu.ClassInference, "SeldonDeployment": gpu.ClassInference,
}

// class returns what kind of work a pod does: as its label says, else as its
// names and the kind of its owner let expect.
func (r *Rules) class(p *pod.Pod, top pod.Owner) gpu.Class {
	if c, ok := gpu.ParseClass(p.Labels[r.ClassLabel]); ok && r.ClassLabel != "" {
		return c
	}
	if isNotebook(p, top) {
		return gpu.ClassInteractive
	}
	return classes[top.Kind]
}

// isNotebook knows notebooks by what their own tools write: JupyterHub's pods
// have no owner, Kubeflow's StatefulSet may be all that is known.
func isNotebook(p *pod.Pod, top pod.Owner) bool {
	if p.Labels["component"] == "singleuser-server" || p.Labels["notebook-name"] != "" {
		return true
	}
	if classes[top.Kind] == gpu.ClassBatch {
		return false
	}
	names := []string{top.Name, p.Name}
	for i := range p.Containers {
		if !p.Containers[i].Init {
			names = append(names, p.Containers[i].Image)
		}
	}
	for _, name := range names {
		if strings.Contains(name, "jupyter") || strings.Contains(name, "notebook") {
			return true
		}
	}
	return false
}

// groupLabels name pods that work as one, from the tools that set them. The
// second is a part of the first: a replica of a LeaderWorkerSet serves alone.
var groupLabels = [][2]string{
	{"leaderworkerset.sigs.k8s.io/name", "leaderworkerset.sigs.k8s.io/group-index"},
	{"jobset.sigs.k8s.io/jobset-name", ""},
	{"training.kubeflow.org/job-name", ""},
	{"ray.io/cluster", ""},
	{"scheduling.x-k8s.io/pod-group", ""},
	{"volcano.sh/job-name", ""},
	{"pod-group.scheduling.sigs.k8s.io/name", ""},
}

// groupAnnotations are those that tell it instead.
var groupAnnotations = []string{"scheduling.k8s.io/group-name", "pod-group-name"}

// group returns the key of the pods that work as one, "" if this one works for
// itself: "namespace/name".
func (r *Rules) group(p *pod.Pod, top pod.Owner) string {
	if r.GroupLabel != "" && p.Labels[r.GroupLabel] != "" {
		return p.Namespace + "/" + p.Labels[r.GroupLabel]
	}
	for _, l := range groupLabels {
		if name := p.Labels[l[0]]; name != "" {
			if part := p.Labels[l[1]]; part != "" {
				name += "-" + part
			}
			return p.Namespace + "/" + name
		}
	}
	for _, a := range groupAnnotations {
		if name := p.Annotations[a]; name != "" {
			return p.Namespace + "/" + name
		}
	}
	// The pods of an Indexed Job know each other by their index.
	if p.Annotations["batch.kubernetes.io/job-completion-index"] != "" {
		return p.Namespace + "/" + cmp.Or(p.Labels["batch.kubernetes.io/job-name"], p.Labels["job-name"], top.Name)
	}
	return ""
}
