// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package gpupdata is the codec between pdata and the domain (internal/gpu).
// It is the only code that knows the names of metrics and attributes. What it
// doesn't know it neither reads nor touches; what it refuses it counts, by
// reason.
//
// An attribute is looked up on the point first, then on the resource; an empty
// value is an absent one. The identity of a pod is read from one of the two
// only: a point that names a pod never gets its other half from the resource,
// which may be the exporter's own pod.
package gpupdata
