// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package deviceid says which GPU an allocator's name for a device means. It is
// pure: what is known of the node's devices is passed in.
package deviceid
