// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package chart installs the Helm chart on a real Kubernetes, with the real helm.
//
// The image is what its Dockerfile makes of the built collector, on an empty
// base. The cluster has no addresses of services and no names: the gateway is
// told where the API server is, and the agents where the gateway is.
package chart
