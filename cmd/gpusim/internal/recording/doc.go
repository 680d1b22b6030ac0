// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package recording reads the GenTD26 recording (Alibaba's telemetry of a
// cluster that serves image generation) and turns it into the points that the
// components of this distribution exchange. Reading touches files; everything
// else is pure.
//
// A container of the recording is a pod that holds one device exclusively,
// from its first to its last duty-cycle sample.
package recording
