// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

import "time"

// AccountKind says whose time an account holds.
type AccountKind uint8

// The kinds of accounts.
const (
	// DeviceAccount is the device's own: time that nobody held.
	DeviceAccount AccountKind = iota
	// HolderAccount is a holder's time on one device.
	HolderAccount
	// OverflowAccount holds the time of holders that were rejected at the cap.
	OverflowAccount
)

// Account is what is published of one account: cumulative nanoseconds since
// Start, settled up to Time.
type Account struct {
	Device Device
	Kind   AccountKind
	Holder Holder // of a HolderAccount, as far as the granularity tells
	Host   bool   // of a HolderAccount: the host itself holds the device
	Start  Time
	Time   Time
	States []StateTime
	// The measures of a holder; of a device's own account all are 0.
	Allocated  time.Duration
	Active     time.Duration
	Productive time.Duration
	// Depth has ∫ activity dt of each other engine that was sampled.
	Depth []DepthTime
	// Episode is the running idle episode, nil if none runs.
	Episode *IdleEpisode
	// New: nothing of this account was published yet.
	New bool
}

// StateTime is the time of one account in one condition since Start.
type StateTime struct {
	Condition Condition
	Nanos     time.Duration
	Start     Time
	// New: this series was not published yet; a point 0 at Start precedes it.
	New bool
}

// DepthTime is ∫ activity dt of one engine other than EngineAny.
type DepthTime struct {
	Engine Engine
	Nanos  time.Duration
	Start  Time
	// New: as in StateTime.
	New bool
}

// IdleEpisode is a running idle episode.
type IdleEpisode struct {
	Reason Reason
	Age    time.Duration
}

// OutputTotal is what one pod produced since Start, up to Time.
type OutputTotal struct {
	Holder  Holder
	Node    string
	Cluster string
	Unit    string
	Start   Time
	Time    Time
	Value   float64
	New     bool
}

// Derived is everything that the ledger publishes at once.
type Derived struct {
	Accounts []Account
	Outputs  []OutputTotal
}
