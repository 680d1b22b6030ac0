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

// Attribution says how the time of a holder was found.
type Attribution uint8

// The kinds of attribution.
const (
	NoAttribution        Attribution = iota // of accounts without a holder
	ExclusiveAttribution                    // it had the whole device
	PartitionAttribution                    // it had a whole MIG instance
	EqualAttribution                        // activity divided equally between the holders of a shared device
	ProcessAttribution                      // activity divided by what each holder's processes did
	HostAttribution                         // the host itself holds the device
	attributions
)

var attributionNames = [attributions]string{"", "exclusive", "partition", "equal", "process", "host"}

// String returns the value of the attribute gpu.attribution.
func (a Attribution) String() string { return attributionNames[a] }

// ParseAttribution is the inverse of Attribution.String.
func ParseAttribution(name string) (Attribution, bool) {
	return parse[Attribution](attributionNames[:], name)
}

// Account is what is published of one account: cumulative nanoseconds since
// Start, settled up to Time.
type Account struct {
	Device Device
	Kind   AccountKind
	Holder Holder // of a HolderAccount, as far as the granularity tells
	// Attribution is part of a HolderAccount's identity.
	Attribution Attribution
	Start       Time
	Time        Time
	States      []StateTime
	// The measures of a holder; of a device's own account all are 0.
	Allocated  time.Duration
	Active     time.Duration
	Productive time.Duration
	// Entitled is the holder's slots of the device × its time; Allocated for a
	// holder that isn't shared.
	Entitled time.Duration
	// Depth has ∫ activity dt of each other engine that was sampled.
	Depth []DepthTime
	// Episode is the running idle episode, nil if none runs.
	Episode *IdleEpisode
	// Price is the price in force at Time, nil if there is none. The ledger knows
	// neither it nor Costs.
	Price *Price
	Costs []StateCost
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

// DeviceSpan is the time of a device that is settled since it was first
// accounted, over all its lives: what the states of its accounts add up to.
type DeviceSpan struct {
	Device Device
	Time   Time
	Span   time.Duration
}

// NodeStanding says how the account of a node stands, over all its devices.
type NodeStanding struct {
	Node    string
	Cluster string
	Start   Time // of Clamped
	Time    Time
	// Lag is the longest time by which a device is behind the newest evidence.
	Lag time.Duration
	// Clamped is the held time since Start that came too late to be booked.
	Clamped time.Duration
	New     bool // none was published yet
}

// Derived is everything that the ledger publishes at once.
type Derived struct {
	Accounts []Account
	Outputs  []OutputTotal
	// Spans has one entry for each device that has accounts here.
	Spans []DeviceSpan
	// Nodes has one entry for each node that has accounts or outputs here.
	Nodes []NodeStanding
}
