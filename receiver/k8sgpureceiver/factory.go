// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/apiserver"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/metadata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/workload"
)

// NewFactory returns the factory of the k8s_gpu receiver.
func NewFactory() receiver.Factory {
	return receiver.NewFactory(metadata.Type, createDefaultConfig,
		receiver.WithMetrics(createMetrics, metadata.MetricsStability))
}

// serviceAccount is the folder where a pod finds its own credentials.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

func createDefaultConfig() component.Config {
	return &Config{
		Mode:               modeNode,
		CollectionInterval: 10 * time.Second,
		Timeout:            5 * time.Second,
		PodResourcesSocket: "/var/lib/kubelet/pod-resources/kubelet.sock",
		PodsAPISocket:      "/var/lib/kubelet/pods-api/pods-api.sock",
		Pods:               podsAuto,
		Kubelet: KubeletConfig{
			TokenFile: serviceAccount + "/token",
			CAFile:    serviceAccount + "/ca.crt",
		},
		AuthType:   apiserver.AuthServiceAccount,
		QPS:        5,
		Burst:      10,
		Replicas:   string(gpu.TimeSlicing),
		ProcPath:   "/proc",
		ClassLabel: workload.DefaultClassLabel,
		GroupLabel: workload.DefaultGroupLabel,

		StorageLabel: workload.DefaultStorageLabel,
	}
}

func createMetrics(
	_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Metrics,
) (receiver.Metrics, error) {
	if cfg.(*Config).Mode == modeCluster {
		return newClusterReceiver(set, cfg.(*Config), next)
	}
	return newNodeReceiver(set, cfg.(*Config), next)
}
