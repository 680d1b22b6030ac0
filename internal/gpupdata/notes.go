// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Notes tell of allocations and milestones what the ledger doesn't read. A
// function that is nil, or returns the zero value, adds nothing. A pod is its
// Holder.Key.
type Notes struct {
	// AllocationSource says who told of an allocation; device is its hw.id, else
	// its gpu.device.ref.
	AllocationSource func(pod, container, device string) string
	// Instance says which MIG instance of which board a device is whose UUID isn't
	// known; false if that isn't known either.
	Instance func(pod, container, device string) (board gpu.DeviceID, number int, known bool)
	// Partition says of which board an allocated MIG instance is, and its profile,
	// if its own UUID isn't known. Its device is named as for AllocationSource.
	Partition func(pod, container, device string) (board, profile string)
	// Uncertainty says how far a milestone's true time may be away.
	Uncertainty func(m gpu.Milestone) (time.Duration, bool)
	// Image returns what is known of the image of a milestone's container.
	Image func(m gpu.Milestone) gpu.Image
	// Identity describes the pod of a resource that has only its key: one of
	// milestones alone. The container isn't said.
	Identity func(pod string) (h gpu.Holder, cluster, node string)
	// Resource returns further attributes of a pod's resource.
	Resource func(pod string) map[string]string
}

// Annotate adds notes to what Encode wrote.
func Annotate(md pmetric.Metrics, n Notes) {
	for _, rm := range md.ResourceMetrics().All() {
		r := resource{attributes: rm.Resource().Attributes()}
		pod := attributes{own: r.attributes, outer: nothing}.holder()
		if pod.Key() == "" {
			continue
		}
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				n.metric(m, &r, pod)
			}
		}
		if n.Identity != nil && pod.Pod == "" {
			n.identify(&r, pod.Key())
		}
		if n.Resource != nil {
			for key, value := range n.Resource(pod.Key()) {
				put(r.attributes, key, value)
			}
		}
	}
}

func (n *Notes) identify(r *resource, pod string) {
	h, cluster, node := n.Identity(pod)
	if h.Key() != pod {
		return
	}
	h.Container = ""
	putPlace(r.attributes, place{cluster, node})
	putHolder(r.attributes, &h)
}

func (n *Notes) metric(m pmetric.Metric, r *resource, holder gpu.Holder) {
	points, ok := numberPoints(m)
	if !ok {
		return
	}
	for _, dp := range points.All() {
		p := r.point(dp)
		switch {
		case m.Name() == MetricAllocation:
			n.allocation(p, holder)
		case m.Name() == MetricMilestoneTime:
			n.milestone(p, gpu.Milestone{
				Pod: holder.Key(), Name: gpu.MilestoneName(p.str(AttrMilestone)),
				Attempt: int(p.whole(AttrMilestoneAttempt)), Container: text(p.own, AttrContainerName),
			})
		}
	}
}

func (n *Notes) allocation(p point, holder gpu.Holder) {
	device := p.str(AttrHWID)
	if device == "" {
		device = p.str(AttrDeviceRef)
	}
	if n.AllocationSource != nil {
		put(p.Attributes(), AttrAllocationSource, n.AllocationSource(holder.Key(), holder.Container, device))
	}
	if n.Instance != nil {
		if board, number, known := n.Instance(holder.Key(), holder.Container, device); known {
			put(p.Attributes(), AttrHWParent, string(board))
			p.Attributes().PutInt(AttrMIGInstance, int64(number))
		}
	}
	if n.Partition != nil {
		board, profile := n.Partition(holder.Key(), holder.Container, device)
		put(p.Attributes(), AttrHWParent, board)
		put(p.Attributes(), AttrMIGProfile, profile)
	}
}

func (n *Notes) milestone(p point, m gpu.Milestone) {
	if n.Uncertainty != nil {
		if d, known := n.Uncertainty(m); known {
			p.Attributes().PutDouble(AttrMilestoneUncertainty, d.Seconds())
		}
	}
	if n.Image != nil {
		putImage(p.Attributes(), n.Image(m))
	}
}
