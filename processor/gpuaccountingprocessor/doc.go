// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package gpuaccountingprocessor derives GPU time by state from device,
// allocation and output points. It is a thin adapter: internal/gpupdata reads
// and writes points, internal/ledger decides.
package gpuaccountingprocessor
