// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCut(t *testing.T) {
	whole := tiny(t)
	cut, err := whole.Cut(57*time.Second, 171*time.Second)
	require.NoError(t, err)
	assert.Len(t, cut.Duty, 5, "both ends are in")
	assert.Len(t, cut.Memory, 4)
	assert.Len(t, cut.Requests, 2)
	assert.Equal(t, whole.Start, cut.Start)
	assert.Len(t, whole.Duty, 7, "the whole is as it was")

	first, last := cut.Bounds()
	assert.Equal(t, sec(57), first)
	assert.Equal(t, sec(171), last)
	assert.Equal(t, 2, cut.Containers())
	assert.Equal(t, 2*114*time.Second, cut.Spanned())

	outputs := cut.Ticks()[0].Batch.Outputs
	require.Len(t, outputs, 1)
	assert.Equal(t, sec(57), outputs[0].Start, "firsts are those of the cut")
	assert.InDelta(t, 57*0.125, outputs[0].Value, 0, "sums too")
}

func TestCutWithoutRequests(t *testing.T) {
	cut, err := tiny(t).Cut(116*time.Second, End)
	require.NoError(t, err)
	for _, tick := range cut.Ticks() {
		assert.Empty(t, tick.Batch.Outputs, "no app metric in this cut")
	}
	assert.Equal(t, 57*time.Second, cut.Spanned(), "alpha has one sample, beta one and then 57 s")
}

func TestCutEverything(t *testing.T) {
	whole := tiny(t)
	cut, err := whole.Cut(0, End)
	require.NoError(t, err)
	assert.Equal(t, whole, cut)
	assert.Equal(t, (228+171)*time.Second, cut.Spanned())
}

func TestCutEmpty(t *testing.T) {
	for _, c := range []struct{ from, to time.Duration }{
		{1 * time.Second, 56 * time.Second},
		{229 * time.Second, End},
		{114 * time.Second, 57 * time.Second},
	} {
		_, err := tiny(t).Cut(c.from, c.to)
		assert.ErrorContains(t, err, "has no duty-cycle sample: the recording spans 0 to 228")
	}
}

func TestDuplicateSamplesMakeOneTick(t *testing.T) {
	r := Recording{Duty: []Duty{{sec(0), alpha, 1}, {sec(0), alpha, 2}}}
	r.finish()
	ticks := r.Ticks()
	require.Len(t, ticks, 1)
	assert.Len(t, ticks[0].Batch.Samples, 2, "the ledger decides")
	assert.Len(t, ticks[0].Batch.Allocations, 1)
	assert.Zero(t, r.Spanned())
}
