// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package activity adds up what DCGM's samples say of the engines of one
// entity: the time that an engine was busy, and the time that valid samples
// cover. Pure: time is that of the samples, in nanoseconds since 1970.
//
// A sample at t speaks for the time from the sample of its source before it to
// t, for Config.MaxGap at most. A sample that isn't a value says that this time
// is unknown. What no value speaks for isn't observed: it is never idle.
//
// Each engine has a ladder of sources, best first. One source tells at a time;
// a switch ends its series, and starts a new one at the end of the old or
// later. So no time is told twice.
//
//   - The best source tells at once. A worse one takes over after
//     Config.Patience values that the better one was silent for, and tells
//     what it measured in the meantime.
//   - A better source comes back after as many values in a row.
//   - Profiling that is stuck says 0 while the driver says that the device is
//     busy. Such zeros are held back; after Config.StuckFor of them the worse
//     source tells that time instead, and the better one isn't believed before
//     it says something else than 0. Otherwise they are told as they are.
package activity
