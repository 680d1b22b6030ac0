// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package exporter

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// scrapes is how many of each target the test waits for.
const scrapes = 8

// precision is what rounding at each scrape may add up to.
const precision = time.Microsecond

// TestScrapedIsAsTold: on a truth that is constant between scrapes, the
// GPU-seconds of dcgm-exporter's text are those of dcgm and k8s_gpu, by device
// and by holder.
func TestScrapedIsAsTold(t *testing.T) {
	targets := map[string]*target{"unknown": serve(t, "unknown")}
	for name := range truths {
		targets[name] = serve(t, name)
	}
	scraped := start(t, "labels", targets)
	for name, target := range targets {
		require.Eventually(t, func() bool { return len(scraped.scraped(name)) >= scrapes }, patience, interval/5,
			"%s was scraped %d times", name, target.count())
	}
	dropped := scraped.dropped()
	scraped.stop()
	toldTo := start(t, "required", nil)
	for name, devices := range truths {
		toldTo.send(told(name, devices, scraped.scraped(name)))
	}
	toldTo.stop()

	got, want := scraped.accounted(t), toldTo.accounted(t)
	for key, of := range want {
		assert.Contains(t, got, key)
		assert.InDelta(t, of.allocated, got[key].allocated, float64(precision), "allocated, %v", key)
		assert.InDelta(t, of.active, got[key].active, float64(precision), "active, %v", key)
		assert.InDelta(t, of.own, got[key].own, float64(precision), "the device's own, %v", key)
		assert.Greater(t, got[key].allocated+got[key].own, time.Duration(0), "%v", key)
	}
	assert.Len(t, got, len(want), "and nothing else")
	for _, reason := range []string{"blank", "out_of_range", "unknown_metric", "unknown_unit", "unsupported_type", "no_device", "partition"} {
		assert.Positive(t, dropped[reason], reason)
	}
	assert.Zero(t, dropped["conflict"]+dropped["duplicate"]+dropped["late"])
}

// TestShadowedByDCGM: where both tell of a device, dcgm's sums are the evidence,
// and the samples are counted as shadowed. The holder is the one of the labels.
func TestShadowedByDCGM(t *testing.T) {
	job := serve(t, "plain_4_9")
	c := start(t, "labels", map[string]*target{"both": job})
	const id = "GPU-00000000-0000-0000-0000-0000000000b0"
	begin, ticks := gpu.Time(time.Now().UnixNano()), time.NewTicker(interval)
	defer ticks.Stop()
	for len(c.scraped("both")) < 2*scrapes {
		now := <-ticks.C
		var b gpu.Batch
		passed := gpu.Time(now.UnixNano()).Sub(begin)
		for part, sum := range map[gpu.CounterPart]time.Duration{gpu.ActivityPart: passed / 16, gpu.ObservedPart: passed} {
			b.Counters = append(b.Counters, gpu.Counter{
				Device: gpu.Device{ID: id, Node: "plain49"}, Source: "prof", Part: part, Start: begin, Time: begin.Add(passed), Nanos: int64(sum),
			})
		}
		c.send(gpupdata.Encode(b))
		require.Less(t, passed, patience, "%d scrapes", job.count())
	}
	dropped := c.dropped()
	c.stop()
	of := c.accounted(t)[accountKey{id, "new-0"}]
	require.Greater(t, of.allocated, scrapes*interval)
	require.InDelta(t, 1.0/16, of.active.Seconds()/of.allocated.Seconds(), 0.01, "of the samples it is 0.25 and more")
	require.Positive(t, dropped["shadowed"])
}

var droppedLine = regexp.MustCompile(`(?m)^otelcol_gpu_accounting_points_dropped(?:_total)?\{.*?reason="(\w+)".*\} (\S+)$`)

// dropped returns what the collector says of points that counted for nothing.
func (c *collector) dropped() map[string]float64 {
	c.t.Helper()
	response, err := http.Get(c.telemetry)
	require.NoError(c.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(c.t, err)
	counts := map[string]float64{}
	for _, line := range droppedLine.FindAllStringSubmatch(string(text), -1) {
		v, err := strconv.ParseFloat(line[2], 64)
		require.NoError(c.t, err)
		counts[line[1]] += v
	}
	return counts
}
