// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Images are the sizes of a node's images in bytes, by every name that they
// have. The kubelet tells of the 50 largest unless it is told otherwise.
type Images map[string]int64

// ReadImages reads status.images of a node.
func ReadImages(list []corev1.ContainerImage) Images {
	out := Images{}
	for i := range list {
		if list[i].SizeBytes <= 0 {
			continue
		}
		for _, name := range list[i].Names {
			out[canonical(name)] = list[i].SizeBytes
		}
	}
	return out
}

// Size returns the size of an image that a manifest names, 0 if it isn't known.
func (m Images) Size(reference string) int64 {
	if reference == "" {
		return 0
	}
	return m[canonical(reference)]
}

// canonical returns the name by which container runtimes know an image: with its
// registry, and with a tag or a digest, not both.
func canonical(reference string) string {
	repository, digest, pinned := strings.Cut(reference, "@")
	tag := ""
	if at := strings.LastIndexByte(repository, ':'); at > strings.LastIndexByte(repository, '/') {
		repository, tag = repository[:at], repository[at:]
	}
	host, _, hasPath := strings.Cut(repository, "/")
	switch {
	case !hasPath:
		repository = "docker.io/library/" + repository
	case !strings.ContainsAny(host, ".:") && host != "localhost": // not a registry
		repository = "docker.io/" + repository
	}
	switch {
	case pinned:
		return repository + "@" + digest
	case tag == "":
		return repository + ":latest"
	}
	return repository + tag
}
