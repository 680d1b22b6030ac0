// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package hostengine

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/scenario"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var update = flag.Bool("update", false, "write testdata")

// example has a GPU that is busy and lost, and a board that is cut anew.
const example = `
name: example
description: Two boards.
duration: 1m
collection: {interval: 1s, sample: 100ms}
nodes:
  - name: n
    devices: 2
    mig:
      - device: 1
        layouts:
          - instances:
              - {name: a, profile: 3g.40gb, slices: 3, memory: 40GiB}
              - {name: b, profile: 1g.10gb, slices: 1, memory: 10GiB}
          - {at: 4s, away: 1s, instances: [{name: c, profile: 7g.80gb, slices: 7, memory: 80GiB}]}
pods:
  - name: whole
    places: [{node: n, devices: [0]}]
    memory: 2GiB
    start: {scheduling: 0s, admission: 0s, sandbox: 0s, before_cuda: 0s, load: 1s, load_level: 0}
    activity: {steps: [{for: 750ms, level: 400}, {for: 1s, level: 0}]}
  - name: part
    places: [{node: n, instances: [c]}]
    memory: 2GiB
    at: 5s
    start: {scheduling: 0s, admission: 0s, sandbox: 0s, before_cuda: 0s, load: 1s, load_level: 0}
    activity: {steady: {level: 250}}
faults:
  lost: [{node: n, device: 0, at: 2s, for: 1s}]
`

func load(t *testing.T, start gpu.Time) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("example", []byte(example))
	require.NoError(t, err)
	s.Start = start
	return s
}

const begin = gpu.Time(1_767_571_200_000_000_000)

// lines is what an engine writes that is opened a second before its world begins.
func lines(t *testing.T, off world.Level) string {
	t.Helper()
	e := New(load(t, begin.Add(time.Hour)).World())
	e.Off = off
	text := e.Open(begin.Add(-time.Second))
	text = append(text, e.Poll(begin.Add(-500*time.Millisecond))...)
	e.Play(load(t, begin).World())
	for at := begin; at <= begin.Add(8*time.Second); at = at.Add(500 * time.Millisecond) {
		text = append(text, e.Poll(at)...)
	}
	return string(text)
}

func TestScript(t *testing.T) {
	got := lines(t, 0)
	file := filepath.Join("testdata", "example.txt")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "go test -update writes it")
}

// TestOff: what is wrong shows wherever something runs, and nowhere else.
func TestOff(t *testing.T) {
	right, wrong := lines(t, 0), lines(t, 5)
	assert.Contains(t, right, "set ci 7 1001 d 0.25\n")
	assert.Contains(t, wrong, "set ci 7 1001 d 0.255\n")
	assert.Equal(t, strings.Count(right, "1001 d 0\n"), strings.Count(wrong, "1001 d 0\n"))
}

// TestScriptIsTheStandIns: the stand-in documents every line that is written,
// with as many words. It ends the process at any other.
func TestScriptIsTheStandIns(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "receiver", "dcgmreceiver", "internal", "standin", "doc.go"))
	require.NoError(t, err)
	var forms []*regexp.Regexp
	for _, line := range regexp.MustCompile(`(?m)^//\t(\S.*)$`).FindAllStringSubmatch(string(doc), -1) {
		forms = append(forms, form(line[1]))
	}
	require.Greater(t, len(forms), 20)
	for line := range strings.Lines(lines(t, 0)) {
		assert.True(t, documented(forms, strings.TrimSuffix(line, "\n")), line)
	}
	assert.False(t, documented(forms, "set gpu 0 1001 0.5"), "a value has a type")
	assert.False(t, documented(forms, "halt"))
}

// form is the pattern of a line of the table: "now <time>   of the clock".
func form(line string) *regexp.Regexp {
	words, _, _ := strings.Cut(line, "  ")
	pattern := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(regexp.QuoteMeta(words), `\S+`)
	for _, rest := range []string{"<model>", "<value>"} { // may have spaces
		if strings.HasSuffix(words, rest) {
			pattern = strings.TrimSuffix(pattern, `\S+`) + `\S.*`
		}
	}
	return regexp.MustCompile("^" + pattern + "$")
}

func documented(forms []*regexp.Regexp, line string) bool {
	for _, f := range forms {
		if f.MatchString(line) {
			return true
		}
	}
	return false
}
