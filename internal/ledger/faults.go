// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

// The faults that a build with the tag ledgerfault can have. Each breaks one
// promise; a test for each says which.
const (
	plantedShare = "share" // the first of several holders gets its part twice
	plantedLate  = "late"  // a point that comes too late is counted again
	plantedGap   = "gap"   // a gap longer than max_gap is bridged
)
