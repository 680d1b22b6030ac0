// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
)

// String says where the figure is and what the two sides have.
func (d Difference) String() string {
	words := d.Metric()
	if w := d.Words(); w != "" {
		words += " (" + w + ")"
	}
	return fmt.Sprintf("%s, %s: truth %s, exported %s", d.Where(), words, d.Truth, d.Exported)
}

// String says where the label is and what the two sides have.
func (m Mislabel) String() string {
	return fmt.Sprintf("%s, %s: truth %q, exported %q", where(m.Account), m.Label, m.Truth, m.Exported)
}

func (t Twice) String() string {
	return fmt.Sprintf("the %s has %d accounts of %s", t.Side, t.Times, where(t.Account))
}

// Where names the account.
func (d Difference) Where() string { return where(d.Account) }

func where(a counters.Account) string {
	place := []string{"node " + a.Node, "device " + a.Device}
	switch {
	case a.Overflow:
		place = append(place, "overflow")
	case a.Held():
		place = append(place, fmt.Sprintf("pod %s/%s (%s)", a.Namespace, a.Pod, a.Attribution))
	default:
		place = append(place, "nobody's time")
	}
	return strings.Join(place, ", ")
}

func number(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Err returns nil if what was exported is the truth. The differences aren't in
// its text.
func (v Verdict) Err() error {
	var wrong []error
	if n := len(v.Differences); n > 0 {
		wrong = append(wrong, fmt.Errorf("%d of %d %s what is true", n, v.Figures, number(v.Figures, "figure isn't", "figures aren't")))
	}
	switch n := len(v.Mislabels); {
	case n == 1:
		wrong = append(wrong, fmt.Errorf("1 label isn't what is true: %s", v.Mislabels[0]))
	case n > 1:
		wrong = append(wrong, fmt.Errorf("%d labels aren't what is true, the first: %s", n, v.Mislabels[0]))
	}
	for _, t := range v.Twice {
		wrong = append(wrong, errors.New(t.String()))
	}
	for _, node := range slices.Sorted(maps.Keys(v.Errors)) {
		wrong = append(wrong, fmt.Errorf("the collector's own check of node %s found gpu.ledger.error %s", node, v.Errors[node]))
	}
	if len(v.Unchecked) > 0 {
		wrong = append(wrong, fmt.Errorf("no gpu.ledger.error of %s: the collector didn't check its account", strings.Join(v.Unchecked, ", ")))
	}
	if v.Figures == 0 {
		wrong = append(wrong, errors.New("there is nothing to compare"))
	}
	return errors.Join(wrong...)
}
