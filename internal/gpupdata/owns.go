// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import "strings"

// Owns reports whether a metric of this name has a meaning in the contract
// already, so that it can't be an application's.
func Owns(metric string) bool {
	switch metric {
	case MetricNodeCapacity, MetricNodeAllocatable, MetricDemandPending: // they pass the ledger
		return true
	}
	if _, input := families[metric]; input || strings.HasPrefix(metric, fieldPrefix) {
		return true
	}
	_, derived := derivedMetrics[metric]
	return derived
}
