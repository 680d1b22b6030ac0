// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"cmp"
	"fmt"
	"strings"
)

// The keys by which an entry says what it is about.
const (
	byNode = iota
	byHostType
	byModel
	byZone
	byRegion
	byCapacityType
	matchKeys
)

var matchNames = [matchKeys]string{"node", "host_type", "model", "zone", "region", "capacity_type"}

// match is what an entry is about: the value of each key, "" for any.
type match [matchKeys]string

func (f *Facts) values() match {
	return match{f.Node, f.HostType, f.Model, f.Zone, f.Region, f.CapacityType}
}

// about reports whether e is about a device with these facts.
func (e *entry) about(facts *match) bool {
	for i, want := range &e.match {
		if want != "" && want != facts[i] {
			return false
		}
	}
	return true
}

// beats reports whether e is to be taken before o, both being valid and about one
// device: an entry about its node goes before all others.
func (e *entry) beats(o *entry) bool {
	if byName := e.match[byNode] != ""; byName != (o.match[byNode] != "") {
		return byName
	}
	a, b := e.match.named(), o.match.named()
	return a > b || a == b && e.from > o.from
}

// named returns how many keys m names.
func (m match) named() (n int) {
	for _, value := range m {
		if value != "" {
			n++
		}
	}
	return n
}

// canMeet reports whether there can be a device that both m and o are about.
func (m *match) canMeet(o *match) bool {
	for i := range m {
		if m[i] != "" && o[i] != "" && m[i] != o[i] {
			return false
		}
	}
	return true
}

// meets returns the match of the devices that both m and o are about, which can
// meet.
func (m match) meets(o match) (both match) {
	for i := range m {
		both[i] = cmp.Or(m[i], o[i])
	}
	return both
}

// String returns the keys that m names, with their values.
func (m match) String() string {
	var parts []string
	for i, value := range m {
		if value != "" {
			parts = append(parts, fmt.Sprintf("%s: %s", matchNames[i], value))
		}
	}
	if parts == nil {
		return "every device"
	}
	return strings.Join(parts, ", ")
}
