// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"cmp"
	"strings"
	"time"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Read takes what is needed from a claim. One that isn't allocated has no
// grants.
func Read(c *resourcev1.ResourceClaim) Claim {
	out := Claim{Key: Key{c.Namespace, c.Name}}
	for _, r := range c.Status.ReservedFor {
		if r.APIGroup == "" && r.Resource == "pods" {
			out.Pods = append(out.Pods, string(r.UID))
		} else {
			out.Groups = true
		}
	}
	for i := range c.Spec.Devices.Requests {
		if class, n := readRequest(&c.Spec.Devices.Requests[i]); n > 0 && isGPUClass(class) {
			if out.Wants == nil {
				out.Wants = map[string]int64{}
			}
			out.Wants[class] += n
		}
	}
	allocation := c.Status.Allocation
	if allocation == nil {
		return out
	}
	if at := allocation.AllocationTimestamp; at != nil && at.Unix() >= int64(time.Duration(gpu.Earliest)/time.Second) && at.Year() < 2262 {
		out.Allocated = gpu.Time(at.UnixNano())
	}
	for i := range allocation.Devices.Results {
		out.Grants = append(out.Grants, readGrant(&allocation.Devices.Results[i]))
	}
	return out
}

// readRequest returns the class that a request asks for, of alternatives the one
// that is preferred, and how many devices: one if it takes all that fit.
// Administrators ask for nothing.
func readRequest(r *resourcev1.DeviceRequest) (class string, n int64) {
	mode := resourcev1.DeviceAllocationModeExactCount
	switch {
	case r.Exactly != nil && r.Exactly.AdminAccess != nil && *r.Exactly.AdminAccess:
		return "", 0
	case r.Exactly != nil:
		class, mode, n = r.Exactly.DeviceClassName, r.Exactly.AllocationMode, r.Exactly.Count
	case len(r.FirstAvailable) > 0:
		first := &r.FirstAvailable[0]
		class, mode, n = first.DeviceClassName, first.AllocationMode, first.Count
	}
	if mode == resourcev1.DeviceAllocationModeAll || n <= 0 {
		n = 1
	}
	return class, min(n, 1<<31)
}

func readGrant(r *resourcev1.DeviceRequestAllocationResult) Grant {
	g := Grant{Device: Device{ID: ID{r.Driver, r.Pool, r.Device}}, Request: r.Request, Admin: r.AdminAccess != nil && *r.AdminAccess}
	if r.ShareID != nil {
		g.Share = string(*r.ShareID)
	}
	for name, quantity := range r.ConsumedCapacity {
		if g.Consumed == nil {
			g.Consumed = map[string]float64{}
		}
		g.Consumed[unqualified(string(name), r.Driver)] = quantity.AsApproximateFloat64()
	}
	return g
}

// ReadSlice takes what is needed from a slice.
func ReadSlice(s *resourcev1.ResourceSlice) Slice {
	out := Slice{
		Name: s.Name, Pool: Pool{s.Spec.Driver, s.Spec.Pool.Name}, Generation: s.Spec.Pool.Generation,
		Offers: make([]Offer, 0, len(s.Spec.Devices)),
	}
	for i := range s.Spec.Devices {
		o := readOffer(&s.Spec.Devices[i], out.Pool)
		if name := cmp.Or(s.Spec.NodeName, s.Spec.Devices[i].NodeName); name != nil {
			o.Node = *name
		}
		out.Offers = append(out.Offers, o)
	}
	return out
}

func readOffer(d *resourcev1.Device, of Pool) Offer {
	o := Offer{ID: ID{of.Driver, of.Name, d.Name}, Many: d.AllowMultipleAllocations != nil && *d.AllowMultipleAllocations}
	for name, value := range d.Attributes {
		if value.StringValue == nil {
			continue
		}
		switch unqualified(string(name), of.Driver) {
		case "uuid":
			o.UUID = *value.StringValue
		case "parentUUID":
			o.Parent = *value.StringValue
		case "type":
			o.Type = *value.StringValue
		case "profile":
			o.Profile = *value.StringValue
		}
	}
	for name, capacity := range d.Capacity {
		if o.Capacity == nil {
			o.Capacity = map[string]float64{}
		}
		o.Capacity[unqualified(string(name), of.Driver)] = capacity.Value.AsApproximateFloat64()
	}
	for _, taint := range d.Taints {
		if keepsAway(taint.Effect) {
			o.Taints = append(o.Taints, taint.Key)
		}
	}
	return o
}

// unqualified cuts off the driver's own domain: without one, a name is in it.
func unqualified(name, driver string) string { return strings.TrimPrefix(name, driver+"/") }
