// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// image returns what is known of the image that a milestone is about: that of a
// container that was pulled or starts.
func (b *Book) image(l *life, m *pod.Milestone) gpu.Image {
	c := l.pod.Container(m.Container)
	if c == nil || m.Name != gpu.PullFinished && m.Name != gpu.InitStarted && m.Name != gpu.ContainerStarted {
		return gpu.Image{}
	}
	i := gpu.Image{Reference: c.Image}
	if pull, told := l.marks.Pull(c.Name); told && m.Attempt == 0 {
		i.Told, i.Present, i.Bytes = true, pull.Present, pull.Bytes
	}
	if i.Bytes == 0 && b.cfg.ImageSize != nil {
		i.Bytes = b.cfg.ImageSize(i.Reference)
	}
	return i
}
