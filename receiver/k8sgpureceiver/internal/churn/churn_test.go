// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build churn && linux

package churn

import (
	"cmp"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// usualPods is how many pods there are at a time unless CHURN_PODS says
// otherwise: they live for 15 s on average, so that some 500 come and go in ten
// minutes.
const usualPods = 13

// How often pods end and begin, and how often the collector is measured.
const changeEvery, measureEvery = time.Second, 250 * time.Millisecond

// warmUp is how long pods come and go before the time begins: until then the
// ledger has settled, and forgets as much as it learns.
const warmUp = 60 * time.Second

// patience is for what has to happen, and does so at once on an idle machine.
const patience = 60 * time.Second

func TestChurn(t *testing.T) {
	duration, most := settings(t)
	n := newNode(t, most)
	s := newSink(t)
	c := startCollector(t, n.kubelet.Socket, s.address)
	n.watched()
	all := n.live(c, duration)
	n.step(false)
	missing, wrong := n.allTold(s)
	c.stop()

	first, last, grew := compare(all, duration)
	t.Logf("%v, %d pods at a time, %d in all, at most %d in a set; %d batches, %d sets", duration, most, n.begun, s.most, s.batches, s.sets)
	t.Logf("after 20 %%: %d kB, %d files, %d goroutines", first.rss, first.files, first.goroutines)
	t.Logf("at the end: %d kB, %d files, %d goroutines (memory %.3f)", last.rss, last.files, last.goroutines, float64(last.rss)/float64(first.rss))
	require.Empty(t, grew)
	require.Empty(t, s.problems)
	require.Zero(t, missing, "pods whose end isn't told")
	require.Zero(t, wrong, "pods whose end is told with another time")
	require.EqualValues(t, most, s.most, "a set had all pods")
	require.Greater(t, s.sets, int(duration/changeEvery)/2, "sets")
}

// allTold waits until the end of every pod was told, for a while.
func (n *node) allTold(s *sink) (missing, wrong int) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(measureEvery) {
		if missing, wrong = s.missing(n.ended); missing == 0 {
			break
		}
	}
	return missing, wrong
}

func settings(t *testing.T) (duration time.Duration, most int) {
	t.Helper()
	duration, err := time.ParseDuration(cmp.Or(os.Getenv("CHURN_DURATION"), "30s"))
	require.NoError(t, err, "CHURN_DURATION")
	require.GreaterOrEqual(t, duration, 20*time.Second, "CHURN_DURATION: a part of it has to be long enough to measure")
	most = usualPods
	if text := os.Getenv("CHURN_PODS"); text != "" {
		most, err = strconv.Atoi(text)
		require.NoError(t, err, "CHURN_PODS")
	}
	return duration, most
}

// live lets pods come and go, and measures the collector meanwhile. At half the
// time the kubelet starts anew.
func (n *node) live(c *collector, duration time.Duration) []usage {
	changes, measures := time.NewTicker(changeEvery), time.NewTicker(measureEvery)
	defer changes.Stop()
	defer measures.Stop()
	var all []usage
	begin, restarted := time.Now().Add(warmUp), false
	n.step(true)
	for since := -warmUp; since < duration; since = time.Since(begin) {
		select {
		case <-changes.C:
			n.step(true)
		case <-measures.C:
			u, err := measure(c.cmd.Process.Pid, c.pprof)
			require.NoError(n.t, err, c.log)
			u.after = since
			all = append(all, u)
		}
		if !restarted && since > duration/2 {
			restarted = true
			before := time.Now()
			n.restart()
			begin = begin.Add(time.Since(before)) // nothing came or went meanwhile
		}
	}
	return all
}
