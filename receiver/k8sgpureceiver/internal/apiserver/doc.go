// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package apiserver gets what the kubelet doesn't tell from the API server: the
// pods of the node, where the kubelet has no Pods API, and who owns them.
package apiserver
