// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// TestEveryValueIsDocumented: the README's table has each value of values.yaml,
// and no other.
func TestEveryValueIsDocumented(t *testing.T) {
	documented := documentedValues(t)
	var values map[string]any
	text, err := os.ReadFile(filepath.Join(chart, "values.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &values))
	var want []string
	leaves("", values, documented, &want)
	slices.Sort(want)
	slices.Sort(documented)
	assert.Equal(t, want, documented)
}

// leaves adds the paths of values; what is documented as a whole counts as one.
func leaves(path string, value any, whole []string, to *[]string) {
	m, ok := value.(map[string]any)
	if !ok || len(m) == 0 || slices.Contains(whole, path) {
		*to = append(*to, path)
		return
	}
	for key, value := range m {
		leaves(strings.TrimPrefix(path+"."+key, "."), value, whole, to)
	}
}

// documentedValues returns the values in the first column of the table. One that
// begins with a dot is beside the one before.
func documentedValues(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(chart, "README.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "\n## Values\n")
	require.True(t, found)
	var out []string
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			value := name[1]
			if strings.HasPrefix(value, ".") {
				last := out[len(out)-1]
				value = last[:strings.LastIndex(last, ".")] + value
			}
			out = append(out, value)
		}
	}
	require.NotEmpty(t, out)
	return out
}

// TestVersions: the chart installs the version that the builder's manifest has.
func TestVersions(t *testing.T) {
	var about struct {
		AppVersion string `yaml:"appVersion"`
	}
	text, err := os.ReadFile(filepath.Join(chart, "Chart.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &about))
	var manifest struct {
		Dist struct {
			Version string `yaml:"version"`
		} `yaml:"dist"`
	}
	text, err = os.ReadFile("../../builder-config.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &manifest))
	assert.Equal(t, manifest.Dist.Version, about.AppVersion)
}
