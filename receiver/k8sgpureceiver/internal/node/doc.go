// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package node says what a node is: how many physical GPUs it has, where and of
// what kind it is, and whether it takes pods. It is pure: what the API server
// said is passed in.
package node
