// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package unconfined

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBundleOf(t *testing.T) {
	for _, c := range []struct {
		args   []string
		bundle string
	}{
		{[]string{"runc", "--root", "/run/r", "create", "--bundle", "/b", "--pid-file", "/p", "id"}, "/b"},
		{[]string{"runc", "create", "id"}, ""},
		{[]string{"runc", "create", "--bundle"}, ""},
		{[]string{"runc", "start", "--bundle", "/b"}, ""},
	} {
		require.Equal(t, c.bundle, bundleOf(c.args), c.args)
	}
}

// Large numbers too stay what they are.
func TestRemoveFilter(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	const before = `{"process":{"oomScoreAdj":999},"linux":{"seccomp":{"defaultAction":"SCMP_ACT_ERRNO"},"resources":{"memory":{"limit":9223372036854775807}}}}`
	require.NoError(t, os.WriteFile(file, []byte(before), 0o600))
	require.NoError(t, removeFilter(file))
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	const want = `{"process":{"oomScoreAdj":999},"linux":{"resources":{"memory":{"limit":9223372036854775807}}}}`
	require.JSONEq(t, want, string(after))
	require.Contains(t, string(after), "9223372036854775807")

	require.NoError(t, os.WriteFile(file, []byte("{"), 0o600))
	require.ErrorContains(t, removeFilter(file), file)
	require.NoError(t, removeFilter(filepath.Join(t.TempDir(), "absent")))
}
