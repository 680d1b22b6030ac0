// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// imageOf returns the image of the only object of a kind.
func imageOf(t *testing.T, objects []object, kind string) string {
	t.Helper()
	require.Len(t, find(objects, kind), 1)
	containers := find(objects, kind)[0].at("spec", "template", "spec", "containers").([]any)
	return containers[0].(map[string]any)["image"].(string)
}

// TestImages: a digest is that of one image. The build with DCGM has its own.
func TestImages(t *testing.T) {
	one, other := "sha256:"+strings.Repeat("1", 64), "sha256:"+strings.Repeat("2", 64)
	dcgm := []string{"image.repository=r/o", "image.tag=v1", "image.digest=" + one, "agent.devices.source=dcgm", "agent.devices.dcgm.endpoint=d:5555"}

	objects := render(t, with(dcgm...)...)
	assert.Equal(t, "r/o@"+one, imageOf(t, objects, "StatefulSet"))
	assert.Equal(t, "r/o-dcgm:v1", imageOf(t, objects, "DaemonSet"))

	objects = render(t, with(append(dcgm, "agent.devices.dcgm.imageDigest="+other)...)...)
	assert.Equal(t, "r/o-dcgm@"+other, imageOf(t, objects, "DaemonSet"))

	objects = render(t, with(dcgm[:3]...)...)
	assert.Equal(t, "r/o@"+one, imageOf(t, objects, "DaemonSet"))
}
