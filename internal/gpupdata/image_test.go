// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func TestImageRoundTrip(t *testing.T) {
	for _, want := range []gpu.Image{
		{},
		{Reference: "vllm"},
		{Reference: "localhost:5000/a:1", Bytes: 30_000_000_000, Told: true},
		{Reference: "r.example/a:1@sha256:0f", Told: true, Present: true},
		{Reference: "r.example/a@sha256:0f"},
		{Bytes: 5},
	} {
		m := pcommon.NewMap()
		putImage(m, want)
		require.Equal(t, want, ImageOf(m))
	}
}

// TestImageOfAnything: attributes of other makers are read as far as they go.
func TestImageOfAnything(t *testing.T) {
	m := pcommon.NewMap()
	require.NoError(t, m.FromRaw(map[string]any{
		AttrImageName: "a", AttrImageTags: "latest", AttrImageDigests: []any{"b@sha256:0f"}, AttrImageSize: int64(-1), AttrImagePresent: "yes",
	}))
	require.Equal(t, gpu.Image{Reference: "a"}, ImageOf(m))
	require.NoError(t, m.FromRaw(map[string]any{AttrImageTags: []any{"1", "2"}, AttrImageDigests: []any{}}))
	require.Empty(t, ImageOf(m))
}
