// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// around returns the milestones that other objects tell of a pod, which was
// created at 10 and bound at 100.
func around(a Around, change func(*Pod)) map[gpu.MilestoneName]Mark {
	p := &Pod{Created: at(10), Scheduled: Condition{true, at(100)}, Started: at(101)}
	if change != nil {
		change(p)
	}
	m := &Milestones{}
	m.Observe(p, at(102), false, holdsAll)
	before := len(m.All())
	m.ObserveAround(p, a)
	m.ObserveAround(p, a) // again
	out := map[gpu.MilestoneName]Mark{}
	for _, s := range m.All() {
		if s.Name == gpu.NodeCreated || s.Name == gpu.ClaimAllocated {
			out[s.Name] = s.Mark
		}
	}
	if len(m.All()) != before+len(out) || m.Conflicts != 0 {
		panic("it changed other milestones")
	}
	return out
}

func TestNodeIsCreatedForAPod(t *testing.T) {
	for created, want := range map[float64]bool{9: false, 10: false, 11: true, 100: true, 106: true, 107: false, 1e6: false} {
		got := around(Around{NodeCreated: at(created)}, nil)
		mark, told := got[gpu.NodeCreated]
		require.Equal(t, want, told, created)
		if told {
			require.Equal(t, Mark{min(at(created), at(100)), SourceAPI, max(Resolution, at(created).Sub(at(100)))}, mark, created)
		}
	}
	require.Empty(t, around(Around{}, nil))
	require.Empty(t, around(Around{NodeCreated: at(50)}, func(p *Pod) { p.Created = gpu.NoTime }))
	require.Empty(t, around(Around{NodeCreated: at(50)}, func(p *Pod) { p.Scheduled = Condition{} }))
}

func TestClaimsAreAllocated(t *testing.T) {
	claims := func(times ...float64) []ClaimTime {
		var out []ClaimTime
		for _, s := range times {
			c := ClaimTime{}
			if s > 0 {
				c.Allocated = at(s)
			}
			out = append(out, c)
		}
		return out
	}
	for name, test := range map[string]struct {
		claims []ClaimTime
		want   gpu.Time
	}{
		"none":                       {nil, gpu.NoTime},
		"one":                        {claims(99), at(99)},
		"the last of several":        {claims(40, 99, 98), at(99)},
		"one that others had":        {claims(5, 99), at(99)},
		"only those that others had": {claims(5, 9), gpu.NoTime},
		"one without a time":         {claims(99, 0), gpu.NoTime},
		"one of another binding":     {claims(99, 5000), gpu.NoTime},
	} {
		got := around(Around{Claims: test.claims}, nil)
		if test.want == gpu.NoTime {
			require.Empty(t, got, name)
			continue
		}
		require.Equal(t, map[gpu.MilestoneName]Mark{gpu.ClaimAllocated: {test.want, SourceScheduler, Resolution}}, got, name)
	}
}

// TestNodeThenClaim: a claim isn't allocated before its node is there, whatever
// the clocks say.
func TestNodeThenClaim(t *testing.T) {
	got := around(Around{NodeCreated: at(60), Claims: []ClaimTime{{at(58)}}}, nil)
	require.Equal(t, map[gpu.MilestoneName]Mark{
		gpu.NodeCreated:    {at(60), SourceAPI, Resolution},
		gpu.ClaimAllocated: {at(60), SourceScheduler, at(60).Sub(at(58))},
	}, got)
}
