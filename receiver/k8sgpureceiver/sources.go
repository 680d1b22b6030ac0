// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"context"
	"os"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/apiserver"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelet"
)

// The names of sources, in points and in the component's own telemetry.
const (
	sourceDevices    = "pod_resources"
	sourcePodsAPI    = podsAPI
	sourceAPIServer  = podsAPIServer
	sourceKubelet    = podsKubelet
	sourceOwners     = "owners"
	sourceEvents     = "events"
	sourceClaims     = "claims"
	sourceSlices     = "slices"
	sourceNodes      = "nodes"
	sourcePending    = "pending_pods"
	sourceRules      = "taint_rules"
	sourceNamespaces = "namespaces"
)

// podSource tells of the pods of the node until its context ends.
type podSource interface {
	Run(ctx context.Context, sink kubelet.Sink)
	Close() error
}

// rung is one way to get the pods.
type rung struct {
	name  string
	local bool // the kubelet tells, until the containers are gone
	open  func() (podSource, error)
}

// ladder returns the ways to get the pods, the best first.
func (c *Config) ladder() []rung {
	api := rung{sourcePodsAPI, true, func() (podSource, error) { return kubelet.NewPods(c.PodsAPISocket) }}
	server := rung{sourceAPIServer, false, func() (podSource, error) {
		client, err := apiserver.New(c.api())
		if err != nil {
			return nil, err
		}
		return apiserver.NewPods(client, c.Node), nil
	}}
	https := rung{sourceKubelet, false, func() (podSource, error) {
		return kubelet.NewHTTPS(kubelet.HTTPSConfig{
			Endpoint: c.Kubelet.Endpoint, TokenFile: c.Kubelet.TokenFile, CAFile: c.Kubelet.CAFile,
			CertFile: c.Kubelet.CertFile, KeyFile: c.Kubelet.KeyFile,
			InsecureSkipVerify: c.Kubelet.InsecureSkipVerify, Interval: min(c.CollectionInterval, fetchEvery),
		})
	}}
	switch c.Pods {
	case podsAPI:
		return []rung{api}
	case podsAPIServer:
		return []rung{server}
	case podsKubelet:
		return []rung{https}
	}
	ladder := []rung{api, server}
	if c.Kubelet.Endpoint != "" {
		ladder = append(ladder, https)
	}
	if _, err := os.Stat(c.PodsAPISocket); err != nil { // a kubelet without this API has no such socket
		return append(ladder[1:], api)
	}
	return ladder
}

// fetchEvery is how often pods are fetched where they can't be watched.
const fetchEvery = 5 * time.Second

// settleWithin is how long a source may take to tell of all pods, before the
// next one is tried.
const settleWithin = 30 * time.Second

func (d *desk) from(local bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.synced = false
	d.book.From(local)
}

// pause waits, and reports whether ctx still goes on.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
