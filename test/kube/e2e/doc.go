// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package e2e holds the lives of pods on a real cluster to what can be known of
// them without the kubelet: the log of the device plugin says to the
// nanosecond when devices were given, opened and freed, the log of the
// application when it did what. Collectors on the node are held to the same,
// when all pods are gone (testAccount). Run it with `make e2e`.
//
// Each test runs on two clusters: with the feature gates of Kubernetes as
// shipped, and without those that a managed cluster of an older release lacks.
package e2e
