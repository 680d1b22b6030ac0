// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Rules are the settings of the account.
type Rules struct {
	MaxGap            time.Duration // longest time between two points that says anything
	IdleGrace         time.Duration // how long a stretch of idle time lasts before it is an episode
	IdleThreshold     float64       // activity below which an interval belongs to a stretch
	ResidentThreshold uint64        // bytes from which on a model counts as loaded
}

// DefaultRules returns the defaults of the component.
func DefaultRules() Rules {
	return Rules{MaxGap: 90 * time.Second, IdleGrace: 5 * time.Minute, IdleThreshold: 0.01, ResidentThreshold: 1 << 30}
}

const (
	enoughActivity  = int64(10 * time.Second) // after it a start without a probe is over
	longestStart    = 30 * time.Minute        // and after this time
	provisionedWith = int64(time.Second)      // activity below which a holder wasn't used yet
	millionths      = 1_000_000
)

// Account is what one holder gets of one device, or the device itself.
type Account struct {
	Device      gpu.Device
	Holder      gpu.Holder // the zero value: the device's own account
	Attribution gpu.Attribution
	States      map[gpu.Condition]time.Duration
	Allocated   time.Duration
	Active      time.Duration
	Productive  time.Duration
	Entitled    time.Duration
}

func (a *Account) add(c gpu.Condition, nanos int64) {
	if nanos == 0 {
		return
	}
	a.States[c] += time.Duration(nanos)
	if a.Attribution == gpu.NoAttribution {
		return
	}
	a.Allocated += time.Duration(nanos)
	if c.State == gpu.Productive {
		a.Productive += time.Duration(nanos)
	}
}
