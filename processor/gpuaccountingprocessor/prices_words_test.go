// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/internal/price"
)

// pricesIn is the configuration of a price file that is looked at every minute.
func pricesIn(file string) configoptional.Optional[PricesConfig] {
	return configoptional.Some(PricesConfig{File: file, ReloadInterval: time.Minute})
}

// writePrices writes a price file with these entries.
func writePrices(t tester, file string, entries ...string) {
	t.Helper()
	text := "version: test\nprices:\n  - {" + strings.Join(entries, "}\n  - {") + "}\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

func hourly(amount, more string) string {
	return "valid_from: 2020-01-01, kind: list, currency: EUR, for: gpu, per: hour, amount: " + amount + more
}

// site is a cluster over a long time: some devices, of which one pod holds all,
// and how active they are.
type site struct {
	begin   time.Time
	devices int
	model   string
	node    gpu.Node
	step    time.Duration
	active  func(step int) float64 // in the step that ends there
}

// run sends so many steps through a processor with that price file, and returns
// what it sent.
func (s site) run(t *testing.T, file string, steps int) []pmetric.Metrics {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.SettleDelay, cfg.MaxGap, cfg.ForwardInputs = 0, 2*s.step, "none"
	cfg.Prices = pricesIn(file)
	sink, now := new(consumertest.MetricsSink), s.begin
	p := newAccounting(componenttest.NewNopTelemetrySettings(), cfg, sink, func() time.Time { return now })
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	for i := range steps + 1 {
		now = s.begin.Add(time.Duration(i) * s.step)
		md := gpupdata.Encode(s.collect(gpu.Time(now.UnixNano()), s.active(i)))
		node := s.node
		node.Time = gpu.Time(now.UnixNano())
		gpupdata.EncodeNodes([]gpu.Node{node}, md)
		require.NoError(t, p.ConsumeMetrics(t.Context(), md))
	}
	require.NoError(t, p.Shutdown(t.Context()))
	return sink.AllMetrics()
}

func (s site) collect(at gpu.Time, activity float64) (b gpu.Batch) {
	begin := gpu.Time(s.begin.UnixNano())
	pod := gpu.Holder{Namespace: "ml", Pod: "llm-0", PodUID: "uid-0", Workload: gpu.Workload{Class: gpu.ClassInference}}
	for i := range s.devices {
		device := gpu.Device{ID: gpu.DeviceID(fmt.Sprint("GPU-", i)), Node: s.node.Name, Cluster: s.node.Cluster, Model: s.model}
		b.Samples = append(b.Samples, gpu.Sample{Device: device, Source: "prof", Time: at, Value: activity})
		b.Allocations = append(b.Allocations, gpu.Allocation{
			Device: device.ID, Node: device.Node, Cluster: device.Cluster, Holder: pod,
			Sharing: gpu.Exclusive, Share: 1, Time: at, Begin: begin,
		})
	}
	b.AllocationCounts = []gpu.AllocationCount{{Node: s.node.Name, Cluster: s.node.Cluster, Time: at, Count: s.devices}}
	return b
}

// history returns the accounts of every send, as a backend has them, with the
// model of the site.
func (s site) history(all []pmetric.Metrics) (accounts []gpu.Account) {
	for _, md := range all {
		derived, _, _ := gpupdata.DecodeDerived(md)
		for _, a := range derived.Accounts {
			a.Device.Model = s.model
			accounts = append(accounts, a)
		}
	}
	slices.SortStableFunc(accounts, func(a, b gpu.Account) int { return int(a.Time.Sub(b.Time)) })
	return accounts
}

// restate is a query: the counters of a site at the prices of a file.
func (s site) restate(t *testing.T, all []pmetric.Metrics, file string) price.Statement {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	book, err := price.Parse(text)
	require.NoError(t, err)
	return price.Restate(book, []gpu.Node{s.node}, s.history(all))
}

// points returns the newest value of each series of a metric, by the values of
// some of its attributes; those with the same add up.
func points(all []pmetric.Metrics, metric string, by ...string) map[string]float64 {
	newest := map[string]pmetric.NumberDataPoint{}
	for _, md := range all {
		for name, p := range derivedPoints(md) {
			if was, is := newest[name]; strings.HasPrefix(name, metric+"map[") && (!is || p.Timestamp() >= was.Timestamp()) {
				newest[name] = p
			}
		}
	}
	sums := map[string]float64{}
	for _, p := range newest {
		var key []string
		for _, name := range by {
			v, _ := p.Attributes().Get(name)
			key = append(key, v.AsString())
		}
		sums[strings.Join(key, " ")] += p.DoubleValue()
	}
	return sums
}

// derivedPoints is derivedSums with gauges.
func derivedPoints(md pmetric.Metrics) map[string]pmetric.NumberDataPoint {
	all := maps.Collect(derivedSums(md))
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				if m.Type() != pmetric.MetricTypeGauge || sm.Scope().Name() != gpupdata.ScopeName {
					continue
				}
				for _, p := range m.Gauge().DataPoints().All() {
					all[m.Name()+fmt.Sprint(p.Attributes().AsRaw())] = p
				}
			}
		}
	}
	return all
}

func pricesFile(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "prices.yaml")
}

func TestOnlyAFileHasPrices(t *testing.T) {
	for _, name := range []string{os.DevNull, t.TempDir()} {
		_, err := readPrices(name)
		require.ErrorContains(t, err, "prices: "+name+" is no file (")
		require.ErrorContains(t, err, "set prices::file to one")
	}
}
