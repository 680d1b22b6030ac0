// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// moment is what the collector is doing when it is killed.
type moment int

const (
	idle     moment = iota // nothing: between two batches
	inFlight               // somewhere between taking a batch and answering
	atSink                 // waiting for the sink, which has the batch already
	starting               // starting, after another kill
	moments
)

func (m moment) String() string {
	return [moments]string{"between batches", "in flight", "at the sink", "starting"}[m]
}

// plan says at which batch, and when, the collector is killed.
type plan map[int][]moment

// newPlan draws n kills at batches in [from, to).
func newPlan(random *rand.Rand, n, from, to int) plan {
	p := plan{}
	for n > 0 {
		m := inFlight // half of all
		if random.IntN(2) == 0 {
			m = moment(random.IntN(int(moments)))
		}
		kills := []moment{m}
		if m == starting {
			kills = []moment{idle, starting}
		}
		kills = kills[:min(n, len(kills))]
		at := from + random.IntN(to-from)
		p[at] = append(p[at], kills...)
		n -= len(kills)
	}
	return p
}

// killer kills one collector, according to its plan.
type killer struct {
	*sender
	sink   *sink
	random *rand.Rand
	plan   plan
	start  time.Duration // how long the collector takes to start
	kills  map[moment]int
}

// newKiller starts a collector and looks how long that takes.
func newKiller(t *testing.T, seed uint64, p plan) *killer {
	t.Helper()
	s := newSink(t)
	c := newCollector(t, s.address)
	k := &killer{sender: newSender(t, c), sink: s, random: rand.New(rand.NewPCG(seed, 2)), plan: p, kills: map[moment]int{}}
	began := time.Now()
	c.start()
	k.ready()
	k.start = time.Since(began)
	return k
}

// strike kills the collector at a moment of batch b and leaves it dead. It reports whether the batch was sent, and the answer.
func (k *killer) strike(m moment, b batch) (sent bool, answer error) {
	k.t.Helper()
	k.kills[m]++
	k.to.revive()
	switch m {
	case inFlight:
		k.ready()
		delay := k.upTo(2 * k.took)
		answers := make(chan error, 1)
		go func() { answers <- k.send(b.metrics) }()
		<-time.After(delay)
		k.to.kill()
		return true, <-answers
	case atSink:
		k.ready()
		struck := make(chan struct{})
		k.sink.watch(func(int) {
			k.sink.watch(nil)
			k.to.kill()
			close(struck)
		})
		answer = k.send(b.metrics)
		require.Error(k.t, answer, "batch %d was accepted without the sink", b.number)
		<-struck
		return true, answer
	case starting:
		<-time.After(k.upTo(k.start))
	}
	k.to.kill()
	return false, nil
}

// revive starts the collector if it was killed.
func (c *collector) revive() {
	c.t.Helper()
	if c.life.Err() != nil {
		c.start()
	}
}

// summary prints what was done, and fails if it wasn't all that was planned.
func (k *killer) summary(planned int, took time.Duration) {
	k.t.Helper()
	kills := 0
	for m := range moments {
		kills += k.kills[m]
		k.t.Logf("%4d kills %s", k.kills[m], m)
	}
	k.t.Logf("%4d kills in %v; a start takes %v, a request %v", kills, took.Round(time.Millisecond), k.start.Round(time.Millisecond), k.took.Round(time.Microsecond))
	require.Equal(k.t, planned, kills, "kills")
}

func (k *killer) upTo(longest time.Duration) time.Duration {
	return time.Duration(k.random.Int64N(int64(longest)))
}

// setting returns a whole number from the environment.
func setting(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, "%s=%q: set a whole number", name, text)
	return n
}

// seed draws or repeats the seed of a test, and prints it.
func seed(t *testing.T) uint64 {
	t.Helper()
	n := setting(t, "RESTART_SEED", uint64(time.Now().UnixNano()))
	t.Logf("RESTART_SEED=%d repeats this hour and these kills", n)
	return n
}

func killCount(t *testing.T) int {
	t.Helper()
	n := setting(t, "RESTART_KILLS", 50)
	require.Positive(t, n, "RESTART_KILLS: a run without kills shows nothing")
	return int(n)
}
