// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package hostengine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/scenario"
)

func TestCheck(t *testing.T) {
	require.NoError(t, Check(load(t, begin).World()), "two instances, and one later")
	var six strings.Builder
	for i := range 6 {
		fmt.Fprintf(&six, "              - {name: x%d, profile: 1g.10gb, slices: 1, memory: 1GiB}\n", i)
	}
	for _, c := range []struct{ old, new, want string }{
		{"pods:\n", "  - {name: m, devices: 1}\npods:\n", "it has 2 nodes: want a single one"},
		{"faults:\n", "faults:\n  outages: [{node: n, at: 1s, for: 2s, part: engine}]\n", "node n has outages"},
		{"faults:\n", "faults:\n  clock: [{node: n, at: 1s, by: 1s}]\n", "steps of its clock"},
		{"  - name: whole\n", "  - name: whole\n    processes: true\n", "pod whole has processes: want false"},
		{"device: 1\n        layouts:\n          - instances:\n", "device: 1\n        slices: 14\n        layouts:\n          - instances:\n" + six.String(), "has 8 MIG instances at a time: want at most 7"},
	} {
		text := strings.Replace(example, c.old, c.new, 1)
		require.NotEqual(t, example, text, c.old)
		s, err := scenario.Parse("example", []byte(text))
		require.NoError(t, err)
		assert.ErrorContains(t, Check(s.World()), c.want)
	}
}
