// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Output is how the collector has to read the containers' request counter: a
// row of the recording is the rate over the Step before it, so a rise proves
// the activity of one Step.
var Output = gpu.OutputProfile{
	Metric: "gentd26.generative_requests",
	Kind:   gpu.OutputCounter,
	Unit:   "{request}",
	Window: Step,
}

// outputs adds the request counter of each container that has one, sampled at
// its duty-cycle times. A row (requests per second over one Step) counts from
// the first of these at or after it.
func (m *mapping) outputs() {
	rows := make(map[Container][]Requests)
	for _, row := range m.Requests {
		rows[row.Container] = append(rows[row.Container], row)
	}
	sums := make(map[Container]float64, len(rows))
	for _, d := range m.Duty {
		left, counted := rows[d.Container]
		if !counted {
			continue
		}
		for len(left) > 0 && left[0].Time <= d.Time {
			sums[d.Container] += left[0].PerSecond
			left = left[1:]
		}
		rows[d.Container] = left
		batch := m.at(d.Time)
		batch.Outputs = append(batch.Outputs, m.output(d, Step.Seconds()*sums[d.Container]))
	}
}

func (m *mapping) output(d Duty, value float64) gpu.Output {
	return gpu.Output{
		Profile: Output,
		Join:    gpu.Join{PodUID: d.Container.UUID(), Namespace: Namespace, Pod: m.pods[d.Container]},
		Start:   m.lives[d.Container].first,
		Time:    d.Time,
		Value:   value,
	}
}
