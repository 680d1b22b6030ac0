// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// DefaultStorageLabel is the label of a pod that says where its model comes from.
const DefaultStorageLabel = "gpu.model.storage"

// annotationSource is KServe's: the URI of the model that it downloads or mounts.
const annotationSource = "internal.serving.kserve.io/storage-initializer-sourceuri"

// schemes are those of the URIs that KServe takes.
var schemes = map[string]gpu.ModelStorage{
	"s3": gpu.ObjectStorage, "gs": gpu.ObjectStorage, "abfs": gpu.ObjectStorage, "abfss": gpu.ObjectStorage,
	"hf": gpu.ModelHub, "pvc": gpu.VolumeClaim, "oci": gpu.ImageVolume, "hdfs": gpu.NetworkFileSystem,
}

// drivers are CSI drivers that a pod can name itself. One that isn't here goes
// by its own name.
var drivers = map[string]gpu.ModelStorage{
	"gcsfuse.csi.storage.gke.io": gpu.ObjectStorage, "s3.csi.aws.com": gpu.ObjectStorage,
	"blob.csi.azure.com": gpu.ObjectStorage,

	"efs.csi.aws.com": gpu.NetworkFileSystem, "fsx.csi.aws.com": gpu.NetworkFileSystem,
	"file.csi.azure.com": gpu.NetworkFileSystem, "filestore.csi.storage.gke.io": gpu.NetworkFileSystem,
	"lustre.csi.storage.gke.io": gpu.NetworkFileSystem, "nfs.csi.k8s.io": gpu.NetworkFileSystem,
	"smb.csi.k8s.io": gpu.NetworkFileSystem, "cephfs.csi.ceph.com": gpu.NetworkFileSystem,

	"ebs.csi.aws.com": gpu.BlockStorage, "pd.csi.storage.gke.io": gpu.BlockStorage,
	"disk.csi.azure.com": gpu.BlockStorage, "cinder.csi.openstack.org": gpu.BlockStorage,
	"rbd.csi.ceph.com": gpu.BlockStorage,
}

// settings are drivers of volumes that hold no data.
var settings = []string{"secrets-store.csi.k8s.io", "csi.spiffe.io", "csi.cert-manager.io"}

// Storage returns where a pod's model comes from: as its label says, else as its
// volumes let expect; "" if nothing tells.
func (r *Rules) Storage(p *pod.Pod) gpu.ModelStorage {
	if name := told(p, r.StorageLabel); name != "" {
		return gpu.ModelStorage(name)
	}
	if scheme, _, isURI := strings.Cut(p.Annotations[annotationSource], "://"); isURI && schemes[scheme] != "" {
		return schemes[scheme]
	}
	named, others := sources(p)
	if s := common(named); s != "" {
		return s
	}
	if len(named) > 0 {
		return "" // of several that a model may be on, nobody says which
	}
	return common(others)
}

// sources returns where the data come from that main containers see: those that
// by their names are of a model, and the others.
func sources(p *pod.Pod) (named, others []gpu.ModelStorage) {
	for i := range p.Containers {
		c := &p.Containers[i]
		if c.Init {
			continue
		}
		for _, m := range c.Mounts {
			at := slices.IndexFunc(p.Volumes, func(v pod.Volume) bool { return v.Name == m.Volume })
			if at < 0 {
				continue
			}
			v := &p.Volumes[at]
			s := storageOf(v)
			switch {
			case s == "":
			case ofModel(m.Volume) || ofModel(m.Path) || ofModel(v.Path):
				named = append(named, s)
			case !isSystem(m.Path) && !isSystem(v.Path) && !isScratch(p, v):
				others = append(others, s)
			}
		}
	}
	return named, others
}

func storageOf(v *pod.Volume) gpu.ModelStorage {
	switch v.Kind {
	case pod.VolumeClaim:
		return gpu.VolumeClaim
	case pod.VolumeEmptyDir:
		return gpu.EmptyDir
	case pod.VolumeImage:
		return gpu.ImageVolume
	case pod.VolumeNetwork:
		return gpu.NetworkFileSystem
	case pod.VolumeBlock:
		return gpu.BlockStorage
	case pod.VolumeHostPath:
		return gpu.HostPath
	case pod.VolumeCSI:
		if s, ok := drivers[v.Driver]; ok {
			return s
		}
		if !slices.Contains(settings, v.Driver) {
			return gpu.ModelStorage(v.Driver)
		}
	}
	return ""
}

// isScratch reports whether a volume is empty when the main containers start: no
// init container sees it.
func isScratch(p *pod.Pod, v *pod.Volume) bool {
	if v.Kind != pod.VolumeEmptyDir || v.Memory {
		return v.Memory
	}
	return !slices.ContainsFunc(p.Containers, func(c pod.Container) bool {
		return c.Init && slices.ContainsFunc(c.Mounts, func(m pod.Mount) bool { return m.Volume == v.Name })
	})
}

// modelWords are in the names of what holds a model.
var modelWords = []string{"model", "weights", "checkpoint", "ckpt", "huggingface", "hf-cache", "hf_cache", "hf-home", "hf_home"}

func ofModel(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(modelWords, func(w string) bool { return strings.Contains(name, w) })
}

// systemPaths hold no models, unless their names say so: they are the machine's.
var systemPaths = []string{
	"/dev", "/sys", "/proc", "/run", "/var/run", "/var/log", "/etc", "/usr", "/lib", "/lib64", "/bin", "/sbin", "/boot", "/tmp",
	"/var/lib/kubelet", "/home/kubernetes/bin",
}

func isSystem(path string) bool {
	return path == "/" || slices.ContainsFunc(systemPaths, func(f string) bool { return path == f || strings.HasPrefix(path, f+"/") })
}

// common returns the storage that all have in common, "" if there is none.
func common(all []gpu.ModelStorage) gpu.ModelStorage {
	for _, s := range all {
		if s != all[0] {
			return ""
		}
	}
	if len(all) == 0 {
		return ""
	}
	return all[0]
}
