// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Mistakes that only building the world shows.
var worldMistakes = map[string]struct{ old, new, err string }{
	"node twice":   {"nodes:", "nodes:\n- {name: n, devices: 1}", `nodes[1].name is "n": want another name`},
	"no node":      {"[{node: n, devices: [0]}]", "[{node: m, devices: [0]}]", `pods[0].places[0].node is "m": want the name of a node`},
	"no device":    {"[{node: n, devices: [0]}]", "[{node: n, devices: [2]}]", "pods[0].places[0].devices[0] is 2: want the index of a device of n, 0 to 1"},
	"device twice": {"[{node: n, devices: [0]}]", "[{node: n, devices: [0, 0]}]", "pods[0].places[0].devices[1] is 0: want each device once"},
	"nothing":      {"[{node: n, devices: [0]}]", "[{node: n}]", "pods[0].places[0].devices is empty: want at least one"},
	"no instance": {
		"[{node: n, devices: [0]}]", "[{node: n, instances: [big]}]",
		`pods[0].places[0].instances[0] is "big": want an instance of n that exists from 2026-01-05T00:00:02Z to 2026-01-05T01:00:00Z`,
	},
	"pod twice": {"- name: q", "- name: p", `pods[1].name is "p": want another name`},
	"held": {
		"[{node: n, devices: [1]}]", "[{node: n, devices: [0]}]",
		"pods[1].places[0] is device 0 of n: want a device with room for q at 2026-01-05T00:00:02Z: only 0 of its 1 slots are free",
	},
	"too many slots": {"- name: q", "- name: q\n  slots: 3", "pods[1].places[0] is device 1 of n: want a device with room for q"},
	"memory":         {"- name: p", "- name: p\n  memory: 81GiB", "pods[0].memory is 81GiB: want at most 80GiB, what device 0 of n has"},
	"never admitted": {"- name: p", "- name: p\n  for: 1s\n  end: {how: finished, release: 1s}", "pods[0].for is 1s: want more than 2s, after which the pod is admitted"},
	"after the end":  {"- name: p", "- name: p\n  at: 1h", "pods[0].at is 1h0m0s: want less than the duration, 1h0m0s"},
	"early restart":  {"- name: p", "- name: p\n  restarts: [{at: 4s}]", "pods[0].restarts[0].at is 4s: want more than 4s, when the container was started before"},
	"late restart":   {"- name: p", "- name: p\n  for: 1m\n  restarts: [{at: 1m}]", "pods[0].restarts[0].at is 1m0s: want a time before the pod's end, after 1m0s"},
	"shared twice":   {"slots: 2}]", "slots: 2}, {device: 1, sharing: mps, slots: 2}]", "nodes[0].shared[1].device is 1: want a device that isn't under mig or shared yet"},
	"foreign late":   {"  devices: 2", "  devices: 2\n  foreign: [{device: 0, at: 1h, for: 1s, activity: {idle: {}}}]", "nodes[0].foreign[0].at is 1h0m0s: want less than the duration"},
	"board held": {
		"  devices: 2", "  devices: 2\n  mig: [{device: 0, layouts: [{instances: [{name: a, profile: 1g.10gb, slices: 1, memory: 10GiB}]}]}]",
		"pods[0].places[0].devices[0] is 0: want a device that isn't under mig: name its instances",
	},
	"foreign board": {
		"  devices: 2", "  devices: 2\n  foreign: [{device: 0, for: 1s, activity: {idle: {}}}]\n  mig: [{device: 0, layouts: [{instances: [{name: a, profile: 1g.10gb, slices: 1, memory: 10GiB}]}]}]",
		"nodes[0].foreign[0].device is 0: want a device that isn't under mig",
	},
	"slices": {
		"  devices: 2", "  devices: 2\n  mig: [{device: 0, layouts: [{instances: [{name: a, profile: 1g.10gb, slices: 8, memory: 10GiB}]}]}]",
		"nodes[0].mig[0].layouts[0].instances is 8 slices: want at most 7 in all",
	},
	"instance memory": {
		"  devices: 2", "  devices: 2\n  mig: [{device: 0, layouts: [{instances: [{name: a, profile: 1g.10gb, slices: 1, memory: 90GiB}]}]}]",
		"nodes[0].mig[0].layouts[0].instances is 90GiB: want at most 80GiB in all",
	},
	"instance name": {
		"  devices: 2", "  devices: 2\n  mig: [{device: 0, layouts: [{instances: [" + strings.Repeat("{name: a, profile: 1g.10gb, slices: 1, memory: 10GiB}, ", 2) + "]}]}]",
		`nodes[0].mig[0].layouts[0].instances[1].name is "a": want a name that no other instance of the node has then`,
	},
	"first layout": {
		"  devices: 2", "  devices: 2\n  mig: [{device: 0, layouts: [{at: 1m, instances: [{name: a, profile: 1g.10gb, slices: 1, memory: 10GiB}]}]}]",
		"nodes[0].mig[0].layouts[0].at is 1m0s: want 0s, and no away, in the first layout",
	},

	"lost where": {"pods:", "faults: {lost: [{node: m, device: 0, at: 1m}]}\npods:", `faults.lost[0].node is "m": want the name of a node`},
	"lost what":  {"pods:", "faults: {xid: [{node: n, device: 2, at: 1m}]}\npods:", "faults.xid[0].device is 2: want the index of a device of n"},
	"lost late":  {"pods:", "faults: {lost: [{node: n, device: 0, at: 1h}]}\npods:", "faults.lost[0].at is 1h0m0s: want less than the duration"},
	"closed":     {"pods:", "faults: {closed: [{node: n, device: 3, at: 1m, for: 1s, reason: taint}]}\npods:", "faults.closed[0].device is 3: want the index of a device of n"},
	"outage":     {"pods:", "faults: {outages: [{node: m, part: engine, at: 1m, for: 1s}]}\npods:", `faults.outages[0].node is "m": want the name of a node`},
	"clock":      {"pods:", "faults: {clock: [{at: 1h, by: 1s}]}\npods:", "faults.clock[0].at is 1h0m0s: want less than the duration"},
	"hitch":      {"pods:", "faults: {hitches: [{at: 1h, for: 1s}]}\npods:", "faults.hitches[0].at is 1h0m0s: want less than the duration"},
}

