// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import "time"

// Reason says why a point counted for nothing, or for less than it said.
type Reason uint8

// The reasons for which points are dropped.
const (
	Late               Reason = iota // its time is settled already
	Duplicate                        // the same point arrived before
	Conflict                         // another value for the same time won
	Shadowed                         // better evidence for the same time is in force
	Unpaired                         // one half of a sum pair came without the other
	CounterReset                     // a sum fell, or its start moved into counted time
	IncompleteSet                    // an allocation of a set that never became complete
	UnresolvedDevice                 // an allocation of a device without hw.id, or of an unknown MIG instance
	UnsupportedSharing               // an allocation of a board, or with an unknown word for its sharing
	BadShare                         // a share, slots or slices out of their range
	Limit                            // there are max_accounts accounts already
	reasons
)

var reasonNames = [reasons]string{
	"late", "duplicate", "conflict", "shadowed", "unpaired", "counter_reset", "incomplete_set",
	"unresolved_device", "unsupported_sharing", "bad_share", "limit",
}

// String returns the reason as telemetry writes it.
func (r Reason) String() string { return reasonNames[r] }

// Reasons returns all reasons.
func Reasons() []Reason {
	all := make([]Reason, reasons)
	for i := range all {
		all[i] = Reason(i)
	}
	return all
}

// Counts is what the ledger has to say of itself. All of it only grows, but
// Accounts.
type Counts struct {
	Points [reasons]uint64
	// Clamped is the held time that came too late to be booked.
	Clamped time.Duration
	// Trimmed counts sum pairs that said more than their interval has.
	Trimmed uint64
	// Overlaps is the time in which several holders had one device.
	Overlaps time.Duration
	// Sparse counts points of output counters that came later after the one
	// before than their window is long: activity between them looks flat.
	Sparse uint64
	// Rejected counts holders whose time went to an overflow account.
	Rejected uint64
	// Accounts is how many accounts there are.
	Accounts int
}

// After returns c together with what a ledger counted before, whose place that
// of c took. Accounts are those of c.
func (c Counts) After(before Counts) Counts {
	for reason, n := range before.Points {
		c.Points[reason] += n
	}
	c.Clamped += before.Clamped
	c.Trimmed += before.Trimmed
	c.Overlaps += before.Overlaps
	c.Sparse += before.Sparse
	c.Rejected += before.Rejected
	return c
}
