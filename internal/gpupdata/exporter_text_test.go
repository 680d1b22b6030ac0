// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var (
	seriesLine = regexp.MustCompile(`^(\w+)\{(.*)\} (\S+)$`)
	labelPair  = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

// exposition returns the scrapes of a file, as the Prometheus receiver makes
// metrics of them: s seconds apart from the start on.
func exposition(t testing.TB, name string, start, apart float64) (scrapes []pmetric.Metrics) {
	t.Helper()
	text, err := os.ReadFile("testdata/exporter/" + name + ".txt")
	require.NoError(t, err)
	for i, scrape := range strings.Split(string(text), "# scrape\n")[1:] {
		scrapes = append(scrapes, scrapeOf(t, scrape, at(start+float64(i)*apart)))
	}
	return scrapes
}

// scrapeOf reads the text of one scrape.
func scrapeOf(t testing.TB, text string, now gpu.Time) pmetric.Metrics {
	t.Helper()
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	putRaw(t, rm.Resource().Attributes(), attrs{
		"service.name": "dcgm-exporter", "service.instance.id": "10.0.0.1:9400", "server.address": "10.0.0.1",
		"k8s.pod.name": "exporter-x", "k8s.namespace.name": "monitoring", "k8s.pod.uid": "uid-of-the-exporter",
	})
	byName, help, kind := map[string]pmetric.Metric{}, map[string]string{}, map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if words := strings.SplitN(line, " ", 4); words[0] == "#" && len(words) == 4 {
			map[string]map[string]string{"HELP": help, "TYPE": kind}[words[1]][words[2]] = words[3]
			continue
		}
		parts := seriesLine.FindStringSubmatch(line)
		require.NotNil(t, parts, line)
		m, known := byName[parts[1]]
		if !known {
			m = rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
			m.SetName(parts[1])
			m.SetDescription(help[parts[1]])
			if kind[parts[1]] == "counter" {
				m.SetEmptySum().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
				m.Sum().SetIsMonotonic(true)
			} else {
				m.SetEmptyGauge()
			}
			byName[parts[1]] = m
		}
		points, _ := numberPoints(m)
		p := points.AppendEmpty()
		v, err := strconv.ParseFloat(parts[3], 64)
		require.NoError(t, err)
		p.SetDoubleValue(v)
		p.SetTimestamp(pcommon.Timestamp(now))
		labels := attrs{}
		for _, pair := range labelPair.FindAllStringSubmatch(parts[2], -1) {
			labels[pair[1]] = pair[2]
		}
		putRaw(t, p.Attributes(), labels)
	}
	return md
}

// ended returns a scrape in which every series ended: it failed, or the target
// is gone.
func ended(md pmetric.Metrics, now gpu.Time) pmetric.Metrics {
	gone := pmetric.NewMetrics()
	md.CopyTo(gone)
	for _, rm := range gone.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				points, _ := numberPoints(m)
				for _, p := range points.All() {
					p.SetTimestamp(pcommon.Timestamp(now))
					p.SetFlags(p.Flags().WithNoRecordedValue(true))
				}
			}
		}
	}
	return gone
}
