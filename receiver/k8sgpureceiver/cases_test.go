// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const casesFolder = "testdata/cases"

// TestCases plays each file of testdata/cases.
func TestCases(t *testing.T) {
	paths, err := filepath.Glob(casesFolder + "/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			s, err := readScript(path)
			require.NoError(t, err)
			number, _, _ := strings.Cut(filepath.Base(path), "-")
			require.Equal(t, number, leading(s.Case), "the case that the name says")
			require.NotEmpty(t, s.Title)
			play(t, &s)
		})
	}
}

// leading returns two digits.
func leading(n int) string { return strconv.Itoa(n + 100)[1:] }

// lastCase is the number of the last case of the table.
const lastCase = 26

// tableRow is a row "| 7 | case | file, or why there is none | meaning |".
var tableRow = regexp.MustCompile(`(?m)^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$`)

var linked = regexp.MustCompile(`\[[^\]]+\]\(([^)]+\.yaml)\)`)

// TestTableOfCasesIsComplete: each number has files, or a reason; each file has
// its row.
func TestTableOfCasesIsComplete(t *testing.T) {
	text, err := os.ReadFile(casesFolder + "/README.md")
	require.NoError(t, err)
	paths, err := filepath.Glob(casesFolder + "/*.yaml")
	require.NoError(t, err)
	files := map[string]bool{}
	for _, path := range paths {
		files[filepath.Base(path)] = true
	}
	require.Empty(t, gapsInTable(string(text), files))
}

// gapsInTable returns what is wrong with a table of cases.
func gapsInTable(table string, files map[string]bool) (gaps []string) {
	rows, inTable := map[int]bool{}, map[string]bool{}
	for _, row := range tableRow.FindAllStringSubmatch(table, -1) {
		number, _ := strconv.Atoi(row[1]) // digits
		rows[number] = true
		for _, link := range linked.FindAllStringSubmatch(row[3], -1) {
			inTable[link[1]] = true
			if !files[link[1]] || !strings.HasPrefix(link[1], leading(number)+"-") {
				gaps = append(gaps, "case "+row[1]+": "+link[1]+" isn't a file of it")
			}
		}
		if len(strings.TrimSpace(row[3])) < 10 || len(strings.TrimSpace(row[4])) < 10 {
			gaps = append(gaps, "case "+row[1]+": neither a file nor a reason, or no meaning")
		}
	}
	for n := 1; n <= lastCase; n++ {
		if !rows[n] {
			gaps = append(gaps, "case "+strconv.Itoa(n)+" has no row")
		}
	}
	for file := range files {
		if !inTable[file] {
			gaps = append(gaps, file+" has no row")
		}
	}
	return gaps
}

// TestGapsInTheTableAreSeen is the control of the test above.
func TestGapsInTheTableAreSeen(t *testing.T) {
	var rows strings.Builder
	for n := 1; n <= lastCase; n++ {
		rows.WriteString("| " + strconv.Itoa(n) + " | a case | not of this receiver | why it is so |\n")
	}
	table := rows.String()
	require.Empty(t, gapsInTable(table, nil))
	require.Len(t, gapsInTable(table, map[string]bool{"07-x.yaml": true}), 1, "a file without a row")
	require.Len(t, gapsInTable(strings.Replace(table, "| 7 |", "| 8 |", 1), nil), 1, "a number without a row")
	require.Len(t, gapsInTable(strings.Replace(table, "not of this receiver", " ", 1), nil), 1, "no reason")
	require.Len(t, gapsInTable(strings.Replace(table, "not of this receiver", "[x](07-x.yaml), a file", 1), nil), 1, "no such file")
}
