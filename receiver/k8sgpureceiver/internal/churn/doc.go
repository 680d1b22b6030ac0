// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package churn runs the built collector beside a node whose pods come and go,
// and holds it to what it needs: no more memory at the end than after a fifth of
// the time (but for 5 %), the same number of goroutines and of open files, and
// the end of every pod told.
//
// The node is a stand-in, internal/kubelettest: real gRPC servers on a real
// socket, and pods that nobody runs. The receiver has a wall clock, so that ten
// minutes take ten minutes. The tests are behind the build tag churn, run on
// Linux, and take what they need from the environment:
//
//	OTELCOL_GPU     the collector
//	CHURN_DURATION  how long, 30s if unset
//	CHURN_PODS      how many pods at a time, 13 if unset: some 500 come and go in ten minutes
//
// It is beside the receiver, not in test/: only the receiver may use Kubernetes.
package churn
