// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// podSpec is a pod, or one for each of its places and repetitions.
type podSpec struct {
	Name      string        `key:"name" need:"yes" like:"name"`
	Namespace string        `key:"namespace" like:"name" else:"default"`
	Container string        `key:"container" like:"name" else:"main"`
	Workload  workloadSpec  `key:"workload"`
	Places    []placeSpec   `key:"places" need:"yes" in:"1..1000"`
	Slots     int           `key:"slots" in:"1..1000" else:"1"`
	Memory    Bytes         `key:"memory" in:"0B..1TiB" else:"20GiB"`
	At        time.Duration `key:"at" in:"0s..744h"`
	For       time.Duration `key:"for" in:"1ms..744h"`
	Repeat    repeatSpec    `key:"repeat"`
	Start     startSpec     `key:"start"`
	Restarts  []restartSpec `key:"restarts" in:"0..100"`
	End       endSpec       `key:"end"`
	Activity  *pattern      `key:"activity"`
	Processes bool          `key:"processes"`
	Metrics   []metricSpec  `key:"metrics" in:"0..16"`
}

type workloadSpec struct {
	Kind  string `key:"kind" like:"kind" else:"Deployment"`
	Name  string `key:"name" like:"name"`
	Class string `key:"class" of:"inference|batch|interactive|unclassified" else:"unclassified"`
	Group string `key:"group" like:"name"`
}

// placeSpec says where a pod runs, and in what it differs from the others.
type placeSpec struct {
	Node      string         `key:"node" need:"yes" like:"name"`
	Devices   []int          `key:"devices" in:"0..16"`
	Instances []string       `key:"instances" in:"0..64"`
	At        *time.Duration `key:"at" in:"0s..744h"`
	For       time.Duration  `key:"for" in:"1ms..744h"`
	Activity  *pattern       `key:"activity"`
}

type repeatSpec struct {
	Times int           `key:"times" in:"1..10000" else:"1"`
	Every time.Duration `key:"every" in:"1ms..744h" else:"1h"`
}

// startSpec has the lengths of the stages of a start.
type startSpec struct {
	Scheduling time.Duration `key:"scheduling" in:"0s..24h" else:"1s"`
	Admission  time.Duration `key:"admission" in:"0s..24h" else:"1s"`
	Sandbox    time.Duration `key:"sandbox" in:"0s..24h" else:"2s"`
	Pull       time.Duration `key:"pull" in:"0s..24h"`
	Init       time.Duration `key:"init" in:"0s..24h"`
	BeforeCUDA time.Duration `key:"before_cuda" in:"0s..24h" else:"5s"`
	Load       time.Duration `key:"load" in:"0s..24h" else:"20s"`
	LoadLevel  int64         `key:"load_level" in:"0..1000" else:"100"`
	Ready      string        `key:"ready" of:"probe|none" else:"probe"`
	Untold     []string      `key:"untold" in:"0..17" of:"milestone"`
}

// restartSpec is a restart of the pod's container.
type restartSpec struct {
	At         time.Duration `key:"at" need:"yes" in:"1ms..744h"`
	Backoff    time.Duration `key:"backoff" in:"0s..24h" else:"10s"`
	BeforeCUDA time.Duration `key:"before_cuda" in:"0s..24h" else:"5s"`
	Load       time.Duration `key:"load" in:"0s..24h" else:"20s"`
	Activity   *pattern      `key:"activity"`
}

type endSpec struct {
	How     string        `key:"how" of:"deleted|finished" else:"deleted"`
	Grace   time.Duration `key:"grace" in:"0s..24h" else:"5s"`
	Release time.Duration `key:"release" in:"0s..24h" else:"2s"`
	Force   bool          `key:"force"`
}
