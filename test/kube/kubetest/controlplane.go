// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/node"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/runner"
)

// How often something is looked at that can only be asked.
const pollInterval = 50 * time.Millisecond

// errOver is why waiting is of no use any more.
var errOver = errors.New("it won't come")

// poll calls done until it says so. An error is no reason to stop, unless it
// is errOver: the last one is told when the time is over.
func poll(ctx context.Context, what string, done func(context.Context) (bool, error)) error {
	last := errors.New("none")
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		ok, err := done(ctx)
		if errors.Is(err, errOver) {
			return false, err
		}
		if err != nil {
			last = err
		}
		return ok && err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w; the last error: %w", what, err, last)
	}
	return nil
}

// alive returns errOver if one of the programs has ended by itself.
func alive(by *runner.Client, names ...string) error {
	for _, name := range names {
		if err := by.Alive(name); err != nil {
			return fmt.Errorf("%w: %w", errOver, err)
		}
	}
	return nil
}

func (c *Cluster) startControlPlane(ctx context.Context) (err error) {
	c.control, err = runner.Launch(c.log("control-plane"), c.programs.path(node.Program), "run")
	if err != nil {
		return err
	}
	c.onStop(c.control.Close)
	if err := c.startKube(c.control, "etcd", c.etcdFlags()...); err != nil {
		return err
	}
	if err := c.StartAPIServer(ctx); err != nil {
		return err
	}
	if err := c.startKube(c.control, "kube-controller-manager", c.controllerFlags()...); err != nil {
		return err
	}
	return c.startKube(c.control, "kube-scheduler", c.schedulerFlags()...)
}

// startKube starts a program of kubebin.
func (c *Cluster) startKube(by *runner.Client, name string, flags ...string) error {
	program := c.programs.path(kubebin)
	if by == c.machine {
		program = c.path(node.Programs, kubebin)
	}
	return by.Start(name, c.log(name), append([]string{program, name}, flags...)...)
}

const apiServer = "kube-apiserver"

// StartAPIServer starts the API server and waits until it's ready.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	if err := c.startKube(c.control, apiServer, c.apiServerFlags()...); err != nil {
		return err
	}
	return poll(ctx, "waiting for the API server", func(ctx context.Context) (bool, error) {
		if err := alive(c.control, "etcd", apiServer); err != nil {
			return false, err
		}
		err := c.Client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
		return err == nil, err
	})
}

// StopAPIServer takes the API server away at once, as a broken network does.
func (c *Cluster) StopAPIServer() error { return c.control.Kill(apiServer) }

func (c *Cluster) etcdFlags() []string {
	clients := fmt.Sprintf("http://127.0.0.1:%d", c.ports.etcd)
	peers := fmt.Sprintf("http://127.0.0.1:%d", c.ports.etcdPeer)
	return []string{
		"--data-dir=" + c.path("etcd"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls=" + clients, "--advertise-client-urls=" + clients,
		"--listen-peer-urls=" + peers, "--initial-advertise-peer-urls=" + peers, "--initial-cluster=default=" + peers,
	}
}

func (c *Cluster) apiServerFlags() []string {
	return []string{
		fmt.Sprintf("--etcd-servers=http://127.0.0.1:%d", c.ports.etcd),
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", c.ports.apiServer),
		// The address of a loopback interface can't be an endpoint.
		"--endpoint-reconciler-type=none",
		"--tls-cert-file=" + c.ca.path("apiserver.crt"), "--tls-private-key-file=" + c.ca.path("apiserver.key"),
		"--client-ca-file=" + c.ca.path("ca.crt"), "--token-auth-file=" + c.ca.path("tokens.csv"),
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
		"--kubelet-certificate-authority=" + c.ca.path("ca.crt"),
		"--kubelet-client-certificate=" + c.ca.path("apiserver-kubelet-client.crt"),
		"--kubelet-client-key=" + c.ca.path("apiserver-kubelet-client.key"),
		"--kubelet-preferred-address-types=InternalIP",
		"--service-cluster-ip-range=10.96.0.0/16",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + c.ca.path("service-accounts.key"),
		"--service-account-signing-key-file=" + c.ca.path("service-accounts.key"),
		"--allow-privileged=true", "--event-ttl=1h",
		"--feature-gates=" + pairs(c.options.FeatureGates),
	}
}

func (c *Cluster) controllerFlags() []string {
	config := c.kubeconfig("controllers")
	return []string{
		"--kubeconfig=" + config, "--authentication-kubeconfig=" + config, "--authorization-kubeconfig=" + config,
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", c.ports.controllers),
		"--cert-dir=" + c.path("pki", "controllers"), "--leader-elect=false",
		// One identity for all controllers: it starts 5 s earlier.
		"--use-service-account-credentials=false",
		"--service-account-private-key-file=" + c.ca.path("service-accounts.key"), "--root-ca-file=" + c.ca.path("ca.crt"),
		"--kube-api-qps=200", "--kube-api-burst=400",
		"--flex-volume-plugin-dir=" + c.path(node.VolumePlugins), // it makes the folder
		"--feature-gates=" + pairs(c.options.FeatureGates),
	}
}

func (c *Cluster) schedulerFlags() []string {
	config := c.kubeconfig("scheduler")
	return []string{
		"--kubeconfig=" + config, "--authentication-kubeconfig=" + config, "--authorization-kubeconfig=" + config,
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", c.ports.scheduler),
		"--cert-dir=" + c.path("pki", "scheduler"), "--leader-elect=false",
		"--kube-api-qps=500", "--kube-api-burst=1000",
		"--feature-gates=" + pairs(c.options.FeatureGates),
	}
}
