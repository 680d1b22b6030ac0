// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
)

func instance(n int) deviceid.Name {
	return deviceid.Name{Resource: "nvidia.com/mig-1g.10gb", ID: "MIG" + strings.TrimPrefix(uuid(n), "GPU")}
}

// offer lets the plugins offer devices, and returns what is said of which.
func (n *node) offer(when float64, names ...deviceid.Name) (out []string) {
	n.Allocatable(names, at(when))
	for _, a := range n.Set(at(when)).Availability {
		text := fmt.Sprintf("%s…%s", a.Device[:3], a.Device[len(a.Device)-1:])
		if !a.Available {
			text += " " + a.Reason.String()
		}
		out = append(out, text)
	}
	return out
}

// TestBoardIsLaidOutAnew: the instances that were end, they aren't broken for
// ever.
func TestBoardIsLaidOutAnew(t *testing.T) {
	n := newNode(t, true).sync(0)
	other := gpuName(uuid(9))
	require.Equal(t, []string{"GPU…9", "MIG…1", "MIG…2"}, n.offer(10, other, instance(1), instance(2)))
	require.Equal(t, []string{"GPU…9", "MIG…1", "MIG…2"}, n.offer(20, other), "the plugin is away")
	bigger := instance(3)
	bigger.Resource = "nvidia.com/mig-3g.40gb"
	want := []string{"GPU…9", "MIG…1 reconfiguration", "MIG…2 reconfiguration", "MIG…3"}
	require.Equal(t, want, n.offer(30, other, bigger))
	require.Equal(t, want, n.offer(80, other, bigger))
	require.Equal(t, []string{"GPU…9", "MIG…3"}, n.offer(90, other, bigger))
	require.Equal(t, []string{"GPU…9", "MIG…1", "MIG…3 reconfiguration"}, n.offer(100, other, instance(1)), "and back")
}

// TestFewerInstances: the plugin registers anew without them.
func TestFewerInstances(t *testing.T) {
	n := newNode(t, true).sync(0)
	n.offer(10, instance(1), instance(2))
	require.Equal(t, []string{"MIG…1", "MIG…2"}, n.offer(20))
	require.Equal(t, []string{"MIG…1", "MIG…2 reconfiguration"}, n.offer(30, instance(1)))
	require.Equal(t, []string{"MIG…1"}, n.offer(90, instance(1)))
}

// TestBrokenInstanceStaysSo, also when another board is laid out anew later.
func TestBrokenInstanceStaysSo(t *testing.T) {
	n := newNode(t, true).sync(0)
	n.offer(10, instance(1), instance(2))
	require.Equal(t, []string{"MIG…1", "MIG…2 health"}, n.offer(20, instance(1)))
	require.Equal(t, []string{"MIG…1", "MIG…2 health", "MIG…3"}, n.offer(2000, instance(1), instance(3)))
	require.Equal(t, []string{"MIG…1", "MIG…2 health", "MIG…3"}, n.offer(9000, instance(1), instance(3)))
	require.Equal(t, []string{"MIG…1", "MIG…2", "MIG…3"}, n.offer(9010, instance(1), instance(2), instance(3)))
}

// TestBoardGivesWayToInstances, but not to a board that comes back.
func TestBoardGivesWayToInstances(t *testing.T) {
	n := newNode(t, true).sync(0)
	a, b, c := gpuName(uuid(1)), gpuName(uuid(2)), gpuName(uuid(3))
	n.offer(10, a, b)
	require.Equal(t, []string{"GPU…1", "GPU…2 health", "GPU…3"}, n.offer(20, a, c))
	require.Equal(t, []string{"GPU…1", "GPU…2 health", "GPU…3"}, n.offer(30, a, c))
	n = newNode(t, true).sync(0)
	n.offer(10, a, b)
	require.Equal(t, []string{"GPU…1", "GPU…2 reconfiguration", "MIG…5"}, n.offer(20, a, instance(5)))
	require.Equal(t, []string{"GPU…1", "MIG…5"}, n.offer(90, a, instance(5)))
	require.Equal(t, []string{"GPU…1", "GPU…2", "MIG…5 reconfiguration"}, n.offer(100, a, b))
}
