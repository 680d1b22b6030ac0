// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"fmt"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
)

func validConfig() *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.Node, cfg.ClusterName = "gpu-node-0", "prod"
	return cfg
}

func TestDefaultsNeedOnlyTheNode(t *testing.T) {
	require.NoError(t, validConfig().Validate())
	cluster := createDefaultConfig().(*Config)
	cluster.Mode, cluster.NodeLabels = modeCluster, []string{"team"}
	require.NoError(t, cluster.Validate())
	require.ErrorContains(t, createDefaultConfig().(*Config).Validate(), `node: "" is not accepted: set the name of this node, as ${env:K8S_NODE_NAME}`)
	require.NoError(t, componenttest.CheckConfigStruct(createDefaultConfig()))
}

func TestConfigIsRefused(t *testing.T) {
	for want, change := range map[string]func(*Config){
		`mode: "pod" is not accepted: set node, cluster`:                              func(c *Config) { c.Mode = "pod" },
		`node_labels: [team] is not accepted: set none, or mode cluster`:              func(c *Config) { c.NodeLabels = []string{"team"} },
		`namespace_labels: [team] is not accepted: set none, or mode node`:            func(c *Config) { c.Mode, c.NamespaceLabels = modeCluster, []string{"team"} },
		`namespace_labels: "a team" is not accepted: set names of labels, as team`:    func(c *Config) { c.NamespaceLabels = []string{"a team"} },
		`pod_labels: "" is not accepted: set names of labels`:                         func(c *Config) { c.PodLabels = []string{"team", ""} },
		`collection_interval: 1ms is not accepted: set 1s to 1h0m0s`:                  func(c *Config) { c.CollectionInterval = time.Millisecond },
		`timeout: 0s is not accepted: set 1ms to 1h0m0s`:                              func(c *Config) { c.Timeout = 0 },
		`pod_resources_socket: "unix:///x" is not accepted: set the path of a socket`: func(c *Config) { c.PodResourcesSocket = "unix:///x" },
		`pods_api_socket: "" is not accepted: set the path of a socket`:               func(c *Config) { c.PodsAPISocket = "" },
		`pods: "x" is not accepted: set auto, pods_api, api_server, kubelet`:          func(c *Config) { c.Pods = "x" },
		`kubelet::endpoint: "" is not accepted: set the address`:                      func(c *Config) { c.Pods = podsKubelet },
		`kubelet::cert_file: "c" with kubelet::key_file: "" is not accepted`:          func(c *Config) { c.Kubelet.CertFile = "c" },
		`kubelet::endpoint: "http://n:10255" is not accepted`:                         func(c *Config) { c.Kubelet.Endpoint = "http://n:10255" },
		`auth_type: "tls" is not accepted: set kubeConfig, with client-certificate`:   func(c *Config) { c.AuthType = "tls" },
		`auth_type: "token" is not accepted: set serviceAccount, kubeConfig, none`:    func(c *Config) { c.AuthType = "token" },
		`context: "x" is not accepted: set none, or auth_type kubeConfig`:             func(c *Config) { c.Context = "x" },
		`kube_api_qps: 0 is not accepted: set more than 0`:                            func(c *Config) { c.QPS = 0 },
		`kube_api_burst: -1 is not accepted: set more than 0`:                         func(c *Config) { c.Burst = -1 },
		`replicas: "mig" is not accepted: set time_slicing, mps`:                      func(c *Config) { c.Replicas = "mig" },
		`resources: "gpu" is not accepted: set names of extended resources`:           func(c *Config) { c.Resources = []string{"gpu"} },
	} {
		cfg := validConfig()
		change(cfg)
		require.ErrorContains(t, cfg.Validate(), want)
	}
}

// TestKubeletEndpoint is an address, not any URL.
func TestKubeletEndpoint(t *testing.T) {
	for endpoint, ok := range map[string]bool{
		"https://10.0.0.1:10250": true, "https://node-1:10250/": true, "https://[fd00::1]:10250": true,
		"https://": false, "https://:10250": false, "https://node-1": false, "https://node-1:": false, "https://node-1:0": false,
		"https://node-1:65536": false, "https://node-1:http": false, "https://node-1:10250/pods": false, "https://node-1:10250?x": false,
		"https://node-1:10250#": false, "https://u:p@node-1:10250": false, "https://fd00::1:10250x": false, "https://%zz:1": false,
		"10.0.0.1:10250": false, "HTTP://node-1:10250": false, "https:node-1:10250": false,
	} {
		cfg := validConfig()
		cfg.Kubelet.Endpoint = endpoint
		if err := cfg.Validate(); ok {
			require.NoError(t, err, endpoint)
		} else {
			require.ErrorContains(t, err, fmt.Sprintf("kubelet::endpoint: %q is not accepted: set the address of this node's kubelet", endpoint))
		}
	}
}

func TestUnknownKeyIsRefused(t *testing.T) {
	cfg := createDefaultConfig()
	err := confmap.NewFromStringMap(map[string]any{"nodes": "x"}).Unmarshal(cfg)
	require.ErrorContains(t, err, "nodes")
}

// TestReadmeHasEveryKey of the configuration.
func TestReadmeHasEveryKey(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	var keys func(of reflect.Type, prefix string)
	keys = func(of reflect.Type, prefix string) {
		for field := range of.Fields() {
			key := field.Tag.Get("mapstructure")
			if key == "" {
				continue
			}
			if field.Type.Kind() == reflect.Struct {
				keys(field.Type, prefix+key+"::")
				continue
			}
			require.Contains(t, string(readme), "| `"+prefix+key+"` |")
		}
	}
	keys(reflect.TypeFor[Config](), "")
}
