// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// The words of the domain that both batches and the ledger keep.

// archiveEnum visits a value of an enumeration whose last value is last.
func archiveEnum[T ~uint8](a *archive, p *T, last T) {
	v := *p
	archiveInt(a, &v)
	if v > last {
		a.fail("%T %d", v, uint8(v))
		return
	}
	*p = v
}

func archiveEngine(a *archive, e *gpu.Engine) { archiveEnum(a, e, gpu.EngineDRAM) }

func archiveReason(a *archive, r *gpu.Reason) { archiveEnum(a, r, gpu.ReasonGroupUnknown) }

func archiveDevice(a *archive, d *gpu.Device) {
	archiveString(a, &d.ID)
	archiveString(a, &d.Ref)
	archiveString(a, &d.Parent)
	archiveInt(a, &d.Slices.N)
	archiveInt(a, &d.Slices.Of)
	archiveString(a, &d.Node)
	archiveString(a, &d.Cluster)
	archiveString(a, &d.Model)
}

func archiveHolder(a *archive, h *gpu.Holder) {
	archiveString(a, &h.Namespace)
	archiveString(a, &h.Pod)
	archiveString(a, &h.PodUID)
	archiveString(a, &h.PodIP)
	archiveString(a, &h.Container)
	archiveString(a, &h.Workload.Kind)
	archiveString(a, &h.Workload.Name)
	archiveEnum(a, &h.Workload.Class, gpu.ClassInteractive)
	archiveString(a, &h.Workload.Group)
}

func archiveProfile(a *archive, p *gpu.OutputProfile) {
	archiveString(a, &p.Metric)
	archiveEnum(a, &p.Kind, gpu.SleepGauge)
	archiveString(a, &p.Unit)
	archiveInt(a, &p.Window)
}

func archiveJoin(a *archive, j *gpu.Join) {
	archiveString(a, &j.PodUID)
	archiveString(a, &j.Namespace)
	archiveString(a, &j.Pod)
	archiveString(a, &j.PodIP)
	archiveString(a, &j.Device)
	archiveString(a, &j.Group)
}

func archiveCondition(a *archive, c *gpu.Condition) {
	archiveEnum(a, &c.State, gpu.Productive)
	archiveReason(a, &c.Reason)
	archiveEnum(a, &c.Form, gpu.Episode)
	archiveEnum(a, &c.Residence, gpu.ResidentFalse)
}
