// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Peers: §6 -------------------------------------------------------------

// peerInterval is a whole interval of a device at whose end a holder of a group
// held it, as far as anything was observed of its time.
type peerInterval struct {
	end    gpu.Time
	group  string
	active bool // not below the threshold
}

// rememberActive keeps how active an interval was for the holders at its end.
func (o *oracle) rememberActive(d *oracleDevice, b *booking, last []string, below map[string]bool) {
	for _, key := range last {
		if isBelow, observed := below[key]; observed && o.groups[key] != "" {
			d.settled = append(d.settled, peerInterval{b.ev.to, o.groups[key], !isBelow})
		}
	}
}

// peerActive says whether a peer of a holder is active at t.
func (o *oracle) peerActive(d *oracleDevice, key string, t gpu.Time) bool {
	group := o.groups[key]
	for _, other := range o.devices {
		if group == "" || other == d || other.node != d.node {
			continue
		}
		newest, active := gpu.NoTime, false
		for _, i := range other.settled {
			if i.group != group || i.end > t || o.gap(i.end, t) || i.end < newest {
				continue
			}
			active = i.active || active && i.end == newest
			newest = i.end
		}
		if active {
			return true
		}
	}
	return false
}
