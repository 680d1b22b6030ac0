// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNetworkPolicy: a gateway is reached by whom it is for, also by agents of
// another release.
func TestNetworkPolicy(t *testing.T) {
	const others = "networkPolicy.agentsFrom[0].podSelector.matchLabels.app=others"
	senders := func(sets ...string) string {
		for _, o := range find(render(t, with(sets...)...), "NetworkPolicy") {
			if o.at("metadata", "labels", "app.kubernetes.io/component") == "gateway" {
				return fmt.Sprint(o.at("spec", "ingress"))
			}
		}
		return ""
	}
	assert.Contains(t, senders(), "component:agent")
	both := senders(others)
	assert.Contains(t, both, "component:agent")
	assert.Contains(t, both, "app:others")
	alone := senders(others, "agent.enabled=false")
	assert.NotContains(t, alone, "component:agent")
	assert.Contains(t, alone, "app:others")
}
