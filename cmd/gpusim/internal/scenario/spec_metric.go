// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// metricSpec is an application metric of a pod.
type metricSpec struct {
	Name        string        `key:"name" need:"yes" like:"metric"`
	Kind        string        `key:"kind" of:"output|demand|sleep" else:"output"`
	Unit        string        `key:"unit" else:"{output}"`
	Window      time.Duration `key:"window" in:"1s..24h" else:"60s"`
	Rate        int64         `key:"rate" in:"1..1000000000"`
	Every       time.Duration `key:"every" in:"1ms..24h"`
	Grain       time.Duration `key:"grain" in:"1ms..1h" else:"1s"`
	Flat        []spanSpec    `key:"flat" in:"0..100"`
	Value       int64         `key:"value" in:"1..1000000" else:"1"`
	When        []spanSpec    `key:"when" in:"0..100"`
	WhileActive bool          `key:"while_active"`
	Failing     []spanSpec    `key:"failing" in:"0..100"`
	Join        string        `key:"join" of:"uid|name|ip|device" else:"uid"`
	Group       bool          `key:"group"`
	First       bool          `key:"first"`
}

// spanSpec is the time (At, At+For].
type spanSpec struct {
	At  time.Duration `key:"at" need:"yes" in:"0s..744h"`
	For time.Duration `key:"for" need:"yes" in:"1ms..744h"`
}
