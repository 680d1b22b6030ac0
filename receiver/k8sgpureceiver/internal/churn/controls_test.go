// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build churn && linux

package churn

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The controls: the checks of this package find what they are there for.

// TestGrowthIsSeen of each kind, and of nothing else.
func TestGrowthIsSeen(t *testing.T) {
	const whole = 100 * time.Second
	steady := func(at time.Duration) usage {
		u := usage{after: at, rss: 100_000, files: 10, goroutines: 40}
		if at/time.Second%2 == 1 { // a call is under way, garbage is there
			u.rss, u.files, u.goroutines = u.rss+3000, u.files+2, u.goroutines+9
		}
		return u
	}
	for name, test := range map[string]struct {
		grow func(u *usage, seconds int)
		want int
	}{
		"steady":             {func(*usage, int) {}, 0},
		"less memory":        {func(u *usage, s int) { u.rss -= int64(100 * s) }, 0},
		"memory":             {func(u *usage, s int) { u.rss += int64(100 * s) }, 1},
		"a file":             {func(u *usage, s int) { u.files += s / 90 }, 1},
		"a goroutine":        {func(u *usage, s int) { u.goroutines += s / 90 }, 1},
		"one goroutine less": {func(u *usage, s int) { u.goroutines -= s / 90 }, 1},
	} {
		var all []usage
		for s := range 101 {
			u := steady(time.Duration(s) * time.Second)
			test.grow(&u, s)
			all = append(all, u)
		}
		_, _, grew := compare(all, whole)
		require.Len(t, grew, test.want, "%s: %v", name, grew)
	}
	_, _, grew := compare(nil, whole)
	require.NotEmpty(t, grew, "nothing measured is no proof")
}

// TestFilesAreCounted: this process opens one.
func TestFilesAreCounted(t *testing.T) {
	count := func() int {
		n, err := openFiles(os.Getpid())
		require.NoError(t, err)
		return n
	}
	before := count()
	f, err := os.Open(os.DevNull)
	require.NoError(t, err)
	require.Equal(t, before+1, count())
	require.NoError(t, f.Close())
}

// TestMissingEndIsSeen, and one at another time.
func TestMissingEndIsSeen(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	s := &sink{ended: map[string]time.Time{"a": at, "b": at.Add(2 * time.Second)}}
	missing, wrong := s.missing(map[string]time.Time{"a": at, "b": at, "c": at})
	require.Equal(t, []int{1, 1}, []int{missing, wrong})
}
