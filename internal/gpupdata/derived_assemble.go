// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// assembler puts points together to accounts and outputs.
type assembler struct {
	derived  gpu.Derived
	accounts map[accountAt]int // index in derived.Accounts
}

type accountAt struct {
	key  accountKey
	time gpu.Time
}

// assemble returns what all points say. A zero point marks the earliest point
// of its series as new; one that stands alone is a point of its own.
func (r *derivedReader) assemble() gpu.Derived {
	a := assembler{accounts: map[accountAt]int{}}
	first := r.firstPoints()
	for i := range r.points {
		p := &r.points[i]
		at, preceded := first[p.derivedSeries]
		isNew := preceded && at == i
		if p.zero() && !isNew {
			continue
		}
		a.add(p, isNew)
	}
	return a.derived
}

// firstPoints returns the first point of every series that a zero point
// precedes; that is the zero point itself if it stands alone.
func (r *derivedReader) firstPoints() map[derivedSeries]int {
	first := map[derivedSeries]int{}
	for i := range r.points {
		if p := &r.points[i]; p.zero() {
			first[p.derivedSeries] = i
		}
	}
	for i := range r.points {
		p := &r.points[i]
		at, ok := first[p.derivedSeries]
		if ok && !p.zero() && (r.points[at].zero() || p.time < r.points[at].time) {
			first[p.derivedSeries] = i
		}
	}
	return first
}

func (a *assembler) add(p *derivedPoint, isNew bool) {
	if p.metric == MetricOutput {
		a.derived.Outputs = append(a.derived.Outputs, gpu.OutputTotal{
			Holder:  p.account.holder,
			Node:    p.account.device.Node,
			Cluster: p.account.device.Cluster,
			Unit:    p.unit,
			Start:   p.start,
			Time:    p.time,
			Value:   p.value,
			New:     isNew,
		})
		return
	}
	account := a.account(p.account, p.time)
	if p.metric == MetricIdleDuration {
		account.Episode = &gpu.IdleEpisode{Reason: p.condition.Reason, Age: p.span}
		return
	}
	account.New = isNew && (account.New || account.Start == gpu.NoTime)
	account.Start = earliest(account.Start, p.start)
	addSum(account, p, isNew)
}

func addSum(account *gpu.Account, p *derivedPoint, isNew bool) {
	switch p.metric {
	case MetricTime:
		account.States = append(account.States, gpu.StateTime{
			Condition: p.condition, Nanos: p.span, Start: p.start, New: isNew,
		})
	case MetricAllocatedTime:
		account.Allocated = p.span
	case MetricActiveTime:
		account.Active = p.span
	case MetricProductiveTime:
		account.Productive = p.span
	case MetricEntitledTime:
		account.Entitled = p.span
	default:
		for _, e := range gpu.Engines() {
			if spec := depthSpec(e); spec != nil && spec.name == p.metric {
				account.Depth = append(account.Depth, gpu.DepthTime{
					Engine: e, Nanos: p.span, Start: p.start, New: isNew,
				})
			}
		}
	}
}

// account returns the account with that key at t, which it adds if need be.
func (a *assembler) account(key accountKey, t gpu.Time) *gpu.Account {
	at := accountAt{key, t}
	i, ok := a.accounts[at]
	if !ok {
		i = len(a.derived.Accounts)
		a.accounts[at] = i
		a.derived.Accounts = append(a.derived.Accounts, gpu.Account{
			Device: key.device, Kind: key.kind, Holder: key.holder, Attribution: key.attribution, Time: t,
		})
	}
	return &a.derived.Accounts[i]
}
