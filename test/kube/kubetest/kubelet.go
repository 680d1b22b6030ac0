// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubelet "k8s.io/kubelet/config/v1beta1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/node"
)

// kubeletConfig differs from a kubelet as shipped where a machine's own would
// be in the way: it may be full, busy, and without swap or cgroup v2.
func (c *Cluster) kubeletConfig() kubelet.KubeletConfiguration {
	yes, no, none := true, false, int32(0)
	config := kubelet.KubeletConfiguration{
		TypeMeta: metav1.TypeMeta{APIVersion: "kubelet.config.k8s.io/v1beta1", Kind: "KubeletConfiguration"},
		Address:  c.NodeIP, Port: int32(c.ports.kubelet), HealthzPort: &none,
		TLSCertFile: c.ca.path("kubelet.crt"), TLSPrivateKeyFile: c.ca.path("kubelet.key"),
		Authentication: kubelet.KubeletAuthentication{
			X509:      kubelet.KubeletX509Authentication{ClientCAFile: c.ca.path("ca.crt")},
			Webhook:   kubelet.KubeletWebhookAuthentication{Enabled: &yes},
			Anonymous: kubelet.KubeletAnonymousAuthentication{Enabled: &no},
		},
		Authorization:               kubelet.KubeletAuthorization{Mode: kubelet.KubeletAuthorizationModeWebhook},
		ContainerRuntimeEndpoint:    "unix://" + containerdSocket,
		CgroupDriver:                "cgroupfs",
		FailCgroupV1:                &no,
		FailSwapOn:                  &no,
		EnforceNodeAllocatable:      []string{"none"},
		MakeIPTablesUtilChains:      &no,
		PodLogsDir:                  c.path(node.PodLogs),
		VolumePluginDir:             c.path(node.VolumePlugins),
		NodeStatusUpdateFrequency:   metav1.Duration{Duration: time.Second},
		ImageGCHighThresholdPercent: new(int32(100)),
		EvictionHard: map[string]string{
			"memory.available": "0%", "nodefs.available": "0%", "nodefs.inodesFree": "0%",
			"imagefs.available": "0%", "imagefs.inodesFree": "0%",
		},
		ResolverConfig: new(c.path("resolv.conf")),
		FeatureGates:   c.options.FeatureGates,
	}
	return config
}

func (c *Cluster) writeKubeletConfig() error {
	text, err := json.Marshal(c.kubeletConfig()) // JSON is YAML
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.path("resolv.conf"), []byte("nameserver 127.0.0.1\n"), 0o644); err != nil {
		return err
	}
	return os.WriteFile(c.path("kubelet.yaml"), text, 0o644)
}

// StartKubelet starts the kubelet. What it offers comes with time.
func (c *Cluster) StartKubelet() error {
	return c.startKube(c.machine, "kubelet",
		"--config="+c.path("kubelet.yaml"), "--kubeconfig="+c.kubeconfig("kubelet"),
		"--hostname-override="+c.NodeName, "--node-ip="+c.NodeIP,
		"--cert-dir="+c.path(node.KubeletCerts), "--node-labels="+pairs(c.options.NodeLabels), "--v=2")
}

// StopKubelet ends the kubelet. Containers go on.
func (c *Cluster) StopKubelet() error { return c.machine.Stop("kubelet") }

// RestartKubelet ends the kubelet and starts it again.
func (c *Cluster) RestartKubelet() error {
	if err := c.StopKubelet(); err != nil {
		return err
	}
	return c.StartKubelet()
}

// AwaitDevices waits until the node offers every device, as it does when it has
// started, and has started again.
func (c *Cluster) AwaitDevices(ctx context.Context) error {
	return poll(ctx, "waiting for the node's devices", func(ctx context.Context) (bool, error) {
		err := errors.Join(
			alive(c.control, "etcd", apiServer, "kube-controller-manager", "kube-scheduler"), alive(c.machine, containerd, "kubelet"))
		if err != nil {
			return false, err
		}
		n, err := c.Client.CoreV1().Nodes().Get(ctx, c.NodeName, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		if !ready(n) {
			return false, fmt.Errorf("the node isn't ready: %v", n.Status.Conditions)
		}
		for _, r := range c.options.Resources {
			if q := n.Status.Allocatable[corev1.ResourceName(r.Name)]; q.Value() != int64(len(r.Devices)) {
				return false, fmt.Errorf("%s: %s of %d", r.Name, q.String(), len(r.Devices))
			}
		}
		return true, nil
	})
}

func ready(n *corev1.Node) bool {
	for _, condition := range n.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
