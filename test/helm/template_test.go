// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the goldens anew")

// secrets are made anew by each rendering.
var secrets = regexp.MustCompile(`(?m)^(  (?:ca\.crt|tls\.crt|tls\.key|token): ).+$`)

// TestGoldens: what the chart makes of each set of values.
func TestGoldens(t *testing.T) {
	for _, folder := range cases(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			text, err := template(t, "--values="+filepath.Join(folder, "values.yaml"))
			require.NoError(t, err)
			text = secrets.ReplaceAllString(text, "${1}made-anew")
			golden := filepath.Join(folder, "golden.yaml")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(text), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), text, "go test ./test/helm -update writes it anew")
		})
	}
}

// TestConfigurations: the built collector accepts each configuration that the
// chart makes.
func TestConfigurations(t *testing.T) {
	for _, folder := range cases(t) {
		for _, o := range find(render(t, "--values="+filepath.Join(folder, "values.yaml")), "ConfigMap") {
			name := o.at("metadata", "name").(string)
			t.Run(filepath.Base(folder)+"/"+name, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "config.yaml")
				require.NoError(t, os.WriteFile(file, []byte(o.at("data", "config.yaml").(string)), 0o600))
				command := exec.CommandContext(t.Context(), program(t, "OTELCOL_GPU"), "validate", "--config="+file)
				command.Env = append(os.Environ(), "K8S_NODE_NAME=n1", "POD_IP=127.0.0.1", "OTLP_TOKEN=none")
				out, err := command.CombinedOutput()
				assert.NoError(t, err, string(out))
			})
		}
	}
}

// TestRefused: values that can't be are refused with the key, and with what to
// set.
func TestRefused(t *testing.T) {
	good := []string{"--set=clusterName=c", "--set=exporters.otlp_grpc.endpoint=c:4317"}
	for set, want := range map[string]string{
		"clusterName=":                              "'/clusterName': minLength: got 0, want 1",
		"agent.acess=api":                           "additional properties 'acess' not allowed",
		"agent.access=root":                         "'/agent/access': value must be one of 'sockets', 'api'",
		"agent.lookups.owners=true":                 "agent.lookups, agent.namespaceLabels: they ask the API server; set agent.access=api",
		"agent.pods=api_server":                     "agent.pods: api_server asks the API server; set agent.access=api",
		"agent.devices.source=dcgm":                 "agent.devices.dcgm.endpoint: none is set",
		"exporters=null":                            "exporters: none is set; set at least one",
		"agent.collectionInterval=10":               "'/agent/collectionInterval'",
		"agent.enabled=false,gateway.enabled=false": "both are false; enable one",
		"exporters.otlp_grpc=c:4317":                "'/exporters/otlp_grpc'",
		"agent.enabled=false":                       "networkPolicy.agentsFrom: none is set",
		"podMonitor.enabled=true":                   "networkPolicy.metricsFrom: none is set",
	} {
		_, err := template(t, append(good, "--set="+set)...)
		assert.ErrorContains(t, err, want, set)
	}
	_, err := template(t, good...)
	require.NoError(t, err)
}
