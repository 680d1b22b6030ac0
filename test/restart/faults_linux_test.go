// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// fill lets every write of the running collector to a file fail, as on a full
// disk, or ends that.
func (c *collector) fill(full bool) {
	c.t.Helper()
	var limit unix.Rlimit
	require.NoError(c.t, unix.Prlimit(c.cmd.Process.Pid, unix.RLIMIT_FSIZE, nil, &limit))
	limit.Cur = limit.Max
	if full {
		limit.Cur = 0
	}
	require.NoError(c.t, unix.Prlimit(c.cmd.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil))
}

// fullDisk runs a collector through the first two thirds of the hour; in the
// second one its disk is full.
func fullDisk(t *testing.T, batches []batch) (s *sink, to *sender) {
	t.Helper()
	s = newSink(t)
	c := newCollector(t, s.address)
	to = newSender(t, c)
	c.start()
	third := len(batches) / 3
	for _, b := range batches[:third] {
		to.deliver(b)
	}
	published := s.newest()
	c.fill(true)
	for _, b := range batches[third : 2*third] {
		to.deliver(b)
		require.True(t, s.has(b.number), "batch %d didn't reach the sink", b.number)
	}
	require.Equal(t, published, s.newest(), "published without a checkpoint")
	assert.Contains(t, c.log.String(), "the checkpoint can't be written: derived points are held back")
	return s, to
}

// TestDiskIsFull: derived points wait until there is room again, and then all
// are there.
func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	batches := simulate(t, seed(t))
	s, to := fullDisk(t, batches)
	to.to.fill(false)
	for _, b := range batches[len(batches)/3*2:] {
		to.deliver(b)
	}
	to.to.stop()
	healthy(t, s)
	equal(t, undisturbed(t, batches), s, inAll)
}

// TestKilledOnFullDisk: what came while the disk was full is a gap, and nothing
// else is lost.
func TestKilledOnFullDisk(t *testing.T) {
	t.Parallel()
	batches := simulate(t, seed(t))
	s, to := fullDisk(t, batches)
	to.to.kill()
	to.to.start()
	third := len(batches) / 3
	for _, b := range batches[2*third:] {
		to.deliver(b)
	}
	to.to.stop()
	healthy(t, s)
	equal(t, undisturbed(t, append(batches[:third:third], batches[2*third:]...)), s, inAll)
}
