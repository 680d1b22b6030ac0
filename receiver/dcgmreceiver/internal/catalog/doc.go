// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package catalog is the table of what the receiver tells: which series, of
// which metric, from which fields of DCGM. What is watched, what is added up,
// the points and docs/metrics.md follow from it. How a field is read (type,
// range, scale, level) is in sample.Spec. Pure.
package catalog
