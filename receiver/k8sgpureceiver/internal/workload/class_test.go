// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// TestClassOfOwner is the table of the kinds that own GPU pods, by the group of
// their API.
func TestClassOfOwner(t *testing.T) {
	for owner, want := range map[[2]string]gpu.Class{
		{"batch", "Job"}: gpu.ClassBatch, {"batch", "CronJob"}: gpu.ClassBatch, {"batch.volcano.sh", "Job"}: gpu.ClassBatch,
		{"jobset.x-k8s.io", "JobSet"}: gpu.ClassBatch, {"workload.codeflare.dev", "AppWrapper"}: gpu.ClassBatch,
		{"trainer.kubeflow.org", "TrainJob"}: gpu.ClassBatch, {"kubeflow.org", "PyTorchJob"}: gpu.ClassBatch,
		{"kubeflow.org", "MPIJob"}: gpu.ClassBatch, {"kubeflow.org", "TFJob"}: gpu.ClassBatch,
		{"kubeflow.org", "Trial"}: gpu.ClassBatch, {"ray.io", "RayJob"}: gpu.ClassBatch,
		{"argoproj.io", "Workflow"}: gpu.ClassBatch, {"tekton.dev", "TaskRun"}: gpu.ClassBatch,
		{"sparkoperator.k8s.io", "SparkApplication"}: gpu.ClassBatch,

		{"kubeflow.org", "Notebook"}: gpu.ClassInteractive, {"kubeflow.org", "Workspace"}: gpu.ClassInteractive,
		{"workspace.devfile.io", "DevWorkspace"}: gpu.ClassInteractive,

		{"apps", "Deployment"}: gpu.ClassInference, {"apps", "ReplicaSet"}: gpu.ClassInference,
		{"apps", "StatefulSet"}: gpu.ClassInference, {"leaderworkerset.x-k8s.io", "LeaderWorkerSet"}: gpu.ClassInference,
		{"serving.kserve.io", "InferenceService"}: gpu.ClassInference, {"serving.kserve.io", "LLMInferenceService"}: gpu.ClassInference,
		{"ray.io", "RayService"}: gpu.ClassInference, {"serving.knative.dev", "Service"}: gpu.ClassInference,
		{"nvidia.com", "DynamoGraphDeployment"}: gpu.ClassInference, {"apps.nvidia.com", "NIMService"}: gpu.ClassInference,
		{"kaito.sh", "Workspace"}: gpu.ClassInference,

		{"ray.io", "RayCluster"}: gpu.ClassUnclassified, {"apps", "DaemonSet"}: gpu.ClassUnclassified,
		{"", "Node"}: gpu.ClassUnclassified, {"", ""}: gpu.ClassUnclassified, {"example.com", "Thing"}: gpu.ClassUnclassified,
	} {
		p := pod.Pod{Name: "p", Owner: pod.Owner{Group: owner[0], Kind: owner[1], Name: "o"}}
		require.Equal(t, want, rules.Identify(&p, nil).Class, owner)
	}
}

// TestKindsAreOfOneClass, so that the table has no order.
func TestKindsAreOfOneClass(t *testing.T) {
	n := 0
	for _, names := range kinds {
		n += len(names)
	}
	require.Len(t, classes, n)
}

// TestRayOrigin: without access to the API the pod's labels say what its cluster
// was made for.
func TestRayOrigin(t *testing.T) {
	cluster := pod.Owner{Group: "ray.io", Kind: "RayCluster", Name: "train-x7k2p"}
	for name, test := range map[string]struct {
		crd, cr string
		want    gpu.Workload
	}{
		"of a job":       {"RayJob", "train", gpu.Workload{Kind: "RayJob", Name: "train", Class: gpu.ClassBatch, Group: "ns/train-x7k2p"}},
		"of a service":   {"RayService", "chat", gpu.Workload{Kind: "RayService", Name: "chat", Class: gpu.ClassInference, Group: "ns/train-x7k2p"}},
		"of its own":     {"RayCluster", "train-x7k2p", gpu.Workload{Kind: "RayCluster", Name: "train-x7k2p", Group: "ns/train-x7k2p"}},
		"of an old kind": {"", "", gpu.Workload{Kind: "RayCluster", Name: "train-x7k2p", Group: "ns/train-x7k2p"}},
		"half told":      {"RayJob", "", gpu.Workload{Kind: "RayCluster", Name: "train-x7k2p", Group: "ns/train-x7k2p"}},
	} {
		p := pod.Pod{Namespace: "ns", Owner: cluster, Labels: map[string]string{
			"ray.io/cluster": cluster.Name, "ray.io/originated-from-crd": test.crd, "ray.io/originated-from-cr-name": test.cr,
		}}
		require.Equal(t, test.want, rules.Identify(&p, nil), name)
	}
}

// TestAnnotationsTellToo: not every tool lets its users set labels.
func TestAnnotationsTellToo(t *testing.T) {
	all := Rules{ClassLabel: DefaultClassLabel, GroupLabel: DefaultGroupLabel, StorageLabel: DefaultStorageLabel}
	p := pod.Pod{Namespace: "ns", Name: "p", Annotations: map[string]string{
		DefaultClassLabel: "batch", DefaultGroupLabel: "g", DefaultStorageLabel: "cache",
	}}
	require.Equal(t, gpu.Workload{Kind: "Pod", Name: "p", Class: gpu.ClassBatch, Group: "ns/g"}, all.Identify(&p, nil))
	require.EqualValues(t, "cache", all.Storage(&p))
	p.Labels = map[string]string{DefaultClassLabel: "inference", DefaultGroupLabel: "h", DefaultStorageLabel: "nfs"}
	require.Equal(t, gpu.Workload{Kind: "Pod", Name: "p", Class: gpu.ClassInference, Group: "ns/h"}, all.Identify(&p, nil))
	require.EqualValues(t, "nfs", all.Storage(&p))
}
