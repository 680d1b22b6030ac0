// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
)

// exported is an export of accounts whose nodes the collector found right.
func exported(nodes []string, accounts ...counters.Account) counters.Export {
	e := counters.Export{Accounts: accounts, Errors: map[string]time.Duration{}}
	for _, n := range nodes {
		e.Errors[n] = 0
	}
	return e
}

func TestJudge(t *testing.T) {
	truth := []counters.Account{{Node: "n1", Device: "GPU-1", Active: time.Second}}
	e := exported([]string{"n1"}, truth...)
	var out strings.Builder
	require.NoError(t, judge(&out, truth, exports{e, e}))
	assert.Contains(t, out.String(), "Ledger error 0 ns on its node: ")

	e = exported([]string{"n1", "n2"}, truth...)
	out.Reset()
	require.NoError(t, judge(&out, truth, exports{e, e}))
	assert.Contains(t, out.String(), "Ledger error 0 ns on each of 2 nodes: ")
}

// A failure says of each side once what is wrong there.
func TestJudgeSaysOnce(t *testing.T) {
	truth := []counters.Account{{Node: "n1", Device: "GPU-1", Active: time.Second}}
	wrong := truth[0]
	wrong.Active = time.Minute
	other := truth[0]
	other.Active = time.Hour
	for name, c := range map[string]struct {
		prometheus counters.Account
		want       string
	}{
		"equally": {wrong, `OTLP output: the largest differences (1 of 1):
  node n1, device GPU-1, nobody's time, gpu.active.time: truth 1s, exported 1m0s (+59s)
Prometheus endpoint: the same differences.
`},
		"otherwise": {other, `OTLP output: the largest differences (1 of 1):
  node n1, device GPU-1, nobody's time, gpu.active.time: truth 1s, exported 1m0s (+59s)
Prometheus endpoint: the largest differences (1 of 1):
  node n1, device GPU-1, nobody's time, gpu.active.time: truth 1s, exported 1h0m0s (+59m59s)
`},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			err := judge(&out, truth, exports{exported([]string{"n1"}, c.prometheus), exported([]string{"n1"}, wrong)})
			require.EqualError(t, err, "OTLP output: 1 of 1 figure isn't what is true\nPrometheus endpoint: 1 of 1 figure isn't what is true")
			assert.Equal(t, c.want, out.String())
		})
	}
}
