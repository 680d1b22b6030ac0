// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package claim says which GPUs a ResourceClaim gave to whom (dynamic resource
// allocation, resource.k8s.io/v1). A device is its driver, pool and name; the
// ResourceSlices of the node tell its UUID, the claim tells who has it, how much
// of it, and whether only for administration. It is pure: what the API server
// said is passed in.
package claim
