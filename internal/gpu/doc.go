// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package gpu holds the words of the domain: devices, samples, allocations,
// outputs and the states of GPU time. They are plain values. The package
// imports the standard library only; names of metrics and attributes live in
// internal/gpupdata.
package gpu
