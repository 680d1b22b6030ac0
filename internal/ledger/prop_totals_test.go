// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"
	"maps"
	"strings"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func sumOf(a gpu.Account) time.Duration {
	sum := time.Duration(0)
	for _, s := range a.States {
		sum += s.Nanos
	}
	return sum
}

// measures says what is wrong with the measures of an account.
func measures(a gpu.Account) string {
	productive := time.Duration(0)
	for _, s := range a.States {
		if s.Condition.State == gpu.Productive {
			productive += s.Nanos
		}
		if s.Nanos < 0 {
			return fmt.Sprintf("%v is negative: %v", s.Condition, a)
		}
	}
	switch {
	case a.Kind == gpu.DeviceAccount:
		if a.Allocated != 0 || a.Active != 0 || a.Productive != 0 || a.Entitled != 0 {
			return fmt.Sprintf("a device's own account has measures: %v", a)
		}
	case a.Allocated != sumOf(a):
		return fmt.Sprintf("allocated %v is not Σ states %v: %v", a.Allocated, sumOf(a), a)
	case a.Productive != productive:
		return fmt.Sprintf("productive %v is not the state's %v: %v", a.Productive, productive, a)
	case a.Attribution != gpu.EqualAttribution && a.Attribution != gpu.ProcessAttribution &&
		a.Kind == gpu.HolderAccount && a.Entitled != a.Allocated:
		return fmt.Sprintf("entitled %v of one that shares nothing, allocated %v: %v", a.Entitled, a.Allocated, a)
	case a.Active < a.Productive || a.Allocated < a.Active:
		return fmt.Sprintf("allocated %v, active %v, productive %v: %v", a.Allocated, a.Active, a.Productive, a)
	}
	return ""
}

// balance holds the states of all accounts of a device against its settled
// time, and says what is wrong. A device that is neither a partition nor a board
// nor unresolved has one life here: its settled time is that from its opening
// to F.
func balance(d gpu.Derived) string {
	sums, opened, newest := map[gpu.DeviceID]time.Duration{}, map[gpu.DeviceID]gpu.Time{}, map[gpu.DeviceID]gpu.Time{}
	others := map[gpu.DeviceID]bool{}
	for _, a := range d.Accounts {
		if wrong := measures(a); wrong != "" {
			return wrong
		}
		id := idOf(a.Device)
		sums[id] += sumOf(a)
		newest[id] = max(newest[id], a.Time)
		for _, s := range a.States {
			if first, ok := opened[id]; !ok || s.Start < first {
				opened[id] = s.Start
			}
		}
		if a.Device.Parent != "" || a.Device.ID == "" {
			others[id], others[a.Device.Parent] = true, true
		}
	}
	settled := spans(d)
	for id, sum := range sums {
		if sum != settled[id] {
			return fmt.Sprintf("%s: Σ states = %v, settled time = %v\n%v", id, sum, settled[id], d)
		}
		if span := newest[id].Sub(opened[id]); !others[id] && sum > 0 && sum != span {
			return fmt.Sprintf("%s: Σ states = %v, F − opening = %v\n%v", id, sum, span, d)
		}
	}
	return ""
}

// holderOf names whose an account is, as the oracle does.
func holderOf(a gpu.Account) string {
	switch {
	case a.Kind == gpu.DeviceAccount:
		return ""
	case a.Kind == gpu.OverflowAccount:
		return "(overflow)"
	case a.Attribution == gpu.HostAttribution:
		return hostKey
	case a.Holder.Pod == "" && a.Holder.PodUID == "":
		return "workload " + a.Holder.Namespace + "/" + a.Holder.Workload.Kind + "/" + a.Holder.Workload.Name
	}
	return a.Holder.Key()
}

// totals are times by a readable name of what they are of.
type totals map[string]time.Duration

func (t totals) add(of who, what string, nanos time.Duration) {
	if nanos != 0 {
		t[fmt.Sprintf("%s %s", of, what)] += nanos
	}
}

func nameOf(c gpu.Condition) string {
	return fmt.Sprintf("%s{%s %s %s}", c.State, c.Reason, c.Form, c.Residence)
}

// who is how the totals name one who got time of a device.
type who struct {
	device      gpu.DeviceID
	holder      string
	attribution gpu.Attribution
}

func whoOf(a gpu.Account) who { return who{idOf(a.Device), holderOf(a), a.Attribution} }

