// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package verdict compares the times that a collector exported with what its
// rules make of what it was told (the truth): every condition and every measure
// of every holder on every device, and what describes these. It doesn't look at
// gpu.output, nor at the length of idle episodes.
package verdict
