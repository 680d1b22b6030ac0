// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

// configuration is one kind of cluster.
type configuration struct {
	name  string
	gates map[string]bool
	// What a collector on the node can know it by.
	hasPodsAPI   bool
	deviceHealth bool // in the status of containers
}

var configurations = []configuration{
	{name: "gates as shipped", hasPodsAPI: true, deviceHealth: true},
	{name: "the documented minimum", gates: map[string]bool{
		"PodsAPI": false, "ResourceHealthStatus": false,
		"ResourceHealthStatusMessage": false, // builds on the one before
	}},
}

// stage is a cluster, with those who look at it.
type stage struct {
	*kubetest.Cluster
	configuration
	podResources *kubetest.PodResources
	podsAPI      *kubetest.PodsAPI // nil where there's none
}

// life is a test of one pod's life, or of a few.
type life struct {
	name string
	run  func(*testing.T, *stage)
}

// Those of these lives go on side by side.
var lives = []life{
	{"a pod with an init container and a readiness probe", testPlainPod},
	{"a job to its completion", testJob},
	{"two GPUs", testTwoGPUs},
	{"a time-sliced pair", testTimeSlicedPair},
	{"a MIG instance", testMIG},
	{"a sidecar with a GPU of its own", testSidecar},
	{"a crash loop", testCrashLoop},
	{"a pod that is deleted by force", testForceDelete},
	{"an image that is pulled slowly", testSlowPull},
	{"pods that reach each other and the node", testNetwork},
	{"access as far as it's given", testAccess},
}

// These change the whole cluster: one after the other.
var events = []life{
	{"a device that falls ill", testHealth},
	{"the kubelet restarts", testKubeletRestart},
	{"the API server is away", testAPIServerAway},
}

func TestLives(t *testing.T) {
	for _, config := range configurations {
		t.Run(config.name, func(t *testing.T) {
			s := &stage{Cluster: kubetest.Start(t, kubetest.Options{FeatureGates: config.gates}), configuration: config}
			s.podResources = s.Cluster.PodResources(t)
			if config.hasPodsAPI {
				s.podsAPI = s.Cluster.PodsAPI(t)
			}
			t.Run("side by side", func(t *testing.T) {
				for _, l := range lives {
					t.Run(l.name, func(t *testing.T) {
						t.Parallel()
						l.run(t, s)
					})
				}
			})
			for _, l := range events {
				t.Run(l.name, func(t *testing.T) { l.run(t, s) })
			}
		})
	}
}

// holds is a container that has n devices of a resource, until it's stopped.
func holds(resource string, n int64) kubetest.PodOption {
	return kubetest.Container("main", kubetest.Run("wait"), kubetest.Use(resource, n))
}

// start makes a pod and waits until it runs and has opened its devices.
func (s *stage) start(t *testing.T, namespace string, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	pod = s.Await(t, s.Create(t, namespace, pod), "running", kubetest.Running)
	s.AwaitHolding(t, pod, "open", kubetest.Opened(1))
	return pod
}
