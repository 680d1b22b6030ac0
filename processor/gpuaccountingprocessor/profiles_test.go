// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/profile"
)

// TestReadmeListsTheProfiles holds the table of the README to what is known.
func TestReadmeListsTheProfiles(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	const head = "| profile | output | demand, sleep | only |\n|---|---|---|---|\n"
	_, table, found := strings.Cut(string(readme), head)
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	var want []string
	for _, p := range profile.Known() {
		want = append(want, row(p))
	}
	require.Equal(t, strings.Join(want, "\n"), strings.TrimSpace(table))
}

// row returns the line of a profile in the README.
func row(p profile.Profile) string {
	var outputs, others, only []string
	for _, m := range p.Metrics {
		name := "`" + m.Metric + "`"
		if len(m.Only.Ports) < len(p.Metrics[0].Only.Ports) {
			name += ", by job only,"
		}
		if m.Kind == gpu.OutputCounter {
			outputs = append(outputs, name+details(m))
		} else {
			others = append(others, name+details(m))
		}
	}
	if gate := p.Metrics[0].Only; gate.ByTarget() {
		for _, job := range gate.Jobs {
			only = append(only, "job with `"+job+"`")
		}
		for _, port := range gate.Ports {
			only = append(only, "port "+port)
		}
	}
	if p.ByNameOnly {
		only = append(only, "if it is chosen")
	}
	return fmt.Sprintf("| [`%s`](%s) | %s | %s | %s |",
		p.Name, p.Docs, strings.Join(outputs, ", "), strings.Join(others, ", "), strings.Join(only, " or "))
}

// details returns what there is to say of a metric.
func details(m profile.Metric) string {
	var all []string
	switch {
	case m.Unit != "" && m.Histogram == profile.Sum:
		all = append(all, "sum: "+m.Unit)
	case m.Unit != "":
		all = append(all, m.Unit)
	}
	for _, key := range slices.Sorted(maps.Keys(m.Only.Attributes)) {
		all = append(all, key+" = "+strings.Join(m.Only.Attributes[key], ", "))
	}
	for _, key := range m.Only.Without {
		all = append(all, "without "+key)
	}
	if m.Window != 0 {
		all = append(all, "window "+m.Window.String())
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, "; ") + ")"
}
