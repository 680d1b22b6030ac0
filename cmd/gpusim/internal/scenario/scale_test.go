// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
)

func scaled(t testing.TB, name string, n int) *world.World {
	t.Helper()
	s, err := Load(name)
	require.NoError(t, err)
	s, err = s.Scale(n)
	require.NoError(t, err)
	require.Equal(t, n, s.Nodes())
	return s.World()
}

func TestScale(t *testing.T) {
	small := filepath.Join("testdata", "small.yaml")
	w, plain := scaled(t, small, 8), scaled(t, small, 3)
	assert.Empty(t, sane(w)) // no id and no address twice
	require.Len(t, w.Nodes, 8)
	for i, n := range w.Nodes {
		like := plain.Nodes[i%3]
		require.Len(t, n.Devices, len(like.Devices))
		require.Len(t, n.Pods, len(like.Pods))
		require.Len(t, n.Outages, len(like.Outages))
		require.Equal(t, like.Name, strings.TrimSuffix(strings.TrimSuffix(n.Name, "-r1"), "-r2"))
	}
	same := &world.World{Start: w.Start, End: w.End, Nodes: w.Nodes[:3]}
	assert.Equal(t, new(listing).world(plain), new(listing).world(same))

	pod := w.Nodes[6].Pods[0]
	assert.Equal(t, "a-r2", w.Nodes[6].Name)
	assert.Equal(t, "train-r2-0", pod.Pod)
	assert.Equal(t, "g-r2", pod.Workload.Group)
	assert.Equal(t, "train-r2", pod.Workload.Name)
	assert.Equal(t, "g-r2", pod.Metrics[0].Join.Group)
}

func TestCopiesDiffer(t *testing.T) {
	w := scaled(t, "demo", 8)
	busy := func(n *world.Node) world.Busy { return world.NewMeter(n.Devices[0].Activity, w.Start).At(w.End) }
	assert.NotEqual(t, busy(w.Nodes[0]), busy(w.Nodes[4]), "a copy draws its own random times")
}

func TestScaleDown(t *testing.T) {
	w := scaled(t, "demo", 2)
	assert.Empty(t, sane(w))
	require.Len(t, w.Nodes, 2)
	assert.Equal(t, "gpu-b", w.Nodes[1].Name)
}

func TestScaleErrors(t *testing.T) {
	s, err := Load("demo")
	require.NoError(t, err)
	for _, n := range []int{0, MaxNodes + 1} {
		_, err = s.Scale(n)
		require.ErrorContains(t, err, "want 1 to 20000")
	}
	require.Equal(t, 4, s.Nodes())

	for _, text := range []string{
		strings.ReplaceAll(strings.Replace(base, "- name: n", "- name: n-r7", 1), "node: n", "node: n-r7"),
		strings.Replace(base, "- name: p", "- name: p-r7", 1),
	} {
		s, err = Parse("f", []byte(text))
		require.NoError(t, err)
		_, err = s.Scale(1)
		require.NoError(t, err)
		_, err = s.Scale(2)
		require.ErrorContains(t, err, `-r7": want a name that ends in another way`)
	}

	s, err = Load("accuracy/13-short-pods") // 2,500 pods on a node
	require.NoError(t, err)
	_, err = s.Scale(401)
	require.ErrorContains(t, err, "the number of nodes is 401: want at most 400 of scenario short-pods")
	_, err = s.Scale(400)
	require.NoError(t, err)
}

// BenchmarkScale makes a world of 1,000 nodes with 8 devices each.
func BenchmarkScale(b *testing.B) {
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	w := scaled(b, "demo", 1000)
	runtime.GC()
	runtime.ReadMemStats(&after)
	for b.Loop() {
		scaled(b, "demo", 1000)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB/world")
	runtime.KeepAlive(w)
}
