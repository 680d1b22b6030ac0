// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMemoryLimit: Go frees memory before the container's limit.
func TestMemoryLimit(t *testing.T) {
	of := func(limit string) any {
		sets := render(t, with("agent.resources.limits.memory="+limit)...)
		require.Len(t, find(sets, "DaemonSet"), 1)
		containers := find(sets, "DaemonSet")[0].at("spec", "template", "spec", "containers").([]any)
		for _, e := range containers[0].(map[string]any)["env"].([]any) {
			if variable := e.(map[string]any); variable["name"] == "GOMEMLIMIT" {
				return variable["value"]
			}
		}
		return nil
	}
	for limit, want := range map[string]any{"500Mi": "400MiB", "2Gi": "1638MiB", "null": nil, "1500M": nil} {
		assert.Equal(t, want, of(limit), limit)
	}
}
