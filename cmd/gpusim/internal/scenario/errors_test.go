// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import "strings"

// base is a scenario that is right; each case replaces a line of it.
const base = `name: base
description: d
duration: 1h
nodes:
- name: n
  devices: 2
  shared: [{device: 1, sharing: mps, slots: 2}]
pods:
- name: p
  places: [{node: n, devices: [0]}]
- name: q
  places: [{node: n, devices: [1]}]
`

var mistakes = map[string]struct{ old, new, err string }{
	"no YAML": {"name: base", "name: [", `scenario f.yaml: line 2: did not find expected ',' or ']': want YAML`},
	"unknown key": {
		"  devices: 2", "  devices: 2\n  colour: red",
		"line 7: nodes[0].colour is not a key: want one of name, count, model, devices, memory, mig, shared, foreign",
	},
	"key twice":        {"duration: 1h", "duration: 1h\nduration: 2h", `line 4: duration is "duration": want each key once`},
	"missing":          {"duration: 1h", "seed: 1", "line 1: duration is missing: want a time of 1m to 744h"},
	"missing deep":     {"  devices: 2", "", "nodes[0].devices is missing: want 1 to 16"},
	"word for number":  {"  devices: 2", "  devices: two", `line 6: nodes[0].devices is "two": want 1 to 16`},
	"number too large": {"  devices: 2", "  devices: 17", `nodes[0].devices is "17": want 1 to 16`},
	"long":             {"duration: 1h", "duration: 800h", `duration is "800h": want a time of 1m to 744h`},
	"no unit":          {"duration: 1h", "duration: 60", `duration is "60": want a time of 1m to 744h`},
	"null":             {"duration: 1h", "duration:", `duration is "": want a time of 1m to 744h`},
	"start":            {"duration: 1h", "duration: 1h\nstart: 1999-01-01T00:00:00Z", `start is "1999-01-01T00:00:00Z": want a time from 2020 to 2199`},
	"bad name":         {"- name: p", "- name: P_1", `pods[0].name is "P_1": want a-z, 0-9, - and .`},
	"bool":             {"- name: p", "- name: p\n  processes: yes", `pods[0].processes is "yes": want true or false`},
	"bytes":            {"- name: p", "- name: p\n  memory: 5GB", `pods[0].memory is "5GB": want 0B to 1TiB`},
	"a list":           {"  places: [{node: n, devices: [0]}]", "  places: {node: n}", "pods[0].places is a mapping: want a list"},
	"a mapping":        {"- name: p", "- name: p\n  start: 3s", `pods[0].start is "3s": want a mapping of scheduling, admission`},
	"too few":          {"  places: [{node: n, devices: [0]}]", "  places: []", "pods[0].places is a list of 0: want one of 1 to 1000"},
	"alias":            {"duration: 1h", "duration: &d 1h", `duration is "1h": want no anchors and aliases`},
	"milestone":        {"- name: p", "- name: p\n  start: {untold: [born]}", `pods[0].start.untold[0] is "born": want one of created, scheduled`},
	"metric name":      {"- name: p", "- name: p\n  metrics: [{name: 7up}]", `pods[0].metrics[0].name is "7up": want the name of a metric`},

	"no pattern":   {"- name: p", "- name: p\n  activity: {}", "pods[0].activity is 0 patterns: want exactly one of idle, steady"},
	"two patterns": {"- name: p", "- name: p\n  activity: {idle: {}, steady: {level: 1}}", "pods[0].activity is 2 patterns: want exactly one"},
	"long burst": {
		"- name: p", "- name: p\n  activity: {bursts: {every: 1s, length: 600ms, jitter: 500ms}}",
		"pods[0].activity.bursts.length is 600ms: want at most every, 1s, together with jitter, 500ms",
	},
	"level": {"- name: p", "- name: p\n  activity: {steady: {level: 1001}}", `pods[0].activity.steady.level is "1001": want 0 to 1000`},
	"cycle without time": {
		"- name: p", "- name: p\n  activity: {cycle: [{idle: {}}]}",
		"pods[0].activity.cycle[0].for is missing: want a time",
	},
	"phase without time": {
		"- name: p", "- name: p\n  activity: {phases: [{idle: {}}, {idle: {}}]}",
		"pods[0].activity.phases[0].for is missing: want a time",
	},
	"in a phase": {
		"- name: p", "- name: p\n  activity: {phases: [{for: 1s, cycle: [{for: 1s, steady: {level: -1}}]}]}",
		`pods[0].activity.phases[0].cycle[0].steady.level is "-1": want 0 to 1000`,
	},
	"short day": {
		"- name: p", "- name: p\n  activity: {trickle: {per_hour: 1, length: 1s, day: [1]}}",
		"pods[0].activity.trickle.day is a list of 1: want one of 24 to 24",
	},
	"empty day": {
		"- name: p", "- name: p\n  activity: {trickle: {per_hour: 1, length: 1s, day: [" + strings.Repeat("0, ", 24) + "]}}",
		"pods[0].activity.trickle.day is all 0: want an hour in which requests come",
	},
	"dark day": {
		"- name: p", "- name: p\n  activity: {trickle: {per_hour: 1, length: 1s, day: [" + strings.Repeat("-1, ", 24) + "]}}",
		"pods[0].activity.trickle.day[0] is -1: want 0 to 1000, in percent of per_hour",
	},

	"rate and every": {
		"- name: p", "- name: p\n  metrics: [{name: m, rate: 1, every: 1s}]",
		"pods[0].metrics[0].rate is 1: want exactly one of rate and every",
	},
	"output when":  {"- name: p", "- name: p\n  metrics: [{name: m, rate: 1, while_active: true}]", "pods[0].metrics[0].kind is output: want demand or sleep"},
	"gauge never":  {"- name: p", "- name: p\n  metrics: [{name: m, kind: demand}]", "pods[0].metrics[0].when is 0 entries: want exactly one of when"},
	"gauge rate":   {"- name: p", "- name: p\n  metrics: [{name: m, kind: sleep, while_active: true, rate: 1}]", "pods[0].metrics[0].kind is sleep: want output"},
	"metric group": {"- name: p", "- name: p\n  metrics: [{name: m, rate: 1, group: true}]", "pods[0].metrics[0].group is true: want false, or a group"},
	"sample":       {"duration: 1h", "duration: 1h\ncollection: {sample: 20s}", "collection.sample is 20s: want at most the interval, 10s"},
	"too many":     {"nodes:", "nodes:\n- {name: m, devices: 1, count: 20000}", "nodes is 20001 nodes: want at most 20000"},
	"many instances": {
		"  devices: 2", "  devices: 2\n  mig: [{device: 0, layouts: [" + strings.Repeat("{instances: ["+strings.Repeat("{name: a, profile: 1g.10gb, slices: 1, memory: 1GiB}, ", 64)+"]}, ", 32) + "]}]",
		"nodes[0].mig is 2048 instances: want at most 2000, over all layouts",
	},
	"many devices": {
		"  devices: 2", "  devices: 2\n  count: 19000\n  mig: [{device: 0, layouts: [{instances: [" + strings.Repeat("{name: a, profile: 1g.10gb, slices: 1, memory: 1GiB}, ", 64) + "]}]}]",
		"nodes is 1254000 devices and MIG instances: want at most 1000000",
	},
	"too many pods": {
		"pods:", "pods:\n- {name: o, for: 3s, repeat: {times: 600, every: 1ms}, places: [" + strings.Repeat("{node: n, devices: [1]}, ", 200) + "]}",
		"pods is 120002 pods: want at most 100000",
	},
	"too many starts": {
		"- name: p", "- name: p\n  repeat: {times: 10000}\n  restarts: [" + strings.Repeat("{at: 1m}, ", 100) + "]",
		"pods is 1010001 starts of containers: want at most 1000000",
	},
	"flat gauge": {"- name: p", "- name: p\n  metrics: [{name: m, kind: sleep, while_active: true, flat: [{at: 1s, for: 1s}]}]", "pods[0].metrics[0].kind is sleep: want output"},
}
