// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/points"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

var update = flag.Bool("update", false, "write testdata")

// batch is what a receiver that just began sends.
func batch(accounts []session.Account) pmetric.Metrics {
	w := points.NewWriter("node-1", "")
	return gpupdata.EncodeDevices(w.Batch(accounts, gpu.Time(time.Now().UnixNano()), true), w.Describe(accounts), w.Readings(accounts))
}

// own are the attributes in which devices differ that are alike otherwise.
var own = []string{"hw.id", "gpu.index", "gpu.minor", "gpu.pci.address", "gpu.mig.gi"}

// listed writes a batch: attributes of resources, and a line a series: a gauge's
// value, and by how much a sum grew in each second of its span. Devices that say
// the same are one.
func listed(md pmetric.Metrics) string {
	said := map[string][]string{} // who says so
	for _, rm := range md.ResourceMetrics().All() {
		var lines []string
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			lines = append(lines, series(m)...)
		}
		slices.Sort(lines)
		who := rm.Resource().Attributes()
		text := attributes(who, false) + "\n  " + strings.Join(slices.Compact(lines), "\n  ") + "\n"
		said[text] = append(said[text], attributes(who, true))
	}
	var all []string
	for text, who := range said {
		slices.Sort(who)
		all = append(all, strings.Join(who, "\n")+"\n"+text)
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// attributes lists those of a device that are its own, or the others.
func attributes(resource pcommon.Map, its bool) string {
	var all []string
	for k, v := range resource.All() {
		if slices.Contains(own, k) == its {
			all = append(all, k+"="+v.AsString())
		}
	}
	slices.SortFunc(all, func(a, b string) int { // whose they are comes first
		return cmp.Or(cmp.Compare(strings.Index(b, "hw.id"), strings.Index(a, "hw.id")), cmp.Compare(a, b))
	})
	return strings.Join(all, " ")
}

func series(m pmetric.Metric) (lines []string) {
	var list pmetric.NumberDataPointSlice
	sum := m.Type() == pmetric.MetricTypeSum
	if sum {
		list = m.Sum().DataPoints()
	} else {
		list = m.Gauge().DataPoints()
	}
	for _, p := range list.All() {
		v := p.DoubleValue()
		if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
			v = float64(p.IntValue())
		}
		per := ""
		if sum && m.Sum().IsMonotonic() {
			if p.Timestamp() == p.StartTimestamp() {
				continue // 0
			}
			v, per = v/p.Timestamp().AsTime().Sub(p.StartTimestamp().AsTime()).Seconds(), "/s"
		}
		if m.Unit() != "1" {
			per = " " + m.Unit() + per
		}
		var of []string
		for k, a := range p.Attributes().All() {
			of = append(of, k+"="+a.AsString())
		}
		slices.Sort(of)
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s{%s} %s%s", m.Name(), strings.Join(of, " "), rounded(v), per), " "))
	}
	return lines
}

// rounded writes three digits: what a counter of whole numbers is short of at
// the end of a short span is less.
func rounded(v float64) string {
	if v == 0 {
		return "0"
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(v))))
	return strconv.FormatFloat(math.Round(v*scale)/scale, 'g', 6, 64)
}

// nodes are those whose batches are kept in testdata.
func nodes() map[string]func(*script) {
	boards := func(models ...standin.Model) func(*script) {
		return func(s *script) {
			for i, m := range models {
				s.must(s.Board(uint(i), m))
			}
		}
	}
	return map[string]func(*script){
		"a100": boards(standin.A100), "l4": boards(standin.L4), "l40s": boards(standin.L40S), "t4": boards(standin.T4), "p4": boards(standin.P4),
		"h100":    boards(standin.H100),
		"mixed":   boards(standin.L4, standin.A100, standin.P4),
		"sixteen": boards(slices.Repeat([]standin.Model{standin.H100}, 16)...),
		"h100-mig": func(s *script) {
			// Seven in two profiles: all seven slices of compute, one each, and all
			// eight of memory, of which one instance has two.
			wide := standin.Instance{Profile: "1g.20gb", Slices: 1, Memory: 2, UUID: "MIG-0-6", NVML: 3}
			s.must(s.Board(0, standin.H100, append(seven(0)[:6], wide)...))
			s.must(s.Set(standin.CI(2), 1001, standin.Double(0.5)))
			s.must(s.Set(standin.GI(2), 1005, standin.Double(0.25)))
		},
	}
}

// TestGoldens: library, binding, client, session, points, encoder. -update
// writes what they say; read the difference.
func TestGoldens(t *testing.T) {
	for name, describe := range nodes() {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			s.say("clock real")
			describe(s)
			s.say("start")
			r := runSession(t, 50*time.Millisecond)
			path := filepath.Join("testdata", name+".txt")
			if *update {
				ripen(t, r, 3*time.Second)
				if err := os.WriteFile(path, []byte(listed(batch(r.Read()))), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			defer func() {
				if t.Failed() {
					t.Logf("got\n%s\nwant\n%s", got, want)
				}
			}()
			until(t, "it says what it said", func() bool {
				got = listed(batch(r.Read()))
				return got == string(want)
			})
		})
	}
}

// ripen waits until every device's newest sample is so long after the first.
func ripen(t *testing.T, r *session.Session, span time.Duration) {
	t.Helper()
	var first int64
	until(t, "samples are there", func() bool {
		accounts := r.Read()
		for _, a := range accounts {
			if first == 0 {
				first = a.Newest
			}
			if a.Newest == 0 || a.Newest < first+span.Microseconds() {
				return false
			}
		}
		return len(accounts) > 0
	})
}
