// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func TestDivide(t *testing.T) {
	capacity := map[string]float64{"memory": 80, "shares": 10}
	for name, c := range map[string]struct {
		all  []Consumer
		want map[string]Part
	}{
		"one claim, two pods": {
			[]Consumer{{Pod: "a"}, {Pod: "b"}},
			map[string]Part{"a": {Slots: gpu.Slots{N: 1, Of: 2}}, "b": {Slots: gpu.Slots{N: 1, Of: 2}}},
		},
		"two containers of one pod": {[]Consumer{{Pod: "a"}, {Pod: "a"}}, map[string]Part{"a": {Slots: gpu.Slots{N: 1, Of: 1}}}},
		"by shares, not by memory": {
			[]Consumer{{"a", "1", map[string]float64{"shares": 2, "memory": 40}}, {"b", "2", map[string]float64{"shares": 5, "memory": 40}}},
			map[string]Part{"a": {Share: 0.2}, "b": {Share: 0.5}},
		},
		"by what both have": {
			[]Consumer{{"a", "1", map[string]float64{"shares": 2, "memory": 40}}, {"b", "2", map[string]float64{"memory": 20}}},
			map[string]Part{"a": {Share: 0.5}, "b": {Share: 0.25}},
		},
		"a share of two pods": {
			[]Consumer{{"a", "1", map[string]float64{"memory": 40}}, {"b", "1", map[string]float64{"memory": 40}}},
			map[string]Part{"a": {Share: 0.25}, "b": {Share: 0.25}},
		},
		"two shares of one pod": {
			[]Consumer{{"a", "1", map[string]float64{"memory": 40}}, {"a", "2", map[string]float64{"memory": 20}}, {"a", "2", map[string]float64{"memory": 20}}},
			map[string]Part{"a": {Share: 0.75}},
		},
		"unlimited: nothing is consumed": {
			[]Consumer{{"a", "1", map[string]float64{"memory": 0}}, {"b", "2", map[string]float64{"memory": 20}}},
			map[string]Part{"a": {Slots: gpu.Slots{N: 1, Of: 2}}, "b": {Slots: gpu.Slots{N: 1, Of: 2}}},
		},
		"more than there is": {
			[]Consumer{{"a", "1", map[string]float64{"memory": 80}}, {"b", "2", map[string]float64{"memory": 80}}},
			map[string]Part{"a": {Share: 0.5}, "b": {Share: 0.5}},
		},
	} {
		require.Equal(t, c.want, Divide(capacity, c.all), name)
	}
}

// TestPropDivide: every pod has a part, and together they have the device at
// most.
func TestPropDivide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := map[string]float64{"memory": 80, "shares": float64(rapid.IntRange(0, 10).Draw(t, "shares"))}
		var all []Consumer
		pods := map[string]bool{}
		for i := range rapid.IntRange(1, 6).Draw(t, "shares of it") {
			consumed := map[string]float64{}
			for _, name := range []string{"memory", "shares"} {
				if rapid.Bool().Draw(t, name) {
					consumed[name] = float64(rapid.IntRange(0, 100).Draw(t, "consumed"))
				}
			}
			for range rapid.IntRange(1, 4).Draw(t, "pods") {
				pod := fmt.Sprintf("p%d", rapid.IntRange(0, 3).Draw(t, "pod"))
				pods[pod] = true
				all = append(all, Consumer{pod, strconv.Itoa(i), consumed})
			}
		}
		sum := 0.0
		parts := Divide(capacity, all)
		for pod, part := range parts {
			if part.Slots.Of > 0 {
				part.Share = float64(part.Slots.N) / float64(part.Slots.Of)
			}
			if part.Share <= 0 || part.Share > 1+1e-9 {
				t.Fatalf("%s has %v", pod, part)
			}
			sum += part.Share
		}
		if sum > 1+1e-9 || len(parts) != len(pods) {
			t.Fatalf("%v is more than the device, or not for all of %v", parts, pods)
		}
	})
}
