// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// sent is what a batch says, as the lines of a case.
type sent struct {
	names  map[string]string
	counts []int64

	holds, ends, marks, available, sources []string
}

// read writes a batch as lines, from its points. names are those of pods by UID.
func read(md pmetric.Metrics, names map[string]string) (s sent) {
	s.names = names
	for _, rm := range md.ResourceMetrics().All() {
		of := rm.Resource().Attributes()
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				points := m.Gauge().DataPoints
				if m.Type() == pmetric.MetricTypeSum {
					points = m.Sum().DataPoints
				}
				for _, p := range points().All() {
					s.take(m.Name(), of, p)
				}
			}
		}
	}
	for _, lines := range [][]string{s.holds, s.ends, s.available, s.sources} {
		slices.Sort(lines)
	}
	slices.SortStableFunc(s.marks, func(a, b string) int { // those of a pod stay as they were sent
		podA, _, _ := strings.Cut(a, " ")
		podB, _, _ := strings.Cut(b, " ")
		return strings.Compare(podA, podB)
	})
	return s
}

func (s *sent) take(metric string, of pcommon.Map, p pmetric.NumberDataPoint) {
	pod := s.names[text(of, gpupdata.AttrPodUID)]
	switch metric {
	case gpupdata.MetricNodeAllocations:
		s.counts = append(s.counts, p.IntValue())
	case gpupdata.MetricAllocation:
		who := fmt.Sprintf("%s %s %s", pod, text(of, gpupdata.AttrContainerName), nameOf(p))
		if p.Flags().NoRecordedValue() {
			s.ends = append(s.ends, fmt.Sprintf("%s at %s", who, when(p.Timestamp())))
			return
		}
		s.holds = append(s.holds, fmt.Sprintf("%s %s since %s by %s", who, shared(p), when(p.StartTimestamp()),
			text(p.Attributes(), gpupdata.AttrAllocationSource)))
	case gpupdata.MetricMilestoneTime:
		s.marks = append(s.marks, pod+" "+mark(p))
	case gpupdata.MetricDeviceAvailable:
		line := text(of, gpupdata.AttrHWID)
		if p.IntValue() == 0 {
			line += " no: " + text(p.Attributes(), gpupdata.AttrUnavailableReason)
		}
		s.available = append(s.available, line)
	case gpupdata.MetricSourceUp:
		state := "up"
		if p.IntValue() == 0 {
			state = text(p.Attributes(), gpupdata.AttrSourceReason)
		}
		s.sources = append(s.sources, text(p.Attributes(), gpupdata.AttrSource)+" "+state)
	}
}

// shared says how a device is shared: "exclusive", "time_slicing 1/4 0.25".
func shared(p pmetric.NumberDataPoint) string {
	out := text(p.Attributes(), gpupdata.AttrSharing)
	if n, ok := p.Attributes().Get(gpupdata.AttrSlots); ok {
		total, _ := p.Attributes().Get(gpupdata.AttrSlotsTotal)
		out += fmt.Sprintf(" %d/%d", n.Int(), total.Int())
	}
	if p.DoubleValue() != 1 {
		out += fmt.Sprintf(" %.4g", p.DoubleValue())
	}
	return out
}

// mark says "NAME TIME ±UNCERTAINTY SOURCE [CONTAINER] [attempt N]".
func mark(p pmetric.NumberDataPoint) string {
	a := p.Attributes()
	micros := time.Duration(math.Round(p.DoubleValue() * 1e6)) // what a float64 of today's seconds can tell
	uncertainty, _ := a.Get(gpupdata.AttrMilestoneUncertainty)
	out := fmt.Sprintf("%s %s ±%v %s", text(a, gpupdata.AttrMilestone), textOf(gpu.Time(micros*time.Microsecond)),
		time.Duration(math.Round(uncertainty.Double()*1e9)), text(a, gpupdata.AttrMilestoneSource))
	if c := text(a, gpupdata.AttrContainerName); c != "" {
		out += " " + c
	}
	if n, _ := a.Get(gpupdata.AttrMilestoneAttempt); n.Int() > 0 {
		out += fmt.Sprintf(" attempt %d", n.Int())
	}
	return out
}

func nameOf(p pmetric.NumberDataPoint) string {
	if id := text(p.Attributes(), gpupdata.AttrHWID); id != "" {
		return id
	}
	return text(p.Attributes(), gpupdata.AttrDeviceRef)
}

func text(m pcommon.Map, key string) string {
	v, ok := m.Get(key)
	if !ok {
		return ""
	}
	return v.AsString()
}

func when(at pcommon.Timestamp) string { return textOf(gpu.Time(at)) }
