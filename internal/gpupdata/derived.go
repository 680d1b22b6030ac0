// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

var (
	specTime = &metricSpec{
		MetricTime, "s", "Time by state. Every settled nanosecond is in exactly one series.", counters,
	}
	specAllocated = &metricSpec{
		MetricAllocatedTime, "s", "Time that the holder held the device; the sum of all its states.", counters,
	}
	specActive = &metricSpec{
		MetricActiveTime, "s", "Active part of the time that the holder held the device, in whatever state.", counters,
	}
	specProductive = &metricSpec{
		MetricProductiveTime, "s", "Active time for which the workload's output rose within the evidence window.", counters,
	}
	specEntitled = &metricSpec{
		MetricEntitledTime, "s", "Slots of the holder times its time; as allocated, for a holder that isn't shared.", counters,
	}
	specSM = &metricSpec{
		MetricSMActiveTime, "s", "Integral of the activity of the streaming multiprocessors over held time.", counters,
	}
	specTensor = &metricSpec{
		MetricTensorTime, "s", "Integral of the activity of the tensor cores over held time.", counters,
	}
	specDRAM = &metricSpec{
		MetricDRAMTime, "s", "Integral of the activity of the device memory interface over held time.", counters,
	}
	specPrice = &metricSpec{
		MetricPrice, "{currency}/h", "Price in force for one hour of the device.", gauges,
	}
	specCost = &metricSpec{
		MetricCost, "{currency}", "Cost of the time in a state, at the price in force.", counters,
	}
	specIdleDuration = &metricSpec{
		MetricIdleDuration, "s", "Age of the running idle episode, with its mode.", gauges,
	}
	specOutput = &metricSpec{
		MetricOutput, "{output}", "What the pod produced, by the rises of its output counters.", counters,
	}
)

// derivedMetrics are all names that the ledger publishes, now or later: as an
// input they are our own points, come back.
var derivedMetrics = map[string]struct{}{
	MetricTime: {}, MetricAllocatedTime: {}, MetricActiveTime: {}, MetricProductiveTime: {},
	MetricEntitledTime: {}, MetricSMActiveTime: {}, MetricTensorTime: {}, MetricDRAMTime: {},
	MetricPrice: {}, MetricCost: {}, MetricIdleDuration: {}, MetricOutput: {},
	MetricLedgerError: {}, MetricLedgerLag: {}, MetricLedgerCoverage: {}, MetricLedgerClamped: {},
}

// depthSpec returns the metric of an engine's depth, nil for EngineAny: its
// activity is what states are made of.
func depthSpec(e gpu.Engine) *metricSpec {
	switch e {
	case gpu.EngineSM:
		return specSM
	case gpu.EngineTensor:
		return specTensor
	case gpu.EngineDRAM:
		return specDRAM
	default:
		return nil
	}
}
