// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package activity

import "github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"

// rung is a source of a meter.
type rung struct {
	source   Source
	last     int64   // time of its newest sample, valid or not; 0: none
	value    float64 // the newest value
	valued   int64   // when that was
	pending  []piece // of a source that doesn't tell: values in a row, newest last
	distrust bool    // stuck, until it says something else than 0
}

// meter adds up one engine.
type meter struct {
	config  Config
	engine  Engine
	rungs   []rung // best first
	check   int    // the rung that tells when the best one is stuck; 0: none
	current int    // the rung that tells; -1: none yet
	heard   int64  // when it last had a value
	held    []piece
	sum     sum
	ended   []Point // series that ended and weren't told yet
	counts  *Counts
}

func newMeter(c Config, e Engine, sources []Source, check int, counts *Counts) *meter {
	m := &meter{config: c, engine: e, check: check, current: -1, counts: counts}
	for _, s := range sources {
		m.rungs = append(m.rungs, rung{source: s})
	}
	return m
}

// unknown notes a sample without a value: nobody knows the time before it.
func (m *meter) unknown(k int, at int64) {
	r := &m.rungs[k]
	if at <= r.last {
		return
	}
	r.last = at
	if k < m.current {
		r.pending = r.pending[:0]
	}
}

// value notes a value of a source, in [0, 1].
func (m *meter) value(k int, at int64, v float64) {
	r := &m.rungs[k]
	if at <= r.last {
		m.counts.Dropped[sample.Stale]++
		return
	}
	before := r.last
	r.last, r.value, r.valued = at, v, at
	if before == 0 {
		return // since when it speaks isn't known
	}
	p := piece{max(before, at-int64(m.config.MaxGap)), at, v}
	switch {
	case k == m.current:
		m.tell(p)
	case r.distrust && v == 0:
	case m.current < 0 && k == 0:
		m.begin(p)
	default:
		r.distrust = false
		m.take(k, p)
		m.compete(k)
	}
}

// begin lets the best source tell, from its first value on.
func (m *meter) begin(p piece) {
	m.current = 0
	from := max(p.from, m.sum.end)
	m.sum = sum{start: from, end: from}
	m.tell(p)
}

// take keeps a value of a source that doesn't tell.
func (m *meter) take(k int, p piece) {
	r := &m.rungs[k]
	// As many as the longest wait for a decision.
	if most := m.config.Patience + m.config.StuckFor; len(r.pending) > most {
		r.pending = append(r.pending[:0], r.pending[len(r.pending)-most:]...)
	}
	r.pending = append(r.pending, p)
}

// compete decides whether a source takes over.
func (m *meter) compete(k int) {
	r := &m.rungs[k]
	waited := len(r.pending)
	if m.current >= 0 && k > m.current {
		for waited = 0; waited < len(r.pending) && r.pending[len(r.pending)-1-waited].to > m.heard; waited++ {
		}
	}
	if waited >= m.config.Patience {
		m.change(k)
	}
}

// tell adds a value of the source that tells, unless it may be stuck.
func (m *meter) tell(p piece) {
	m.heard = p.to
	if m.suspect(p) {
		m.held = append(m.held, p)
		if len(m.held) >= m.config.StuckFor {
			m.counts.Stuck++
			m.rungs[m.current].distrust = true
			m.change(m.check)
		}
		return
	}
	m.settle()
	m.charge(p)
	for i := range m.rungs {
		if i > m.current {
			m.rungs[i].pending = after(m.rungs[i].pending, m.sum.end)
		}
	}
}

// suspect reports whether a value is a 0 of which the driver says otherwise.
func (m *meter) suspect(p piece) bool {
	if m.check <= m.current || p.value != 0 {
		return false
	}
	other := &m.rungs[m.check]
	return other.value >= m.config.StuckAbove && p.to-other.valued <= int64(m.config.MaxGap) && len(other.pending) > 0
}

// settle tells the zeros that were held back.
func (m *meter) settle() {
	for _, p := range m.held {
		m.charge(p)
	}
	m.held = m.held[:0]
}

func (m *meter) charge(p piece) {
	if p.from = max(p.from, m.sum.end); p.from < p.to {
		m.sum.add(p)
	}
}

// change lets another source tell, with what it measured after the last one.
func (m *meter) change(k int) {
	m.held = m.held[:0]
	r := &m.rungs[k]
	pieces := after(r.pending, m.sum.end)
	if m.current >= 0 {
		m.counts.Switches++
		m.finish()
	}
	m.current = k
	begin := m.sum.end
	if len(pieces) > 0 {
		begin = max(begin, pieces[0].from)
	}
	m.sum = sum{start: begin, end: begin}
	for _, p := range pieces {
		m.charge(p)
	}
	m.heard = r.valued
	for i := range m.rungs {
		m.rungs[i].pending = m.rungs[i].pending[:0]
	}
}

// finish ends the series of the source that tells, if it told of any time.
func (m *meter) finish() {
	if m.sum.end > m.sum.start {
		p := m.sum.point(m.engine, m.rungs[m.current].source)
		p.Ended = true
		m.ended = append(m.ended, p)
	}
}

// after returns the pieces that end after t.
func after(pieces []piece, t int64) []piece {
	for i, p := range pieces {
		if p.to > t {
			return pieces[i:]
		}
	}
	return pieces[:0]
}

// points appends the series that ended since the last call, and the one that
// goes on, if it told of any time.
func (m *meter) points(to []Point) []Point {
	to = append(to, m.ended...)
	m.ended = m.ended[:0]
	if m.current >= 0 && m.sum.end > m.sum.start {
		to = append(to, m.sum.point(m.engine, m.rungs[m.current].source))
	}
	return to
}

// end ends the series that goes on: the entity is gone, or its connection.
func (m *meter) end() {
	if m.current < 0 {
		return
	}
	m.pause()
	m.finish()
	m.current = -1
}

// pause forgets the newest samples: the next ones speak for nothing, as the
// first ones did. The series goes on.
func (m *meter) pause() {
	m.settle()
	for i := range m.rungs {
		m.rungs[i].pending, m.rungs[i].last = m.rungs[i].pending[:0], 0
	}
}
