// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/collector"
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
	history      *kubetest.History
	agents       agents
	lives        sync.Map // the names of lives, by namespace
}

// life is a test of one pod's life, or of a few.
type life struct {
	name string
	run  func(*testing.T, *stage)
}

// Those of these lives go on side by side.
var lives = []life{
	{"a crash loop", testCrashLoop},
	{"pods that end while the collector is down", testCollectorDown},
	{"a pod with an init container and a readiness probe", testPlainPod},
	{"a job to its completion", testJob},
	{"two GPUs", testTwoGPUs},
	{"a time-sliced pair", testTimeSlicedPair},
	{"a MIG instance", testMIG},
	{"a sidecar with a GPU of its own", testSidecar},
	{"a pod that is deleted by force", testForceDelete},
	{"an image that is pulled slowly", testSlowPull},
	{"pods that reach each other and the node", testNetwork},
	{"access as far as it's given", testAccess},
	{"a pod with owners of owners", testOwners},
	{"a pod of a namespace with labels", testNamespaceLabels},
	{"a collector without permissions", testDenied},
}

// These change the whole cluster: one after the other.
var events = []life{
	{"a device that falls ill", testHealth},
	{"the kubelet restarts", testKubeletRestart},
}

// busyCluster is held by the cluster whose pods come and go all at once.
var busyCluster sync.Mutex

// The clusters take turns, but for the last part: in it they mostly wait.
func TestLives(t *testing.T) {
	for _, config := range configurations {
		t.Run(config.name, func(t *testing.T) {
			t.Parallel()
			s := &stage{configuration: config}
			s.takeTurn(t)
			t.Run("the API server is away", func(t *testing.T) { testAPIServerAway(t, s) })
			t.Run("the account", func(t *testing.T) { testAccount(t, s) })
		})
	}
}

// takeTurn starts the cluster, with all who look at it, and runs the lives.
func (s *stage) takeTurn(t *testing.T) {
	t.Helper()
	busyCluster.Lock()
	defer busyCluster.Unlock()
	s.Cluster = kubetest.Start(t, kubetest.Options{FeatureGates: s.gates, Resources: resources()})
	s.history = s.Cluster.History(t)
	s.podResources = s.Cluster.PodResources(t)
	if s.hasPodsAPI {
		s.podsAPI = s.Cluster.PodsAPI(t)
	}
	startAgents(t, s)
	s.agents.awaitNode(t)
	t.Run("side by side", func(t *testing.T) {
		begin := time.Now()
		for i, l := range lives {
			t.Run(l.name, func(t *testing.T) {
				t.Parallel()
				// One after the other, or a kubelet on two cores is late with all.
				<-time.After(time.Until(begin.Add(time.Duration(i) * second)))
				l.run(t, s)
			})
		}
	})
	for _, l := range events {
		t.Run(l.name, func(t *testing.T) { l.run(t, s) })
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
	// Until its status says so, which takes the kubelet a moment, only the lists
	// of devices tell what it has: it has to be in one.
	s.agents.main.Await(t, "a set has the pod "+pod.Name, func(r *collector.Record) bool { return r.Has(string(pod.UID)) })
	return pod
}
