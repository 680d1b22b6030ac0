// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/scenario"
)

// README.md names every command, every flag of gpusim run and no other there,
// and its examples are command lines that are taken.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	readme := string(text)
	for _, c := range commands {
		assert.Contains(t, readme, "| `gpusim "+c.name+"` |")
	}

	var o runFlags
	f := o.flags()
	f.VisitAll(func(f *flag.Flag) { assert.Regexp(t, `(?m)^\| .*`+"`--"+f.Name+"`", readme) })
	_, section, _ := strings.Cut(readme, "## Run a scenario")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, name := range regexp.MustCompile("`--([a-z-]+)`").FindAllStringSubmatch(section, -1) {
		assert.NotNil(t, f.Lookup(name[1]), name[0])
	}

	examples := regexp.MustCompile(`(?m)^(?:bin/)?gpusim run ([^#\n]*)`).FindAllStringSubmatch(readme, -1)
	require.NotEmpty(t, examples)
	for _, example := range examples {
		o, err := parseRunFlags(strings.Fields(example[1]), t.Output())
		require.NoError(t, err, example[0])
		if o.scenario != "my.yaml" {
			_, err = scenario.Load(o.scenario)
			require.NoError(t, err)
		}
	}
	checks := regexp.MustCompile(`(?m)^bin/gpusim check ([^#\n]*)`).FindAllStringSubmatch(readme, -1)
	require.NotEmpty(t, checks)
	for _, check := range checks {
		assert.Contains(t, readme, "\nbin/gpusim run "+check[1]+"\n", "what is checked was run")
	}
}
