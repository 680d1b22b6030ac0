// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/scenario"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// The collectors of the examples know the metrics of the scenarios that they
// are for: else what these prove would be missing from the account.
func TestExamplesKnowTheMetrics(t *testing.T) {
	for file, prefixes := range map[string][]string{
		"demo/collector.yaml":  {"demo", "accuracy/"},
		"check/collector.yaml": {""}, // all
		"load/accounting.yaml": {"load"},
	} {
		known := outputsOf(t, filepath.Join("..", "..", "examples", file))
		for _, name := range scenario.Names() {
			for _, prefix := range prefixes {
				if !strings.HasPrefix(name, prefix) {
					continue
				}
				for metric, p := range profilesOf(t, name) {
					assert.Equal(t, p, known[metric], "%s, %s of %s", file, metric, name)
				}
			}
		}
	}
}

// outputsOf returns the profiles in a collector's configuration.
func outputsOf(t *testing.T, file string) map[string]gpu.OutputProfile {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var config struct {
		Processors struct {
			Accounting struct {
				Outputs []struct {
					Metric, Kind, Unit string
					Window             time.Duration
				}
			} `yaml:"gpu_accounting"`
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &config))
	known := map[string]gpu.OutputProfile{}
	for _, o := range config.Processors.Accounting.Outputs {
		p := gpu.OutputProfile{Metric: o.Metric, Unit: o.Unit, Window: time.Minute}
		if o.Kind != "" {
			var ok bool
			p.Kind, ok = gpu.ParseOutputKind(o.Kind)
			require.True(t, ok, o.Kind)
		}
		if o.Window > 0 {
			p.Window = o.Window
		}
		known[o.Metric] = p
	}
	return known
}

// profilesOf returns those of a scenario's metrics. Only what is counted has a
// unit.
func profilesOf(t *testing.T, name string) map[string]gpu.OutputProfile {
	t.Helper()
	s, err := scenario.Load(name)
	require.NoError(t, err)
	profiles := map[string]gpu.OutputProfile{}
	for _, n := range s.World().Nodes {
		for _, pod := range n.Pods {
			for _, m := range pod.Metrics {
				p := m.Profile
				if p.Kind != gpu.OutputCounter {
					p.Unit = ""
				}
				profiles[p.Metric] = p
			}
		}
	}
	return profiles
}
