// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// scrape is what dcgm-exporter said of a board at one time.
type scrape struct {
	board gpu.DeviceID
	time  gpu.Time
	parts []*scrapedPart // the board itself and its instances, as they came
}

// scrapedPart is what it said of the board or of one of its instances.
type scrapedPart struct {
	number   int64      // of the instance, noInstance for the board
	device   gpu.Device // without its identity
	from     *scrapeOrigin
	profile  string
	total    int      // slices of the board, 0 if that isn't known
	uuids    []string // that DRA labels say it has
	readings []scrapedReading
	slots    map[string]scrapedHolders // by which replica of the device
}

// scrapeOrigin is the resource that points came on: a target.
type scrapeOrigin struct {
	pod      gpu.Holder // the exporter's own
	exported bool       // the pods of its series are in the labels exported_…
}

// scrapedHolders are the pods that the labels of a series name: without and
// with the prefix exported_.
type scrapedHolders struct{ plain, exported gpu.Holder }

type scrapedReading struct {
	metric *exporterMetric
	value  float64 // in the ledger's unit
}

type scrapeKey struct {
	board gpu.DeviceID
	time  gpu.Time
}

// scrapes gathers what a batch has of dcgm-exporter: which series tells, which
// pod holds, and how many instances there are is known only at its end.
type scrapes struct {
	ordered []*scrape
	byKey   map[scrapeKey]*scrape
	origin  *scrapeOrigin // of the resource that is being read, nil before its first series
}

// exporterMetric reads a metric of dcgm-exporter.
func (c *decoding) exporterMetric(m pmetric.Metric) {
	metric := exporterByName[m.Name()]
	why := accepted
	switch {
	case metric == nil && looksLikeEvidence(m.Name()):
		why = DropUnknownMetric
	case metric == nil:
	case kindOf(m) != gauges:
		why = DropUnsupportedType
	case metric.denies(m.Description()), metric.denies(m.Unit()), metric.exceeded(m):
		why = DropUnknownUnit
	}
	if why != accepted {
		c.drops.add(why, pointCount(m))
		c.exporter.refuse(m.Name(), why)
		return
	}
	points, isNumber := numberPoints(m)
	if !isNumber || kindOf(m) == 0 {
		return // neither evidence nor labels of a scrape
	}
	for _, dp := range points.All() {
		why := c.scrapes.take(c.resource.point(dp), metric, c.future)
		if metric != nil {
			c.drops.add(why, 1)
		}
	}
}

// exceeded says whether a metric of ratios has a value as only percentages are.
// Then all its values are ones: 1 isn't 100 %.
func (m *exporterMetric) exceeded(metric pmetric.Metric) bool {
	if len(m.denied) == 0 || m.unit != ratio {
		return false
	}
	for _, p := range metric.Gauge().DataPoints().All() {
		v, why := reading(p)
		if why == accepted && !p.Flags().NoRecordedValue() && v > ratio.most+ratio.slack && v <= percent.most {
			return true
		}
	}
	return false
}

// take reads a point; metric is nil if only its labels are of interest. The end
// of a series is the end of its labels, or of a scrape: the device is still
// there.
func (s *scrapes) take(p point, metric *exporterMetric, future gpu.Time) DropReason {
	if p.ended() {
		return ignored
	}
	t, why := stamp(p.NumberDataPoint, future)
	if why != accepted {
		return why
	}
	board := gpu.DeviceID(p.str(labelUUID))
	number, legible := scrapedInstance(p)
	switch {
	case board == "":
		return DropNoDevice
	case isPartition(board), !legible:
		return DropPartition
	}
	part := s.part(scrapeKey{board, t}, number, p)
	part.label(p)
	if metric == nil {
		return accepted
	}
	v, why := reading(p.NumberDataPoint)
	if why == accepted {
		v, why = metric.unit.scale(v)
	}
	if why == accepted && metric.whole && number != noInstance {
		return ignored
	}
	if why == accepted {
		part.add(scrapedReading{metric, v})
	}
	return why
}

// part returns what gathers for a device at a time.
func (s *scrapes) part(key scrapeKey, number int64, p point) *scrapedPart {
	if s.origin == nil {
		s.origin = &scrapeOrigin{pod: attributes{own: p.outer, outer: nothing}.holder()}
	}
	of := s.byKey[key]
	if of == nil {
		of = &scrape{board: key.board, time: key.time}
		if s.byKey == nil {
			s.byKey = map[scrapeKey]*scrape{}
		}
		s.byKey[key] = of
		s.ordered = append(s.ordered, of)
	}
	for _, part := range of.parts {
		if part.number == number {
			return part
		}
	}
	part := &scrapedPart{
		number: number, device: scrapedPlace(p), from: s.origin,
		profile: p.str(labelGIProfile), total: boardSlices(p), slots: map[string]scrapedHolders{},
	}
	of.parts = append(of.parts, part)
	return part
}

// label takes in what the labels of a series say. Those of a claim are put on
// every instance of the claim's board: of another profile, they aren't its own.
func (s *scrapedPart) label(p point) {
	profile := p.str(labelDRAProfile)
	own := s.number == noInstance || profile == "" || profile == s.profile
	slot := p.str(labelSlot)
	if _, known := s.slots[slot]; !known {
		h := scrapedHolders{}
		if own {
			h = scrapedHolders{plain: scrapedPod(p.own, ""), exported: scrapedPod(p.own, exportedPrefix)}
		}
		s.slots[slot] = h
		s.from.exported = s.from.exported || h.exported.Pod != ""
	}
	uuid := p.str(labelDRADevice)
	if own && s.number != noInstance && isPartition(gpu.DeviceID(uuid)) && !slices.Contains(s.uuids, uuid) {
		s.uuids = append(s.uuids, uuid)
	}
}

// add takes in a reading. A shared device has one for each of its holders, with
// the value of the device: those are one.
func (s *scrapedPart) add(r scrapedReading) {
	if !slices.Contains(s.readings, r) {
		s.readings = append(s.readings, r)
	}
}
