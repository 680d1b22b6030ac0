// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// outputs writes the points of application metrics.
func (e *encoder) outputs(outputs []gpu.Output) {
	for i := range outputs {
		o := &outputs[i]
		spec := metricSpec{name: o.Profile.Metric, unit: o.Profile.Unit, kind: gauges}
		if o.Profile.Kind == gpu.OutputCounter {
			spec.kind = counters
		}
		p := e.join(o.Join).point(&spec, o.Start, o.Time)
		if o.Ended {
			noRecordedValue(p)
		} else {
			p.SetDoubleValue(o.Value)
		}
		putSeries(o.Series, p.Attributes())
		put(p.Attributes(), AttrHWID, string(o.Join.Device))
	}
}
