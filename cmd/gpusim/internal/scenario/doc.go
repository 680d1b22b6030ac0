// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package scenario reads scenarios (YAML, see cmd/gpusim/scenarios/README.md)
// and makes worlds of them.
//
// Decoding is strict: every mistake is an error with the path of the key, its
// value and what would be accepted. Everything random in a world follows from
// the scenario's seed, so that one file is always the same world.
package scenario
