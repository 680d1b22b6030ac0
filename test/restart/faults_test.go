// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build restart

package restart

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// checkpointFile returns the one file that the storage has made.
func (c *collector) checkpointFile() string {
	c.t.Helper()
	files, err := filepath.Glob(filepath.Join(c.dir, "storage", "*"))
	require.NoError(c.t, err)
	require.Len(c.t, files, 1, "files of the storage")
	return files[0]
}

// rewrite changes the bytes of the checkpoint's file where they are.
func (c *collector) rewrite(change func(data []byte) (changed int)) {
	c.t.Helper()
	file, err := os.OpenFile(c.checkpointFile(), os.O_RDWR, 0)
	require.NoError(c.t, err)
	defer file.Close()
	data, err := os.ReadFile(file.Name())
	require.NoError(c.t, err)
	require.Positive(c.t, change(data), "nothing to change in %d bytes", len(data))
	_, err = file.WriteAt(data, 0)
	require.NoError(c.t, err)
}

// flipValues flips a bit in each large value: the file is in order, but what
// is stored in it isn't what was stored.
func flipValues(data []byte) (changed int) {
	const header, leaf = 16, 2 // of a page of bbolt: id, flags, count, overflow
	size := os.Getpagesize()
	for at := 0; at+header <= len(data); at += size {
		flags, overflow := binary.LittleEndian.Uint16(data[at+8:]), binary.LittleEndian.Uint32(data[at+12:])
		if binary.LittleEndian.Uint64(data[at:]) == uint64(at/size) && flags == leaf && overflow > 0 {
			data[at+size+size/2] ^= 1 // the first page that is nothing but value
			changed++
		}
	}
	return changed
}

// spoilTree leaves only what the file says of itself.
func spoilTree(data []byte) (changed int) { return spoil(data[2*os.Getpagesize():]) }

// spoil leaves nothing.
func spoil(data []byte) (changed int) {
	for i := range data {
		data[i] ^= 0xA5
	}
	return len(data)
}

// damaged kills a collector in the middle of the hour and damages its
// checkpoint. It is not started again, and will send to another sink.
func damaged(t *testing.T, batches []batch, damage func([]byte) int) (to *sender, before, after *sink) {
	t.Helper()
	before, after = newSink(t), newSink(t)
	c := newCollector(t, before.address)
	to = newSender(t, c)
	c.start()
	for _, b := range batches[:len(batches)/2] {
		to.deliver(b)
	}
	c.kill()
	c.rewrite(damage)
	c.configure(after.address, "")
	healthy(t, before)
	return to, before, after
}

// anew runs a collector through the second half of the hour and demands that
// it counts what one counts that never saw the first.
func anew(t *testing.T, batches []batch, to *sender, before, after *sink) {
	t.Helper()
	to.to.start()
	for _, b := range batches[len(batches)/2:] {
		to.deliver(b)
	}
	to.to.stop()
	healthy(t, after)
	equal(t, undisturbed(t, batches[len(batches)/2:]), after, exactly)
	assert.Greater(t, after.oldest(), before.newest(), "the start of a new counter")
}

// TestCheckpointIsDamaged: the collector says so, accounts what comes, and
// nothing goes on under an old start.
func TestCheckpointIsDamaged(t *testing.T) {
	t.Parallel()
	batches := simulate(t, seed(t))
	to, before, after := damaged(t, batches, flipValues)
	anew(t, batches, to, before, after)
	assert.Contains(t, to.to.log.String(), "the checkpoint can't be used: new streams begin at 0")
}

// TestFileIsDamaged: where the storage itself can't read its file, the
// collector doesn't start, and the sender knows. Without the file it does.
func TestFileIsDamaged(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage func([]byte) int
		says   string
	}{
		{"tree", spoilTree, "assertion failed"}, // of bbolt, in a goroutine of its own: nobody can catch it
		{"all", spoil, "invalid database"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			batches := simulate(t, seed(t))
			to, before, after := damaged(t, batches, test.damage)
			to.to.start()
			require.Error(t, to.send(batches[len(batches)/2].metrics))
			<-to.to.life.Done()
			require.Positive(t, to.to.cmd.ProcessState.ExitCode(), "exit status")
			assert.Contains(t, to.to.log.String(), test.says)
			require.NoError(t, os.Remove(to.to.checkpointFile()))
			anew(t, batches, to, before, after)
		})
	}
}

// TestCheckpointIsDamagedInUse: the next one replaces it, and a later kill does
// no harm.
func TestCheckpointIsDamagedInUse(t *testing.T) {
	t.Parallel()
	batches := simulate(t, seed(t))
	s := newSink(t)
	c := newCollector(t, s.address)
	to := newSender(t, c)
	c.start()
	for i, b := range batches {
		to.deliver(b)
		switch i % 100 {
		case 79:
			c.rewrite(flipValues)
		case 99:
			c.kill()
			c.start()
		}
	}
	c.stop()
	healthy(t, s)
	equal(t, undisturbed(t, batches), s, again)
}

// oldest returns the earliest start of all counters.
func (s *sink) oldest() gpu.Time {
	first := gpu.Forever
	for _, c := range s.sums {
		first = min(first, c.lives[0].start)
	}
	return first
}

// TestStorageIsTooSmall: the storage never has room for a checkpoint. The input
// passes, nothing that could be counted twice is published, and the log says
// what to do.
func TestStorageIsTooSmall(t *testing.T) {
	t.Parallel()
	batches := simulate(t, seed(t))
	s := newSink(t)
	c := newCollector(t, s.address)
	to := newSender(t, c)
	c.configure(s.address, "max_size: 32768")
	c.start()
	half := len(batches) / 2
	for _, b := range batches[:half] {
		to.deliver(b)
		require.True(t, s.has(b.number), "batch %d didn't reach the sink", b.number)
	}
	require.Empty(t, s.sums, "published without a checkpoint")
	assert.Contains(t, c.log.String(), "raise max_size of the storage extension")
	c.kill()
	c.configure(s.address, "")
	c.start()
	for _, b := range batches[half:] {
		to.deliver(b)
	}
	c.stop()
	healthy(t, s)
	require.NotEmpty(t, s.sums)
}
