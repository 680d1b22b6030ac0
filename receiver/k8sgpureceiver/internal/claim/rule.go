// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"maps"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
)

// Rule is a DeviceTaintRule: it taints the devices that it selects, beside what
// their driver publishes.
type Rule struct {
	Name string
	// Taint is the key of its taint, "" if it keeps pods away from no device.
	Taint string
	// Driver, Pool and Device are those of the devices that it selects, nil for
	// any.
	Driver, Pool, Device *string
}

// ReadRule takes what is needed from a rule. One without a selector selects
// nothing, one with an empty selector everything.
func ReadRule(r *resourcev1.DeviceTaintRule) Rule {
	out := Rule{Name: r.Name}
	if of := r.Spec.DeviceSelector; of != nil && keepsAway(r.Spec.Taint.Effect) {
		out.Taint, out.Driver, out.Pool, out.Device = r.Spec.Taint.Key, of.Driver, of.Pool, of.Device
	}
	return out
}

// keepsAway reports whether a taint with an effect keeps pods away from a device.
// Effects that we don't know are as none.
func keepsAway(e resourcev1.DeviceTaintEffect) bool {
	return e == resourcev1.DeviceTaintEffectNoSchedule || e == resourcev1.DeviceTaintEffectNoExecute
}

// selects reports whether the rule taints a device.
func (r *Rule) selects(id ID) bool {
	is := func(want *string, name string) bool { return want == nil || *want == name }
	return r.Taint != "" && is(r.Driver, id.Driver) && is(r.Pool, id.Pool) && is(r.Device, id.Device)
}

// PutRule takes a rule, as it is now.
func (s *Store) PutRule(r Rule) {
	if s.rules == nil {
		s.rules = map[string]Rule{}
	}
	s.rules[r.Name] = r
}

// DropRule takes that there is no such rule any more.
func (s *Store) DropRule(name string) { delete(s.rules, name) }

// taints returns the keys of all taints of a device that keep pods away, those
// of its driver first.
func (s *Store) taints(o *Offer) []string {
	keys := slices.Clip(o.Taints) // what is appended isn't the slice's
	for _, name := range slices.Sorted(maps.Keys(s.rules)) {
		if r := s.rules[name]; r.selects(o.ID) {
			keys = append(keys, r.Taint)
		}
	}
	return keys
}
