// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package realdata holds the collector to recorded telemetry of a production
// cluster: twelve hours of GenTD26 (github.com/alibaba/clusterdata, folder
// cluster-trace-v2026-GenAI), which its licence keeps out of this repository.
//
// The reference is a calculation of its own, straight from the CSV files in
// exact fractions. It shares no code with what it tests. The tests are behind
// the build tag realdata and take what they need from the environment:
//
//	GENTD26      folder of the recording
//	OTELCOL_GPU  the collector
//	GPUSIM       gpusim
package realdata
