// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package counters

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// The metrics of gpu_accounting as the Prometheus exporter names them.
const (
	timeTotal       = "gpu_time_seconds_total"
	allocatedTotal  = "gpu_allocated_time_seconds_total"
	activeTotal     = "gpu_active_time_seconds_total"
	productiveTotal = "gpu_productive_time_seconds_total"
	entitledTotal   = "gpu_entitled_time_seconds_total"
	ledgerError     = "gpu_ledger_error_seconds"
)

// Parse reads a page in the Prometheus text format.
func Parse(page io.Reader) (Export, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(page)
	if err != nil {
		return Export{}, fmt.Errorf("not in the Prometheus text format: %w", err)
	}
	accounts := make(book)
	for name, add := range map[string]func(*Account, labels, time.Duration) error{
		timeTotal:       addState,
		allocatedTotal:  func(a *Account, _ labels, d time.Duration) error { a.Allocated += d; return nil },
		activeTotal:     func(a *Account, _ labels, d time.Duration) error { a.Active += d; return nil },
		productiveTotal: func(a *Account, _ labels, d time.Duration) error { a.Productive += d; return nil },
		entitledTotal:   func(a *Account, _ labels, d time.Duration) error { a.Entitled += d; return nil },
	} {
		if err := accounts.addFamily(families[name], add); err != nil {
			return Export{}, err
		}
	}
	found, err := ledgerErrors(families[ledgerError])
	all := accounts.sorted()
	named := slices.ContainsFunc(all, func(a Account) bool { return a.Cluster != "" })
	return Export{Accounts: all, Errors: found, NoCluster: !named}, err
}

func ledgerErrors(family *dto.MetricFamily) (map[string]time.Duration, error) {
	found := make(map[string]time.Duration)
	for _, metric := range family.GetMetric() {
		node := labelsOf(metric)["k8s_node_name"]
		nanos, err := nanoseconds(metric)
		if err != nil {
			return nil, fmt.Errorf("%s of node %s: %w", ledgerError, node, err)
		}
		found[node] = time.Duration(nanos)
	}
	return found, nil
}

type book map[Identity]*Account

type labels map[string]string

func labelsOf(metric *dto.Metric) labels {
	l := make(labels, len(metric.GetLabel()))
	for _, pair := range metric.GetLabel() {
		l[pair.GetName()] = pair.GetValue()
	}
	return l
}

func (b book) addFamily(family *dto.MetricFamily, add func(*Account, labels, time.Duration) error) error {
	for _, metric := range family.GetMetric() {
		l := labelsOf(metric)
		if err := b.add(metric, l, add); err != nil {
			return fmt.Errorf("%s of device %s: %w", family.GetName(), l["hw_id"], err)
		}
	}
	return nil
}

func (b book) add(metric *dto.Metric, l labels, add func(*Account, labels, time.Duration) error) error {
	nanos, err := nanoseconds(metric)
	if err != nil {
		return err
	}
	if nanos < 0 {
		return fmt.Errorf("%v s isn't a time", nanos/1e9)
	}
	account, err := b.account(l)
	if err != nil {
		return err
	}
	return add(account, l, time.Duration(nanos))
}

func (b book) account(l labels) (*Account, error) {
	class, ok1 := gpu.ParseClass(cmp.Or(l["gpu_workload_class"], gpu.ClassUnclassified.String()))
	attribution, ok2 := gpu.ParseAttribution(l["gpu_attribution"])
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("gpusim doesn't know the class %q or the attribution %q: use the gpusim of the collector's version",
			l["gpu_workload_class"], l["gpu_attribution"])
	}
	a := Account{
		Cluster:      l["k8s_cluster_name"],
		Node:         l["k8s_node_name"],
		Device:       cmp.Or(l["hw_id"], l["gpu_device_ref"]),
		Parent:       l["hw_parent"],
		Namespace:    l["k8s_namespace_name"],
		Pod:          l["k8s_pod_name"],
		PodUID:       l["k8s_pod_uid"],
		Container:    l["k8s_container_name"],
		WorkloadKind: l["gpu_workload_kind"],
		Workload:     l["gpu_workload_name"],
		Class:        class,
		Group:        l["gpu_workload_group"],
		Attribution:  attribution,
		Overflow:     l["otel_metric_overflow"] == "true",
	}
	id := a.Identity()
	if b[id] == nil {
		a.States = make(map[gpu.Condition]time.Duration)
		b[id] = &a
	}
	return b[id], nil
}

func (b book) sorted() []Account {
	accounts := make([]Account, 0, len(b))
	for _, a := range b {
		accounts = append(accounts, *a)
	}
	Sort(accounts)
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

// nanoseconds reads a figure in seconds. The ledger counts whole nanoseconds,
// which a float64 of seconds carries exactly up to 97 days.
func nanoseconds(metric *dto.Metric) (float64, error) {
	seconds := metric.GetUntyped().GetValue()
	switch {
	case metric.GetCounter() != nil:
		seconds = metric.GetCounter().GetValue()
	case metric.GetGauge() != nil:
		seconds = metric.GetGauge().GetValue()
	}
	nanos := math.Round(seconds * 1e9)
	if math.IsNaN(nanos) || math.Abs(nanos) >= math.MaxInt64 {
		return 0, fmt.Errorf("%v s isn't a time", seconds)
	}
	return nanos, nil
}
