// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package verdict

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// String says where the figure is and what the two sides have.
func (d Difference) String() string {
	words := d.Metric()
	if w := d.Words(); w != "" {
		words += " (" + w + ")"
	}
	return fmt.Sprintf("%s, %s: truth %s, exported %s", d.Where(), words, d.Truth, d.Exported)
}

// Where names the account.
func (d Difference) Where() string {
	a := d.Account
	where := []string{"node " + a.Node, "device " + a.Device}
	switch {
	case a.Overflow:
		where = append(where, "overflow")
	case a.Held():
		where = append(where, fmt.Sprintf("pod %s/%s (%s)", a.Namespace, a.Pod, a.Attribution))
	default:
		where = append(where, "nobody's time")
	}
	return strings.Join(where, ", ")
}

// Err returns nil if what was exported is the truth.
func (v Verdict) Err() error {
	var wrong []error
	if n := len(v.Differences); n > 0 {
		wrong = append(wrong, fmt.Errorf("%d of %d figures aren't what is true, the largest difference: %s", n, v.Figures, v.Differences[0]))
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
