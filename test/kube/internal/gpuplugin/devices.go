// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package gpuplugin is a device plugin without devices: it offers ids as
// NVIDIA's plugin forms them, and keeps a log of who got which, and until when.
package gpuplugin

import (
	"fmt"
	"strings"
)

// Resource is an extended resource with the ids that stand for it.
type Resource struct {
	Name    string
	Devices []Device
}

// Device is one id that can be allocated.
type Device struct {
	ID   string
	NUMA []int64 // nodes
}

// UUID returns the UUID of the nth GPU of a node.
func UUID(n int) string { return fmt.Sprintf("GPU-5e1f0c3a-77d2-4b1e-9a40-%012x", n) }

// MIG returns the UUID of the nth MIG instance of a node.
func MIG(n int) string { return fmt.Sprintf("MIG-c21b7d4e-08f6-5c3d-8e11-%012x", n) }

// Whole returns a resource of whole GPUs.
func Whole(name string, gpus ...int) Resource {
	r := Resource{Name: name}
	for _, n := range gpus {
		r.Devices = append(r.Devices, Device{ID: UUID(n), NUMA: []int64{0}})
	}
	return r
}

// TimeSliced returns a resource of GPUs with so many slots each.
func TimeSliced(name string, slots int, gpus ...int) Resource {
	r := Resource{Name: name}
	for _, n := range gpus {
		for slot := range slots {
			r.Devices = append(r.Devices, Device{ID: fmt.Sprintf("%s::%d", UUID(n), slot)})
		}
	}
	return r
}

// Instances returns a resource of MIG instances.
func Instances(name string, instances ...int) Resource {
	r := Resource{Name: name}
	for _, n := range instances {
		r.Devices = append(r.Devices, Device{ID: MIG(n), NUMA: []int64{0, 1}})
	}
	return r
}

// visible is what a container is told: the devices behind its ids, each once.
func visible(ids []string) string {
	var devices []string
	seen := map[string]bool{}
	for _, id := range ids {
		device, _, _ := strings.Cut(id, "::")
		if !seen[device] {
			seen[device] = true
			devices = append(devices, device)
		}
	}
	return strings.Join(devices, ",")
}
