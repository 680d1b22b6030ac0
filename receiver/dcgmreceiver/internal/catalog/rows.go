// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

var rows = slices.Concat(activities(), gauges(), memories(), sums(), throttles(), errors())

func of(metric string, attributes []Attribute, sources ...Source) Row {
	return Row{Metric: metric, Attributes: attributes, Sources: sources}
}

func with(pairs ...string) []Attribute {
	var all []Attribute
	for pair := range slices.Chunk(pairs, 2) {
		all = append(all, Attribute{pair[0], pair[1]})
	}
	return all
}

func newest(f sample.Field) Source   { return Source{f, Newest} }
func growth(f sample.Field) Source   { return Source{f, Growth} }
func integral(f sample.Field) Source { return Source{f, Integral} }

// activities are those of each engine. gpu.activity.time and gpu.observed.time
// have the same rows.
func activities() []Row {
	of := func(engine string, fields ...sample.Field) Row {
		r := Row{Metric: "gpu.activity", Attributes: with("gpu.engine", engine), Elsewhere: true}
		for _, f := range fields {
			r.Sources = append(r.Sources, Source{f, Activity})
		}
		return r
	}
	return []Row{
		of("engine", sample.EngineActive, sample.Util),
		of("sm", sample.SMCycles, sample.CyclesElapsed, sample.SMActive),
		of("tensor", sample.TensorCycles, sample.CyclesElapsed, sample.TensorActive),
		of("dram", sample.DRAMActive),
		of("fp64", sample.FP64Cycles, sample.CyclesElapsed, sample.FP64Active),
		of("fp32", sample.FP32Cycles, sample.CyclesElapsed, sample.FP32Active),
		of("fp16", sample.FP16Cycles, sample.CyclesElapsed, sample.FP16Active),
		{
			Metric: "gpu.activity", Attributes: with("gpu.engine", "sm_occupancy", "gpu.activity.source", "prof"),
			Sources: []Source{newest(sample.SMOccupancy)},
		},
	}
}

func gauges() []Row {
	return []Row{
		// An instance has no figure of the driver's.
		of("hw.gpu.utilization", with("hw.gpu.task", "general"), newest(sample.Util), newest(sample.EngineActive)),
		of("hw.gpu.utilization", with("hw.gpu.task", "encoder"), newest(sample.EncoderUtil)),
		of("hw.gpu.utilization", with("hw.gpu.task", "decoder"), newest(sample.DecoderUtil)),
		of("hw.power", nil, newest(sample.PowerWatts)),
		of("hw.temperature", with("hw.sensor_location", "gpu"), newest(sample.Temperature)),
		of("hw.temperature", with("hw.sensor_location", "memory"), newest(sample.MemoryTemperature)),
		of("gpu.clock.frequency", with("gpu.clock.domain", "sm"), newest(sample.SMClock)),
		of("gpu.clock.frequency", with("gpu.clock.domain", "memory"), newest(sample.MemoryClock)),
		of("gpu.vgpu.licensed", nil, newest(sample.VGPULicensed)),
	}
}

func memories() []Row {
	used := of("hw.gpu.memory.usage", nil, newest(sample.MemoryUsed))
	used.Elsewhere = true
	return []Row{
		used,
		of("hw.gpu.memory.limit", nil, newest(sample.MemoryTotal)),
		of("hw.gpu.memory.utilization", nil, newest(sample.MemoryUtil)),
		of("gpu.memory.free", nil, newest(sample.MemoryFree)),
		of("gpu.memory.reserved", nil, newest(sample.MemoryReserved)),
		of("gpu.memory.bandwidth.utilization", nil, newest(sample.MemoryCopyUtil)),
		of("gpu.memory.remapped_rows", with("error.type", "correctable"), newest(sample.RowsCorrectable)),
		of("gpu.memory.remapped_rows", with("error.type", "uncorrectable"), newest(sample.RowsUncorrectable)),
		of("gpu.memory.row_remap.failed", nil, newest(sample.RowRemapFailed)),
	}
}

func sums() []Row {
	io := func(link, direction string, total, rate sample.Field) Row {
		return of("hw.gpu.io", with("gpu.io.link", link, "network.io.direction", direction), growth(total), integral(rate))
	}
	return []Row{
		// Before Volta boards don't count it.
		of("hw.energy", nil, growth(sample.EnergyMillijoules), integral(sample.PowerWatts)),
		io("pcie", "transmit", sample.PCIeSent, sample.PCIeSentRate),
		io("pcie", "receive", sample.PCIeReceived, sample.PCIeReceivedRate),
		io("nvlink", "transmit", sample.NVLinkSent, sample.NVLinkSentRate),
		io("nvlink", "receive", sample.NVLinkReceived, sample.NVLinkReceivedRate),
	}
}

func throttles() []Row {
	because := func(reason string, f sample.Field) Row {
		return of("gpu.throttle.time", with("gpu.throttle.reason", reason), growth(f))
	}
	return []Row{
		because("power", sample.PowerViolation), because("thermal", sample.ThermalViolation),
		because("sync_boost", sample.SyncBoostViolation), because("board_limit", sample.BoardViolation),
		because("low_utilization", sample.LowUtilViolation), because("reliability", sample.ReliableViolation),
		because("application_clocks", sample.AppClocksViolation), because("base_clocks", sample.BaseClocksViolation),
	}
}

func errors() []Row {
	kind := func(kind string, source Source) Row { return of("hw.errors", with("error.type", kind), source) }
	return []Row{
		kind("ecc_corrected", growth(sample.ECCCorrected)), kind("ecc_uncorrected", growth(sample.ECCUncorrected)),
		kind("pcie_replay", growth(sample.PCIeReplays)),
		kind("nvlink_crc_flit", growth(sample.NVLinkFlitErrors)), kind("nvlink_crc_data", growth(sample.NVLinkDataErrors)),
		kind("nvlink_replay", growth(sample.NVLinkReplays)), kind("nvlink_recovery", growth(sample.NVLinkRecoveries)),
		// By gpu.xid too.
		kind("xid", Source{sample.XID, Events}),
	}
}
