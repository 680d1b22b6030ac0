// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// pattern is how busy something is: exactly one of its keys.
type pattern struct {
	Idle    *idlePattern    `key:"idle"`
	Steady  *steadyPattern  `key:"steady"`
	Bursts  *burstsPattern  `key:"bursts"`
	Steps   []stepPattern   `key:"steps" in:"1..1000"`
	Trickle *tricklePattern `key:"trickle"`
	Phases  []phasePattern  `key:"phases" in:"1..1000"`
	Cycle   []phasePattern  `key:"cycle" in:"1..1000"`
}

type idlePattern struct{}

type steadyPattern struct {
	Level int64 `key:"level" need:"yes" in:"0..1000"`
}

// burstsPattern is a burst in every Every, up to Jitter after its beginning.
type burstsPattern struct {
	Every  time.Duration `key:"every" need:"yes" in:"2ms..24h"`
	Length time.Duration `key:"length" need:"yes" in:"1ms..24h"`
	Level  int64         `key:"level" in:"1..1000" else:"1000"`
	Jitter time.Duration `key:"jitter" in:"0s..24h"`
}

// stepPattern is one of some steps that come again and again.
type stepPattern struct {
	For   time.Duration `key:"for" need:"yes" in:"1ms..744h"`
	Level int64         `key:"level" need:"yes" in:"0..1000"`
}

// tricklePattern is requests that come at random, each busy for Length.
type tricklePattern struct {
	PerHour int64         `key:"per_hour" need:"yes" in:"1..360000"`
	Length  time.Duration `key:"length" need:"yes" in:"1ms..24h"`
	Level   int64         `key:"level" in:"1..1000" else:"1000"`
	Day     []int         `key:"day" in:"24..24"`
}

// phasePattern is a pattern for some time. Only the last one of phases can be
// without a time.
type phasePattern struct {
	For     time.Duration `key:"for" in:"1ms..744h"`
	pattern `key:"-"`
}
