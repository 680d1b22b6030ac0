// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"
)

// answerOf makes an answer of PodResources of a list.
func answerOf(l list, size int) (*podresources.ListPodResourcesResponse, error) {
	out := &podresources.ListPodResourcesResponse{}
	for _, name := range slices.Sorted(maps.Keys(l)) {
		p := &podresources.PodResources{}
		p.Namespace, p.Name, _ = strings.Cut(name, "/")
		for _, container := range slices.Sorted(maps.Keys(l[name])) {
			c := &podresources.ContainerResources{Name: container}
			for _, line := range l[name][container] {
				if err := addDevice(c, line); err != nil {
					return nil, fmt.Errorf("%s %s: %w", name, container, err)
				}
			}
			p.Containers = append(p.Containers, c)
		}
		out.PodResources = append(out.PodResources, p)
	}
	fill(out, size)
	return out, nil
}

// fill adds pods without devices until an answer has at least so many bytes.
func fill(out *podresources.ListPodResourcesResponse, size int) {
	long := strings.Repeat("x", 200)
	for have, i := proto.Size(out), 0; have < size; i++ {
		p := &podresources.PodResources{
			Namespace: "other", Name: fmt.Sprintf("web-%d", i),
			Containers: []*podresources.ContainerResources{{Name: long, CpuIds: []int64{1, 2, 3}}},
		}
		out.PodResources = append(out.PodResources, p)
		have += proto.Size(p) + 3 // its tag and its length
	}
}

// addDevice adds what a line says:
//
//	RESOURCE ID [node=N]
//	claim NAMESPACE/NAME DRIVER POOL DEVICE
func addDevice(c *podresources.ContainerResources, line string) error {
	fields := strings.Fields(line)
	if len(fields) == 5 && fields[0] == "claim" {
		addClaimed(c, fields[1:])
		return nil
	}
	d, err := deviceOf(line)
	c.Devices = append(c.Devices, d)
	return err
}

func addClaimed(c *podresources.ContainerResources, fields []string) {
	namespace, name, _ := strings.Cut(fields[0], "/")
	i := slices.IndexFunc(c.DynamicResources, func(r *podresources.DynamicResource) bool {
		return r.ClaimNamespace == namespace && r.ClaimName == name
	})
	if i < 0 {
		i = len(c.DynamicResources)
		c.DynamicResources = append(c.DynamicResources, &podresources.DynamicResource{ClaimNamespace: namespace, ClaimName: name})
	}
	c.DynamicResources[i].ClaimResources = append(c.DynamicResources[i].ClaimResources, &podresources.ClaimResource{
		DriverName: fields[1], PoolName: fields[2], DeviceName: fields[3],
	})
}

// deviceOf reads "RESOURCE ID [node=N]".
func deviceOf(line string) (*podresources.ContainerDevices, error) {
	fields := strings.Fields(line)
	if len(fields) < 2 || len(fields) > 3 {
		return nil, fmt.Errorf("device %q: want RESOURCE ID [node=N]", line)
	}
	d := &podresources.ContainerDevices{ResourceName: fields[0], DeviceIds: []string{fields[1]}}
	if len(fields) == 3 {
		number, err := strconv.ParseInt(strings.TrimPrefix(fields[2], "node="), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("device %q: %w", line, err)
		}
		d.Topology = &podresources.TopologyInfo{Nodes: []*podresources.NUMANode{{ID: number}}}
	}
	return d, nil
}

// failure reads "CODE text", as "RESOURCE_EXHAUSTED rejected by rate limit".
func failure(line string) (*status.Status, error) {
	name, text, _ := strings.Cut(line, " ")
	var code codes.Code
	if err := code.UnmarshalJSON([]byte(strconv.Quote(name))); err != nil {
		return nil, err
	}
	return status.New(code, text), nil
}
