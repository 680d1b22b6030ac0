// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package dcgm is the only code that calls NVIDIA's DCGM, by the binding
// go-dcgm. It needs cgo; without it, nothing can be opened, and Open says so.
//
// The binding has one handle per process, no lock around it, and ends the
// process if it is called before the library is loaded: Open loads the
// library first, and whatever it returns belongs to one goroutine.
package dcgm
