// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgmreceiver

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/catalog"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

var update = flag.Bool("update", false, "write the tables of docs/metrics.md")

const metricsPage = "../../docs/metrics.md"

// TestMetricsPage holds docs/metrics.md to metadata.yaml and to the table of
// fields. -update writes what is between its marks.
func TestMetricsPage(t *testing.T) {
	text, err := os.ReadFile(metricsPage)
	require.NoError(t, err)
	page := string(text)
	for mark, table := range map[string]string{"metrics": metricsTable(t), "resource": resourceTable(t), "fields": fieldsTable()} {
		begin, end := "<!-- "+mark+": generated -->\n", "<!-- "+mark+": end -->"
		before, rest, ok := strings.Cut(page, begin)
		_, after, closed := strings.Cut(rest, end)
		require.True(t, ok && closed, "%s has no marks for %s", metricsPage, mark)
		page = before + begin + "\n" + table + "\n" + end + after
	}
	if *update {
		require.NoError(t, os.WriteFile(metricsPage, []byte(page), 0o600))
		return
	}
	require.Equal(t, page, string(text), "run go test ./receiver/dcgmreceiver -run MetricsPage -update")
}

func metricsTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| metric | unit | kind | attributes | default | |\n|---|---|---|---|---|---|\n")
	file := loadMetadata(t)
	for _, name := range slices.Sorted(maps.Keys(file.Metrics)) {
		m := file.Metrics[name]
		form, data := m.Form()
		if form == "sum" && !data.Monotonic {
			form = "updowncounter"
		}
		on := map[bool]string{true: "on", false: "off"}[m.Enabled]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", name, m.Unit, form, ticked(m.Attributes...), on, m.Description)
	}
	return b.String()
}

func resourceTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| attribute | type | |\n|---|---|---|\n")
	all := loadMetadata(t).ResourceAttributes
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, all[name].Type, all[name].Description)
	}
	return b.String()
}

func ticked(words ...string) string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, "`"+w+"`")
		}
	}
	return strings.Join(out, ", ")
}

func fieldsTable() string {
	var b strings.Builder
	b.WriteString("| series | field | what is told | unit of the field × | measured on | dcgm-exporter up to 4.8.4 | from 4.9.0 | Google's receiver |\n" +
		"|---|---|---|---|---|---|---|---|\n")
	rows := catalog.Rows()
	for i := range rows {
		for k, s := range rows[i].Sources {
			series := ticked(rows[i].Key())
			if k > 0 {
				series = "" // the next best source of the same
			}
			spec, _ := sample.SpecOf(s.Field)
			fmt.Fprintf(&b, "| %s | %s | %v | %g | %s |%s\n", series, number(s.Field), s.Use, spec.Scale, level(spec.Level), elsewhere(s.Field))
		}
	}
	return b.String()
}

func number(f sample.Field) string {
	if f.Profiling() {
		return fmt.Sprintf("%d (profiling)", f)
	}
	return fmt.Sprintf("%d", f)
}

func level(k sample.Kind) string {
	return map[sample.Kind]string{sample.Board: "board", sample.GPUInstance: "GPU instance", sample.ComputeInstance: "compute instance"}[k]
}

func elsewhere(f sample.Field) string {
	names := catalog.NamesOf(f)
	google := names.Google
	if google != "" {
		google = "gpu.dcgm." + google
	}
	newer := names.New
	if newer == "" {
		newer = names.Old
	}
	return fmt.Sprintf(" %s | %s | %s |", ticked("DCGM_FI_"+names.Old), ticked("DCGM_FI_"+newer), ticked(google))
}

// TestFieldsHaveNames in other programs.
func TestFieldsHaveNames(t *testing.T) {
	for _, f := range catalog.All() {
		require.NotEmpty(t, catalog.NamesOf(f).Old, f)
	}
}

// TestAttributesOfRows are those that metadata.yaml lists, with their values.
func TestAttributesOfRows(t *testing.T) {
	file := loadMetadata(t)
	rows := catalog.Rows()
	for i := range rows {
		m, ok := file.Metrics[rows[i].Metric]
		require.True(t, ok, rows[i].Metric)
		for _, a := range rows[i].Attributes {
			require.Contains(t, m.Attributes, a.Key, rows[i].Key())
			require.Contains(t, file.Attributes[a.Key].Enum, a.Value, rows[i].Key())
		}
	}
}
