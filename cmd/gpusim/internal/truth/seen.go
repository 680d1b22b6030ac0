// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth

// seen is what a sample says of an interval, of which x ns are the device's.
type seen struct {
	length, observed, active int64
	gauge                    bool
	value                    float64 // of a gauge
}

// observedAt returns the observed time in the first x ns.
func (s seen) observedAt(x int64) int64 { return mulDiv(s.observed, x, s.length) }

// activeAt returns the active time in the first x ns.
func (s seen) activeAt(x int64) int64 {
	if s.gauge {
		return mulFloat(s.value, x)
	}
	return mulDiv(s.active, s.observedAt(x), s.observed)
}

// of returns s for a device that has length ns of the interval.
func (s seen) of(length int64) seen {
	if length == s.length {
		return s
	}
	t := s
	t.length = length
	t.observed = mulDiv(s.observed, length, s.length)
	t.active = mulDiv(s.active, t.observed, s.observed)
	return t
}

// held returns s for the held time of the interval, and the activity that
// doesn't fit into it.
func (s seen) held(length int64) (inside seen, foreign int64) {
	if length == s.length {
		return s, 0
	}
	inside = seen{length: length, observed: mulDiv(s.observed, length, s.length)}
	all := s.activeAt(s.length)
	inside.active = min(all, inside.observed)
	return inside, all - inside.active
}

// below reports whether something was observed, and its activity is below limit.
func (s seen) below(limit float64) bool {
	if s.gauge {
		return s.observed > 0 && s.value < limit
	}
	return s.observed > 0 && isBelow(s.active, s.observed, limit)
}
