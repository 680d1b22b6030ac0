// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package hour plays an hour of a full node to the receiver: eight boards in
// seven instances each, sampled every 100 ms, by way of the binding and the
// stand-in for DCGM's library. Time is that of a bubble of synctest, for the
// stand-in's engine too, so that the hour takes a few minutes.
//
// It holds that no sample is lost, and that the process needs no more memory at
// the end than after a fifth of the time, but for 5 %. The engine of the
// stand-in lives in the process: what it needs is in it.
//
// Beside that it measures, in real time, what the built collector needs at each
// rate of samples.
//
// The tests are behind the build tag dcgm, run on Linux with cgo, and take what
// they need from the environment:
//
//	HOUR_DURATION     how much of the hour, 3m if unset
//	OTELCOL_GPU_DCGM  the collector with cgo
package hour
