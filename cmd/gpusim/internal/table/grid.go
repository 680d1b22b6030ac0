// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"strings"
	"unicode/utf8"
)

// grid lays out rows of cells, the first of which is the head. The columns
// are as wide as their widest cell, numbers are on the right.
type grid struct {
	rows [][]string
	// texts says how many columns from the left hold text.
	texts int
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

func (g *grid) String() string {
	widths := make([]int, len(g.rows[0]))
	for _, row := range g.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, 0, len(g.rows)+1)
	for _, row := range g.rows {
		lines = append(lines, strings.TrimRight(g.line(row, widths), " "))
	}
	rule := strings.Repeat("─", utf8.RuneCountInString(g.line(g.rows[0], widths)))
	lines = append(lines[:1], append([]string{rule}, lines[1:]...)...)
	return strings.Join(lines, "\n") + "\n"
}

func (g *grid) line(row []string, widths []int) string {
	cells := make([]string, 0, len(row))
	for i, cell := range row {
		padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i < g.texts {
			cells = append(cells, cell+padding)
		} else {
			cells = append(cells, padding+cell)
		}
	}
	return strings.Join(cells, "  ")
}
