// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package truth says what a collector should account of a node that it
// watches: docs/ledger.md, computed offline, with all that was ever told at
// hand. It shares no code with internal/ledger.
//
// For each device the told facts give lists of spans: who holds it, what is
// known of it, what its samples say. The time of the device is cut where
// anything changes (segments), and at the points of its samples (intervals);
// what is left (pieces) is booked.
//
// With the settings of watch.Ideal the same rules give the physical truth:
// then nothing is decided before all is known.
package truth
