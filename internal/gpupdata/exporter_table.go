// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"slices"
	"strings"
	"unicode"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// SourceExporter is the gpu.activity.source of what dcgm-exporter told.
const SourceExporter = "dcgm_exporter"

// fieldPrefix begins the name of each of DCGM's fields in dcgm-exporter's text.
const fieldPrefix = "DCGM_FI_"

// exporterUnit is what the values of a metric of dcgm-exporter are counted in.
type exporterUnit struct {
	name string
	most float64 // the largest value that there can be
	// slack is how far above most a value may be: then it is most. Hardware
	// counters that are read one after another give such ratios.
	slack float64
	// Values are multiplied by times and divided by over: 55 % is the double
	// nearest to 0.55, which 55 · 0.01 isn't.
	times, over float64
}

var (
	ratio     = exporterUnit{"part of 1", 1, 0.01, 1, 1}
	percent   = exporterUnit{"%", 100, 0, 1, 100}
	mebibytes = exporterUnit{"MiB", 1 << 30, 0, 1 << 20, 1}
	bytes     = exporterUnit{"bytes", 1 << 50, 0, 1, 1}
)

// exporterMetric is one that the ledger reads.
type exporterMetric struct {
	name   string
	since  string // the version of dcgm-exporter that has this name; "" the first
	field  int    // DCGM's number of what is told
	engine gpu.Engine
	memory bool // it tells memory in use, not the activity of engine
	rank   int  // of two fields of one engine, the one with the larger rank tells
	whole  bool // MIG instances don't have it: what is told of one is its board's
	unit   exporterUnit
	// denied are words of the metric's HELP text that name another unit than
	// ours: such a metric isn't the one that it is taken for.
	denied []string
}

// exporterMetrics are all of them. What has two names has two units as well, in
// part: neither name says which.
var exporterMetrics = []exporterMetric{
	{"DCGM_FI_PROF_GR_ENGINE_ACTIVE", "", 1001, gpu.EngineAny, false, 2, false, ratio, nil},
	{"DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO", "4.9.0", 1001, gpu.EngineAny, false, 2, false, ratio, nil},
	{"DCGM_FI_DEV_GPU_UTIL", "", 203, gpu.EngineAny, false, 1, true, percent, nil},
	// DCGM 4.6 has this name for field 203, which is in percent.
	{"DCGM_FI_DEV_GPU_UTIL_RATIO", "4.9.0", 1613, gpu.EngineAny, false, 1, true, ratio, []string{"%", "percent", "percentage"}},
	{"DCGM_FI_PROF_SM_ACTIVE", "", 1002, gpu.EngineSM, false, 1, false, ratio, nil},
	{"DCGM_FI_PROF_SM_UTIL_RATIO", "4.9.0", 1002, gpu.EngineSM, false, 1, false, ratio, nil},
	{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "", 1004, gpu.EngineTensor, false, 1, false, ratio, nil},
	{"DCGM_FI_PROF_TENSOR_UTIL_RATIO", "4.9.0", 1004, gpu.EngineTensor, false, 1, false, ratio, nil},
	{"DCGM_FI_PROF_DRAM_ACTIVE", "", 1005, gpu.EngineDRAM, false, 1, false, ratio, nil},
	{"DCGM_FI_PROF_DRAM_UTIL_RATIO", "4.9.0", 1005, gpu.EngineDRAM, false, 1, false, ratio, nil},
	{"DCGM_FI_DEV_FB_USED", "", 252, 0, true, 1, false, mebibytes, []string{"byte", "bytes"}},
	{"DCGM_FI_DEV_FB_USED_BYTES", "4.9.0", 1627, 0, true, 1, false, bytes, []string{"mib", "miby", "mebibytes", "mb", "megabytes"}},
}

var exporterByName = func() map[string]*exporterMetric {
	m := make(map[string]*exporterMetric, len(exporterMetrics))
	for i := range exporterMetrics {
		m[exporterMetrics[i].name] = &exporterMetrics[i]
	}
	return m
}()

// exporterOthers are metrics that are named like evidence and are none: parts
// of a device that the ledger doesn't account. They pass untouched.
var exporterOthers = []string{
	"DCGM_FI_DEV_MEM_COPY_UTIL", "DCGM_FI_DEV_MEMORY_UTIL_RATIO", "DCGM_FI_DEV_CPU_UTIL_RATIO",
	"DCGM_FI_DEV_ENC_UTIL", "DCGM_FI_DEV_ENC_UTIL_RATIO", "DCGM_FI_DEV_DEC_UTIL", "DCGM_FI_DEV_DEC_UTIL_RATIO",
	"DCGM_FI_DEV_FB_USED_PERCENT", "DCGM_FI_DEV_FB_USED_RATIO",
	"DCGM_FI_PROF_PIPE_FP64_ACTIVE", "DCGM_FI_PROF_PIPE_FP32_ACTIVE", "DCGM_FI_PROF_PIPE_FP16_ACTIVE",
	"DCGM_FI_PROF_FP64_UTIL_RATIO", "DCGM_FI_PROF_FP32_UTIL_RATIO", "DCGM_FI_PROF_FP16_UTIL_RATIO",
	"DCGM_FI_PROF_PIPE_INT_ACTIVE", "DCGM_FI_PROF_INT_UTIL_RATIO",
	"DCGM_FI_PROF_PIPE_TENSOR_DFMA_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_HMMA_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_IMMA_ACTIVE",
	"DCGM_FI_PROF_DFMA_UTIL_RATIO", "DCGM_FI_PROF_HMMA_UTIL_RATIO", "DCGM_FI_PROF_IMMA_UTIL_RATIO",
}

// exporterEngines begin the names of engines of which a device has several.
var exporterEngines = []string{"DCGM_FI_PROF_NVDEC", "DCGM_FI_PROF_NVJPG", "DCGM_FI_PROF_NVOFA"}

// looksLikeEvidence says whether a metric of DCGM is named as those that the
// ledger needs: a generation with new names isn't passed over in silence.
func looksLikeEvidence(name string) bool {
	named := strings.HasSuffix(name, "_ACTIVE") || strings.HasSuffix(name, "_UTIL") ||
		strings.HasSuffix(name, "_UTIL_RATIO") || strings.HasPrefix(name, "DCGM_FI_DEV_FB_USED")
	return named && !slices.Contains(exporterOthers, name) &&
		!slices.ContainsFunc(exporterEngines, func(engine string) bool { return strings.HasPrefix(name, engine) })
}

// denies says whether a HELP or UNIT text says that the values of m are in
// another unit. Words are compared as a whole: there is mb in number, and byte in
// mebibytes.
func (m *exporterMetric) denies(text string) bool {
	if len(m.denied) == 0 {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r != '%' && !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(m.denied, word) })
}

// scale returns a value in the ledger's unit.
func (u *exporterUnit) scale(v float64) (float64, DropReason) {
	if v < 0 || v > u.most+u.slack {
		return 0, DropOutOfRange
	}
	return min(v, u.most) * u.times / u.over, accepted
}
