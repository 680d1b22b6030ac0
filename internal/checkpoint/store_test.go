// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/checkpoint/checkpointtest"
)

var (
	thisBoot = Identity{Boot: "boot-1", Settings: "pods"}
	errDisk  = errors.New("input/output error")
)

// opened is what an Open came to.
type opened struct {
	store   *Store
	outcome Outcome
	err     error
	content Content // what was loaded
}

// reopen kills the process and opens the checkpoint as the next one does.
func reopen(t require.TestingT, disk *checkpointtest.Storage, id Identity, format int) (o opened) {
	disk.Kill()
	client, err := disk.GetClient(context.Background(), component.KindProcessor, component.MustNewID("gpu_accounting"), "")
	require.NoError(t, err)
	load := func(c Content) error { o.content = c; return nil }
	o.store, o.outcome, o.err = open(context.Background(), client, id, load, format)
	return o
}

// written returns a storage with a snapshot and three records.
func written(t *testing.T) *checkpointtest.Storage {
	t.Helper()
	disk := checkpointtest.New()
	s := reopen(t, disk, thisBoot, currentFormat).store
	require.NoError(t, s.Save(t.Context(), []byte("old")))
	require.NoError(t, s.Append(t.Context(), []byte("gone")))
	require.NoError(t, s.Save(t.Context(), []byte("snapshot")))
	for i := range 3 {
		require.NoError(t, s.Append(t.Context(), fmt.Appendf(nil, "record %d", i)))
	}
	return disk
}

var writtenContent = Content{
	Snapshot: []byte("snapshot"),
	Records:  [][]byte{[]byte("record 0"), []byte("record 1"), []byte("record 2")},
}

func TestResumes(t *testing.T) {
	disk := written(t)
	for range 2 { // opening changes nothing
		o := reopen(t, disk, thisBoot, currentFormat)
		require.NoError(t, o.err)
		require.Equal(t, Resumed, o.outcome)
		require.Equal(t, writtenContent, o.content)
		require.False(t, o.store.WantsSave())
	}
	o := reopen(t, disk, thisBoot, currentFormat)
	require.NoError(t, o.store.Append(t.Context(), []byte("record 3")))
	require.Equal(t, "record 3", string(reopen(t, disk, thisBoot, currentFormat).content.Records[3]))
}

func TestSaveLeavesNoJournal(t *testing.T) {
	disk := written(t)
	o := reopen(t, disk, thisBoot, currentFormat)
	require.NoError(t, o.store.Save(t.Context(), []byte("new")))
	require.Len(t, disk.Stored(), 2)
	require.Equal(t, Content{Snapshot: []byte("new")}, reopen(t, disk, thisBoot, currentFormat).content)
	require.NoError(t, o.store.client.Close(t.Context()))
}

func TestDeleteLeavesNothing(t *testing.T) {
	disk := written(t)
	o := reopen(t, disk, thisBoot, currentFormat)
	require.NoError(t, o.store.Delete(t.Context()))
	require.Empty(t, disk.Stored())
	require.True(t, o.store.WantsSave())
	require.ErrorIs(t, o.store.Append(t.Context(), nil), errNoSnapshot)
	require.Equal(t, Fresh, reopen(t, disk, thisBoot, currentFormat).outcome)
}

func TestFullStorageSaysSo(t *testing.T) {
	for _, cause := range []error{storage.ErrStorageFull, syscall.ENOSPC} {
		disk := written(t)
		o := reopen(t, disk, thisBoot, currentFormat)
		disk.Before(func([]*storage.Operation) error { return fmt.Errorf("write: %w", cause) })
		err := o.store.Append(t.Context(), nil)
		var failed *Error
		require.ErrorAs(t, err, &failed)
		require.True(t, failed.Full())
		require.ErrorIs(t, err, cause)
		require.ErrorContains(t, err, "append: write: ")
		require.ErrorContains(t, err, "free space")
	}
}

func TestJournalIsBounded(t *testing.T) {
	disk := checkpointtest.New()
	s := reopen(t, disk, thisBoot, currentFormat).store
	require.NoError(t, s.Save(t.Context(), make([]byte, 3<<20)))
	for range 3 {
		require.False(t, s.WantsSave())
		require.NoError(t, s.Append(t.Context(), make([]byte, 1<<20)))
	}
	require.NoError(t, s.Append(t.Context(), []byte{1}))
	require.True(t, s.WantsSave(), "it is longer than the snapshot")

	require.NoError(t, s.Save(t.Context(), nil))
	for range maxRecords {
		require.False(t, s.WantsSave())
		require.NoError(t, s.Append(t.Context(), nil))
	}
	require.True(t, s.WantsSave(), "it has too many records")
	require.Len(t, reopen(t, disk, thisBoot, currentFormat).content.Records, maxRecords)
}

// TestKilledAnywhere: writes fail before or after they happened, the process is
// killed at any time. What the next one finds is what the last write left that
// succeeded, or what one after it left that failed: nothing older, nothing
// mixed.
func TestKilledAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		disk := checkpointtest.New()
		o := reopen(t, disk, thisBoot, currentFormat)
		may := []string{""} // what may be found, the last one being in force
		state := ""
		for i := range rapid.IntRange(1, 30).Draw(t, "steps") {
			failure := rapid.SampledFrom([]string{"", "", "before", "after"}).Draw(t, "failure")
			disk.Before(failOn(failure == "before"))
			disk.After(failOn(failure == "after"))
			next, err := step(t, o.store, state, i)
			disk.Before(nil)
			disk.After(nil)
			if err == nil {
				require.Empty(t, failure)
				may = nil
			}
			may, state = append(may, next), next
			if rapid.IntRange(0, 3).Draw(t, "kill") == 0 {
				o = reopen(t, disk, thisBoot, currentFormat)
				require.NoError(t, o.err)
				state = describe(o.content)
				require.Contains(t, may, state)
				may = []string{state}
			}
		}
	})
}

// step writes something and returns what is stored if it succeeds.
func step(t *rapid.T, s *Store, state string, i int) (string, error) {
	data := strconv.Itoa(i)
	if !s.WantsSave() && rapid.Bool().Draw(t, "append") {
		return state + "+" + data, s.Append(context.Background(), []byte(data))
	}
	if rapid.IntRange(0, 4).Draw(t, "delete") == 0 {
		return "", s.Delete(context.Background())
	}
	return data, s.Save(context.Background(), []byte(data))
}

func failOn(yes bool) func([]*storage.Operation) error {
	return func([]*storage.Operation) error {
		if yes {
			return errDisk
		}
		return nil
	}
}

func describe(c Content) string {
	return string(bytes.Join(append([][]byte{c.Snapshot}, c.Records...), []byte("+")))
}
