// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// undisturbed runs the batches through a collector that nobody kills.
func undisturbed(t *testing.T, batches []batch) *sink {
	t.Helper()
	s := newSink(t)
	c := newCollector(t, s.address)
	to := newSender(t, c)
	c.start()
	for _, b := range batches {
		to.deliver(b)
	}
	c.stop()
	healthy(t, s)
	return s
}

// healthy fails if the sink saw what no run may show.
func healthy(t *testing.T, s *sink) {
	t.Helper()
	s.sound(t)
	for _, wrong := range conserved(s) {
		t.Error(wrong)
	}
}

// equal fails with the first differences between two runs.
func equal(t *testing.T, want, got *sink, same strictness) {
	t.Helper()
	if found := differences(want, got, same); len(found) > 0 {
		t.Errorf("%d of %d counters differ, as:\n%s", len(found), len(want.sums), strings.Join(found[:min(len(found), 10)], "\n"))
	}
}

// TestWithoutKills: two runs of one hour are equal, also if its points come in
// other batches; and the only unobserved time of the steady device is none.
func TestWithoutKills(t *testing.T) {
	t.Parallel()
	batches := simulate(t, seed(t))
	want := undisturbed(t, batches)
	equal(t, want, undisturbed(t, batches), exactly)
	equal(t, want, undisturbed(t, merge(batches, 4)), inAll)
	require.Zero(t, gaps(batches))
	assert.Zero(t, steadyIn(want, gpu.Unobserved))
	times := byCondition(want, all)
	for _, state := range []string{
		"unavailable (health)", "unallocated (free)", "unallocated (foreign_activity)", "terminating",
		"productive", "unproven (output_flat)", "unproven (no_app_metric)", "idle (starved)",
	} {
		assert.Positive(t, times[state], "the hour has no time that is %s", state)
	}
	t.Logf("%d batches, %d counters\n%s", len(batches), len(want.sums), table("one run", want, "the other", want))
}

// TestSenderThatRetries: at least once, and nothing is missing or counted
// twice.
func TestSenderThatRetries(t *testing.T) {
	t.Parallel()
	random := seed(t)
	batches := simulate(t, random)
	want := undisturbed(t, batches)
	n := killCount(t)
	k := newKiller(t, random, newPlan(rand.New(rand.NewPCG(random, 3)), n, 0, len(batches)))
	began := time.Now()
	for _, b := range batches {
		k.insist(b)
	}
	k.ready() // it may still be starting, after a kill behind the last batch
	k.to.stop()
	k.summary(n, time.Since(began))
	healthy(t, k.sink)
	for _, b := range batches {
		assert.True(t, k.sink.has(b.number), "batch %d was accepted but didn't reach the sink", b.number)
	}
	equal(t, want, k.sink, again)
	t.Logf("\n%s", table("no kills", want, "killed", k.sink))
}

// insist sends a batch until it is accepted, through all kills that are planned
// for it.
func (k *killer) insist(b batch) {
	k.t.Helper()
	accepted := false
	for _, m := range k.plan[b.number] {
		if accepted {
			m = idle // it isn't sent any more
		}
		sent, err := k.strike(m, b)
		accepted = accepted || sent && err == nil
		k.to.revive()
	}
	if !accepted {
		k.deliver(b)
	}
}

// TestSenderThatTriesOnce: what is lost is unobserved, and nothing else
// changes.
func TestSenderThatTriesOnce(t *testing.T) {
	t.Parallel()
	random := seed(t)
	batches := simulate(t, random)
	whole := undisturbed(t, batches)
	n := killCount(t)
	// The first batches open the devices, and the last ones decide how far time
	// is settled in the end: without losses there, all runs have the same span.
	const edge = 20
	k := newKiller(t, random, newPlan(rand.New(rand.NewPCG(random, 3)), n, edge, len(batches)-edge))
	fates := map[int]fate{}
	began := time.Now()
	for i := 0; i < len(batches); i++ {
		i += k.tryOnce(batches, i, len(batches)-edge, fates)
	}
	k.to.stop()
	k.summary(n, time.Since(began))
	healthy(t, k.sink)

	taken, want := explain(t, batches, fates, k.sink)
	equal(t, want, k.sink, inAll)
	steady := steadyIn(k.sink, gpu.Unobserved)
	assert.Equal(t, gaps(taken), steady, "unobserved time of %s, calculated from the gaps", steadyDevice)
	assert.Positive(t, steady)
	for _, states := range [][]gpu.State{{gpu.Idle}, {gpu.Productive, gpu.Unproven}} {
		before, now := steadyIn(whole, states...), steadyIn(k.sink, states...)
		assert.Less(t, now, before, "time of %s that is %v: what is lost can't make it more", steadyDevice, states)
	}
	assert.Equal(t, total(byCondition(whole, endless)), total(byCondition(k.sink, endless)), "time of the devices that don't end")
	t.Logf("%d of %d batches were lost\n%s", len(batches)-len(taken), len(batches), table("no kills", whole, "killed", k.sink))
}

// fate is what became of a batch that was sent once.
type fate int

const (
	accepted fate = iota // it was answered, or the sink has it
	lost                 // nobody was there
	unknown              // killed on the way
)

// tryOnce sends batch i once, or kills the collector at it and sends some of
// the next ones to nobody. It returns how many more than one it sent.
func (k *killer) tryOnce(batches []batch, i, end int, fates map[int]fate) (more int) {
	k.t.Helper()
	next := i
	for _, m := range k.plan[i] {
		if next > i {
			m = idle // the batch is gone
		}
		if sent, err := k.strike(m, batches[i]); sent {
			next++
			if err != nil && !k.sink.has(i) {
				fates[i] = unknown
			}
		}
	}
	if k.to.life.Err() != nil {
		for dead := k.random.IntN(4); dead > 0 && next < end; dead-- {
			fates[next] = lost
			next++
		}
		for n := i + 1; n < next; n++ { // kills at what was lost come later
			k.plan[next] = append(k.plan[next], k.plan[n]...)
		}
		k.to.revive()
	}
	if next == i {
		k.deliver(batches[i])
		return 0
	}
	return next - i - 1
}
