// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// podMonitors is the definition of a PodMonitor, as far as that there is one.
const podMonitors = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: podmonitors.monitoring.coreos.com}
spec:
  group: monitoring.coreos.com
  scope: Namespaced
  names: {kind: PodMonitor, plural: podmonitors}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// testDryRun: the API server accepts what the chart makes of each set of values.
func testDryRun(t *testing.T, s *stage) {
	folders, err := filepath.Glob(root + "/test/helm/testdata/*/values.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	require.NoError(t, s.kubectl(t, podMonitors, "apply"))
	require.NoError(t, s.kubectl(t, "", "wait", "--for=condition=Established", "crd/podmonitors.monitoring.coreos.com", "--timeout=60s"))
	for _, values := range folders {
		run := exec.CommandContext(t.Context(), program(t, "HELM"), "template", release, chart, "--namespace="+s.namespace, "--kube-version=1.37.2", "--values="+values)
		text, err := run.Output()
		require.NoError(t, err, values)
		assert.NoError(t, s.kubectl(t, string(text), "apply", "--dry-run=server", "--namespace="+s.namespace), values)
	}
	assert.Error(t, s.kubectl(t, `{apiVersion: v1, kind: Service, metadata: {name: no-ports}}`, "apply", "--dry-run=server", "--namespace="+s.namespace))
}

// kubectl runs the real one, with objects.
func (s *stage) kubectl(t *testing.T, objects string, args ...string) error {
	t.Helper()
	args = append([]string{"kubectl", "--kubeconfig=" + s.Kubeconfig}, args...)
	if objects != "" {
		file := filepath.Join(t.TempDir(), "objects.yaml")
		require.NoError(t, os.WriteFile(file, []byte(objects), 0o600))
		args = append(args, "--filename="+file)
	}
	run := exec.CommandContext(t.Context(), filepath.Join(program(t, "KUBE_BIN"), "kubebin"), args...)
	out, err := run.CombinedOutput()
	if err != nil {
		t.Logf("%v: %v\n%s", args, err, out)
	}
	return err
}
