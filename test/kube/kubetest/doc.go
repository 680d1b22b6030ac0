// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package kubetest starts a real Kubernetes for tests: etcd, the API server,
// the controllers, the scheduler, and one node with a kubelet, containerd and a
// device plugin that gives out GPUs which aren't there.
//
//	func TestPods(t *testing.T) {
//		cluster := kubetest.Start(t, kubetest.Options{})
//		ns := cluster.Namespace(t)
//		pod := cluster.Create(t, ns, kubetest.Pod("train",
//			kubetest.Container("main", kubetest.Run("ready", "wait"), kubetest.Use(kubetest.GPU, 1))))
//		pod = cluster.Await(t, pod, "running", kubetest.Running)
//		...
//	}
//
// A cluster takes a few seconds to start and stop: share one between tests,
// with a namespace for each. It needs Linux, root and the programs that
// `make e2e` builds. A test without them fails and says what is missing. It is
// never skipped.
//
// What belongs to a cluster is in one folder and ends with the test's process.
// Nothing of the machine is changed: no setting of the kernel, no rule of its
// firewall, no file out of that folder. A bridge and cgroups are there as long
// as the cluster is.
package kubetest
