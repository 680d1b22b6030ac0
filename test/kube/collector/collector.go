// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

// ClusterName is the name that the collectors give to every cluster.
const ClusterName = "e2e"

// Interval is how often a collector sends a set. What it dates doesn't depend
// on it.
const Interval = time.Second

// Settings are how one collector differs from others.
type Settings struct {
	// Name is its own in the cluster.
	Name string
	// Receiver are keys of the receiver k8s_gpu, beyond those that say where the
	// node's sockets are.
	Receiver map[string]any
	// Kubeconfig is its access to the API server. Without one it has none.
	Kubeconfig string
	// Storage keeps the ledger over a restart.
	Storage bool
}

// Collector is one that runs beside a cluster.
type Collector struct {
	*Record
	cluster *kubetest.Cluster
	args    []string
	name    string
	dir     string
}

// program returns the collector under test.
func program() (string, error) {
	path := os.Getenv("OTELCOL_GPU")
	if path == "" {
		return "", errors.New("OTELCOL_GPU isn't set: run make e2e, or set it to the bin/otelcol-gpu that make build has made")
	}
	_, err := os.Stat(path)
	return path, err
}

// Start starts a collector, which ends with the cluster.
func Start(t testing.TB, cluster *kubetest.Cluster, settings Settings) *Collector {
	t.Helper()
	binary, err := program()
	if err != nil {
		t.Fatal(err)
	}
	c := &Collector{
		Record: Listen(t, "127.0.0.1"), cluster: cluster,
		name: "otelcol-gpu-" + settings.Name, dir: filepath.Join(cluster.Dir, "collectors", settings.Name),
	}
	if err := os.MkdirAll(filepath.Join(c.dir, "storage"), 0o700); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(c.config(settings)) // JSON is YAML
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(c.dir, "config.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	c.args = []string{"/usr/bin/env", "KUBECONFIG=" + settings.Kubeconfig, binary, "--config", file}
	c.Resume(t)
	return c
}

// config returns the whole configuration. Where it says nothing, the defaults
// are tested.
func (c *Collector) config(settings Settings) map[string]any {
	receiver := map[string]any{
		"node": c.cluster.NodeName, "cluster_name": ClusterName, "collection_interval": Interval.String(), "timeout": Interval.String(),
		"pod_resources_socket": c.cluster.PodResourcesSocket, "pods_api_socket": c.cluster.PodsAPISocket,
		"auth_type": "none",
	}
	if settings.Kubeconfig != "" {
		receiver["auth_type"] = "kubeConfig"
	}
	maps.Copy(receiver, settings.Receiver)
	processor := map[string]any{"forward_inputs": "all"}
	service := map[string]any{
		"telemetry": map[string]any{"logs": map[string]any{"level": "warn"}, "metrics": map[string]any{"level": "none"}},
		"pipelines": map[string]any{"metrics": map[string]any{
			"receivers": []string{"k8s_gpu", "otlp"}, "processors": []string{"gpu_accounting"}, "exporters": []string{"otlp_grpc"},
		}},
	}
	config := map[string]any{
		"receivers": map[string]any{
			"k8s_gpu": receiver,
			"otlp":    map[string]any{"protocols": map[string]any{"grpc": map[string]any{"transport": "unix", "endpoint": c.socket()}}},
		},
		"processors": map[string]any{"gpu_accounting": processor},
		"exporters": map[string]any{"otlp_grpc": map[string]any{
			"endpoint": c.address, "tls": map[string]any{"insecure": true}, "compression": "none",
			"sending_queue": map[string]any{"enabled": false},
		}},
		"service": service,
	}
	if settings.Storage {
		processor["storage"] = "file_storage"
		config["extensions"] = map[string]any{"file_storage": map[string]any{"directory": filepath.Join(c.dir, "storage")}}
		service["extensions"] = []string{"file_storage"}
	}
	return config
}

// socket is where it takes samples of devices.
func (c *Collector) socket() string { return filepath.Join(c.dir, "otlp.sock") }

// Resume starts it again after Stop.
func (c *Collector) Resume(t testing.TB) {
	t.Helper()
	if err := c.cluster.StartProgram(c.name, c.args...); err != nil {
		t.Fatalf("starting the collector: %v", err)
	}
}

// Stop ends it as an orchestrator does.
func (c *Collector) Stop(t testing.TB) {
	t.Helper()
	if err := c.cluster.StopProgram(c.name); err != nil {
		t.Fatalf("stopping the collector: %v", err)
	}
	if err := os.Remove(c.socket()); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

// Await waits until something is true of what it has exported.
func (c *Collector) Await(t testing.TB, what string, condition func(*Record) bool) {
	t.Helper()
	end := time.After(patience)
	for {
		ok, changed := c.look(condition)
		if ok {
			return
		}
		select {
		case <-changed:
		case <-end:
			t.Fatalf("waiting for %s to tell that %s: it never did (%v)", c.name, what, c.alive())
		}
	}
}

func (c *Collector) alive() error {
	if err := c.cluster.ProgramAlive(c.name); err != nil {
		return fmt.Errorf("it doesn't run: %w", err)
	}
	return errors.New("it runs")
}

// patience is how long anything may take that isn't what a test is about.
const patience = time.Minute
