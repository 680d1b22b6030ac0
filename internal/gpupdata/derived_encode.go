// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// EncodeDerived appends what the ledger publishes to dest: one resource for
// each node. A device without a price has no gpu.price.
//
// A new series is preceded in its metric by a point 0 at its start, so that a
// backend counts its first seconds; if nothing has settled since, that point
// stands alone.
func EncodeDerived(d gpu.Derived, dest pmetric.Metrics) {
	e := derivedEncoder{
		dest:   dest,
		places: map[place]*writer{},
		priced: map[gpu.Device]struct{}{},
	}
	for i := range d.Accounts {
		e.account(&d.Accounts[i])
	}
	for i := range d.Outputs {
		e.output(&d.Outputs[i])
	}
}

// derivedEncoder is one call of EncodeDerived.
type derivedEncoder struct {
	dest   pmetric.Metrics
	places map[place]*writer
	priced map[gpu.Device]struct{} // devices whose price was written
}

func (e *derivedEncoder) at(p place) *writer {
	if w, ok := e.places[p]; ok {
		return w
	}
	rm, w := newResource(e.dest, ScopeName)
	putPlace(rm.Resource().Attributes(), p)
	e.places[p] = w
	return w
}

// series writes points that share a time and the attributes of an account.
type series struct {
	*writer
	base pcommon.Map
	time gpu.Time
}

func (e *derivedEncoder) account(a *gpu.Account) {
	w := e.at(place{a.Device.Cluster, a.Device.Node})
	s := series{writer: w, base: accountAttributes(a), time: a.Time}
	for i := range a.States {
		st := &a.States[i]
		s.sum(specTime, st.Start, seconds(st.Nanos), st.New, conditionLabels(st.Condition)...)
	}
	if a.Kind != gpu.DeviceAccount {
		s.measures(a)
	}
	if a.Episode != nil {
		s.gauge(specIdleDuration, seconds(a.Episode.Age),
			label{AttrStateReason, a.Episode.Reason.String()})
	}
	for i := range a.Costs {
		c := &a.Costs[i]
		s.sum(specCost, c.Start, c.Nanos.Units(), c.New, label{AttrState, c.State.String()}, label{AttrCurrency, c.Currency})
	}
	if a.Price != nil {
		e.devicePrice(w, a)
	}
}

// measures writes what is said of a holder's time besides its states.
func (s series) measures(a *gpu.Account) {
	s.sum(specAllocated, a.Start, seconds(a.Allocated), a.New)
	s.sum(specActive, a.Start, seconds(a.Active), a.New)
	s.sum(specProductive, a.Start, seconds(a.Productive), a.New)
	s.sum(specEntitled, a.Start, seconds(a.Entitled), a.New)
	for _, d := range a.Depth {
		if spec := depthSpec(d.Engine); spec != nil {
			s.sum(spec, d.Start, seconds(d.Nanos), d.New)
		}
	}
}

func (e *derivedEncoder) output(o *gpu.OutputTotal) {
	if o.Unit == unitOfUp {
		return
	}
	base := pcommon.NewMap()
	base.EnsureCapacity(1 + holderAttributes)
	put(base, AttrNodeName, o.Node)
	putPublicHolder(base, o.Holder)
	s := series{writer: e.at(place{o.Cluster, o.Node}), base: base, time: o.Time}
	s.sum(specOutput, o.Start, o.Value, o.New, label{AttrOutputUnit, o.Unit})
}

// sum writes a point of a counter, preceded by its 0 if it is new.
func (s series) sum(spec *metricSpec, start gpu.Time, value float64, isNew bool, labels ...label) {
	if isNew {
		s.put(spec, start, start, 0, labels)
		if s.time == start && value == 0 {
			return // that was it
		}
	}
	s.put(spec, start, s.time, value, labels)
}

func (s series) gauge(spec *metricSpec, value float64, labels ...label) {
	s.put(spec, gpu.NoTime, s.time, value, labels)
}

func (s series) put(spec *metricSpec, start, t gpu.Time, value float64, labels []label) {
	p := s.point(spec, start, t)
	p.SetDoubleValue(value)
	attrs := p.Attributes()
	attrs.EnsureCapacity(s.base.Len() + len(labels))
	s.base.CopyTo(attrs)
	for _, l := range labels {
		put(attrs, l.key, l.value)
	}
}

// conditionLabels returns the attributes that name a condition; those of what
// it doesn't have are empty.
func conditionLabels(c gpu.Condition) []label {
	labels := []label{
		{AttrState, c.State.String()},
		{AttrStateReason, c.Reason.String()},
		{AttrIdleForm, c.Form.String()},
		{AttrMemoryResident, c.Residence.String()},
	}
	if c.Form == gpu.NoForm && c.Residence == gpu.NoResidence {
		return labels[:2]
	}
	return labels
}

func (e *derivedEncoder) devicePrice(w *writer, a *gpu.Account) {
	d := publicDevice(a.Device)
	if _, done := e.priced[d]; done {
		return
	}
	e.priced[d] = struct{}{}
	s := series{writer: w, base: deviceAttributes(a.Device), time: a.Time}
	s.gauge(specPrice, a.Price.PerHour.Units(),
		label{AttrCurrency, a.Price.Currency}, label{AttrPriceSource, a.Price.Source},
		label{AttrPriceVersion, a.Price.Version}, label{AttrPriceKind, a.Price.Kind})
}
