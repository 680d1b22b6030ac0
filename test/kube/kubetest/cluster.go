// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/gpuplugin"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/node"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/registry"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/runner"
)

// Cluster is one that runs.
type Cluster struct {
	Dir        string // everything that belongs to it
	NodeName   string
	NodeIP     string // of the node, for pods too
	Kubeconfig string // of an administrator
	Config     *rest.Config
	Client     kubernetes.Interface

	PodResourcesSocket string
	PodsAPISocket      string
	KubeletURL         string // of its HTTPS server
	PluginLog          string // a file: one line of JSON per entry

	Plugin   *gpuplugin.Plugin
	Registry *registry.Registry

	options  Options
	programs programs
	ca       *authority
	ports    ports
	network  netip.Prefix // of the pods; its address is the node's
	control  *runner.Client
	machine  *runner.Client
	closers  []func() error // in the order of their making
}

type ports struct{ etcd, etcdPeer, apiServer, controllers, scheduler, kubelet int }

// patience is how long anything may take that isn't what a test is about.
const patience = time.Minute

// Start starts a cluster for a test, and stops it with the test.
func Start(t testing.TB, options Options) *Cluster {
	t.Helper()
	begin := time.Now()
	c, err := New(t.Context(), options)
	if err != nil {
		t.Fatalf("starting Kubernetes: %v", err)
	}
	t.Logf("Kubernetes with gates %q runs after %v", pairs(options.FeatureGates), time.Since(begin).Round(10*time.Millisecond))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the ends of the cluster's logs:\n%s", c.logTails())
		}
		if err := c.Stop(); err != nil {
			t.Errorf("stopping Kubernetes: %v", err)
		}
	})
	return c
}

// clusters counts those of this process.
var clusters atomic.Int32

// New starts a cluster. When it returns, every device can be allocated.
func New(ctx context.Context, options Options) (*Cluster, error) {
	programs, err := requirements()
	if err != nil {
		return nil, err
	}
	if err := node.Sweep(); err != nil {
		return nil, fmt.Errorf("removing what an earlier run has left: %w", err)
	}
	// Not in the test's folder: the path of a socket has 108 bytes at most.
	dir, err := os.MkdirTemp("", "kubetest")
	if err != nil {
		return nil, err
	}
	if options.Resources == nil {
		options.Resources = DefaultResources()
	}
	made := &Cluster{Dir: dir, NodeName: "gpu-node-0", options: options, programs: programs}
	made.onStop(func() error { return os.RemoveAll(dir) })
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	for _, step := range []func(context.Context) error{
		made.prepare, made.startControlPlane, made.startNode, made.startPlugin, made.AwaitDevices,
	} {
		if err := step(ctx); err != nil {
			err = fmt.Errorf("%w\n%s", err, made.logTails())
			return nil, errors.Join(err, made.Stop())
		}
	}
	return made, nil
}

// Stop ends the cluster and removes all traces of it.
func (c *Cluster) Stop() error {
	var errs []error
	for _, closer := range slices.Backward(c.closers) {
		errs = append(errs, closer())
	}
	c.closers = nil
	return errors.Join(errs...)
}

func (c *Cluster) onStop(closer func() error) { c.closers = append(c.closers, closer) }

// path returns a path in the cluster's folder.
func (c *Cluster) path(elements ...string) string {
	return filepath.Join(append([]string{c.Dir}, elements...)...)
}

func (c *Cluster) log(name string) string { return c.path(node.Logs, name+".log") }

// prepare makes the folders, the addresses and the identities of the cluster.
func (c *Cluster) prepare(context.Context) (err error) {
	for _, dir := range node.Folders {
		if err := os.MkdirAll(c.path(dir), 0o755); err != nil {
			return err
		}
	}
	free, err := freePorts(6)
	if err != nil {
		return err
	}
	c.ports = ports{free[0], free[1], free[2], free[3], free[4], free[5]}
	if c.network, err = freeNetwork(); err != nil {
		return err
	}
	c.NodeIP = c.network.Addr().String()
	c.KubeletURL = fmt.Sprintf("https://%s:%d", c.NodeIP, c.ports.kubelet)
	c.PodResourcesSocket = c.path(node.Kubelet, "pod-resources", "kubelet.sock")
	c.PodsAPISocket = c.path(node.Kubelet, "pods-api", "pods-api.sock")
	c.PluginLog = c.path("plugin.ndjson")
	return c.writeIdentities()
}

func (c *Cluster) startPlugin(context.Context) (err error) {
	if c.Registry, err = registry.Start(); err != nil {
		return err
	}
	c.onStop(c.Registry.Close)
	//nolint:contextcheck // the plugin goes on when the start of the cluster is over
	c.Plugin, err = gpuplugin.Start(c.path(node.Kubelet, "device-plugins"), c.path(node.Holders), c.PluginLog, c.options.Resources)
	if err != nil {
		return err
	}
	c.onStop(c.Plugin.Close)
	return nil
}
