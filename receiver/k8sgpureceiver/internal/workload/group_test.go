// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

type words = map[string]string

func TestGroup(t *testing.T) {
	for name, test := range map[string]struct {
		owner               string
		labels, annotations words
		want                string
	}{
		"none":  {"", nil, nil, ""},
		"label": {"RayCluster", words{DefaultGroupLabel: "g", "ray.io/cluster": "r"}, nil, "ns/g"},
		"replica of a LeaderWorkerSet": {
			"StatefulSet", words{"leaderworkerset.sigs.k8s.io/name": "llm", "leaderworkerset.sigs.k8s.io/group-index": "2"}, nil, "ns/llm-2",
		},
		"the same under Kueue": {
			"StatefulSet",
			words{
				"leaderworkerset.sigs.k8s.io/name": "llm", "leaderworkerset.sigs.k8s.io/group-index": "0",
				"kueue.x-k8s.io/pod-group-name": "leaderworkerset-llm-0-fd0f7",
			},
			nil, "ns/llm-0",
		},
		"JobSet":     {"Job", words{"jobset.sigs.k8s.io/jobset-name": "js", "job-name": "js-workers-0"}, nil, "ns/js"},
		"Kubeflow":   {"PyTorchJob", words{"training.kubeflow.org/job-name": "pt"}, nil, "ns/pt"},
		"MPIJob":     {"MPIJob", words{"training.kubeflow.org/job-name": "m", "training.kubeflow.org/replica-type": "worker"}, nil, "ns/m"},
		"old MPIJob": {"StatefulSet", words{"mpi-job-name": "m", "mpi-job-role": "worker"}, nil, "ns/m"},
		"Ray":        {"RayCluster", words{"ray.io/cluster": "r", "ray.io/node-type": "worker"}, nil, "ns/r"},
		"Volcano's job": {
			"Job", words{"volcano.sh/job-name": "v"}, words{"scheduling.k8s.io/group-name": "v-0b9c2f9e"}, "ns/v",
		},
		"Volcano":          {"", nil, words{"scheduling.k8s.io/group-name": "pg"}, "ns/pg"},
		"Volcano, new":     {"", nil, words{"scheduling.volcano.sh/group-name": "pg"}, "ns/pg"},
		"KAI":              {"MyJob", nil, words{"pod-group-name": "pg"}, "ns/pg"},
		"KAI, a plain Job": {"Job", nil, words{"pod-group-name": "pg-job-1"}, ""},
		"KAI, a pod alone": {"", nil, words{"pod-group-name": "pg-x-0b9c2f9e-7f0c"}, ""},
		"Kueue":            {"", words{"kueue.x-k8s.io/pod-group-name": "q"}, nil, "ns/q"},
		"coscheduling":     {"", words{"scheduling.x-k8s.io/pod-group": "c"}, nil, "ns/c"},
		"before it":        {"", words{"pod-group.scheduling.sigs.k8s.io/name": "c"}, nil, "ns/c"},
		"Koordinator":      {"", words{"pod-group.scheduling.sigs.k8s.io": "k"}, nil, "ns/k"},
		"replicas that are placed together": {
			"ReplicaSet", words{"kueue.x-k8s.io/pod-group-name": "q"}, words{"scheduling.k8s.io/group-name": "podgroup-1"}, "",
		},
		"Indexed Job": {"Job", words{"batch.kubernetes.io/job-name": "j"}, words{"batch.kubernetes.io/job-completion-index": "0"}, "ns/j"},
		"plain Job":   {"Job", words{"batch.kubernetes.io/job-name": "j"}, nil, ""},
	} {
		p := pod.Pod{Namespace: "ns", UID: "0b9c2f9e-7f0c", Labels: test.labels, Annotations: test.annotations, Owner: owner(test.owner, "o")}
		require.Equal(t, test.want, rules.Identify(&p, nil).Group, name)
	}
	without := Rules{}
	require.Empty(t, without.Identify(&pod.Pod{Labels: words{"": "x"}}, nil).Group)
}

// TestSchedulingGroup is Kubernetes' own.
func TestSchedulingGroup(t *testing.T) {
	p := pod.Pod{Namespace: "ns", SchedulingGroup: "pg", Owner: owner("Job", "j")}
	require.Equal(t, "ns/pg", rules.Identify(&p, nil).Group)
	p.Owner = owner("StatefulSet", "s")
	require.Empty(t, rules.Identify(&p, nil).Group, "its replicas serve alone")
}
