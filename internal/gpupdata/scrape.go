// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"net"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/profile"
)

// metricUp is what the prometheus receiver tells of each scrape: 1, or 0 if it
// failed.
const metricUp = "up"

// unitOfUp is the unit of a stream that only says that scrapes fail. Nothing is
// produced in it, and nothing is published.
const unitOfUp = "{scrape}"

// The labels by which Prometheus names a target. The receiver makes resource
// attributes of them; data of another Prometheus still has them.
const (
	labelJob      = "job"
	labelInstance = "instance"
)

// admitted reports whether a gate lets the point through.
func (p point) admitted(gate *profile.Gate) bool {
	for key, values := range gate.Attributes {
		if !slices.Contains(values, p.word(key)) {
			return false
		}
	}
	for _, key := range gate.Without {
		if p.word(key) != "" {
			return false
		}
	}
	return !gate.ByTarget() || gate.Admits(p.target())
}

// target returns the job and the port that were scraped, "" if that isn't told.
func (p point) target() (job, port string) {
	if job = p.word(AttrServiceName); job == "" {
		job = p.word(labelJob)
	}
	if port = p.word(AttrServerPort); port != "" {
		return job, port
	}
	for _, key := range [...]string{labelInstance, AttrServiceID, AttrServerAddress} {
		if _, port, err := net.SplitHostPort(p.word(key)); err == nil {
			return job, port
		}
	}
	return job, ""
}

// failedScrape reads that the metrics of a pod couldn't be scraped: that it has
// some is known even if none ever arrived. An address isn't enough, another
// exporter of the node may have it, too.
func (c *decoding) failedScrape(p point) DropReason {
	join, _ := p.join()
	v, why := number(p.NumberDataPoint)
	if why != accepted || v != 0 || p.ended() || join.PodUID == "" && join.Pod == "" {
		return ignored
	}
	t, why := stamp(p.NumberDataPoint, c.future)
	if why != accepted {
		return why
	}
	c.batch.Outputs = append(c.batch.Outputs, gpu.Output{
		Profile: gpu.OutputProfile{Metric: metricUp, Unit: unitOfUp},
		Join:    join,
		Series:  p.series(nil),
		Time:    t,
		Ended:   true,
	})
	return accepted
}
