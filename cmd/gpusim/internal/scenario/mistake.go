// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strconv"
)

// Mistake is what is wrong with a scenario.
type Mistake struct {
	Line  int    // 0 if it isn't about one line
	Path  string // of the key, as pods[2].activity.bursts
	Value string // as it stands there
	Want  string // what would be accepted
}

// Error says all of it in one line.
func (m *Mistake) Error() string {
	text := fmt.Sprintf("%s is %s: want %s", m.Path, m.Value, m.Want)
	if m.Line > 0 {
		return "line " + strconv.Itoa(m.Line) + ": " + text
	}
	return text
}

func mistake(path string, value any, want string, args ...any) error {
	return &Mistake{Path: path, Value: fmt.Sprint(value), Want: fmt.Sprintf(want, args...)}
}

func entry(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
