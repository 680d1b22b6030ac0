// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/collector"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

const (
	root        = "../../.."
	chart       = root + "/deploy/helm/otelcol-gpu"
	release     = "gpu"
	clientLabel = "nvidia.com/gpu.deploy.client"
	repository  = "example.com/otelcol-gpu"
	// The same program under two tags: there is no other version yet.
	older, newer = "older", "newer"
)

// stage is a cluster on which the chart is installed.
type stage struct {
	*kubetest.Cluster
	record    *collector.Record
	namespace string
	values    map[string]any
}

func start(t *testing.T) *stage {
	t.Helper()
	s := &stage{Cluster: kubetest.Start(t, kubetest.Options{NodeLabels: map[string]string{"nvidia.com/gpu.present": "true", clientLabel: "true"}})}
	s.record = collector.Listen(t, s.NodeIP)
	s.namespace = s.Namespace(t)
	t.Cleanup(func() { s.explain(t) })
	s.importImages(t)
	host, port := s.APIServerForPods(t)
	s.values = map[string]any{
		"clusterName": "e2e",
		"exporters":   map[string]any{"otlp_grpc": map[string]any{"endpoint": s.record.Address(), "tls": map[string]any{"insecure": true}, "compression": "none"}},
		"image":       map[string]any{"repository": repository, "tag": older, "pullPolicy": "Never"},
		"agent":       map[string]any{"collectionInterval": "1s", "config": s.reachingGateway(t)},
		"gateway": map[string]any{
			"persistence": map[string]any{"enabled": false},
			"env": []any{
				map[string]any{"name": "KUBERNETES_SERVICE_HOST", "value": host},
				map[string]any{"name": "KUBERNETES_SERVICE_PORT", "value": port},
			},
		},
	}
	return s
}

// reachingGateway is the agents' configuration where no name leads to the
// gateway: an address does.
func (s *stage) reachingGateway(t *testing.T) map[string]any {
	address := s.Service(t, func() string {
		pods, err := s.Client.CoreV1().Pods(s.namespace).List(context.Background(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/component=gateway"})
		if err != nil || len(pods.Items) == 0 {
			return ""
		}
		return net.JoinHostPort(pods.Items[0].Status.PodIP, "4317")
	})
	return map[string]any{"exporters": map[string]any{"otlp_grpc/gateway": map[string]any{
		"endpoint": address,
		"tls":      map[string]any{"server_name_override": fmt.Sprintf("%s-otelcol-gpu-gateway.%s.svc", release, s.namespace)},
	}}}
}

// importImages puts the image that the Dockerfile makes on the node.
func (s *stage) importImages(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	binary := filepath.Join("bin", "linux_"+runtime.GOARCH, "otelcol-gpu")
	for name, from := range map[string]string{binary: program(t, "OTELCOL_GPU"), "LICENSE": root + "/LICENSE", "NOTICE": root + "/NOTICE"} {
		content, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), content, 0o644))
	}
	for _, tag := range []string{older, newer} {
		s.ImportDockerfile(t, repository+":"+tag, root+"/distribution/Dockerfile", folder, map[string]string{"TARGETARCH": runtime.GOARCH, "VERSION": tag})
	}
}

// program returns the path of a program that make has built.
func program(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	require.NotEmpty(t, path, "%s is not set: run make e2e", variable)
	return path
}

// helm runs the real one, with the values of the stage.
func (s *stage) helm(t *testing.T, command string, args ...string) {
	t.Helper()
	args = append([]string{command, "--kubeconfig=" + s.Kubeconfig, "--namespace=" + s.namespace}, args...)
	if command != "uninstall" {
		text, err := json.Marshal(s.values) // JSON is YAML
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "values.yaml")
		require.NoError(t, os.WriteFile(file, text, 0o600))
		args = append(args, "--values="+file)
	}
	run := exec.CommandContext(t.Context(), program(t, "HELM"), args...)
	home := t.TempDir()
	run.Env = append(os.Environ(), "HOME="+home, "HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	require.NoError(t, run.Run(), "helm %v: %s", args, &out)
}

func (s *stage) label(t *testing.T, name, value string) {
	t.Helper()
	node, err := s.Client.CoreV1().Nodes().Get(t.Context(), s.NodeName, metav1.GetOptions{})
	require.NoError(t, err)
	node.Labels[name] = value
	_, err = s.Client.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{})
	require.NoError(t, err)
}
