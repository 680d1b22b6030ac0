// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// hardwareSpec is what a metric of readings looks like.
type hardwareSpec struct {
	metricSpec
	whole bool // its values are integers
}

// hardware are the metrics of readings, by name.
var hardware = byName(
	hardwareSpec{*specActivity, false}, hardwareSpec{*specActivityTime, false}, hardwareSpec{*specObservedTime, false},
	hardwareSpec{metricSpec{MetricUtilization, "1", "Part of the time that the device did a task.", gauges}, false},
	hardwareSpec{metricSpec{MetricMemoryLimit, "By", "Memory of the device.", upDowns}, true},
	hardwareSpec{metricSpec{MetricMemoryUtilization, "1", "Part of the memory that is in use, of what isn't reserved.", gauges}, false},
	hardwareSpec{metricSpec{MetricMemoryFree, "By", "Memory of the device that is free.", upDowns}, true},
	hardwareSpec{metricSpec{MetricMemoryReserved, "By", "Memory of the device that the driver keeps.", upDowns}, true},
	hardwareSpec{metricSpec{MetricMemoryBandwidth, "1", "Part of the time that memory was read or written.", gauges}, false},
	hardwareSpec{metricSpec{MetricRemappedRows, "{row}", "Rows of memory that were replaced, by the error that they had.", upDowns}, true},
	hardwareSpec{metricSpec{MetricRowRemapFailed, "1", "Whether a row of memory that is broken couldn't be replaced.", gauges}, true},
	hardwareSpec{metricSpec{MetricIO, "By", "Bytes that the device sent and received.", counters}, true},
	hardwareSpec{metricSpec{MetricPower, "W", "Power that the board takes.", gauges}, false},
	hardwareSpec{metricSpec{MetricEnergy, "J", "Energy that the board took.", counters}, false},
	hardwareSpec{metricSpec{MetricTemperature, "Cel", "Temperature, by where it is measured.", gauges}, false},
	hardwareSpec{metricSpec{MetricErrors, "{error}", "Errors of the device, by their type.", counters}, true},
	hardwareSpec{metricSpec{MetricClockFrequency, "Hz", "Frequency of a clock.", gauges}, false},
	hardwareSpec{metricSpec{MetricThrottleTime, "s", "Time that clocks were held down, by reason.", counters}, false},
	hardwareSpec{metricSpec{MetricVGPULicensed, "1", "Whether the vGPU has a licence.", gauges}, true},
)

func byName(all ...hardwareSpec) map[string]*hardwareSpec {
	m := make(map[string]*hardwareSpec, len(all))
	for i := range all {
		m[all[i].name] = &all[i]
	}
	return m
}

// EncodeDevices is EncodeKnowing with readings of devices, each on the resource
// of its device, and with all that is known of the devices on their resources. A
// reading of a metric that isn't the contract's is left out: Readable tells.
func EncodeDevices(b gpu.Batch, devices map[gpu.DeviceID]gpu.Description, readings []gpu.Reading) pmetric.Metrics {
	known := make(map[gpu.DeviceID]gpu.Device, len(devices))
	for id, d := range devices {
		known[id] = d.Device
	}
	e := newEncoder(known)
	e.described = devices
	e.batch(b)
	for i := range readings {
		e.reading(&readings[i])
	}
	return e.dest
}

// Readable reports whether a metric is one of readings.
func Readable(metric string) bool { return hardware[metric] != nil }

func (e *encoder) reading(r *gpu.Reading) {
	spec := hardware[r.Metric]
	if spec == nil {
		return
	}
	p := e.deviceNamed(r.Device).point(&spec.metricSpec, r.Start, r.Time)
	if spec.whole {
		p.SetIntValue(r.Whole)
	} else {
		p.SetDoubleValue(r.Value)
	}
	attributes := p.Attributes()
	attributes.EnsureCapacity(len(r.Attributes))
	for _, a := range r.Attributes {
		put(attributes, a.Key, a.Value)
	}
}
