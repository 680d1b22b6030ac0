// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"testing"

	"github.com/stretchr/testify/require"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rule returns one that taints what a selector selects.
func rule(name string, effect resourcev1.DeviceTaintEffect, of *resourcev1.DeviceTaintSelector) Rule {
	return ReadRule(&resourcev1.DeviceTaintRule{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       resourcev1.DeviceTaintRuleSpec{DeviceSelector: of, Taint: resourcev1.DeviceTaint{Key: name, Effect: effect}},
	})
}

// TestRules taint what they select, by all that they say, and only if their
// effect keeps pods away.
func TestRules(t *testing.T) {
	const no, off = resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNoExecute
	nvidia, node, other, first := "gpu.nvidia.com", "node-1", "node-2", "gpu-0"
	all := &resourcev1.DeviceTaintSelector{}
	for name, c := range map[string]struct {
		rule Rule
		want map[string]int // devices with the taint, by driver
	}{
		"everything":     {rule("r", off, all), map[string]int{nvidia: 5, "fork.example.com": 1, "gpu.amd.com": 1}},
		"a driver":       {rule("r", no, &resourcev1.DeviceTaintSelector{Driver: &nvidia}), map[string]int{nvidia: 5}},
		"a pool":         {rule("r", no, &resourcev1.DeviceTaintSelector{Driver: &nvidia, Pool: &node}), map[string]int{nvidia: 5}},
		"another pool":   {rule("r", no, &resourcev1.DeviceTaintSelector{Pool: &other}), map[string]int{}},
		"a device":       {rule("r", no, &resourcev1.DeviceTaintSelector{Driver: &nvidia, Device: &first}), map[string]int{nvidia: 1}},
		"nothing":        {rule("r", no, nil), map[string]int{}},
		"no effect":      {rule("r", resourcev1.DeviceTaintEffectNone, all), map[string]int{}},
		"a new effect":   {rule("r", "PreferNoSchedule", all), map[string]int{}},
		"another rule's": {rule("r2", no, all), map[string]int{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := store(t)
			before := s.GPUs()
			s.PutRule(c.rule)
			got := map[string]int{}
			for _, o := range s.GPUs() {
				for _, key := range o.Taints {
					if key == "r" {
						got[o.Driver]++
					}
				}
			}
			require.Equal(t, c.want, got)
			s.DropRule(c.rule.Name)
			require.Equal(t, before, s.GPUs(), "nothing of a rule stays")
		})
	}
}

// TestRuleBesideADriversTaint: both count, and a rule that is renewed once.
func TestRuleBesideADriversTaint(t *testing.T) {
	s := store(t)
	first := "gpu-0"
	for range 2 {
		s.PutRule(rule("repair", resourcev1.DeviceTaintEffectNoSchedule, &resourcev1.DeviceTaintSelector{Device: &first}))
	}
	for _, o := range s.GPUs() {
		if o.ID == device("gpu-0") {
			require.Equal(t, []string{"gpu.nvidia.com/xid", "repair"}, o.Taints)
		}
	}
	kept, _ := s.Offer(device("gpu-0"))
	require.Equal(t, []string{"gpu.nvidia.com/xid"}, kept.Taints)
}
