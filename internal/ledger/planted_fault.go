// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build ledgerfault

package ledger

// planted is which fault is planted. The linker sets it, for tests that must
// see a broken ledger fail:
//
//	go test -tags ledgerfault -ldflags "-X <this package>.planted=share" …
var planted string
