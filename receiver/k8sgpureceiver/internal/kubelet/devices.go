// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"context"
	"fmt"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	podresources "k8s.io/kubelet/pkg/apis/podresources/v1"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/allocation"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// MaxMessage is the largest message that is received: gRPC's own limit, 4 MiB,
// is too small for a busy node. The kubelet has none.
const MaxMessage = 16 << 20

// redial is how often a socket that is away is tried again: a kubelet that
// starts makes it anew.
var redial = grpc.ConnectParams{
	Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 5 * time.Second},
	MinConnectTimeout: 5 * time.Second,
}

// dial returns a connection to a socket, which needn't be there yet.
func dial(socket string) (*grpc.ClientConn, error) {
	conn, err := grpc.NewClient("unix:"+socket,
		grpc.WithTransportCredentials(insecure.NewCredentials()), // a socket: its folder's permissions protect it
		grpc.WithConnectParams(redial),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(MaxMessage)))
	if err != nil {
		return nil, fmt.Errorf("socket %q: %w", socket, err)
	}
	return conn, nil
}

// probe reports whether somebody listens at a socket. gRPC would say so too, and
// log a warning at each of its own tries.
func probe(ctx context.Context, socket string) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return err
	}
	return conn.Close()
}

// Devices lists which containers have which devices (PodResources).
type Devices struct {
	socket string
	conn   *grpc.ClientConn
	client podresources.PodResourcesListerClient
}

// NewDevices returns a client of the socket of PodResources.
func NewDevices(socket string) (*Devices, error) {
	conn, err := dial(socket)
	if err != nil {
		return nil, err
	}
	return &Devices{socket, conn, podresources.NewPodResourcesListerClient(conn)}, nil
}

// Close ends the connection.
func (d *Devices) Close() error { return d.conn.Close() }

// List returns every container that is listed, with its devices. Of an error,
// ReasonOf tells what it is.
func (d *Devices) List(ctx context.Context) ([]allocation.Listed, error) {
	if err := probe(ctx, d.socket); err != nil {
		return nil, fmt.Errorf("list the devices of pods: %w", err)
	}
	answer, err := d.client.List(ctx, &podresources.ListPodResourcesRequest{})
	if err != nil {
		return nil, fmt.Errorf("list the devices of pods: %w", err)
	}
	return listed(answer), nil
}

func listed(answer *podresources.ListPodResourcesResponse) []allocation.Listed {
	var out []allocation.Listed
	for _, p := range answer.GetPodResources() {
		key := pod.Key{Namespace: p.GetNamespace(), Name: p.GetName()}
		for _, c := range p.GetContainers() {
			out = append(out, allocation.Listed{Pod: key, Container: c.GetName(), Devices: names(c.GetDevices()), Claimed: claimed(c)})
		}
	}
	return out
}

// claimed returns the devices that a container has by DRA claims, of any kind.
// Their CDI ids name the wrong devices.
func claimed(c *podresources.ContainerResources) []claim.Use {
	var out []claim.Use
	for _, of := range c.GetDynamicResources() {
		key := claim.Key{Namespace: of.GetClaimNamespace(), Name: of.GetClaimName()}
		for _, d := range of.GetClaimResources() {
			id := claim.ID{Driver: d.GetDriverName(), Pool: d.GetPoolName(), Device: d.GetDeviceName()}
			out = append(out, claim.Use{Claim: key, Device: claim.Device{ID: id, Share: d.GetShareId()}})
		}
	}
	return out
}

func names(devices []*podresources.ContainerDevices) []deviceid.Name {
	var out []deviceid.Name
	for _, d := range devices {
		for _, id := range d.GetDeviceIds() {
			out = append(out, deviceid.Name{Resource: d.GetResourceName(), ID: id})
		}
	}
	return out
}

// Allocatable returns every device that a plugin offers now, taken or not.
func (d *Devices) Allocatable(ctx context.Context) ([]deviceid.Name, error) {
	if err := probe(ctx, d.socket); err != nil {
		return nil, fmt.Errorf("list the devices of the node: %w", err)
	}
	answer, err := d.client.GetAllocatableResources(ctx, &podresources.AllocatableResourcesRequest{})
	if err != nil {
		return nil, fmt.Errorf("list the devices of the node: %w", err)
	}
	return names(answer.GetDevices()), nil
}
