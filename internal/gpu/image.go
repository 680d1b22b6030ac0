// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

import "strings"

// Image is what is known of a container's image. The zero value: nothing.
type Image struct {
	Reference string // as the manifest names it: "registry/repository:tag"
	Bytes     int64  // as the container runtime counts them, 0 if nobody tells
	// Told: whether the image was on the node already is known, as Present says.
	Told, Present bool
}

// Parts returns the repository of the image, its tag and its digest
// ("repository@sha256:…"), each "" if the reference has none.
func (i Image) Parts() (repository, tag, digest string) {
	repository, sum, pinned := strings.Cut(i.Reference, "@")
	// A colon before a slash is that of a registry's port.
	if at := strings.LastIndexByte(repository, ':'); at > strings.LastIndexByte(repository, '/') {
		repository, tag = repository[:at], repository[at+1:]
	}
	if pinned && sum != "" {
		digest = repository + "@" + sum
	}
	return repository, tag, digest
}
