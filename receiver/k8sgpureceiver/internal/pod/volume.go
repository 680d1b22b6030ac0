// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod

// Volume is a volume of a pod that can hold much data. Those of settings
// (ConfigMaps, secrets, …) are left out.
type Volume struct {
	Name   string
	Kind   VolumeKind
	Driver string // of VolumeCSI
	Path   string // of VolumeHostPath: the folder of the node
	Memory bool   // of VolumeEmptyDir: it is a part of the node's memory
}

// VolumeKind is the kind of a volume, by who provides it.
type VolumeKind string

// The kinds of volumes.
const (
	VolumeClaim    VolumeKind = "claim" // a PersistentVolumeClaim that outlives the pod
	VolumeEmptyDir VolumeKind = "empty" // made for the pod, without content
	VolumeHostPath VolumeKind = "host"
	VolumeImage    VolumeKind = "image"
	VolumeCSI      VolumeKind = "csi"     // provided by a driver, for this pod alone
	VolumeNetwork  VolumeKind = "network" // Kubernetes' own network file systems
	VolumeBlock    VolumeKind = "block"   // Kubernetes' own attached disks
)

// Mount is where a container sees a volume.
type Mount struct {
	Volume string
	Path   string
}
