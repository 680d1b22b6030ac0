// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package sink

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// ledger has the counters of all accounts that arrived.
type ledger struct {
	accounts map[counters.Identity]*account
	// errors has of each node what gpu.ledger.error was at its worst.
	errors map[string]time.Duration
	wrong  error // the first thing that can't be true
}

type account struct {
	counters.Account // who it is of; its times are in the counters
	states           map[gpu.Condition]*counter
	allocated        counter
	active           counter
	productive       counter
	entitled         counter
}

func newLedger() ledger {
	return ledger{accounts: make(map[counters.Identity]*account), errors: make(map[string]time.Duration)}
}

func (l *ledger) take(metrics pmetric.Metrics) {
	derived, _, drops := gpupdata.DecodeDerived(metrics)
	for reason, n := range drops {
		l.fail(fmt.Errorf("%d derived points arrived that gpusim can't read: %s", n, reason))
	}
	for i := range derived.Accounts {
		a := &derived.Accounts[i]
		if err := l.account(a).take(a); err != nil {
			l.fail(fmt.Errorf("device %s, pod %q: %w", cmp.Or(string(a.Device.ID), a.Device.Ref), a.Holder.Pod, err))
		}
	}
	l.takeErrors(metrics)
}

// fail keeps the first error.
func (l *ledger) fail(err error) { l.wrong = cmp.Or(l.wrong, err) }

func (l *ledger) account(a *gpu.Account) *account {
	identity := counters.Account{
		Cluster:      a.Device.Cluster,
		Node:         a.Device.Node,
		Device:       cmp.Or(string(a.Device.ID), a.Device.Ref),
		Parent:       string(a.Device.Parent),
		Namespace:    a.Holder.Namespace,
		Pod:          a.Holder.Pod,
		PodUID:       a.Holder.PodUID,
		Container:    a.Holder.Container,
		WorkloadKind: a.Holder.Workload.Kind,
		Workload:     a.Holder.Workload.Name,
		Class:        a.Holder.Workload.Class,
		Group:        a.Holder.Workload.Group,
		Attribution:  a.Attribution,
		Overflow:     a.Kind == gpu.OverflowAccount,
	}
	id := identity.Identity()
	if l.accounts[id] == nil {
		l.accounts[id] = &account{Account: identity, states: make(map[gpu.Condition]*counter)}
	}
	return l.accounts[id]
}

// take takes a publication of the account.
func (a *account) take(p *gpu.Account) error {
	var wrong []error
	for _, s := range p.States {
		if a.states[s.Condition] == nil {
			a.states[s.Condition] = &counter{}
		}
		wrong = append(wrong, a.states[s.Condition].take(gpupdata.MetricTime, s.Start, p.Time, s.Nanos))
	}
	if p.Kind != gpu.DeviceAccount {
		wrong = append(wrong,
			a.allocated.take(gpupdata.MetricAllocatedTime, p.Start, p.Time, p.Allocated),
			a.active.take(gpupdata.MetricActiveTime, p.Start, p.Time, p.Active),
			a.productive.take(gpupdata.MetricProductiveTime, p.Start, p.Time, p.Productive),
			a.entitled.take(gpupdata.MetricEntitledTime, p.Start, p.Time, p.Entitled),
		)
	}
	return errors.Join(wrong...)
}

// takeErrors keeps what the self-check of each node found at its worst.
func (l *ledger) takeErrors(metrics pmetric.Metrics) {
	for _, resource := range metrics.ResourceMetrics().All() {
		for _, scope := range resource.ScopeMetrics().All() {
			for _, m := range scope.Metrics().All() {
				if m.Name() != gpupdata.MetricLedgerError || m.Type() != pmetric.MetricTypeGauge {
					continue
				}
				for _, p := range m.Gauge().DataPoints().All() {
					l.takeError(p)
				}
			}
		}
	}
}

func (l *ledger) takeError(p pmetric.NumberDataPoint) {
	node, _ := p.Attributes().Get(gpupdata.AttrNodeName)
	found := time.Duration(math.Round(p.DoubleValue() * 1e9))
	if worst, ok := l.errors[node.Str()]; !ok || found.Abs() > worst.Abs() {
		l.errors[node.Str()] = found
	}
}

func (l *ledger) export() (counters.Export, error) {
	export := counters.Export{Errors: maps.Clone(l.errors)}
	for _, a := range l.accounts {
		account := a.Account
		account.States = make(map[gpu.Condition]time.Duration, len(a.states))
		for condition, c := range a.states {
			account.States[condition] = c.total()
		}
		account.Allocated, account.Active = a.allocated.total(), a.active.total()
		account.Productive, account.Entitled = a.productive.total(), a.entitled.total()
		export.Accounts = append(export.Accounts, account)
	}
	counters.Sort(export.Accounts)
	return export, l.wrong
}
