// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package world says all that happens in a scenario, exactly: what each device
// does at each instant, who holds it, what pods produce, what breaks. A world
// doesn't know who looks at it: package watch says which points of it arrive
// at a collector.
//
// Times are real times. Everything in a world is a plain value or a pure
// function, so that the same world can be walked any number of times.
package world
