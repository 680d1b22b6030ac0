// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuplugin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	deviceplugin "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/holder"
)

// Plugin offers resources to a kubelet, and registers again whenever that has
// started anew.
type Plugin struct {
	log      *Log
	kubelet  string // the kubelet's folder of device plugins
	holders  string // the folder that containers with a device get
	listener net.Listener
	servers  []*server

	stop    context.CancelFunc
	running sync.WaitGroup

	mu    sync.Mutex // guards given
	given []allocation
}

type allocation struct {
	resource string
	devices  []string
}

// Start begins to offer resources. kubelet is the folder device-plugins of the
// kubelet, holders one that the node's containers may be given, log the file
// of the log.
func Start(kubelet, holders, log string, resources []Resource) (*Plugin, error) {
	written, err := openLog(log)
	if err != nil {
		return nil, err
	}
	listener, err := holder.Listen(holders)
	if err != nil {
		return nil, errors.Join(err, written.close())
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &Plugin{log: written, kubelet: kubelet, holders: holders, listener: listener, stop: stop}
	p.running.Go(func() { holder.Serve(listener, p.record(Open), p.record(Free)) })
	for _, r := range resources {
		s := newServer(p, r)
		p.servers = append(p.servers, s)
		p.running.Go(func() { p.offer(ctx, s) })
	}
	return p, nil
}

// Close ends it. The log stays.
func (p *Plugin) Close() error {
	p.stop()
	err := p.listener.Close()
	p.running.Wait()
	return errors.Join(err, p.log.close())
}

// Log returns the plugin's account.
func (p *Plugin) Log() *Log { return p.log }

// SetHealth says of a device whether it's healthy.
func (p *Plugin) SetHealth(id string, healthy bool) error {
	for _, s := range p.servers {
		if s.setHealth(id, healthy) {
			p.log.add(Entry{Event: Health, Resource: s.resource.Name, Devices: []string{id}, Healthy: &healthy})
			return nil
		}
	}
	return fmt.Errorf("no device has the id %q", id)
}

// allocated takes note of an allocation and returns its number, from 1.
func (p *Plugin) allocated(resource string, devices []string) int {
	p.mu.Lock()
	p.given = append(p.given, allocation{resource: resource, devices: devices})
	number := len(p.given)
	p.mu.Unlock()
	p.log.add(Entry{Event: Allocate, Resource: resource, Devices: devices, Allocation: number})
	return number
}

// record returns a function that logs an event of each allocation that a
// container has.
func (p *Plugin) record(event Event) func(holder.Container) {
	return func(c holder.Container) {
		for _, number := range c.Allocations {
			p.mu.Lock()
			var of allocation
			if number >= 1 && number <= len(p.given) {
				of = p.given[number-1]
			}
			p.mu.Unlock()
			p.log.add(Entry{
				Event: event, Resource: of.resource, Devices: of.devices, Allocation: number,
				Namespace: c.Namespace, Pod: c.Pod, UID: c.UID, Container: c.Name,
			})
		}
	}
}

// again is how often the kubelet's socket is looked at.
const again = 100 * time.Millisecond

// offer serves a resource and registers it with each new socket of the
// kubelet, which empties the folder when it starts.
func (p *Plugin) offer(ctx context.Context, s *server) {
	var known os.FileInfo
	end := func() {}
	defer func() { end() }()
	tick := time.NewTicker(again)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		found, err := os.Stat(filepath.Join(p.kubelet, "kubelet.sock"))
		if err != nil || known != nil && same(known, found) {
			continue
		}
		end()
		if end, err = s.serve(); err == nil {
			err = s.register(ctx)
		}
		if err != nil { // the kubelet isn't ready yet
			end()
			end = func() {}
			continue
		}
		known = found
		p.log.add(Entry{Event: Registered, Resource: s.resource.Name})
	}
}

// same compares the times too: a file system gives the number of a file that
// is gone to the next one.
func same(a, b os.FileInfo) bool { return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) }

// serve listens on the resource's socket until end is called.
func (s *server) serve() (end func(), err error) {
	path := filepath.Join(s.plugin.kubelet, s.socket())
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return func() {}, err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return func() {}, err
	}
	g := grpc.NewServer()
	deviceplugin.RegisterDevicePluginServer(g, s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = g.Serve(listener) // until Stop
	}()
	return func() { g.Stop(); <-done }, nil
}

func (s *server) register(ctx context.Context) error {
	conn, err := grpc.NewClient("unix://"+filepath.Join(s.plugin.kubelet, "kubelet.sock"),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err = deviceplugin.NewRegistrationClient(conn).Register(ctx, &deviceplugin.RegisterRequest{
		Version: deviceplugin.Version, Endpoint: s.socket(), ResourceName: s.resource.Name,
		Options: &deviceplugin.DevicePluginOptions{},
	})
	return err
}