func TestMistakes(t *testing.T) {
	_, err := Parse("f.yaml", []byte(base))
	require.NoError(t, err)
	for _, table := range []map[string]struct{ old, new, err string }{mistakes, worldMistakes} {
		for name, c := range table {
			text := strings.Replace(base, c.old, c.new, 1)
			require.NotEqual(t, base, text, name)
			_, err := Parse("f.yaml", []byte(text))
			require.ErrorContains(t, err, c.err, name)
			assert.True(t, strings.HasPrefix(err.Error(), "scenario f.yaml: "), err)
		}
	}
}

func TestMistakesOfTheWhole(t *testing.T) {
	_, err := Parse("f.yaml", nil)
	require.ErrorContains(t, err, "the scenario is empty: want a mapping")
	_, err = Parse("f.yaml", []byte("- a"))
	require.ErrorContains(t, err, "line 1: the scenario is a list: want a mapping of name, description")
	_, err = Parse("f.yaml", make([]byte, maxText+1))
	require.ErrorContains(t, err, "the scenario is 4194305 bytes long: want at most 4194304")
	deep := "{" + strings.Repeat("cycle: [{for: 1s, ", 30) + "idle: {}" + strings.Repeat("}]", 30) + "}"
	_, err = Parse("f.yaml", []byte(strings.Replace(base, "- name: p", "- name: p\n  activity: "+deep, 1)))
	require.ErrorContains(t, err, "want patterns in patterns at most 20 deep")
}

func TestLoadErrors(t *testing.T) {
	_, err := Load("nowhere")
	require.ErrorContains(t, err, `read scenario "nowhere": no such file, and none of the built-in ones: accuracy/01-steady, `)
	_, err = Load(t.TempDir())
	require.ErrorContains(t, err, "read scenario: ")
	file := filepath.Join(t.TempDir(), "mine.yaml")
	require.NoError(t, os.WriteFile(file, []byte("a: 1"), 0o600))
	_, err = Load(file)
	require.ErrorContains(t, err, "scenario "+file+": line 1: a is not a key")
}
