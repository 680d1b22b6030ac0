// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package price knows what a GPU costs: it reads price files, says which price
// is in force for a device at an instant, or why none is, and multiplies time
// with it, exactly. It has no clock and does no I/O: the text of a file and all
// times are passed in.
//
// A Book is what a file says. Costs multiplies time as it is settled, so that
// the cost is as it was known then; Restate multiplies exported counters with
// any book, so that a corrected file restates the past. Both are the same code.
package price
