// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package nodeinfo reads what the object of a node says of its GPUs and images.
// It is pure, and knows Kubernetes' own types only in images.go.
package nodeinfo
