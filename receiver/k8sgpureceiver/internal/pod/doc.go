// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package pod reads what the receiver needs of a Kubernetes pod, and follows its
// milestones. Only read*.go know Kubernetes' own types; nothing here has a clock.
package pod
