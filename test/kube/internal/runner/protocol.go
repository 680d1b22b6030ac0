// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package runner starts and ends processes for somebody else. It runs in a
// process of its own, takes requests from its standard input and answers on
// its standard output, a line of JSON each. When its input ends, whatever the
// reason, it kills all that it has started: a test that crashes leaves nothing
// running.
package runner

// request is one line of input.
type request struct {
	Op   string   `json:"op"` // start, run, alive, stop or kill
	Name string   `json:"name"`
	Args []string `json:"args,omitempty"` // of start and run: the program and its arguments
	Log  string   `json:"log,omitempty"`  // of start and run: the file that takes its output
}

// response is one line of output, for one of input.
type response struct {
	Error string `json:"error,omitempty"`
}
