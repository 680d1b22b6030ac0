// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package sample holds what DCGM says of its entities, and tells values from
// what only looks like one. Pure: no DCGM, no clock.
//
// DCGM answers with a status of 0 and a fresh timestamp also when it has no
// value: it puts a sentinel in its place. So a value is what passes, in this
// order: status, sentinel, type, timestamp, range in the field's own unit.
// Only then is it scaled. What doesn't pass is unknown, never zero.
package sample
