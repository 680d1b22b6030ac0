// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package hardware adds up what counts, of one device: energy, bytes, errors,
// throttled time. Pure: time is that of the samples.
//
// A series begins at the first sample of its source, at 0: what the hardware
// counted before isn't ours. A counter that falls began anew (the driver was
// loaded again): the series begins anew too, at the sample before, and counts
// from 0. A counter goes on counting while nobody looks, so nothing of it is
// missing then. A rate says nothing of that time.
package hardware
