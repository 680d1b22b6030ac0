// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package checkpoint keeps a component's state in a storage extension so that
// a restart either goes on exactly where the process was killed, or knows that
// it can't. What it stores is opaque to it: one snapshot, and a journal of
// records since.
//
// Under one name the storage has three kinds of keys: a header, the snapshot
// and the records. The header describes the rest (lengths, checksums, how many
// records) and is written in one batch with it, so that anything that is torn,
// lost or mixed up is found.
package checkpoint
