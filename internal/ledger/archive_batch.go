// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// EncodeBatch returns b as bytes. Batches that were observed since a save and
// are observed again after it give the same ledger.
func EncodeBatch(b gpu.Batch) []byte {
	a := newWriter()
	archiveBatch(a, &b)
	return a.data
}

// DecodeBatch is the inverse of EncodeBatch. It returns ErrCorrupt or
// ErrNewerFormat.
func DecodeBatch(data []byte) (gpu.Batch, error) {
	a := newReader(data)
	var b gpu.Batch
	archiveBatch(a, &b)
	if err := a.finish(); err != nil {
		return gpu.Batch{}, err
	}
	return b, nil
}

func archiveBatch(a *archive, b *gpu.Batch) {
	archiveSlice(a, &b.Samples, archiveSample)
	archiveSlice(a, &b.Counters, archiveCounter)
	archiveSlice(a, &b.SeriesEnds, archiveSeriesEnd)
	archiveSlice(a, &b.Processes, archiveProcess)
	archiveSlice(a, &b.Memory, archiveMemory)
	archiveSlice(a, &b.Availability, archiveAvailability)
	archiveSlice(a, &b.Statuses, archiveStatus)
	archiveSlice(a, &b.Allocations, archiveAllocation)
	archiveSlice(a, &b.AllocationCounts, archiveAllocationCount)
	archiveSlice(a, &b.PartitionCounts, archivePartitionCount)
	archiveSlice(a, &b.DeviceAllocations, archiveDeviceAllocation)
	archiveSlice(a, &b.Milestones, archiveMilestone)
	archiveSlice(a, &b.Outputs, archiveOutput)
}

func archiveSample(a *archive, s *gpu.Sample) {
	archiveDevice(a, &s.Device)
	archiveEngine(a, &s.Engine)
	archiveString(a, &s.Source)
	archiveInt(a, &s.Time)
	a.float(&s.Value)
}

func archiveCounter(a *archive, c *gpu.Counter) {
	archiveDevice(a, &c.Device)
	archiveEngine(a, &c.Engine)
	archiveString(a, &c.Source)
	archiveEnum(a, &c.Part, gpu.ObservedPart)
	archiveInt(a, &c.Start)
	archiveInt(a, &c.Time)
	archiveInt(a, &c.Nanos)
}

func archiveSeriesEnd(a *archive, e *gpu.SeriesEnd) {
	archiveDevice(a, &e.Device)
	archiveEngine(a, &e.Engine)
	archiveString(a, &e.Source)
	archiveInt(a, &e.Time)
}

func archiveProcess(a *archive, p *gpu.Process) {
	archiveString(a, &p.Device)
	archiveString(a, &p.Pod)
	archiveString(a, &p.PID)
	archiveInt(a, &p.Time)
	a.float(&p.Value)
}

func archiveMemory(a *archive, m *gpu.Memory) {
	archiveString(a, &m.Device)
	archiveInt(a, &m.Time)
	archiveInt(a, &m.Bytes)
}

func archiveAvailability(a *archive, v *gpu.Availability) {
	archiveString(a, &v.Device)
	archiveInt(a, &v.Time)
	a.bool(&v.Available)
	archiveReason(a, &v.Reason)
}

func archiveStatus(a *archive, s *gpu.Status) {
	archiveString(a, &s.Device)
	archiveInt(a, &s.Time)
	a.bool(&s.Failed)
}

func archiveAllocation(a *archive, l *gpu.Allocation) {
	archiveString(a, &l.Device)
	archiveString(a, &l.Ref)
	archiveString(a, &l.Node)
	archiveString(a, &l.Cluster)
	archiveHolder(a, &l.Holder)
	archiveString(a, &l.Sharing)
	a.float(&l.Share)
	archiveInt(a, &l.Slots.N)
	archiveInt(a, &l.Slots.Of)
	archiveInt(a, &l.Time)
	archiveInt(a, &l.Begin)
	a.bool(&l.Ended)
}

func archiveAllocationCount(a *archive, c *gpu.AllocationCount) {
	archiveString(a, &c.Node)
	archiveString(a, &c.Cluster)
	archiveInt(a, &c.Time)
	archiveInt(a, &c.Count)
}

func archivePartitionCount(a *archive, c *gpu.PartitionCount) {
	archiveDevice(a, &c.Board)
	archiveInt(a, &c.Time)
	archiveInt(a, &c.Count)
	a.bool(&c.Ended)
}

func archiveDeviceAllocation(a *archive, l *gpu.DeviceAllocation) {
	archiveDevice(a, &l.Device)
	archiveString(a, &l.Slot)
	archiveHolder(a, &l.Holder)
	archiveInt(a, &l.Time)
}

func archiveMilestone(a *archive, m *gpu.Milestone) {
	archiveString(a, &m.Pod)
	archiveString(a, &m.Name)
	archiveInt(a, &m.Attempt)
	archiveString(a, &m.Container)
	archiveString(a, &m.Source)
	archiveInt(a, &m.At)
	archiveInt(a, &m.Time)
}

func archiveOutput(a *archive, o *gpu.Output) {
	archiveProfile(a, &o.Profile)
	archiveJoin(a, &o.Join)
	archiveString(a, &o.Series)
	archiveInt(a, &o.Start)
	archiveInt(a, &o.Time)
	a.float(&o.Value)
	a.bool(&o.Ended)
}
