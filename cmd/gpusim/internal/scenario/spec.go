// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// The tags of the types of a scenario, read by decoder:
//
//	key   the name of the key, "-" for the keys of an embedded struct
//	need  "yes": the key can't be left out
//	in    "a..b": the smallest and the largest value, or number of entries
//	of    "a|b": the words that are taken
//	like  the name of a pattern in patterns
//	else  the value of a key that is left out

type spec struct {
	Name        string        `key:"name" need:"yes" like:"name"`
	Description string        `key:"description" need:"yes"`
	Seed        int64         `key:"seed" in:"0..1000000000" else:"1"`
	Start       time.Time     `key:"start" else:"2026-01-05T00:00:00Z"`
	Duration    time.Duration `key:"duration" need:"yes" in:"1m..744h"`
	Cluster     string        `key:"cluster" like:"name" else:"sim"`
	Collection  Collection    `key:"collection"`
	Nodes       []nodeSpec    `key:"nodes" need:"yes" in:"1..1000"`
	Pods        []podSpec     `key:"pods" in:"0..10000"`
	Faults      faultsSpec    `key:"faults"`
}

// Collection says how a world is watched.
type Collection struct {
	Interval time.Duration `key:"interval" in:"1s..10m" else:"10s"`
	Sample   time.Duration `key:"sample" in:"100ms..10m" else:"1s"`
	Scrape   time.Duration `key:"scrape" in:"1s..10m" else:"10s"`
	Kind     string        `key:"kind" of:"sums|gauges" else:"sums"`
}

// nodeSpec is a node, or Count equal ones.
type nodeSpec struct {
	Name    string        `key:"name" need:"yes" like:"name"`
	Count   int           `key:"count" in:"1..20000" else:"1"`
	Model   string        `key:"model" else:"NVIDIA H100 80GB HBM3"`
	Devices int           `key:"devices" need:"yes" in:"1..16"`
	Memory  Bytes         `key:"memory" in:"1GiB..1TiB" else:"80GiB"`
	MIG     []migSpec     `key:"mig" in:"0..16"`
	Shared  []sharedSpec  `key:"shared" in:"0..16"`
	Foreign []foreignSpec `key:"foreign" in:"0..64"`
}

// migSpec says that a device is a board in MIG mode.
type migSpec struct {
	Device  int          `key:"device" need:"yes" in:"0..15"`
	Slices  int          `key:"slices" in:"1..64" else:"7"`
	Layouts []layoutSpec `key:"layouts" need:"yes" in:"1..100"`
}

// layoutSpec says which instances a board has from At on; Away before that it
// has none.
type layoutSpec struct {
	At        time.Duration  `key:"at" in:"0s..744h"`
	Away      time.Duration  `key:"away" in:"0s..24h"`
	Instances []instanceSpec `key:"instances" need:"yes" in:"1..64"`
}

type instanceSpec struct {
	Name    string `key:"name" need:"yes" like:"name"`
	Profile string `key:"profile" need:"yes" like:"profile"`
	Slices  int    `key:"slices" need:"yes" in:"1..64"`
	Memory  Bytes  `key:"memory" need:"yes" in:"1GiB..1TiB"`
}

// sharedSpec says that a device has slots.
type sharedSpec struct {
	Device  int    `key:"device" need:"yes" in:"0..15"`
	Sharing string `key:"sharing" need:"yes" of:"time_slicing|mps|dra|vgpu"`
	Slots   int    `key:"slots" need:"yes" in:"1..1000"`
}

// foreignSpec is activity that is no pod's.
type foreignSpec struct {
	Device   int           `key:"device" need:"yes" in:"0..15"`
	At       time.Duration `key:"at" in:"0s..744h"`
	For      time.Duration `key:"for" need:"yes" in:"1ms..744h"`
	Activity pattern       `key:"activity" need:"yes"`
}
