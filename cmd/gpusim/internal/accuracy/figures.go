// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package accuracy

import (
	"math"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/truth"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Figures are what is said of a holder, over all of its devices.
type Figures struct {
	Allocated, Active, Productive, Idle time.Duration
	// IdleBy is nil where nothing tells the reasons apart.
	IdleBy map[gpu.Reason]time.Duration
}

// Holders are the figures by holder.
type Holders map[string]Figures

// Of adds up accounts by holder.
func Of(accounts []truth.Account) Holders {
	holders := Holders{}
	for _, a := range accounts {
		key := a.Holder.Key()
		if key == "" {
			continue
		}
		f := holders[key]
		if f.IdleBy == nil {
			f.IdleBy = map[gpu.Reason]time.Duration{}
		}
		f.Allocated += a.Allocated
		f.Active += a.Active
		f.Productive += a.Productive
		for c, d := range a.States {
			if c.State == gpu.Idle {
				f.Idle += d
				f.IdleBy[c.Reason] += d
			}
		}
		holders[key] = f
	}
	return holders
}

// Errors are differences as shares of the allocated time of the holder.
type Errors struct{ Allocated, Active, Productive, Idle, IdleBy float64 }

// Worst returns the largest errors of any holder in what is said of it.
func Worst(truth, said Holders) Errors {
	var worst Errors
	for key, t := range truth {
		if t.Allocated == 0 {
			continue
		}
		e := errorsOf(t, said[key])
		worst = Errors{
			math.Max(worst.Allocated, e.Allocated), math.Max(worst.Active, e.Active),
			math.Max(worst.Productive, e.Productive), math.Max(worst.Idle, e.Idle), math.Max(worst.IdleBy, e.IdleBy),
		}
	}
	return worst
}

func errorsOf(truth, said Figures) Errors {
	share := func(a, b time.Duration) float64 { return math.Abs(float64(a-b)) / float64(truth.Allocated) }
	e := Errors{
		Allocated:  share(truth.Allocated, said.Allocated),
		Active:     share(truth.Active, said.Active),
		Productive: share(truth.Productive, said.Productive),
		Idle:       share(truth.Idle, said.Idle),
	}
	for reason := range union(truth.IdleBy, said.IdleBy) {
		e.IdleBy = math.Max(e.IdleBy, share(truth.IdleBy[reason], said.IdleBy[reason]))
	}
	return e
}

func union(a, b map[gpu.Reason]time.Duration) map[gpu.Reason]bool {
	keys := map[gpu.Reason]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	return keys
}
