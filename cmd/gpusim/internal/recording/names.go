// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"encoding/hex"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Where the recording comes from, in the words of the contract.
const (
	Cluster   = "gentd26"
	Node      = "gentd26"
	Namespace = "gentd26"
)

// shortHash is how many hex digits of a container's hash its pod is named
// by, unless two containers share them.
const shortHash = 12

// podNames names the pod of every container, as short as is unique. They are
// named once for the whole recording, so that a cut changes no name.
func podNames(containers []Container) map[Container]string {
	names := make(map[Container]string, len(containers))
	owner := make(map[string]Container, len(containers))
	for digits := shortHash; digits <= hex.EncodedLen(len(Container{})); digits++ {
		clear(owner)
		unique := true
		for _, c := range containers {
			name := "container-" + c.String()[:digits]
			if other, taken := owner[name]; taken && other != c {
				unique = false
				break
			}
			owner[name] = c
			names[c] = name
		}
		if unique {
			break
		}
	}
	return names
}

func (r Recording) holder(c Container) gpu.Holder {
	return gpu.Holder{
		Namespace: Namespace,
		Pod:       r.pods[c],
		PodUID:    c.UUID(),
		Workload:  gpu.Workload{Class: gpu.ClassInference},
	}
}

func device(c Container) gpu.Device {
	return gpu.Device{ID: c.Device(), Node: Node, Cluster: Cluster}
}
