// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// least are the values without which there is no chart.
var least = []string{"--set=clusterName=c", "--set=exporters.otlp_grpc.endpoint=c:4317"}

// with returns the least, and other values.
func with(sets ...string) []string {
	args := append([]string{}, least...)
	for _, set := range sets {
		args = append(args, "--set="+set)
	}
	return args
}

// configOf returns the collector's configuration of a component.
func configOf(t *testing.T, objects []object, component string) string {
	t.Helper()
	for _, o := range find(objects, "ConfigMap") {
		if o.at("metadata", "labels", "app.kubernetes.io/component") == component {
			return o.at("data", "config.yaml").(string)
		}
	}
	require.Fail(t, "no configuration", component)
	return ""
}

// TestAddresses: the collectors listen on a pod's address of either family.
func TestAddresses(t *testing.T) {
	endpoint := regexp.MustCompile(`\S*\$\{env:POD_IP\}\S*:\d+`)
	objects := render(t, with()...)
	for component, want := range map[string]int{"agent": 1, "gateway": 2} {
		found := endpoint.FindAllString(configOf(t, objects, component), -1)
		assert.Len(t, found, want, component)
		for _, text := range found {
			for _, ip := range []string{"10.0.0.1", "fd00::1"} {
				host, _, err := net.SplitHostPort(strings.ReplaceAll(strings.Trim(text, `'"`), "${env:POD_IP}", ip))
				require.NoError(t, err)
				assert.Equal(t, ip, host)
			}
		}
	}
}

// hostPaths returns the folders of a node that an agent mounts, each with its
// place in the container.
func hostPaths(t *testing.T, objects []object) map[string]string {
	t.Helper()
	require.Len(t, find(objects, "DaemonSet"), 1)
	pod := object(find(objects, "DaemonSet")[0].at("spec", "template", "spec").(map[string]any))
	places := map[any]string{}
	for _, m := range pod["containers"].([]any)[0].(map[string]any)["volumeMounts"].([]any) {
		mount := m.(map[string]any)
		places[mount["name"]] = mount["mountPath"].(string)
	}
	out := map[string]string{}
	for _, v := range pod["volumes"].([]any) {
		volume := object(v.(map[string]any))
		if path, found := volume.at("hostPath", "path").(string); found {
			out[path] = places[volume["name"]]
		}
	}
	return out
}

// TestHostPaths: an agent mounts what it reads, and reads what it mounts.
func TestHostPaths(t *testing.T) {
	objects := render(t, with("agent.kubeletPath=/var/lib/k0s/kubelet")...)
	assert.Equal(t, map[string]string{
		"/var/lib/k0s/kubelet/pod-resources": "/var/lib/kubelet/pod-resources",
		"/var/lib/k0s/kubelet/pods-api":      "/var/lib/kubelet/pods-api",
		"/proc/driver":                       "/host/proc/driver",
		"/var/lib/otelcol-gpu":               "/var/lib/otelcol-gpu",
	}, hostPaths(t, objects))
	assert.Contains(t, configOf(t, objects, "agent"), "proc_path: /host/proc\n")

	paths := hostPaths(t, render(t, with("agent.access=api", "agent.pods=api_server", "agent.state.enabled=false")...))
	assert.NotContains(t, paths, "/var/lib/kubelet/pods-api", "it would be made for nothing")
	assert.NotContains(t, paths, "/var/lib/otelcol-gpu")
}
