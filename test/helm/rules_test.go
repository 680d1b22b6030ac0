// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// TestRules: each feature brings the permissions that the receiver's README
// documents for it, and no other.
func TestRules(t *testing.T) {
	documented := documentedRules(t)
	base := []string{"--set=clusterName=c", "--set=exporters.otlp_grpc.endpoint=c:4317", "--set=agent.access=api"}
	for feature, set := range map[string]string{
		"pods: api_server": "agent.pods=api_server",
		"event_lookup":     "agent.pods=pods_api,agent.lookups.events=true",
		"namespace_labels": "agent.pods=pods_api,agent.namespaceLabels={team}",
		"claim_lookup":     "agent.pods=pods_api,agent.lookups.claims=true",
		"node_lookup":      "agent.pods=pods_api,agent.lookups.node=true",
	} {
		assert.Equal(t, documented["otelcol-gpu-node"][feature], rulesOf(t, render(t, append(base, "--set="+set)...), "agent"), feature)
	}
	assert.Equal(t, documented["otelcol-gpu-cluster"][""], rulesOf(t, render(t, base...), "gateway"))
	assert.Equal(t, append(slices.Clone(documented["otelcol-gpu-cluster"][""]), documented["otelcol-gpu-cluster"]["claim_lookup"]...),
		rulesOf(t, render(t, append(base, "--set=gateway.claims=true")...), "gateway"))
}

// TestNoAccess: with the sockets alone an agent has neither role nor token.
func TestNoAccess(t *testing.T) {
	objects := render(t, "--values=testdata/sockets/values.yaml")
	assert.Empty(t, rulesOf(t, objects, "agent"))
	require.Len(t, find(objects, "DaemonSet"), 1)
	assert.Equal(t, false, find(objects, "DaemonSet")[0].at("spec", "template", "spec", "automountServiceAccountToken"))
}

// rulesOf returns the rules of the role of a component.
func rulesOf(t *testing.T, objects []object, component string) []string {
	t.Helper()
	var rules []string
	for _, o := range find(objects, "ClusterRole") {
		if o.at("metadata", "labels", "app.kubernetes.io/component") != component {
			continue
		}
		for _, r := range o["rules"].([]any) {
			rules = append(rules, ruleText(r))
		}
	}
	return rules
}

func ruleText(rule any) string {
	r := object(rule.(map[string]any))
	return fmt.Sprint(r["apiGroups"], r["resources"], r["verbs"])
}

// documentedRules returns the rules of the roles in the receiver's README, by
// role and by the feature in the comment of the line; one without a comment is
// of the feature before.
func documentedRules(t *testing.T) map[string]map[string][]string {
	t.Helper()
	readme, err := os.ReadFile("../../receiver/k8sgpureceiver/README.md")
	require.NoError(t, err)
	out := map[string]map[string][]string{}
	role, feature := "", ""
	for line := range strings.Lines(string(readme)) {
		if found := regexp.MustCompile(`^metadata: \{name: (otelcol-gpu-\w+)\}`).FindStringSubmatch(line); found != nil {
			role, feature = found[1], ""
			out[role] = map[string][]string{}
		}
		if !strings.HasPrefix(line, "  - {apiGroups:") {
			continue
		}
		text, comment, found := strings.Cut(line, "#")
		if found {
			feature = strings.TrimSpace(comment)
		}
		var rule []any
		require.NoError(t, yaml.Unmarshal([]byte(text), &rule), line)
		out[role][feature] = append(out[role][feature], ruleText(rule[0]))
	}
	require.NotEmpty(t, out["otelcol-gpu-node"]["event_lookup"])
	return out
}
