// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/profile"
)

// FuzzDecode: no bytes make the codec panic, Decode leaves its input alone,
// and every activity point is in the batch, counted as a drop, or of those
// that the contract lets pass.
func FuzzDecode(f *testing.F) {
	for _, md := range seeds(f) {
		data := wire(f, md)
		f.Add(data, int64(0))
		f.Add(data, int64(at(5)))
		f.Add(data[:len(data)/2], int64(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, future int64) {
		md, err := (&pmetric.ProtoUnmarshaler{}).UnmarshalMetrics(data)
		if err != nil {
			return
		}
		for _, labels := range []bool{false, true} {
			d := NewDecoder(Settings{
				Outputs: profiles.Outputs, Profiles: profile.Metrics(profile.Names(), time.Minute), LabelAllocation: labels,
				Instances: NewInstances(time.Minute), Exporter: NewExporterMemory(time.Minute, nil),
			})
			before := wire(t, md)
			d.Decode(md, gpu.Time(future))
			DecodeDerived(md)
			require.Equal(t, before, wire(t, md))
			conserved(t, d, md, gpu.Time(future))
			for _, forward := range []Forward{ForwardAll, ForwardDevice, ForwardNone} {
				filtered := pmetric.NewMetrics()
				md.CopyTo(filtered)
				d.Filter(filtered, forward)
			}
		}
	})
}

// conserved checks that no activity point of md is lost.
func conserved(t *testing.T, d *Decoder, md pmetric.Metrics, future gpu.Time) {
	activity := pmetric.NewMetrics()
	md.CopyTo(activity)
	points, passing := 0, 0
	for _, rm := range activity.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			sm.Metrics().RemoveIf(func(m pmetric.Metric) bool {
				switch m.Name() {
				case MetricActivity, MetricActivityTime, MetricObservedTime:
				default:
					return true
				}
				points += pointCount(m)
				if kindOf(m) == readers[m.Name()].accepts {
					passing += passingPoints(m, rm)
				}
				return false
			})
		}
	}
	b, drops := d.Decode(activity, future)
	read := len(b.Samples) + len(b.Counters) + len(b.SeriesEnds)
	require.Equal(t, points, read+drops.Total()+passing)
}

// passingPoints counts the points that are neither read nor refused.
func passingPoints(m pmetric.Metric, rm pmetric.ResourceMetrics) (n int) {
	points, _ := numberPoints(m)
	for _, p := range points.All() {
		engine := ""
		if v, ok := rm.Resource().Attributes().Get("gpu.engine"); ok {
			engine = v.Str()
		}
		if v, ok := p.Attributes().Get("gpu.engine"); ok && v.Str() != "" {
			engine = v.Str()
		}
		switch {
		case m.Name() == MetricObservedTime && p.Flags().NoRecordedValue(),
			engine == "fp64", engine == "fp32", engine == "fp16", engine == "sm_occupancy":
			n++
		}
	}
	return n
}

func seeds(f *testing.F) []pmetric.Metrics {
	everything := pmetric.NewMetrics()
	for name, r := range readers {
		s := gauge
		if r.accepts == counters {
			s = counter
		}
		add(f, everything, res0, name, s,
			pt{attrs: engineOnly, start: at(0), time: at(1), value: 1.0},
			pt{attrs: attrs{"gpu.engine": "fp64"}, time: at(1), value: 1},
			pt{attrs: attrs{"gpu.engine": "warp", "hw.state": "failed"}, time: at(9), value: 1},
			pt{attrs: with(engineOnly, "hw.id", "MIG-1"), time: at(1), value: 140737488355328.0},
			pt{attrs: engineOnly, time: at(1), ended: true})
		add(f, everything, resOfPart, name, s,
			pt{attrs: with(engineOnly, "process.pid", 7), start: at(0), time: at(1), value: 1.0},
			pt{attrs: attrs{"gpu.device.ref": "r", "gpu.slots": "1", "gpu.slots_total": 4}, time: at(1), value: 0.5})
		add(f, everything, resHolder0, name, s,
			pt{attrs: attrs{"gpu.milestone": "ready", "gpu.milestone.attempt": "3"}, time: at(1), value: 1.7e9})
		add(f, everything, resHolder0, name, histogram, pt{})
	}
	for i := range exporterMetrics {
		for _, s := range []shape{gauge, histogram} {
			add(f, everything, attrs{"k8s.pod.name": "exporter-x"}, exporterMetrics[i].name, s,
				pt{attrs: attrs{labelUUID: "GPU-0", labelGI: "1", labelGIProfile: "3g.40gb", labelModel: "H100", "pod": "p"}, time: at(1), value: 1.0})
		}
	}
	for _, p := range profiles.Outputs {
		add(f, everything, resHolder0, p.Metric, counter, pt{attrs: attrs{"model": "llama"}, time: at(1), value: 2})
	}
	return []pmetric.Metrics{
		pmetric.NewMetrics(),
		everything,
		encodeDerived(gpu.Derived{
			Accounts: []gpu.Account{account0()},
			Outputs:  []gpu.OutputTotal{{Holder: holder0, Unit: "{token}", Start: at(0), Time: at(1), Value: 7, New: true}},
		}, twoEuros),
	}
}
