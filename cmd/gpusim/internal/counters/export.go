// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package counters

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrNone says that a collector exported no counters of a node.
var ErrNone = errors.New("no " + timeTotal)

// Export is what a collector exported.
type Export struct {
	// Accounts are in order of node, device and holder.
	Accounts []Account
	// Errors has what the collector found when it checked its account of each
	// node (gpu.ledger.error): anything but 0 is a defect.
	Errors map[string]time.Duration
	// NoCluster: it doesn't tell the cluster of any account.
	NoCluster bool
}

// Of returns the accounts of a node. It returns ErrNone if there are none.
func (e Export) Of(node string) ([]Account, error) {
	accounts := slices.DeleteFunc(slices.Clone(e.Accounts), func(a Account) bool { return a.Node != node })
	if len(accounts) == 0 {
		return nil, fmt.Errorf("%w of node %q", ErrNone, node)
	}
	return accounts, nil
}

// Sort brings accounts in their order.
func Sort(accounts []Account) {
	slices.SortFunc(accounts, compareAll)
}