// String leaves out the attribution that is the usual one.
func (w who) String() string {
	switch w.attribution {
	case gpu.NoAttribution, gpu.ExclusiveAttribution, gpu.HostAttribution:
		return fmt.Sprintf("%s %q", w.device, w.holder)
	}
	return fmt.Sprintf("%s %q (%s)", w.device, w.holder, w.attribution)
}

func flatten(d gpu.Derived) totals {
	t := totals{}
	for _, a := range d.Accounts {
		for _, s := range a.States {
			t.add(whoOf(a), nameOf(s.Condition), s.Nanos)
		}
		t.add(whoOf(a), "allocated", a.Allocated)
		t.add(whoOf(a), "active", a.Active)
		t.add(whoOf(a), "productive", a.Productive)
		t.add(whoOf(a), "entitled", a.Entitled)
	}
	return t
}

func (r oracleResult) flatten() totals {
	t := totals{}
	for key, got := range r.Totals {
		of := who{key.Device, key.Holder, key.Attribution}
		for c, nanos := range got.States {
			t.add(of, nameOf(c), nanos)
		}
		if key.Holder == "" {
			continue
		}
		t.add(of, "allocated", got.Allocated)
		t.add(of, "active", got.Active)
		t.add(of, "productive", got.Productive)
		t.add(of, "entitled", got.Entitled)
	}
	return t
}

// spans returns the settled time of every device that has any.
func spans(d gpu.Derived) map[gpu.DeviceID]time.Duration {
	of := map[gpu.DeviceID]time.Duration{}
	for _, s := range d.Spans {
		if s.Span != 0 {
			of[idOf(s.Device)] += s.Span
		}
	}
	return of
}

func (r oracleResult) spans() map[gpu.DeviceID]time.Duration {
	of := maps.Clone(r.Span)
	maps.DeleteFunc(of, func(_ gpu.DeviceID, span time.Duration) bool { return span == 0 })
	return of
}

// starts returns when the first time of every account begins.
func starts(d gpu.Derived) map[string]string {
	opened := map[string]gpu.Time{}
	for _, a := range d.Accounts {
		name := whoOf(a).String()
		if first, ok := opened[name]; sumOf(a) > 0 && (!ok || a.Start < first) { // of several lives the first
			opened[name] = a.Start
		}
	}
	first := map[string]string{}
	for name, at := range opened {
		first[name] = stamp(at)
	}
	return first
}

// ignoring leaves out devices that opened more than once: an account that
// wasn't forgotten before its device opened anew has two starts.
func ignoring(lives map[gpu.DeviceID]int) gocmp.Option {
	return cmpopts.IgnoreMapEntries(func(name, _ string) bool {
		device, _, _ := strings.Cut(name, " ")
		return lives[gpu.DeviceID(device)] > 1
	})
}

func (r oracleResult) starts() map[string]string {
	first := map[string]string{}
	for key, got := range r.Totals {
		if len(got.States) > 0 {
			first[who{key.Device, key.Holder, key.Attribution}.String()] = stamp(got.Start)
		}
	}
	return first
}

// outputsOf returns the outputs of those pods that the oracle has them of.
func outputsOf(d gpu.Derived, of map[string]float64) map[string]float64 {
	values := map[string]float64{}
	for key := range of {
		values[key] = 0
	}
	for _, o := range d.Outputs {
		if _, ok := of[o.Holder.Key()]; ok {
			values[o.Holder.Key()] += o.Value
		}
	}
	return values
}

// settled returns F of every device of which something is settled, in seconds of the scenario.
func settled(d gpu.Derived) map[gpu.DeviceID]string {
	newest := map[gpu.DeviceID]gpu.Time{}
	sums := map[gpu.DeviceID]time.Duration{}
	for _, a := range d.Accounts {
		newest[idOf(a.Device)] = max(newest[idOf(a.Device)], a.Time)
		sums[idOf(a.Device)] += sumOf(a)
	}
	maps.DeleteFunc(newest, func(id gpu.DeviceID, _ gpu.Time) bool { return sums[id] == 0 })
	return inSeconds(newest)
}

// settled returns F of the devices of which something is settled.
func (r oracleResult) settled() map[gpu.DeviceID]string {
	newest := map[gpu.DeviceID]gpu.Time{}
	for id, t := range r.F {
		if r.Span[id] > 0 {
			newest[id] = t
		}
	}
	return inSeconds(newest)
}

func inSeconds(times map[gpu.DeviceID]gpu.Time) map[gpu.DeviceID]string {
	out := map[gpu.DeviceID]string{}
	for id, t := range times {
		out[id] = stamp(t)
	}
	return out
}
