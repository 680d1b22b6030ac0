// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package demodcgm runs the demo of the receiver dcgm with a fault in what the
// engine measures. `make demo-dcgm` runs it without. The test is behind the
// build tag dcgm, and takes the programs from the environment:
//
//	OTELCOL_GPU_DCGM  the collector with cgo
//	GPUSIM            gpusim
package demodcgm
