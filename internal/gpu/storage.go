// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

// ModelStorage says where a workload's model comes from: the path that its
// weights take to the pod. Anybody can name another one by a label; these are
// those that a pod's own manifest tells.
type ModelStorage string

// The kinds of model storage. The empty one: the manifest doesn't tell, as when
// the image has the model or the application downloads it.
const (
	ObjectStorage     ModelStorage = "object_storage"          // a bucket, mounted or downloaded
	ModelHub          ModelStorage = "model_hub"               // a public or private hub, downloaded
	NetworkFileSystem ModelStorage = "network_file_system"     // NFS, SMB, Lustre, …
	BlockStorage      ModelStorage = "block_storage"           // an attached disk
	VolumeClaim       ModelStorage = "persistent_volume_claim" // what is behind it, its class tells
	HostPath          ModelStorage = "host_path"               // a folder of the node: a local disk or cache
	ImageVolume       ModelStorage = "image_volume"            // an image of its own, pulled as others are
	EmptyDir          ModelStorage = "empty_dir"               // empty at each start: filled by an init container, or the application
)

// ModelStorages returns all of them.
func ModelStorages() []ModelStorage {
	return []ModelStorage{
		ObjectStorage, ModelHub, NetworkFileSystem, BlockStorage, VolumeClaim, HostPath, ImageVolume, EmptyDir,
	}
}
