// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Forward says which of the points that the ledger consumed are passed on.
type Forward int

// What is passed on of the inputs.
const (
	ForwardNone   Forward = iota // none of them
	ForwardDevice                // those of devices and applications
	ForwardAll                   // all
)

var forwardNames = [...]string{"none", "device", "all"}

// String returns the value as it is written in the configuration.
func (f Forward) String() string {
	if f < 0 || int(f) >= len(forwardNames) {
		return "invalid"
	}
	return forwardNames[f]
}

// ParseForward is the inverse of Forward.String.
func ParseForward(name string) (Forward, bool) {
	for i, n := range forwardNames {
		if n == name {
			return Forward(i), true
		}
	}
	return 0, false
}

// family says what an input metric describes.
type family uint8

const (
	foreign family = iota // not ours
	ofDevice
	ofHardware // shared with other hardware: ours only on a GPU's points
	ofAllocation
	ofApplication
)

var families = map[string]family{
	MetricActivity:          ofDevice,
	MetricActivityTime:      ofDevice,
	MetricObservedTime:      ofDevice,
	MetricMIGInstances:      ofDevice,
	MetricProcessActivity:   ofDevice,
	MetricUtilization:       ofDevice,
	MetricMemoryUsage:       ofDevice,
	MetricMemoryLimit:       ofDevice,
	MetricMemoryUtilization: ofDevice,
	MetricIO:                ofDevice,
	MetricClockFrequency:    ofDevice,
	MetricThrottleTime:      ofDevice,
	MetricMemoryFree:        ofDevice,
	MetricMemoryReserved:    ofDevice,
	MetricMemoryBandwidth:   ofDevice,
	MetricRemappedRows:      ofDevice,
	MetricRowRemapFailed:    ofDevice,
	MetricVGPULicensed:      ofDevice,
	MetricDeviceAvailable:   ofDevice,
	MetricPower:             ofHardware,
	MetricEnergy:            ofHardware,
	MetricTemperature:       ofHardware,
	MetricErrors:            ofHardware,
	MetricStatus:            ofHardware,
	MetricAllocation:        ofAllocation,
	MetricNodeAllocations:   ofAllocation,
	MetricMilestoneTime:     ofDevice, // gpu_cold_start reads it behind the processor
}

func (d *Decoder) family(name string) family {
	if f, ok := families[name]; ok {
		return f
	}
	if _, ok := derivedMetrics[name]; ok {
		return foreign
	}
	if d.exporter != nil && exporterByName[name] != nil {
		return ofDevice
	}
	if _, ok := d.outputs[name]; ok {
		return ofApplication
	}
	return foreign
}

// Filter removes the consumed inputs that aren't passed on, and then what is
// empty. Metrics that the codec doesn't know stay untouched, and so do derived
// ones.
func (d *Decoder) Filter(md pmetric.Metrics, f Forward) {
	if f == ForwardAll {
		return
	}
	md.ResourceMetrics().RemoveIf(func(rm pmetric.ResourceMetrics) bool {
		outer := rm.Resource().Attributes()
		rm.ScopeMetrics().RemoveIf(func(sm pmetric.ScopeMetrics) bool {
			sm.Metrics().RemoveIf(func(m pmetric.Metric) bool {
				return d.removes(m, outer, f)
			})
			return sm.Metrics().Len() == 0
		})
		return rm.ScopeMetrics().Len() == 0
	})
}

// removes says whether a metric goes as a whole; of a metric that a GPU shares
// with other hardware it removes the GPU's points.
func (d *Decoder) removes(m pmetric.Metric, outer pcommon.Map, f Forward) bool {
	switch d.family(m.Name()) {
	case ofAllocation:
		return true
	case ofDevice, ofApplication:
		return f == ForwardNone
	case ofHardware:
		return f == ForwardNone && removeGPUPoints(m, outer)
	default:
		return false
	}
}

// removeGPUPoints says whether no point is left.
func removeGPUPoints(m pmetric.Metric, outer pcommon.Map) bool {
	points, ok := numberPoints(m)
	if !ok || points.Len() == 0 {
		return false
	}
	points.RemoveIf(func(p pmetric.NumberDataPoint) bool {
		a := attributes{own: p.Attributes(), outer: outer}
		kind := a.str(AttrHWType)
		return kind == TypeGPU || kind == "" && a.str(AttrHWID) != ""
	})
	return points.Len() == 0
}
