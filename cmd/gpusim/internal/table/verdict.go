// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"fmt"
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/verdict"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Comparison prints what is true beside what was exported, by state and reason
// and for each measure, in seconds. The difference is the largest in one account.
func Comparison(v verdict.Verdict) string {
	g := grid{texts: 2}
	g.add("state or measure", "reason", "truth, s", "exported, s", "difference")
	for _, line := range v.Lines {
		name, reason := line.Measure, ""
		if name == "" {
			name, reason = line.Condition.State.String(), line.Condition.Reason.String()
		}
		if line.Condition.Form != gpu.NoForm {
			reason += ", " + line.Condition.Form.String()
		}
		g.add(name, reason, nanoseconds(line.Truth), nanoseconds(line.Exported), line.Largest.String())
	}
	return g.String()
}

// nanoseconds writes seconds to the nanosecond.
func nanoseconds(d time.Duration) string {
	if d < 0 {
		return "-" + number(int64(-d), 9)
	}
	return number(int64(d), 9)
}

// Differences prints the n largest differences of what was compared, a line
// each; nothing if there are none.
func Differences(v verdict.Verdict, n int, what string) string {
	if len(v.Differences) == 0 {
		return ""
	}
	n = min(n, len(v.Differences))
	var b strings.Builder
	fmt.Fprintf(&b, "%s: the largest differences (%d of %d):\n", what, n, len(v.Differences))
	for _, d := range v.Differences[:n] {
		fmt.Fprintf(&b, "  %s (%s)\n", d, signed(d.By()))
	}
	return b.String()
}

func signed(d time.Duration) string {
	if d > 0 {
		return "+" + d.String()
	}
	return d.String()
}

// Checked says of a comparison that found nothing what was compared.
func Checked(v verdict.Verdict, what string) string {
	sentence := fmt.Sprintf("%s: %d counters, each as it should be to 1 µs; largest difference ", what, v.Figures)
	if v.Largest.By() == 0 {
		return sentence + "0 ns."
	}
	return fmt.Sprintf("%s%s (%s).", sentence, v.Largest.By().Abs(), v.Largest)
}
