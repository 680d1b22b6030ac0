// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import "time"

// Settings say how closely a world is watched.
type Settings struct {
	Interval time.Duration // between two collections of an agent
	Sample   time.Duration // between two samples that DCGM takes of a device
	Scrape   time.Duration // between two scrapes of an application
	// Gauges: what is told of a device is its newest sample, not the sum over
	// all of them.
	Gauges bool
	// Ideal: everything is told at the instant at which it changes, and
	// nothing escapes but what the world's outages hide. Interval then is the
	// longest time without a point.
	Ideal bool
}

// Ideal are the settings of an observer that sees everything.
func Ideal() Settings {
	return Settings{Interval: 10 * time.Second, Scrape: 10 * time.Second, Ideal: true}
}
