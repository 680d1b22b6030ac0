// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

var rules = Rules{ClassLabel: DefaultClassLabel, GroupLabel: DefaultGroupLabel}

func owner(kind, name string) pod.Owner { return pod.Owner{Kind: kind, Name: name} }

func TestWorkload(t *testing.T) {
	chain := map[pod.Owner]pod.Owner{
		owner("ReplicaSet", "serve-6fcff664b7"): owner("Deployment", "serve"),
		owner("Deployment", "serve"):            owner("InferenceService", "llm"),
		owner("Job", "nightly-29480000"):        owner("CronJob", "nightly"),
		owner("Ring", "a"):                      owner("Ring", "b"),
		owner("Ring", "b"):                      owner("Ring", "a"),
	}
	api := func(of pod.Owner, _ string) (pod.Owner, bool) {
		next, ok := chain[of]
		return next, ok
	}
	hash := map[string]string{"pod-template-hash": "6fcff664b7"}
	for name, test := range map[string]struct {
		pod    pod.Pod
		owners Owners
		want   gpu.Workload
	}{
		"the top of the chain": {
			pod.Pod{Owner: owner("ReplicaSet", "serve-6fcff664b7"), Labels: hash},
			api,
			gpu.Workload{Kind: "InferenceService", Name: "llm", Class: gpu.ClassInference},
		},
		"a Deployment without the API": {
			pod.Pod{Owner: owner("ReplicaSet", "serve-6fcff664b7"), Labels: hash},
			nil,
			gpu.Workload{Kind: "Deployment", Name: "serve", Class: gpu.ClassInference},
		},
		"a ReplicaSet of its own": {
			pod.Pod{Owner: owner("ReplicaSet", "serve-6fcff664b7")},
			nil,
			gpu.Workload{Kind: "ReplicaSet", Name: "serve-6fcff664b7", Class: gpu.ClassInference},
		},
		"a CronJob": {
			pod.Pod{Owner: owner("Job", "nightly-29480000")},
			api,
			gpu.Workload{Kind: "CronJob", Name: "nightly", Class: gpu.ClassBatch},
		},
		"a Job; its number says nothing": {
			pod.Pod{Owner: owner("Job", "train-20261130")},
			nil,
			gpu.Workload{Kind: "Job", Name: "train-20261130", Class: gpu.ClassBatch},
		},
		"a ring":   {pod.Pod{Owner: owner("Ring", "a")}, api, gpu.Workload{Kind: "Ring", Name: "a"}},
		"a pod":    {pod.Pod{Name: "shell"}, api, gpu.Workload{Kind: "Pod", Name: "shell"}},
		"Notebook": {pod.Pod{Owner: owner("Notebook", "n")}, nil, gpu.Workload{Kind: "Notebook", Name: "n", Class: gpu.ClassInteractive}},
		"Kubeflow without the API": {
			pod.Pod{Owner: owner("StatefulSet", "mine"), Labels: map[string]string{"notebook-name": "mine"}},
			nil,
			gpu.Workload{Kind: "StatefulSet", Name: "mine", Class: gpu.ClassInteractive},
		},
		"JupyterHub": {
			pod.Pod{Name: "jupyter-ann", Labels: map[string]string{"component": "singleuser-server"}},
			nil,
			gpu.Workload{Kind: "Pod", Name: "jupyter-ann", Class: gpu.ClassInteractive},
		},
		"image of a notebook": {
			pod.Pod{Name: "x", Containers: []pod.Container{{Image: "quay.io/jupyter/pytorch:1"}}},
			nil,
			gpu.Workload{Kind: "Pod", Name: "x", Class: gpu.ClassInteractive},
		},
		"a Job that runs a notebook": {
			pod.Pod{Owner: owner("Job", "jupyter-run")},
			nil,
			gpu.Workload{Kind: "Job", Name: "jupyter-run", Class: gpu.ClassBatch},
		},
		"the label decides": {
			pod.Pod{Owner: owner("Deployment", "x"), Labels: map[string]string{DefaultClassLabel: "batch"}},
			nil,
			gpu.Workload{Kind: "Deployment", Name: "x", Class: gpu.ClassBatch},
		},
		"to unclassified too": {
			pod.Pod{Owner: owner("Deployment", "x"), Labels: map[string]string{DefaultClassLabel: "unclassified"}},
			nil,
			gpu.Workload{Kind: "Deployment", Name: "x"},
		},
		"not to another word": {
			pod.Pod{Owner: owner("Deployment", "x"), Labels: map[string]string{DefaultClassLabel: "fast"}},
			nil,
			gpu.Workload{Kind: "Deployment", Name: "x", Class: gpu.ClassInference},
		},
	} {
		require.Equal(t, test.want, rules.Identify(&test.pod, test.owners), name)
	}
}
