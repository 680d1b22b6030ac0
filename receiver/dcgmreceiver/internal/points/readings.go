// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package points

import (
	"strconv"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/activity"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/catalog"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/hardware"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
)

// Readings returns what accounts say beside what the ledger accounts, each
// with the time of its newest sample, and told once. It is called after Batch.
func (w *Writer) Readings(accounts []session.Account) []gpu.Reading {
	var all []gpu.Reading
	rows := catalog.Rows()
	for i := range accounts {
		a := &accounts[i]
		for _, p := range a.Points {
			all = w.depth(all, a, p)
		}
		for i := range a.Sums {
			all = w.sum(all, a, &a.Sums[i])
		}
		for i := range rows {
			all = w.newest(all, a, &rows[i])
		}
		if a.Ended {
			w.forget(gpu.DeviceID(a.Device.UUID))
		}
	}
	return all
}

func micros(us int64) gpu.Time { return gpu.Time(us) * gpu.Time(time.Microsecond) }

// newest adds the newest value of a series, of the best source that has one.
func (w *Writer) newest(all []gpu.Reading, a *session.Account, row *catalog.Row) []gpu.Reading {
	if row.Elsewhere || row.Sources[0].Use != catalog.Newest {
		return all
	}
	for _, source := range row.Sources {
		g, ok := a.Gauges[source.Field]
		if !ok {
			continue
		}
		k, t := key{device: gpu.DeviceID(a.Device.UUID), row: row}, micros(g.Micros)
		if t <= w.told[k] {
			return all
		}
		w.told[k] = t
		return append(all, gpu.Reading{
			Device: k.device, Metric: row.Metric, Attributes: attributes(row), Time: t,
			Value: g.Value.Float, Whole: int64(g.Value.Float),
		})
	}
	return all
}

// sum adds a series that counts. The first time it is preceded by 0 at its
// start, so that its first rise is seen as one.
func (w *Writer) sum(all []gpu.Reading, a *session.Account, s *hardware.Sum) []gpu.Reading {
	k, t := key{device: gpu.DeviceID(a.Device.UUID), row: s.Row, xid: s.XID}, micros(s.Time)
	if t <= w.told[k] {
		return all
	}
	r := gpu.Reading{
		Device: k.device, Metric: s.Row.Metric, Attributes: attributes(s.Row), Start: micros(s.Start), Time: t,
		Value: s.Value, Whole: s.Whole,
	}
	if s.XID != 0 {
		r.Attributes = append(r.Attributes, gpu.Attribute{Key: "gpu.xid", Value: strconv.FormatInt(s.XID, 10)})
	}
	if _, told := w.told[k]; !told && !a.Ended && r.Start < t {
		zero := r
		zero.Time, zero.Value, zero.Whole = r.Start, 0, 0
		all = append(all, zero)
	}
	w.told[k] = t
	return append(all, r)
}

func attributes(row *catalog.Row) []gpu.Attribute {
	out := make([]gpu.Attribute, 0, len(row.Attributes)+1)
	for _, a := range row.Attributes {
		out = append(out, gpu.Attribute(a))
	}
	return out
}

// depth adds the sums and the gauge of an engine that the ledger doesn't
// account.
func (w *Writer) depth(all []gpu.Reading, a *session.Account, p activity.Point) []gpu.Reading {
	if _, accounted := engines[p.Engine]; accounted {
		return all
	}
	k, t := key{device: gpu.DeviceID(a.Device.UUID), engine: p.Engine, source: p.Source}, gpu.Time(p.Time)
	if t <= w.told[k] {
		return all
	}
	w.told[k] = t
	if p.Ended {
		delete(w.told, k)
	}
	of := []gpu.Attribute{{Key: "gpu.engine", Value: p.Engine.String()}, {Key: "gpu.activity.source", Value: p.Source.String()}}
	active := gpu.Reading{Device: k.device, Metric: "gpu.activity.time", Attributes: of, Start: gpu.Time(p.Start), Time: t, Value: p.Active.Seconds()}
	observed, last := active, active
	observed.Metric, observed.Value = "gpu.observed.time", p.Observed.Seconds()
	last.Metric, last.Start, last.Value = "gpu.activity", gpu.NoTime, p.Last
	all = append(all, active, observed)
	if p.Ended {
		return all
	}
	return append(all, last)
}
