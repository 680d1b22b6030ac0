// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package table prints what a collector accounted, for a terminal of 100
// columns. Its functions are pure: counters and a price in, text out.
//
// What is shown is rounded so that the lines add up to the line above, in
// every column (largest remainder).
package table
