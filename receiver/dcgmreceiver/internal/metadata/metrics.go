// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package metadata

// Metrics says of each metric that the component sends whether it does so if
// nobody says otherwise, as metadata.yaml does.
var Metrics = map[string]bool{
	"gpu.activity":        true,
	"gpu.activity.time":   true,
	"gpu.mig.instances":   true,
	"gpu.observed.time":   true,
	"gpu.source.up":       true,
	"hw.gpu.memory.usage": true,
	"hw.status":           true,
}
