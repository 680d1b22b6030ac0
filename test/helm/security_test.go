// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// security returns the contexts of the pod of a kind, and of its container.
func security(t *testing.T, objects []object, kind string) (pod, container any) {
	t.Helper()
	require.Len(t, find(objects, kind), 1)
	spec := object(find(objects, kind)[0].at("spec", "template", "spec").(map[string]any))
	return spec["securityContext"], spec["containers"].([]any)[0].(map[string]any)["securityContext"]
}

// TestSecurity: no container has any privilege, the gateway isn't root, and a
// platform can have it otherwise.
func TestSecurity(t *testing.T) {
	least := map[string]any{
		"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
		"capabilities": map[string]any{"drop": []any{"ALL"}}, "seccompProfile": map[string]any{"type": "RuntimeDefault"},
	}
	objects := render(t, with()...)
	pod, container := security(t, objects, "StatefulSet")
	assert.Equal(t, map[string]any{"runAsNonRoot": true, "runAsUser": 10001, "runAsGroup": 10001, "fsGroup": 10001}, pod)
	assert.Equal(t, least, container)
	pod, container = security(t, objects, "DaemonSet")
	assert.Equal(t, map[string]any{"runAsUser": 0, "runAsGroup": 0}, pod)
	assert.Equal(t, least, container)

	objects = render(t, with("agent.securityContext.seLinuxOptions.type=spc_t",
		"gateway.podSecurityContext.runAsUser=null", "gateway.podSecurityContext.runAsGroup=null", "gateway.podSecurityContext.fsGroup=null")...)
	pod, _ = security(t, objects, "StatefulSet")
	assert.Equal(t, map[string]any{"runAsNonRoot": true}, pod)
	_, container = security(t, objects, "DaemonSet")
	least["seLinuxOptions"] = map[string]any{"type": "spc_t"}
	assert.Equal(t, least, container)
}
