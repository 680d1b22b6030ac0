// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package hostengine says what DCGM's host engine measures on a node of a
// world, as lines of the script of the stand-in for DCGM's library.
// receiver/dcgmreceiver/internal/standin describes the script, and a test here
// holds the lines to that.
//
// The engine's clock is the script's: a line "now" is the poll at which it
// takes a sample of all that is watched. So a sample is exactly the mean since
// the poll before, and nothing depends on when a line is read.
package hostengine
