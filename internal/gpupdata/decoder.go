// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/profile"
)

// Settings says which points beyond the contract a Decoder reads.
type Settings struct {
	// Outputs name the application metrics. Of two profiles of one metric the
	// first counts; a name of the contract is no application metric.
	Outputs []gpu.OutputProfile
	// Profiles are the metrics of known programs, beside Outputs, which count first.
	Profiles []profile.Metric
	// LabelAllocation reads who holds a device from the labels of its samples.
	LabelAllocation bool
	// Instances finds the UUIDs of MIG instances of which an allocation has only
	// the number; nil: such an allocation is of a device by its reference.
	Instances *Instances
	// Exporter is what is remembered of dcgm-exporter; nil: its metrics aren't
	// read.
	Exporter *ExporterMemory
}

// Decoder reads metrics into the domain's words. It has no state but that of its
// Instances and ExporterMemory: it may be used from several goroutines at once.
type Decoder struct {
	outputs   map[string]*profile.Metric
	labels    bool
	instances *Instances
	exporter  *ExporterMemory
}

// NewDecoder returns a Decoder for the settings.
func NewDecoder(set Settings) *Decoder {
	d := &Decoder{
		outputs: make(map[string]*profile.Metric, len(set.Outputs)+len(set.Profiles)),
		labels:  set.LabelAllocation,

		instances: set.Instances,
		exporter:  set.Exporter,
	}
	for _, output := range set.Outputs {
		d.knows(profile.Metric{OutputProfile: output})
	}
	for _, metric := range set.Profiles {
		d.knows(metric)
	}
	return d
}

// knows has an application metric read, if none of its name is.
func (d *Decoder) knows(m profile.Metric) {
	if _, taken := d.outputs[m.Metric]; !taken {
		d.outputs[m.Metric] = &m
	}
}

// decoding is one call of Decode.
type decoding struct {
	*Decoder
	future   gpu.Time
	resource resource
	scrapes  scrapes // of dcgm-exporter
	batch    gpu.Batch
	drops    Drops
}

// reader says how to read the points of one metric.
type reader struct {
	accepts kinds
	read    func(*decoding, point) DropReason
}

var readers = map[string]reader{
	MetricActivity:        {gauges, (*decoding).sample},
	MetricActivityTime:    {counters, (*decoding).activityTime},
	MetricObservedTime:    {counters, (*decoding).observedTime},
	MetricMemoryUsage:     {levels, (*decoding).memory},
	MetricDeviceAvailable: {levels, (*decoding).availability},
	MetricStatus:          {levels, (*decoding).status},
	MetricMIGInstances:    {levels, (*decoding).partitionCount},
	MetricProcessActivity: {gauges, (*decoding).process},
	MetricAllocation:      {levels, (*decoding).allocation},
	MetricNodeAllocations: {levels, (*decoding).allocationCount},
	MetricMilestoneTime:   {levels, (*decoding).milestone},
}

// Decode returns what md says to the ledger, and how many points were refused.
// A point later than future is refused (0: no limit). md isn't modified.
func (d *Decoder) Decode(md pmetric.Metrics, future gpu.Time) (gpu.Batch, Drops) {
	c := decoding{Decoder: d, future: future}
	c.reserve(md)
	if d.instances != nil {
		d.instances.learn(md)
	}
	for _, rm := range md.ResourceMetrics().All() {
		c.resource = resource{attributes: rm.Resource().Attributes()}
		c.scrapes.origin = nil
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				c.metric(m)
			}
		}
	}
	c.tellScrapes()
	return c.batch, c.drops
}

// reserve makes room for the points that a batch has most of.
func (c *decoding) reserve(md pmetric.Metrics) {
	samples, counters := 0, 0
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				switch m.Name() {
				case MetricActivity:
					samples += pointCount(m)
				case MetricActivityTime, MetricObservedTime:
					counters += pointCount(m)
				}
			}
		}
	}
	c.batch.Samples = slices.Grow(c.batch.Samples, samples)
	c.batch.Counters = slices.Grow(c.batch.Counters, counters)
}

func (c *decoding) metric(m pmetric.Metric) {
	name := m.Name()
	if r, ok := readers[name]; ok {
		c.points(m, r)
		return
	}
	if _, ok := derivedMetrics[name]; ok {
		c.drops.add(DropDerived, pointCount(m))
		return
	}
	if strings.HasPrefix(name, fieldPrefix) {
		if c.exporter != nil {
			c.exporterMetric(m)
		}
		return
	}
	if metric, ok := c.outputs[name]; ok {
		c.application(m, metric)
	} else if name == metricUp && len(c.outputs) > 0 {
		c.points(m, reader{levels, (*decoding).failedScrape})
	}
}

// points reads every point of a metric and counts those that are refused.
func (c *decoding) points(m pmetric.Metric, r reader) {
	if kindOf(m)&r.accepts == 0 {
		c.drops.add(DropUnsupportedType, pointCount(m))
		return
	}
	points, _ := numberPoints(m)
	for _, p := range points.All() {
		c.drops.add(r.read(c, c.resource.point(p)), 1)
	}
}
