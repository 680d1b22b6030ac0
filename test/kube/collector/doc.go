// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package collector runs the built collector on the node of a test's cluster,
// sends it samples of the node's devices, and keeps what it exports. It knows
// of the collector what a user knows: its configuration and OTLP.
package collector
