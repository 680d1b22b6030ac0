// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuplugin

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"google.golang.org/grpc"
	deviceplugin "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/holder"
)

// server answers the kubelet for one resource.
type server struct {
	deviceplugin.UnimplementedDevicePluginServer
	plugin   *Plugin
	resource Resource

	mu        sync.Mutex // guards what follows
	unhealthy map[string]bool
	changed   chan struct{} // closed with the next change of health
}

func newServer(p *Plugin, r Resource) *server {
	return &server{plugin: p, resource: r, unhealthy: map[string]bool{}, changed: make(chan struct{})}
}

// socket is the name of the resource's socket.
func (s *server) socket() string {
	return strings.NewReplacer("/", "-", ".", "-").Replace(s.resource.Name) + ".sock"
}

// GetDevicePluginOptions says that nothing beyond the minimum is wanted.
func (s *server) GetDevicePluginOptions(context.Context, *deviceplugin.Empty) (*deviceplugin.DevicePluginOptions, error) {
	return &deviceplugin.DevicePluginOptions{}, nil
}

// ListAndWatch sends all devices, and again with each change of health.
func (s *server) ListAndWatch(_ *deviceplugin.Empty, stream grpc.ServerStreamingServer[deviceplugin.ListAndWatchResponse]) error {
	for {
		devices, changed := s.devices()
		if err := stream.Send(&deviceplugin.ListAndWatchResponse{Devices: devices}); err != nil {
			return err
		}
		select {
		case <-stream.Context().Done():
			return nil
		case <-changed:
		}
	}
}

func (s *server) devices() ([]*deviceplugin.Device, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var devices []*deviceplugin.Device
	for _, d := range s.resource.Devices {
		described := &deviceplugin.Device{ID: d.ID, Health: deviceplugin.Healthy}
		if s.unhealthy[d.ID] {
			described.Health = deviceplugin.Unhealthy
		}
		if len(d.NUMA) > 0 {
			described.Topology = &deviceplugin.TopologyInfo{}
			for _, node := range d.NUMA {
				described.Topology.Nodes = append(described.Topology.Nodes, &deviceplugin.NUMANode{ID: node})
			}
		}
		devices = append(devices, described)
	}
	return devices, s.changed
}

func (s *server) setHealth(id string, healthy bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.resource.Devices {
		if d.ID == id {
			s.unhealthy[id] = !healthy
			close(s.changed)
			s.changed = make(chan struct{})
			return true
		}
	}
	return false
}

// Allocate numbers what it gives, and tells the containers their numbers.
func (s *server) Allocate(_ context.Context, r *deviceplugin.AllocateRequest) (*deviceplugin.AllocateResponse, error) {
	answer := &deviceplugin.AllocateResponse{}
	for _, container := range r.ContainerRequests {
		number := s.plugin.allocated(s.resource.Name, container.DevicesIds)
		answer.ContainerResponses = append(answer.ContainerResponses, &deviceplugin.ContainerAllocateResponse{
			Envs: map[string]string{
				"NVIDIA_VISIBLE_DEVICES":                             visible(container.DevicesIds),
				fmt.Sprintf("%s%d", holder.AllocationPrefix, number): s.resource.Name,
			},
			Mounts: []*deviceplugin.Mount{{ContainerPath: holder.MountPath, HostPath: s.plugin.holders, ReadOnly: true}},
		})
	}
	return answer, nil
}
