// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package workload says what a pod belongs to: the top of its owner chain, what
// kind of work that does, and which pods work as one. It is pure: who owns what
// is passed in.
package workload
