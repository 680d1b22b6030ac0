// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package dcgmreceiver reads NVIDIA GPUs by way of DCGM. internal/session keeps
// the connection and adds up every sample; this package sends what was added up
// at each collection, and never waits for the engine.
package dcgmreceiver
