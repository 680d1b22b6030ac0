// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package verdict compares what a collector exported with what is true: every
// condition and every measure of every holder on every device.
package verdict
