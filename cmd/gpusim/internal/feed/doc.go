// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package feed makes the batches that a collector gets of a world, in order of
// delivery and one at a time: what a node's agent tells with each of its
// collections, and an ending after which a ledger has settled and published
// all time up to the end of the world.
//
// What a collection tells of devices is there if the engine is, what it tells
// of holders if the kubelet is. A milestone is told with the first set at or
// after it, but not before the first that tells of its pod (that has it, or
// the end of one of its holds).
package feed
