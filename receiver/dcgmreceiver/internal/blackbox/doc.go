// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package blackbox runs the built collector with the stand-in for DCGM's
// library, lets the engine do what engines do (die, hang, restart, lose GPUs,
// lay out MIG anew), and looks at every point that arrives:
//
//   - no sum falls, and none tells more time than has passed;
//   - time only moves forward in a series, and a series that ended tells nothing
//     more;
//   - each device has a load of its own, so that a value of another shows.
//
// The tests are behind the build tag dcgm, and take the collectors from the
// environment:
//
//	OTELCOL_GPU_DCGM  the collector with cgo
//	OTELCOL_GPU       the one without
package blackbox
