// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package kubelet talks to the kubelet of this node: PodResources and the Pods
// API on their sockets, and /pods over HTTPS. It only fetches and decodes; what
// the answers mean is decided in packages allocation and pod.
package kubelet
