// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package counters reads back what a collector accounted, from the endpoint
// of its Prometheus exporter.
package counters

import (
	"cmp"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Account is what the counters say of one holder of one device, as far as its
// time was found in one way, or of the time of a device that nobody held.
type Account struct {
	Cluster   string
	Node      string
	Device    string // its UUID, else what an allocation called it
	Parent    string // the board of a MIG instance
	Namespace string
	Pod       string
	PodUID    string
	Container string
	// The workload of the pod: the kind and name of its owner, what it is for
	// and the group of pods with which it does one job.
	WorkloadKind string
	Workload     string
	Class        gpu.Class
	Group        string
	// Attribution is NoAttribution if nobody held the device.
	Attribution gpu.Attribution
	// Overflow: the time of holders that got no account of their own.
	Overflow bool
	// States has every nanosecond of the account once.
	States map[gpu.Condition]time.Duration
	// The measures of a holder, each a counter of its own.
	Allocated  time.Duration
	Active     time.Duration
	Productive time.Duration
	Entitled   time.Duration
}

// Key identifies an account.
type Key struct {
	Node, Device, Holder string
	Attribution          gpu.Attribution
	Overflow             bool
}

// Key returns the identity of a.
func (a Account) Key() Key {
	return Key{a.Node, a.Device, a.holder(), a.Attribution, a.Overflow}
}

// holder is the pod's UID, else its name.
func (a Account) holder() string {
	return gpu.Holder{Namespace: a.Namespace, Pod: a.Pod, PodUID: a.PodUID}.Key()
}

// Compare orders accounts by node, device and holder.
func Compare(a, b Key) int {
	return cmp.Or(
		cmp.Compare(a.Node, b.Node),
		cmp.Compare(a.Device, b.Device),
		cmp.Compare(a.Holder, b.Holder),
		cmp.Compare(a.Attribution, b.Attribution),
	)
}

// Held says whether the account is a holder's.
func (a Account) Held() bool { return a.holder() != "" }

// Match selects conditions.
type Match func(gpu.Condition) bool

// State matches a state, whatever its reason.
func State(s gpu.State) Match {
	return func(c gpu.Condition) bool { return c.State == s }
}

// Because matches a state with a reason.
func Because(s gpu.State, r gpu.Reason) Match {
	return func(c gpu.Condition) bool { return c.State == s && c.Reason == r }
}

// Sum returns the time that an account spent in the conditions that match.
func (a Account) Sum(match Match) time.Duration {
	var sum time.Duration
	for condition, d := range a.States {
		if match(condition) {
			sum += d
		}
	}
	return sum
}

// Add adds the times of b to a.
func (a *Account) Add(b Account) {
	if a.States == nil {
		a.States = make(map[gpu.Condition]time.Duration, len(b.States))
	}
	for condition, d := range b.States {
		a.States[condition] += d
	}
	a.Allocated += b.Allocated
	a.Active += b.Active
	a.Productive += b.Productive
	a.Entitled += b.Entitled
}

// Sum adds up one figure of all accounts.
func Sum(accounts []Account, of func(Account) time.Duration) time.Duration {
	var sum time.Duration
	for _, a := range accounts {
		sum += of(a)
	}
	return sum
}

// Total adds up the accounts of all devices and holders.
func Total(accounts []Account) Account {
	total := Account{States: make(map[gpu.Condition]time.Duration)}
	for _, a := range accounts {
		total.Add(a)
	}
	return total
}
