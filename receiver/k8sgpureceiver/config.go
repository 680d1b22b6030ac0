// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/apiserver"
)

// Values of Config.Mode and Config.Pods.
const (
	modeNode    = "node"
	modeCluster = "cluster"

	podsAuto      = "auto"
	podsAPI       = "pods_api"
	podsAPIServer = "api_server"
	podsKubelet   = "kubelet"
)

// Config is the configuration of the receiver. README.md describes each key.
type Config struct {
	Mode               string        `mapstructure:"mode"`
	Node               string        `mapstructure:"node"`
	ClusterName        string        `mapstructure:"cluster_name"`
	CollectionInterval time.Duration `mapstructure:"collection_interval"`
	Timeout            time.Duration `mapstructure:"timeout"`

	PodResourcesSocket string        `mapstructure:"pod_resources_socket"`
	PodsAPISocket      string        `mapstructure:"pods_api_socket"`
	Pods               string        `mapstructure:"pods"`
	Kubelet            KubeletConfig `mapstructure:"kubelet"`

	AuthType string  `mapstructure:"auth_type"`
	Context  string  `mapstructure:"context"`
	QPS      float32 `mapstructure:"kube_api_qps"`
	Burst    int     `mapstructure:"kube_api_burst"`
	// OwnerLookup asks the API server who controls the controller of a pod.
	OwnerLookup bool `mapstructure:"owner_lookup"`
	// ClaimLookup asks the API server what the claims of pods gave.
	ClaimLookup bool `mapstructure:"claim_lookup"`
	// NodeLookup asks the API server whether the node takes pods.
	NodeLookup bool `mapstructure:"node_lookup"`
	// EventLookup asks the API server for the events of pods that start.
	EventLookup bool `mapstructure:"event_lookup"`

	Resources  []string `mapstructure:"resources"`
	Replicas   string   `mapstructure:"replicas"`
	ProcPath   string   `mapstructure:"proc_path"`
	ClassLabel string   `mapstructure:"class_label"`
	GroupLabel string   `mapstructure:"group_label"`
	// StorageLabel is the pod's label that says where its model comes from.
	StorageLabel string   `mapstructure:"storage_label"`
	PodLabels    []string `mapstructure:"pod_labels"`
	// NamespaceLabels are labels of the pods' namespaces.
	NamespaceLabels []string `mapstructure:"namespace_labels"`
	// NodeTaints are begins of keys of taints that put a node out of service.
	NodeTaints []string `mapstructure:"node_taints"`
	// NodeLabels are labels of nodes that go along with their accounts.
	NodeLabels []string `mapstructure:"node_labels"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// KubeletConfig says how to reach the kubelet's HTTPS endpoint.
type KubeletConfig struct {
	Endpoint           string `mapstructure:"endpoint"`
	TokenFile          string `mapstructure:"token_file"`
	CAFile             string `mapstructure:"ca_file"`
	CertFile           string `mapstructure:"cert_file"`
	KeyFile            string `mapstructure:"key_file"`
	InsecureSkipVerify bool   `mapstructure:"insecure_skip_verify"`

	_ struct{}
}

var (
	_ component.Config  = (*Config)(nil)
	_ confmap.Validator = (*Config)(nil)
)

// Validate checks all keys.
func (c *Config) Validate() error {
	return errors.Join(
		oneOf("mode", c.Mode, modeNode, modeCluster),
		accept("node", c.Node, c.Node != "" || c.Mode == modeCluster, "the name of this node, as ${env:K8S_NODE_NAME}"),
		accept("node_labels", c.NodeLabels, len(c.NodeLabels) == 0 || c.Mode == modeCluster, "none, or mode cluster"),
		accept("namespace_labels", c.NamespaceLabels, len(c.NamespaceLabels) == 0 || c.Mode != modeCluster, "none, or mode node"),
		within("collection_interval", c.CollectionInterval, time.Second, time.Hour),
		within("timeout", c.Timeout, time.Millisecond, time.Hour),
		accept("pod_resources_socket", c.PodResourcesSocket, isPath(c.PodResourcesSocket), "the path of a socket"),
		accept("pods_api_socket", c.PodsAPISocket, isPath(c.PodsAPISocket), "the path of a socket"),
		oneOf("pods", c.Pods, podsAuto, podsAPI, podsAPIServer, podsKubelet),
		c.validateAuth(),
		accept("context", c.Context, c.Context == "" || c.AuthType == apiserver.AuthKubeConfig, "none, or auth_type kubeConfig"),
		accept("kube_api_qps", c.QPS, c.QPS > 0, "more than 0"),
		accept("kube_api_burst", c.Burst, c.Burst > 0, "more than 0"),
		oneOf("replicas", c.Replicas, string(gpu.TimeSlicing), string(gpu.MPS)),
		c.validateKubelet(),
		c.validateResources(),
		names("pod_labels", c.PodLabels), names("namespace_labels", c.NamespaceLabels), names("node_labels", c.NodeLabels),
	)
}

// validateAuth refuses tls with what does the same: other receivers of the
// collector have the word, for the kubelet.
func (c *Config) validateAuth() error {
	if c.AuthType == "tls" {
		return accept("auth_type", c.AuthType, false,
			"kubeConfig, with client-certificate and client-key in the kubeconfig; for the kubelet's endpoint, set kubelet::cert_file and kubelet::key_file")
	}
	return oneOf("auth_type", c.AuthType, apiserver.AuthServiceAccount, apiserver.AuthKubeConfig, apiserver.AuthNone)
}

func (c *Config) validateKubelet() error {
	if cert, key := c.Kubelet.CertFile, c.Kubelet.KeyFile; (cert == "") != (key == "") {
		return fmt.Errorf("kubelet::cert_file: %q with kubelet::key_file: %q is not accepted: set both, or none", cert, key)
	}
	e := c.Kubelet.Endpoint
	if e == "" && c.Pods != podsKubelet {
		return nil
	}
	return accept("kubelet::endpoint", e, isKubelet(e), "the address of this node's kubelet, as https://${env:K8S_NODE_IP}:10250 (an IPv6 address in brackets)")
}

// isKubelet reports whether s is https://host:port and nothing more.
func isKubelet(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return false
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	bare := u.Path == "" || u.Path == "/"
	return err == nil && port > 0 && bare && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && !strings.HasSuffix(s, "#")
}

func (c *Config) validateResources() error {
	for _, r := range c.Resources {
		if domain, name, ok := strings.Cut(r, "/"); !ok || domain == "" || name == "" {
			return accept("resources", r, false, "names of extended resources, as example.com/gpu")
		}
	}
	return nil
}

// names checks names of labels: one that can't be there would be missed in silence.
func names(key string, labels []string) error {
	for _, name := range labels {
		if wrong := validation.IsQualifiedName(name); len(wrong) > 0 {
			return accept(key, name, false, "names of labels, as team or example.com/team ("+wrong[0]+")")
		}
	}
	return nil
}

// api says how to reach the API server.
func (c *Config) api() apiserver.Config {
	return apiserver.Config{AuthType: c.AuthType, Context: c.Context, QPS: c.QPS, Burst: c.Burst}
}

func isPath(s string) bool { return s != "" && !strings.Contains(s, "://") }

// accept returns an error that names key, value and what is accepted.
func accept(key string, value any, ok bool, accepted string) error {
	if ok {
		return nil
	}
	if text, isText := value.(string); isText {
		value = fmt.Sprintf("%q", text)
	}
	return fmt.Errorf("%s: %v is not accepted: set %s", key, value, accepted)
}

func within(key string, value, least, most time.Duration) error {
	return accept(key, value, value >= least && value <= most, fmt.Sprintf("%v to %v", least, most))
}

func oneOf(key, value string, accepted ...string) error {
	return accept(key, value, slices.Contains(accepted, value), strings.Join(accepted, ", "))
}
