// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// readVolumes takes the volumes that can hold much data.
func readVolumes(volumes []corev1.Volume) []Volume {
	var out []Volume
	for i := range volumes {
		if v, ok := readVolume(&volumes[i]); ok {
			out = append(out, v)
		}
	}
	return out
}

// HoldsData reports whether Read takes a volume.
func HoldsData(v *corev1.Volume) bool {
	_, ok := readVolume(v)
	return ok
}

func readVolume(v *corev1.Volume) (Volume, bool) {
	out := Volume{Name: v.Name}
	switch {
	case v.PersistentVolumeClaim != nil:
		out.Kind = VolumeClaim
	case v.Ephemeral != nil: // a claim that is made with the pod, and as empty
		out.Kind = VolumeEmptyDir
	case v.EmptyDir != nil:
		out.Kind, out.Memory = VolumeEmptyDir, v.EmptyDir.Medium == corev1.StorageMediumMemory
	case v.HostPath != nil:
		out.Kind, out.Path = VolumeHostPath, v.HostPath.Path
	case v.Image != nil:
		out.Kind = VolumeImage
	case v.CSI != nil:
		out.Kind, out.Driver = VolumeCSI, v.CSI.Driver
	case v.NFS != nil || v.CephFS != nil || v.AzureFile != nil || v.Glusterfs != nil || v.Quobyte != nil:
		out.Kind = VolumeNetwork
	case v.AWSElasticBlockStore != nil || v.GCEPersistentDisk != nil || v.AzureDisk != nil || v.Cinder != nil ||
		v.RBD != nil || v.ISCSI != nil || v.FC != nil || v.VsphereVolume != nil || v.PortworxVolume != nil:
		out.Kind = VolumeBlock
	default:
		return Volume{}, false
	}
	return out, true
}

// readMounts takes where a container sees those volumes.
func readMounts(mounts []corev1.VolumeMount, of []Volume) []Mount {
	var out []Mount
	for i := range mounts {
		m := Mount{Volume: mounts[i].Name, Path: mounts[i].MountPath}
		if slices.ContainsFunc(of, func(v Volume) bool { return v.Name == m.Volume }) {
			out = append(out, m)
		}
	}
	return out
}
