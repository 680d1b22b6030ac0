// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

func testNetwork(t *testing.T, s *stage) {
	namespace := s.Namespace(t)
	server := s.Await(t, s.Create(t, namespace, kubetest.Pod("server",
		kubetest.Container("main", kubetest.Run("serve=:8080", "wait")))), "running", kubetest.Running)
	url := "http://" + server.Status.PodIP + ":8080"

	// The machine reaches a pod. Its server may need a moment.
	require.Eventually(t, func() bool {
		resp, err := http.Get(url)
		return err == nil && resp.Body.Close() == nil
	}, patience, pollInterval)
	// A pod reaches another one, and the machine by the node's address.
	listener, err := net.Listen("tcp", s.NodeIP+":0")
	require.NoError(t, err)
	machine := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	machine.Listener.Close()
	machine.Listener = listener
	machine.Start()
	defer machine.Close()
	over := func(p *corev1.Pod) bool { return kubetest.Succeeded(p) || kubetest.Failed(p) }
	client := s.CreateJob(t, namespace, kubetest.Job(kubetest.Pod("client",
		kubetest.Container("main", kubetest.Run("get="+url, "get="+machine.URL)))))
	client = s.Await(t, client, "over", over)
	// A pod on the machine's network reaches what listens on its loopback.
	local := httptest.NewServer(machine.Config.Handler)
	defer local.Close()
	host := s.CreateJob(t, namespace, kubetest.Job(kubetest.Pod("host", kubetest.HostNetwork,
		kubetest.Container("main", kubetest.Run("get="+local.URL)))))
	host = s.Await(t, host, "over", over)
	require.True(t, kubetest.Succeeded(host), "%+v", s.Said(t, host, "main", 0))

	said := s.Said(t, client, "main", 0)
	require.True(t, kubetest.Succeeded(client), "%+v", said)
	require.Equal(t, "server", said[2].Detail)
}
