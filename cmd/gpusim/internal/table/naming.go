// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"maps"
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// naming says how the parts of a line are told apart.
type naming struct {
	forms bool // idle time by its form, too
	notes bool // each part says what it means
}

// minus is the line of the conditions that match. Its parts are their time by
// name; if the usual reason is the only one, there are none to tell apart.
func (name naming) minus(title string, a counters.Account, match counters.Match, usual gpu.Reason) node {
	n := node{sign: "−", title: title}
	only := true
	for _, c := range slices.SortedFunc(maps.Keys(a.States), compare) {
		if !match(c) || a.States[c] == 0 {
			continue
		}
		n.time += a.States[c]
		only = only && c.Reason == usual
		part := name.part(c)
		if last := len(n.parts) - 1; last >= 0 && n.parts[last].title == part.title {
			n.parts[last].time += a.States[c]
			continue
		}
		part.time = a.States[c]
		n.parts = append(n.parts, part)
	}
	if only {
		n.parts = nil
	}
	return n
}

// part names a condition within its state.
func (name naming) part(c gpu.Condition) node {
	title := words(c.Reason)
	if name.forms && c.Form != gpu.NoForm {
		title += ", " + strings.ReplaceAll(c.Form.String(), "_", " ")
	}
	if !name.notes {
		return node{title: title}
	}
	return node{title: title, note: meanings[c.Reason]}
}

func words(r gpu.Reason) string {
	if r == gpu.ReasonBeforeCUDA {
		return "before CUDA"
	}
	return strings.ReplaceAll(r.String(), "_", " ")
}

// within are the shares of idle time that cut across its reasons.
func (name naming) within(a counters.Account) []node {
	loaded := node{title: "of which with a model resident", time: a.Sum(resident)}
	if !name.notes {
		return []node{loaded}
	}
	loaded.title, loaded.note = "of which resident", "a model is in the GPU's memory"
	episodes := a.Sum(func(c gpu.Condition) bool { return c.Form == gpu.Episode })
	return []node{
		{title: "of which episodes", time: episodes, note: "over 5 min on end: could be freed"},
		loaded,
	}
}

// meanings says what each reason means, in at most 38 characters.
var meanings = map[gpu.Reason]string{
	gpu.ReasonHealth:          "the device has failed",
	gpu.ReasonNode:            "the node isn't ready",
	gpu.ReasonReconfiguration: "its MIG layout is being changed",
	gpu.ReasonTaint:           "a taint keeps pods away",

	gpu.ReasonAllocation: "nobody told who held it",
	gpu.ReasonActivity:   "no sample says what it did",
	gpu.ReasonDevice:     "the device was lost while held",

	gpu.ReasonFree:            "nobody held it",
	gpu.ReasonUnpartitioned:   "slices of a MIG board in no instance",
	gpu.ReasonSharedSlot:      "slots of a shared device, not held",
	gpu.ReasonForeignActivity: "busy, but no pod held it",

	gpu.ReasonAdmission:  "the node prepares the pod",
	gpu.ReasonImagePull:  "its image is pulled",
	gpu.ReasonInit:       "its init containers run",
	gpu.ReasonBeforeCUDA: "it runs, but hasn't touched the GPU",
	gpu.ReasonModelLoad:  "from the first CUDA call to ready",
	gpu.ReasonBackoff:    "it crashed and waits for its restart",

	gpu.ReasonStarved:      "work was there, or its peers worked",
	gpu.ReasonSleeping:     "its engine was put to sleep",
	gpu.ReasonProvisioning: "it hasn't worked since its start",
	gpu.ReasonInference:    "it serves, and no request was there",
	gpu.ReasonBatch:        "a job that paused",
	gpu.ReasonInteractive:  "a notebook that nobody used",
	gpu.ReasonUnclassified: "what it is for isn't known",

	gpu.ReasonOutputFlat:   "its output didn't rise",
	gpu.ReasonNoAppMetric:  "it has no output counter",
	gpu.ReasonNotScraped:   "its output counter wasn't read",
	gpu.ReasonGroupUnknown: "its group's output is read elsewhere",
}
