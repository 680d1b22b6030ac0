// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package accuracy

import (
	"flag"
	"os"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/scenario"
)

var (
	whole  = flag.Bool("whole", false, "measure every scenario at every interval, not a few of them")
	update = flag.Bool("update", false, "with -whole: write the tables of docs/accuracy.md")
)

const page = "../../../../docs/accuracy.md"

var intervals = []time.Duration{time.Second, 10 * time.Second, 30 * time.Second}

// few are measured by every run of the tests.
var few = []string{"steady", "trickle", "idle-rank"}

// TestAccuracy holds docs/accuracy.md to what is measured, and what is measured
// to the marks, but for what known says.
func TestAccuracy(t *testing.T) {
	if *whole {
		measureAll(t)
		return
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, s := range scenarios(t) {
		for _, name := range few {
			if s.Name == name {
				for _, r := range Measure(s, 30*time.Second) {
					assert.Contains(t, string(text), r.String(), "%s every %s", r.Scenario, r.Interval)
					checkMarks(t, r)
				}
			}
		}
	}
}

func measureAll(t *testing.T) {
	byInterval := map[time.Duration][]Row{}
	var all []Row
	for _, s := range scenarios(t) {
		for _, r := range Measure(s, intervals...) {
			byInterval[r.Interval] = append(byInterval[r.Interval], r)
			all = append(all, r)
			checkMarks(t, r)
		}
	}
	checkReasons(t, all)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	got := string(text)
	for _, interval := range intervals {
		got = replaced(t, got, interval.String(), Table(byInterval[interval]))
	}
	got = replaced(t, got, "beyond", Beyond(all))
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(got), 0o644))
		return
	}
	assert.Equal(t, got, string(text), "make accuracy writes the tables")
}

// replaced returns a page with another table between two comments.
func replaced(t *testing.T, page, name, table string) string {
	begin, end := "<!-- measured "+name+" -->\n", "<!-- end -->"
	before, rest, ok := strings.Cut(page, begin)
	require.True(t, ok, "no %q", begin)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	return before + begin + "\n" + table + "\n" + end + after
}

// checkMarks: whatever is beyond its mark has a reason in docs/accuracy.md.
func checkMarks(t *testing.T, r Row) {
	for _, miss := range r.Misses() {
		assert.NotEmpty(t, why(r.Scenario, miss), "%s every %s is beyond a mark (%s): %s", r.Scenario, r.Interval, miss, r)
	}
}

// checkReasons: no reason is given for what isn't beyond its mark.
func checkReasons(t *testing.T, rows []Row) {
	missed := map[string]bool{}
	for _, r := range rows {
		for _, miss := range r.Misses() {
			missed[r.Scenario+miss] = true
		}
	}
	for name, figures := range special {
		for figure := range figures {
			assert.True(t, missed[name+figure], "%s: %s isn't beyond its mark", name, figure)
		}
	}
}

func scenarios(t *testing.T) (all []*scenario.Scenario) {
	for _, name := range scenario.Names() {
		if path.Dir(name) == "accuracy" {
			s, err := scenario.Load(name)
			require.NoError(t, err)
			all = append(all, s)
		}
	}
	require.Len(t, all, 30)
	return all
}
