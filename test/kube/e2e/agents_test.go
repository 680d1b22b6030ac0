// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/collector"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/gpuplugin"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

// The GPUs of the node. Those that aren't whole have others beside them.
const (
	wholeGPUs   = 8
	shared      = 100 // four slots
	board       = 101 // of the MIG instances
	slots       = 4
	boardSlices = 7 // of a board; each instance has one
)

// resources are what the node offers: enough for all lives at once.
func resources() []kubetest.Resource {
	whole := make([]int, wholeGPUs)
	for n := range whole {
		whole[n] = n
	}
	return []kubetest.Resource{
		gpuplugin.Whole(kubetest.GPU, whole...),
		gpuplugin.TimeSliced(kubetest.Shared, slots, shared),
		gpuplugin.Instances(kubetest.MIG, 0, 1),
	}
}

// devices are the same as NVIDIA's agent tells of them.
func devices() (all []collector.Device) {
	for n := range wholeGPUs {
		all = append(all, collector.Device{ID: gpuplugin.UUID(n)})
	}
	all = append(all, collector.Device{ID: gpuplugin.UUID(shared)})
	for n := range 2 {
		all = append(all, collector.Device{ID: gpuplugin.MIG(n), Parent: gpuplugin.UUID(board), Slices: 1, Total: boardSlices})
	}
	return all
}

// busy is how active a device is while a process has it open.
const busy = 0.5

// active returns it by the device plugin's log.
func (s *stage) active(device string) float64 {
	entries, _ := s.Plugin.Log().Entries()
	open := 0
	for _, e := range entries {
		if !slices.ContainsFunc(e.Devices, func(id string) bool { return deviceOf(id) == device }) {
			continue
		}
		switch e.Event {
		case kubetest.Open:
			open++
		case kubetest.Free:
			open--
		}
	}
	if open == 0 {
		return 0
	}
	return busy
}

// agents are the collectors on the node. Each has the access to the API server
// that its features need by the receiver's README, and no other.
type agents struct {
	main    *collector.Collector // as it is shipped
	server  *collector.Collector // the pods from the API server
	kubelet *collector.Collector // the pods from the kubelet's HTTPS endpoint
	events  *collector.Collector // asks for events
	owners  *collector.Collector // asks for owners
	sampler *collector.Sampler
}

func startAgents(t *testing.T, s *stage) {
	s.agents.sampler = collector.Sample(t, s.NodeName, devices(), s.active)
	start := func(settings collector.Settings) *collector.Collector {
		c := collector.Start(t, s.Cluster, settings)
		s.agents.sampler.To(t, c)
		return c
	}
	server := collector.Settings{Name: "server", Kubeconfig: s.accessFor(t, "pods: api_server"), Receiver: map[string]any{"pods": "api_server"}}
	s.agents.kubelet = start(collector.Settings{Name: "kubelet", Receiver: s.kubeletKeys(t, s.accessFor(t, polling))})
	if !s.hasPodsAPI {
		// Without the Pods API, the default is the API server.
		s.agents.main = start(collector.Settings{Name: "main", Kubeconfig: server.Kubeconfig})
		return
	}
	s.agents.main = start(collector.Settings{Name: "main"})
	s.agents.server = start(server)
	s.agents.events = start(collector.Settings{
		Name: "events", Kubeconfig: s.accessFor(t, "event_lookup"), Receiver: map[string]any{"event_lookup": true},
	})
	s.agents.owners = start(collector.Settings{
		Name: "owners", Kubeconfig: s.accessFor(t, "owner_lookup"), Receiver: map[string]any{"owner_lookup": true},
	})
}

// awaitNode waits until each knows the node's devices.
func (a *agents) awaitNode(t *testing.T) {
	for name, c := range a.all() {
		c.Await(t, name+" knows the node", func(r *collector.Record) bool { return r.Up("pod_resources") })
	}
}

// all returns those that run on this cluster.
func (a *agents) all() map[string]*collector.Collector {
	found := map[string]*collector.Collector{"main": a.main, "pods: api_server": a.server, polling: a.kubelet, "event_lookup": a.events, "owner_lookup": a.owners}
	for name, c := range found {
		if c == nil {
			delete(found, name)
		}
	}
	return found
}

// kubeletKeys are the keys of a receiver that asks the kubelet's endpoint with
// the token of a kubeconfig.
func (s *stage) kubeletKeys(t *testing.T, kubeconfig string) map[string]any {
	t.Helper()
	config, err := clientcmd.LoadFromFile(kubeconfig)
	require.NoError(t, err)
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte(config.AuthInfos["user"].Token), 0o600))
	return map[string]any{"pods": "kubelet", "kubelet": map[string]any{
		"endpoint": s.KubeletURL, "token_file": token, "ca_file": s.CAFile(),
	}}
}

// workloadOf waits until a collector says what it should of the workload of a
// pod, and returns that.
func (s *stage) workloadOf(t *testing.T, c *collector.Collector, uid types.UID, want string) (workload string) {
	t.Helper()
	c.Await(t, "the pod is of "+want, func(r *collector.Record) bool {
		workload = r.Workload(string(uid))
		return workload == want
	})
	return workload
}
