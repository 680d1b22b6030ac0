// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

type faultsSpec struct {
	Lost    []deviceFault `key:"lost" in:"0..100"`
	XID     []deviceFault `key:"xid" in:"0..100"`
	Closed  []closedFault `key:"closed" in:"0..100"`
	Outages []outageFault `key:"outages" in:"0..100"`
	Clock   []clockFault  `key:"clock" in:"0..100"`
	Hitches []hitchFault  `key:"hitches" in:"0..100"`
}

// deviceFault is a time in which a device is lost.
type deviceFault struct {
	Node   string        `key:"node" need:"yes" like:"name"`
	Device int           `key:"device" need:"yes" in:"0..15"`
	At     time.Duration `key:"at" need:"yes" in:"0s..744h"`
	For    time.Duration `key:"for" in:"1s..744h" else:"30s"`
}

// closedFault is a time in which a device, or all of a node, can't be given
// to a pod.
type closedFault struct {
	Node   string        `key:"node" need:"yes" like:"name"`
	Device *int          `key:"device" in:"0..15"`
	At     time.Duration `key:"at" need:"yes" in:"0s..744h"`
	For    time.Duration `key:"for" need:"yes" in:"1s..744h"`
	Reason string        `key:"reason" need:"yes" of:"health|taint|node|reconfiguration"`
}

// outageFault is a time in which a part of the agent is away, of every node if
// none is named.
type outageFault struct {
	Node string        `key:"node" like:"name"`
	Part string        `key:"part" need:"yes" of:"collector|engine|kubernetes"`
	At   time.Duration `key:"at" need:"yes" in:"0s..744h"`
	For  time.Duration `key:"for" need:"yes" in:"1s..744h"`
}

// clockFault is a step of a node's wall clock, forward or back.
type clockFault struct {
	Node string        `key:"node" like:"name"`
	At   time.Duration `key:"at" need:"yes" in:"0s..744h"`
	By   time.Duration `key:"by" need:"yes" in:"-5s..5s"`
}

// hitchFault is a time whose batches come late or twice.
type hitchFault struct {
	Node  string        `key:"node" like:"name"`
	At    time.Duration `key:"at" need:"yes" in:"0s..744h"`
	For   time.Duration `key:"for" need:"yes" in:"1s..744h"`
	Late  int           `key:"late" in:"0..1000"`
	Twice bool          `key:"twice"`
}
