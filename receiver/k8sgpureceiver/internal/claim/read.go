// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package claim

import (
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
		out.Offers = append(out.Offers, readOffer(&s.Spec.Devices[i], out.Pool))
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
		if taint.Effect == resourcev1.DeviceTaintEffectNoSchedule || taint.Effect == resourcev1.DeviceTaintEffectNoExecute {
			o.Taints = append(o.Taints, taint.Key)
		}
	}
	return o
}

// unqualified cuts off the driver's own domain: without one, a name is in it.
func unqualified(name, driver string) string { return strings.TrimPrefix(name, driver+"/") }
