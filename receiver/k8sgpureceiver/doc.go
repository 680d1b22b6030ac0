// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package k8sgpureceiver says who holds which GPU of this node, since when, and
// where the start of each pod stands. It asks the kubelet; internal/allocation
// and internal/pod decide what the answers mean, internal/gpupdata writes them.
// For a cluster, it says which GPUs the nodes have, and what pods wait for, from
// the API server (internal/node, internal/demand).
package k8sgpureceiver
