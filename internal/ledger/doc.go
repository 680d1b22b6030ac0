// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package ledger accounts for every nanosecond of every device: it turns
// samples, allocation sets and application outputs into time by condition.
//
// docs/ledger.md is its specification. The package is pure: it knows no
// clock, no lock, no pdata and no logger, and imports internal/gpu only.
// A Ledger isn't safe for concurrent use.
//
// The laws that hold after every call:
//
//   - For every device, Σ over the conditions of all its accounts equals the
//     settled time minus the opening of the device, exactly.
//   - A holder's allocated time is the sum of its conditions.
//   - No sum ever falls.
//   - Points that arrive again change nothing; points that arrive in another
//     order, within the settle delay, give the same sums.
package ledger
