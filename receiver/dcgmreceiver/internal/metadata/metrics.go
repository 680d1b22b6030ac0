// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package metadata

// Metrics says of each metric that the component sends whether it does so if
// nobody says otherwise, as metadata.yaml does.
var Metrics = map[string]bool{
	"gpu.activity":                     true,
	"gpu.activity.time":                true,
	"gpu.clock.frequency":              true,
	"gpu.memory.bandwidth.utilization": true,
	"gpu.memory.free":                  false,
	"gpu.memory.remapped_rows":         true,
	"gpu.memory.reserved":              false,
	"gpu.memory.row_remap.failed":      true,
	"gpu.mig.instances":                true,
	"gpu.observed.time":                true,
	"gpu.source.up":                    true,
	"gpu.throttle.time":                true,
	"gpu.vgpu.licensed":                false,
	"hw.energy":                        true,
	"hw.errors":                        true,
	"hw.gpu.io":                        true,
	"hw.gpu.memory.limit":              true,
	"hw.gpu.memory.usage":              true,
	"hw.gpu.memory.utilization":        true,
	"hw.gpu.utilization":               true,
	"hw.power":                         true,
	"hw.status":                        true,
	"hw.temperature":                   true,
}
