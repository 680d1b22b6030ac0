// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"cmp"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// The labels of dcgm-exporter.
const (
	labelUUID       = "UUID"     // of the board, also of a MIG instance
	labelGI         = "GPU_I_ID" // the instance's number
	labelGIProfile  = "GPU_I_PROFILE"
	labelModel      = "modelName"
	labelSlot       = "vgpu" // which replica of a shared device the series is for
	labelDRADevice  = "dra_mig_device_uuid"
	labelDRAProfile = "dra_mig_profile"
)

// Labels that mean the same, the first that is there counts.
var labelsHost = [...]string{"Hostname", "hostname"}

// exportedPrefix is what Prometheus puts before a label of a series that its
// target has as well.
const exportedPrefix = "exported_"

// noInstance is the number of a device that is no MIG instance.
const noInstance = -1

// scrapedInstance returns the number of the MIG instance that a series is of,
// noInstance if it is of a board, and false if it can't be read.
func scrapedInstance(p point) (int64, bool) {
	text := p.str(labelGI)
	if text == "" {
		return noInstance, true
	}
	n, err := strconv.ParseInt(text, 10, 32)
	return n, err == nil && n >= 0
}

// scrapedPod returns the pod that the labels of a series name, with a prefix
// before each.
func scrapedPod(own pcommon.Map, prefix string) gpu.Holder {
	h := gpu.Holder{
		Namespace: text(own, prefix+"namespace"),
		Pod:       text(own, prefix+"pod"),
		PodUID:    text(own, prefix+"pod_uid"),
		Container: text(own, prefix+"container"),
	}
	if h.Pod == "" {
		return gpu.Holder{}
	}
	return h
}

// place returns the device of a series without its identity.
func scrapedPlace(p point) gpu.Device {
	d := gpu.Device{Node: p.node(), Cluster: p.str(AttrClusterName), Model: p.str(labelModel)}
	for _, key := range labelsHost {
		d.Node = cmp.Or(d.Node, p.str(key))
	}
	return d
}

// profileSlices returns the compute slices of a MIG profile, as 3 of 3g.40gb or
// of 1c.3g.40gb, 0 if the text isn't one.
func profileSlices(profile string) int {
	for part := range strings.SplitSeq(profile, ".") {
		part = strings.TrimPrefix(part, "MIG ")
		if n, ok := strings.CutSuffix(part, "g"); ok {
			if slices, err := strconv.Atoi(n); err == nil && slices > 0 {
				return slices
			}
		}
	}
	return 0
}

// modelSlices are the compute slices of the boards that can be in MIG mode, by
// a part of their model's name.
var modelSlices = []struct {
	model  string
	slices int
}{
	{"A100", 7},
	{"A800", 7},
	{"A30", 4},
	{"H100", 7},
	{"H800", 7},
	{"H200", 7},
	{"H20", 7},
	{"GH200", 7},
	{"B100", 7},
	{"B200", 7},
	{"B300", 7},
	{"GB200", 7},
	{"GB300", 7},
	{"RTX PRO 6000", 4},
}

// boardSlices returns how many slices a board has: what a point or its resource
// says, else those of its model; 0 if neither is known.
func boardSlices(p point) int {
	if n := p.slices(AttrMIGSlicesTotal); n != 0 {
		return n
	}
	name := strings.NewReplacer("-", " ", "_", " ").Replace(p.str(labelModel))
	for _, m := range modelSlices {
		if containsWords(name, m.model) {
			return m.slices
		}
	}
	return 0
}

// containsWords says whether words are in a name, as words: A30 isn't in A300.
func containsWords(name, words string) bool {
	return strings.Contains(" "+name+" ", " "+words+" ")
}
