// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package watch says which points of a world arrive at a collector: at what
// times an agent collects, what it can read then, and what its clock says. Both
// what is sent and what the truth expects of it follow from that.
//
// "Real" times are those of the world; "told" times are those that points
// carry, by the node's clock.
package watch
