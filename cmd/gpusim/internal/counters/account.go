// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package counters reads back what a collector accounted, from the endpoint
// of its Prometheus exporter.
package counters

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Account is what the counters say of one holder of one device or, if Pod is
// empty, of the time of a device that nobody held.
type Account struct {
	Device    string
	Namespace string
	Pod       string
	PodUID    string
	// States has every nanosecond of the account once.
	States map[gpu.Condition]time.Duration
	// The measures of a holder, each a counter of its own.
	Allocated  time.Duration
	Active     time.Duration
	Productive time.Duration
}

// Held says whether the account is a holder's.
func (a Account) Held() bool { return a.Pod != "" || a.PodUID != "" }

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
		for condition, d := range a.States {
			total.States[condition] += d
		}
		total.Allocated += a.Allocated
		total.Active += a.Active
		total.Productive += a.Productive
	}
	return total
}
