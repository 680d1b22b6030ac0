// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// The labels with which a scrape names a pod: those that relabelling makes of
// the contract's names, those of the Prometheus operator, and what becomes of
// an exporter's own ones where honor_labels is false.
const (
	labelPodUID            = "k8s_pod_uid"
	labelPodIP             = "k8s_pod_ip"
	labelPodName           = "k8s_pod_name"
	labelNamespaceName     = "k8s_namespace_name"
	labelPod               = "pod"
	labelNamespace         = "namespace"
	labelExportedPod       = "exported_pod"
	labelExportedNamespace = "exported_namespace"
	labelGroup             = "gpu_workload_group"
	labelGPUUUID           = "gpu_uuid" // of Triton
)

// join returns what finds the holder of an application metric, and false if
// nothing could. A point that names a pod, by attributes or by labels, is asked
// alone: its resource may be that of an exporter. If the resource is of the same
// pod, its UID is better than a name.
func (a attributes) join() (gpu.Join, bool) {
	pod := a.pod()
	j := gpu.Join{
		PodUID:    pod.str(AttrPodUID),
		Namespace: pod.str(AttrNamespaceName),
		Pod:       pod.str(AttrPodName),
		PodIP:     pod.str(AttrPodIP),
		Group:     pod.str(AttrWorkloadGroup),
	}
	labels, ok := joinOfLabels(a.own)
	same := labels.PodUID == "" && labels.Pod != "" && labels.Pod == j.Pod && labels.Namespace == j.Namespace
	if ok && !same && !namesPod(a.own) {
		j = labels
	} else if j.PodIP == "" {
		j.PodIP = hostIP(pod.str(AttrServerAddress))
	}
	if j.Group == "" {
		j.Group = text(a.own, labelGroup)
	}
	j.Device = gpu.DeviceID(cmp.Or(a.str(AttrHWID), a.str(labelGPUUUID)))
	named := j.Namespace != "" && j.Pod != ""
	return j, named || j.PodUID != "" || j.PodIP != "" || j.Device != "" || j.Group != ""
}

// joinOfLabels returns the pod that a point names by labels.
func joinOfLabels(own pcommon.Map) (j gpu.Join, ok bool) {
	j = gpu.Join{PodUID: text(own, labelPodUID), PodIP: text(own, labelPodIP), Group: text(own, AttrWorkloadGroup)}
	for _, keys := range podLabels {
		if namespace, pod := text(own, keys.namespace), text(own, keys.pod); namespace != "" && pod != "" {
			j.Namespace, j.Pod = namespace, pod
			break
		}
	}
	return j, j.PodUID != "" || j.Pod != "" || j.PodIP != ""
}

// podLabels are the pairs of labels that name a pod; the first that is whole
// counts. One alone finds nobody, and one of each would find somebody else's: a
// program may have a namespace of its own that is none of Kubernetes.
var podLabels = [...]struct{ namespace, pod string }{
	{labelNamespaceName, labelPodName},
	{labelExportedNamespace, labelExportedPod},
	{labelNamespace, labelPod},
}
