// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package allocation says who holds which device of a node. It joins two
// sources of the kubelet: pods, which have UIDs, states and times, and lists of
// devices (PodResources), which have none of these. It is pure: what the
// sources said, and when, is passed in.
//
// A pod is one life, keyed by its UID; a life that ended doesn't come back. It
// begins when the kubelet admitted the pod and ends when its last container
// finished, whatever objects or lists still say.
package allocation
