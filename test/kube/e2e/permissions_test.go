// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// readme is the receiver's: what it says of permissions is what is tested.
var readme = filepath.Join("..", "..", "..", "receiver", "k8sgpureceiver", "README.md")

// role is the beginning of the ClusterRole of a node's collector in it.
const role = "metadata: {name: otelcol-gpu-node}"

// documented returns the rules that the README has for a feature: those whose
// comment begins with it. A rule without a comment belongs to the one before.
func documented(t *testing.T, feature string) (rules []rbacv1.PolicyRule) {
	t.Helper()
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	_, block, found := strings.Cut(string(text), role)
	require.True(t, found, "the README of the receiver has no ClusterRole otelcol-gpu-node")
	block, _, _ = strings.Cut(block, "```")
	of := ""
	for line := range strings.Lines(block) {
		item, comment, commented := strings.Cut(line, "#")
		if commented {
			of = strings.TrimSpace(comment)
		}
		item, isRule := strings.CutPrefix(strings.TrimSpace(item), "- ")
		if !isRule || !strings.HasPrefix(of, feature) {
			continue
		}
		var rule rbacv1.PolicyRule
		require.NoError(t, yaml.UnmarshalStrict([]byte(item), &rule), item)
		rules = append(rules, rule)
	}
	require.NotEmpty(t, rules, "the README has no rule for %s", feature)
	return rules
}

// accessFor returns the kubeconfig of an account that may do what the README
// says that a feature needs, and nothing else.
func (s *stage) accessFor(t *testing.T, feature string) string {
	t.Helper()
	return s.KubeconfigFor(t, "default", documented(t, feature)...)
}
