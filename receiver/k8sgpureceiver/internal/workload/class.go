// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// kinds are those of the owners of each class. What isn't here, as a bare pod or
// a RayCluster of its own, may be anything.
var kinds = map[gpu.Class][]string{
	gpu.ClassBatch: {
		"Job", "CronJob", // Kubernetes; the first is Volcano's too
		"JobSet", "AppWrapper",
		"TrainJob", "PyTorchJob", "TFJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob", "MXJob", "Trial", // Kubeflow
		"RayJob", "RayCronJob",
		"Workflow", "CronWorkflow", // Argo
		"PipelineRun", "TaskRun", // Tekton
		"SparkApplication", "ScheduledSparkApplication",
	},
	gpu.ClassInteractive: {
		"Notebook",                  // Kubeflow
		"Workspace", "DevWorkspace", // Kubeflow, Eclipse Che
	},
	gpu.ClassInference: {
		"Deployment", "ReplicaSet", "StatefulSet", "LeaderWorkerSet",
		"InferenceService", "LLMInferenceService", // KServe
		"RayService",
		"Service", "Configuration", "Revision", // Knative
		"DynamoGraphDeployment", "DynamoComponentDeployment", "NIMService", // NVIDIA
		"SeldonDeployment",
		"Workspace.kaito.sh",
	},
}

// classes are kinds the other way round.
var classes = func() map[string]gpu.Class {
	out := map[string]gpu.Class{}
	for class, names := range kinds {
		for _, name := range names {
			out[name] = class
		}
	}
	return out
}()

// classOf returns the class of what an owner does. A kind that means different
// things in two groups of the API is known by its group.
func classOf(o pod.Owner) gpu.Class {
	if c, ok := classes[o.Kind+"."+o.Group]; ok {
		return c
	}
	return classes[o.Kind]
}

// class returns what kind of work a pod does: as its label says, else as its
// names and the kind of its owner let expect.
func (r *Rules) class(p *pod.Pod, top pod.Owner) gpu.Class {
	if c, ok := gpu.ParseClass(told(p, r.ClassLabel)); ok {
		return c
	}
	if isNotebook(p, top) {
		return gpu.ClassInteractive
	}
	return classOf(top)
}

// isNotebook knows notebooks by what their own tools write: JupyterHub's pods
// have no owner, Kubeflow's StatefulSet may be all that is known.
func isNotebook(p *pod.Pod, top pod.Owner) bool {
	if p.Labels["component"] == "singleuser-server" || p.Labels["notebook-name"] != "" {
		return true
	}
	if classOf(top) == gpu.ClassBatch {
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
