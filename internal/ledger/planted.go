// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !ledgerfault

package ledger

// planted is which fault is planted: none, the compiler drops all of them.
const planted = ""
