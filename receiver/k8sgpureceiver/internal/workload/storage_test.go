// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// mounted returns a pod whose main container sees each volume at a path.
func mounted(volumes map[string]pod.Volume) pod.Pod {
	p := pod.Pod{Containers: []pod.Container{{Name: "fetch", Init: true}, {Name: "main"}}}
	for path, v := range volumes {
		p.Volumes = append(p.Volumes, v)
		p.Containers[1].Mounts = append(p.Containers[1].Mounts, pod.Mount{Volume: v.Name, Path: path})
	}
	return p
}

func TestStorage(t *testing.T) {
	rules := Rules{StorageLabel: DefaultStorageLabel}
	claim := pod.Volume{Name: "data", Kind: pod.VolumeClaim}
	bucket := pod.Volume{Name: "bucket", Kind: pod.VolumeCSI, Driver: "gcsfuse.csi.storage.gke.io"}
	scratch := pod.Volume{Name: "scratch", Kind: pod.VolumeEmptyDir}
	for name, test := range map[string]struct {
		volumes map[string]pod.Volume
		want    gpu.ModelStorage
	}{
		"nothing":            {nil, ""},
		"a claim":            {map[string]pod.Volume{"/data": claim}, gpu.VolumeClaim},
		"GKE's buckets":      {map[string]pod.Volume{"/gcs": bucket}, gpu.ObjectStorage},
		"AWS's buckets":      {map[string]pod.Volume{"/s3": {Name: "b", Kind: pod.VolumeCSI, Driver: "s3.csi.aws.com"}}, gpu.ObjectStorage},
		"Azure's buckets":    {map[string]pod.Volume{"/blob": {Name: "b", Kind: pod.VolumeCSI, Driver: "blob.csi.azure.com"}}, gpu.ObjectStorage},
		"another driver":     {map[string]pod.Volume{"/w": {Name: "b", Kind: pod.VolumeCSI, Driver: "weka.example.com"}}, "weka.example.com"},
		"a driver of keys":   {map[string]pod.Volume{"/keys": {Name: "k", Kind: pod.VolumeCSI, Driver: "secrets-store.csi.k8s.io"}}, ""},
		"NFS":                {map[string]pod.Volume{"/share": {Name: "s", Kind: pod.VolumeNetwork}}, gpu.NetworkFileSystem},
		"a disk":             {map[string]pod.Volume{"/disk": {Name: "d", Kind: pod.VolumeBlock}}, gpu.BlockStorage},
		"an image":           {map[string]pod.Volume{"/weights": {Name: "i", Kind: pod.VolumeImage}}, gpu.ImageVolume},
		"the node's disk":    {map[string]pod.Volume{"/cache": {Name: "c", Kind: pod.VolumeHostPath, Path: "/mnt/nvme"}}, gpu.HostPath},
		"the node's devices": {map[string]pod.Volume{"/host": {Name: "c", Kind: pod.VolumeHostPath, Path: "/dev/infiniband"}}, ""},
		"the node's sockets": {map[string]pod.Volume{"/mps": {Name: "c", Kind: pod.VolumeHostPath, Path: "/tmp/nvidia-mps"}, "/data": claim}, gpu.VolumeClaim},
		"the whole node":     {map[string]pod.Volume{"/host": {Name: "c", Kind: pod.VolumeHostPath, Path: "/"}}, ""},
		"models in /usr":     {map[string]pod.Volume{"/usr/src/app/models": claim}, gpu.VolumeClaim},
		"others in /usr":     {map[string]pod.Volume{"/usr/src/app/conf": claim}, ""},
		"users of its own":   {map[string]pod.Volume{"/users": claim}, gpu.VolumeClaim},
		"of models, by path": {map[string]pod.Volume{"/x": {Name: "c", Kind: pod.VolumeHostPath, Path: "/opt/models"}, "/data": claim}, gpu.HostPath},
		"scratch space":      {map[string]pod.Volume{"/scratch": scratch}, ""},
		"a download":         {map[string]pod.Volume{"/root/.cache/huggingface": scratch}, gpu.EmptyDir},
		"memory of models":   {map[string]pod.Volume{"/models": {Name: "m", Kind: pod.VolumeEmptyDir, Memory: true}}, gpu.EmptyDir},
		"shared memory": {
			map[string]pod.Volume{"/dev/shm": {Name: "shm", Kind: pod.VolumeEmptyDir, Memory: true}, "/data": claim}, gpu.VolumeClaim,
		},
		"two, one of models": {map[string]pod.Volume{"/gcs": bucket, "/models": claim}, gpu.VolumeClaim},
		"two, of which none": {map[string]pod.Volume{"/gcs": bucket, "/data": claim}, ""},
		"two of models": {
			map[string]pod.Volume{"/models": claim, "/weights": bucket, "/gcs": {Name: "o", Kind: pod.VolumeClaim}}, "",
		},
	} {
		p := mounted(test.volumes)
		require.Equal(t, test.want, rules.Storage(&p), name)
		p.Labels = map[string]string{DefaultStorageLabel: "s3-eu-west"}
		require.EqualValues(t, "s3-eu-west", rules.Storage(&p), name)
		require.Equal(t, test.want, (&Rules{}).Storage(&p), "%s: no label is asked for", name)
	}
}

// TestStorageFilledByInit: what an init container sees too isn't scratch space.
func TestStorageFilledByInit(t *testing.T) {
	p := mounted(map[string]pod.Volume{"/assets": {Name: "assets", Kind: pod.VolumeEmptyDir}})
	require.Empty(t, new(Rules).Storage(&p))
	p.Containers[0].Mounts = []pod.Mount{{Volume: "assets", Path: "/out"}}
	require.Equal(t, gpu.EmptyDir, new(Rules).Storage(&p))
	p.Volumes[0].Memory = true
	require.Empty(t, new(Rules).Storage(&p), "two processes talk to each other so")
	p.Containers[1].Mounts = nil
	require.Empty(t, new(Rules).Storage(&p), "only the init container sees it")
}

func TestStorageByKServe(t *testing.T) {
	for uri, want := range map[string]gpu.ModelStorage{
		"s3://bucket/llama": gpu.ObjectStorage, "gs://b/m": gpu.ObjectStorage, "abfs://c@a/m": gpu.ObjectStorage,
		"hf://org/model": gpu.ModelHub, "pvc://claim/path": gpu.VolumeClaim, "oci://registry/model:1": gpu.ImageVolume,
		"hdfs://h/p": gpu.NetworkFileSystem, "ftp://x": gpu.EmptyDir, "": gpu.EmptyDir, "s3": gpu.EmptyDir,
	} {
		p := mounted(map[string]pod.Volume{"/mnt/models": {Name: "kserve-provision-location", Kind: pod.VolumeEmptyDir}})
		p.Annotations = map[string]string{annotationSource: uri}
		require.Equal(t, want, new(Rules).Storage(&p), uri)
	}
}

func TestStorageWords(t *testing.T) {
	seen := map[gpu.ModelStorage]bool{}
	for _, s := range gpu.ModelStorages() {
		require.False(t, seen[s])
		seen[s] = true
	}
	for _, table := range []map[string]gpu.ModelStorage{drivers, schemes} {
		for key, s := range table {
			require.True(t, seen[s], key)
		}
	}
}
