// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package counters

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// The counters of gpu_accounting as the Prometheus exporter names them.
const (
	timeTotal       = "gpu_time_seconds_total"
	allocatedTotal  = "gpu_allocated_time_seconds_total"
	activeTotal     = "gpu_active_time_seconds_total"
	productiveTotal = "gpu_productive_time_seconds_total"
)

// ErrNone says that an endpoint has no counters of a node.
var ErrNone = errors.New("no " + timeTotal)

// Parse reads the counters of one node from a page in the Prometheus text
// format, in order of device and holder. It returns ErrNone if there are none.
func Parse(page io.Reader, node string) ([]Account, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(page)
	if err != nil {
		return nil, fmt.Errorf("not in the Prometheus text format: %w", err)
	}
	accounts := make(book)
	for name, add := range map[string]func(*Account, labels, time.Duration) error{
		timeTotal:       addState,
		allocatedTotal:  func(a *Account, _ labels, d time.Duration) error { a.Allocated += d; return nil },
		activeTotal:     func(a *Account, _ labels, d time.Duration) error { a.Active += d; return nil },
		productiveTotal: func(a *Account, _ labels, d time.Duration) error { a.Productive += d; return nil },
	} {
		if err := accounts.addFamily(families[name], node, add); err != nil {
			return nil, err
		}
	}
	if len(accounts) == 0 {
		return nil, fmt.Errorf("%w of node %q", ErrNone, node)
	}
	return accounts.sorted(), nil
}

type key struct{ device, holder string }

type book map[key]*Account

type labels map[string]string

func (b book) addFamily(family *dto.MetricFamily, node string, add func(*Account, labels, time.Duration) error) error {
	for _, metric := range family.GetMetric() {
		l := make(labels, len(metric.GetLabel()))
		for _, pair := range metric.GetLabel() {
			l[pair.GetName()] = pair.GetValue()
		}
		if l["k8s_node_name"] != node {
			continue
		}
		d, err := duration(metric)
		if err == nil {
			err = add(b.account(l), l, d)
		}
		if err != nil {
			return fmt.Errorf("%s of device %s: %w", family.GetName(), l["hw_id"], err)
		}
	}
	return nil
}

func (b book) account(l labels) *Account {
	k := key{cmp.Or(l["hw_id"], l["gpu_device_ref"]), cmp.Or(l["k8s_pod_uid"], l["k8s_namespace_name"]+"/"+l["k8s_pod_name"])}
	if b[k] == nil {
		b[k] = &Account{
			Device:    k.device,
			Namespace: l["k8s_namespace_name"],
			Pod:       l["k8s_pod_name"],
			PodUID:    l["k8s_pod_uid"],
			States:    make(map[gpu.Condition]time.Duration),
		}
	}
	return b[k]
}

func (b book) sorted() []Account {
	keys := slices.SortedFunc(maps.Keys(b), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(a.holder, b.holder))
	})
	accounts := make([]Account, 0, len(keys))
	for _, k := range keys {
		accounts = append(accounts, *b[k])
	}
	return accounts
}

func addState(a *Account, l labels, d time.Duration) error {
	state, ok1 := gpu.ParseState(l["gpu_state"])
	reason, ok2 := gpu.ParseReason(l["gpu_state_reason"])
	form, ok3 := gpu.ParseForm(l["gpu_idle_form"])
	residence, ok4 := gpu.ParseResidence(l["gpu_memory_resident"])
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return fmt.Errorf("gpusim doesn't know the condition %q, %q, %q, %q: use the gpusim of the collector's version",
			l["gpu_state"], l["gpu_state_reason"], l["gpu_idle_form"], l["gpu_memory_resident"])
	}
	a.States[gpu.Condition{State: state, Reason: reason, Form: form, Residence: residence}] += d
	return nil
}

// duration reads a counter of seconds. The ledger counts whole nanoseconds,
// which a float64 of seconds carries exactly up to 97 days.
func duration(metric *dto.Metric) (time.Duration, error) {
	seconds := metric.GetUntyped().GetValue()
	if metric.GetCounter() != nil {
		seconds = metric.GetCounter().GetValue()
	}
	nanos := math.Round(seconds * 1e9)
	if math.IsNaN(nanos) || nanos < 0 || nanos >= math.MaxInt64 {
		return 0, fmt.Errorf("%v s isn't a time", seconds)
	}
	return time.Duration(nanos), nil
}
