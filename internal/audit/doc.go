// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package audit checks a send against the time that passed. It takes the points
// as a receiver gets them, encoded and decoded again, so that a mistake on the
// way out shows: a series that is missing, or one that counts twice.
//
// The points of gpu.time of a device must say that as much time passed since
// the send before as the ledger settled. What they miss of it or say too much
// is the error of the device, in nanoseconds; the error of a node is that of
// its worst device.
//
// The base of a check is the last send that was accepted. A device that no
// accepted send had is checked from 0 if all of its series are new. Else
// accounts that ended before may be missing (the process was restarted): then
// the send is the first base, and of this device no error is claimed.
//
// A double of seconds tells every nanosecond up to 97 days. Above that, a
// difference that rounding can explain counts as none.
package audit
