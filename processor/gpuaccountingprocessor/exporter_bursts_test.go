// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
)

// duties is a device whose duty is 3 %, 15 % and 80 % in turn.
type duties struct{ every, from int } // s

func (d duties) at(s int) float64 { return []float64{0.03, 0.15, 0.80}[(s+d.from)/d.every%3] }

// burstsLength is how long the device is watched, s.
const burstsLength = 300

// truth returns the active time, in s.
func (d duties) truth() (sum float64) {
	for s := range burstsLength {
		sum += d.at(s)
	}
	return sum
}

// scraped returns what is accounted if dcgm-exporter has the mean of the last
// second and is scraped every so often.
func (d duties) scraped(t *testing.T, every int) float64 {
	sink := new(consumertest.MetricsSink)
	cfg := testConfig()
	cfg.Allocation = allocationLabels
	p := start(t, cfg, sink)
	labels := map[string]string{"pod": "p", "namespace": "ml", "pod_uid": "uid-0"}
	for s := 0; s <= burstsLength; s += every {
		require.NoError(t, p.ConsumeMetrics(t.Context(), scraped(float64(s), profiled, d.at(max(s-1, 0)), labels)))
	}
	require.NoError(t, p.Shutdown(t.Context()))
	got := accounts(t, sink)["uid-0"]
	require.Equal(t, burstsLength*time.Second, got.Allocated)
	return got.Active.Seconds()
}

// TestExporterBursts measures what between two scrapes isn't seen, and holds
// docs/accuracy.md to it. On what is constant between scrapes nothing is missing.
func TestExporterBursts(t *testing.T) {
	page, err := os.ReadFile("../../docs/accuracy.md")
	require.NoError(t, err)
	for _, d := range []duties{{10, 0}, {10, 10}, {10, 20}, {7, 0}} {
		truth := d.truth()
		cells := []string{fmt.Sprintf("| every %d s, from %d s on | %.2f s |", d.every, d.from, truth)}
		for _, every := range []int{30, 15, 10, 1} {
			got := d.scraped(t, every)
			if every == 1 {
				require.InDelta(t, truth, got, 1e-6)
			}
			cells = append(cells, fmt.Sprintf("%.1f s (%s) |", got, difference(got, truth)))
		}
		require.Contains(t, string(page), strings.Join(cells, " ")+"\n")
	}
}

// difference returns by how many percent of the truth a figure is off.
func difference(got, truth float64) string {
	percent := math.Round(100 * (got - truth) / truth)
	if percent == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%+.0f %%", percent)
}
