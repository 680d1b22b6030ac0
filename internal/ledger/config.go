// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import "time"

// Config holds the ledger's parameters. The caller has validated them.
type Config struct {
	// MaxGap is the longest time between two points that says anything, and
	// the age at which a stream counts as silent.
	MaxGap time.Duration
	// SettleDelay is how long points may arrive out of order.
	SettleDelay time.Duration
	// EmitInterval is the least event time between two publications.
	EmitInterval time.Duration
	// IdleThreshold is the activity below which an interval belongs to an
	// idle stretch.
	IdleThreshold float64
	// IdleGrace is how long a stretch lasts before it is an episode.
	IdleGrace time.Duration
	// ResidentThreshold, in bytes, is the used memory from which on a model
	// counts as loaded.
	ResidentThreshold uint64
	// MaxAccounts bounds the accounts of devices and holders together.
	MaxAccounts int
	// Workloads publishes one account per workload instead of one per pod.
	Workloads bool
	// Labels takes holders from the labels of samples instead of from
	// allocation sets.
	Labels bool
	// Host books every device on the host: there is no allocation.
	Host bool
}

// DefaultConfig returns the defaults of the component.
func DefaultConfig() Config {
	return Config{
		MaxGap:            90 * time.Second,
		SettleDelay:       15 * time.Second,
		EmitInterval:      10 * time.Second,
		IdleThreshold:     0.01,
		IdleGrace:         5 * time.Minute,
		ResidentThreshold: 1 << 30,
		MaxAccounts:       4096,
	}
}
