// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// figure is one duration of an account.
type figure struct {
	key   string // in JSON, with the suffix _ns
	title string // of its column
	rare  bool   // the column is left out if all are 0
	of    func(counters.Account) time.Duration
}

// The figures of the headline. Allocated, active and productive are measures
// of the collector, each a counter of its own.
var (
	allocatedTime = figure{
		key: "allocated", title: "allocated",
		of: func(a counters.Account) time.Duration { return a.Allocated },
	}
	idleTime   = figure{key: "idle", title: "idle", of: in(counters.State(gpu.Idle))}
	activeTime = figure{
		key: "active", title: "active",
		of: func(a counters.Account) time.Duration { return a.Active },
	}
	productiveTime = figure{
		key: "productive", title: "productive",
		of: func(a counters.Account) time.Duration { return a.Productive },
	}
)

// held are the figures of a holder.
var held = []figure{
	allocatedTime,
	{key: "unobserved_activity", title: "no data", of: in(noActivity)},
	{key: "startup", title: "starting", rare: true, of: in(counters.State(gpu.Startup))},
	{key: "terminating", title: "stopping", rare: true, of: in(counters.State(gpu.Terminating))},
	idleTime,
	{key: "idle_resident", title: "resident", of: in(resident)},
	activeTime,
	{key: "unproven_output_flat", title: "flat", of: because(gpu.ReasonOutputFlat)},
	{key: "unproven_no_app_metric", title: "no metric", of: because(gpu.ReasonNoAppMetric)},
	{key: "unproven_not_scraped", title: "no scrape", rare: true, of: because(gpu.ReasonNotScraped)},
	productiveTime,
}

// unheld are the figures of devices while nobody held them.
var unheld = []figure{
	{key: "unavailable", of: in(counters.State(gpu.Unavailable))},
	{key: "unobserved_allocation", of: in(noAllocation)},
	{key: "unallocated", of: in(counters.State(gpu.Unallocated))},
}

func in(match counters.Match) func(counters.Account) time.Duration {
	return func(a counters.Account) time.Duration { return a.Sum(match) }
}

func because(r gpu.Reason) func(counters.Account) time.Duration {
	return in(counters.Because(gpu.Unproven, r))
}

// states is the time of an account in all states.
func states(a counters.Account) time.Duration {
	return a.Sum(func(gpu.Condition) bool { return true })
}
