// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// exportersOf returns the exporters in the configuration of a component.
func exportersOf(t *testing.T, component string, sets ...string) object {
	t.Helper()
	var config map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(configOf(t, render(t, with(sets...)...), component)), &config))
	return object(config["exporters"].(map[string]any))
}

// TestQueues: what can't be sent is kept where it survives a restart, and for as
// long as it takes, unless the values say otherwise.
func TestQueues(t *testing.T) {
	const storage = "file_storage/queue"
	gateway := exportersOf(t, "gateway",
		"exporters.otlp_http/b.endpoint=http://b", "exporters.otlp_http/b.retry_on_failure.max_elapsed_time=1h",
		"exporters.otlp_http/b.sending_queue.queue_size=7", "exporters.debug.verbosity=basic")
	assert.Equal(t, "c:4317", gateway.at("otlp_grpc", "endpoint"))
	assert.Equal(t, storage, gateway.at("otlp_grpc", "sending_queue", "storage"))
	assert.Equal(t, 0, gateway.at("otlp_grpc", "retry_on_failure", "max_elapsed_time"))
	assert.Equal(t, map[string]any{"storage": storage, "queue_size": 7}, gateway.at("otlp_http/b", "sending_queue"))
	assert.Equal(t, "1h", gateway.at("otlp_http/b", "retry_on_failure", "max_elapsed_time"))
	assert.Equal(t, map[string]any{"verbosity": "basic"}, gateway.at("debug"))

	agent := exportersOf(t, "agent", "gateway.enabled=false")
	assert.Equal(t, storage, agent.at("otlp_grpc", "sending_queue", "storage"))
	agent = exportersOf(t, "agent", "gateway.enabled=false", "agent.state.enabled=false")
	assert.Equal(t, map[string]any{"endpoint": "c:4317"}, agent.at("otlp_grpc"))
}
