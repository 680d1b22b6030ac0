// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed

import "github.com/otelcol-gpu/otelcol-gpu/internal/gpu"

// Kubernetes is a walk without what is read of devices: what comes from
// Kubernetes and the applications, if something else reads the devices.
func Kubernetes(walk Walk) Walk {
	return func() (Delivery, bool) {
		d, ok := walk()
		d.Batch = gpu.Batch{
			Availability: d.Batch.Availability, Allocations: d.Batch.Allocations, AllocationCounts: d.Batch.AllocationCounts,
			Milestones: d.Batch.Milestones, Outputs: d.Batch.Outputs,
		}
		return d, ok
	}
}
