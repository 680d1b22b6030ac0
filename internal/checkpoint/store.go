// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package checkpoint

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// Keys of the storage.
const (
	headerKey   = "checkpoint/header"
	snapshotKey = "checkpoint/snapshot"
)

func recordKey(place uint64) string { return fmt.Sprintf("checkpoint/journal/%04d", place) }

// minJournal is how long the journal, in bytes, may get in any case. Beyond it,
// it may get as long as the snapshot: so that snapshots cost no more than
// records do.
const minJournal = 1 << 20

// Identity is what a checkpoint must share with the process that resumes it.
type Identity struct {
	// Boot is the boot of the machine. Of an unknown one, "", nothing is
	// resumed: after a loss of power the storage may hold less than what was
	// published.
	Boot string
	// Settings names what the stored values mean: those of other settings
	// can't be continued.
	Settings string
}

// Store is one checkpoint. It isn't safe for concurrent use.
type Store struct {
	client storage.Client
	id     Identity
	format int // that it writes

	stored header // as last written or read
	length int    // of the journal, in bytes
	// intact: the storage holds stored and its records and nothing newer. A
	// write that failed may have happened all the same, so after one only a
	// snapshot, which replaces everything, makes it intact again.
	intact bool
	// journaled is how many records the storage may hold: the next snapshot
	// deletes them.
	journaled uint64
}

// Save replaces everything that is stored by a snapshot, at once.
func (s *Store) Save(ctx context.Context, snapshot []byte) error {
	h := header{
		format: s.format, boot: s.id.Boot, settings: s.id.Settings,
		generation: s.stored.generation + 1, size: uint64(len(snapshot)), sum: sum(snapshot),
	}
	ops := append([]*storage.Operation{
		storage.SetOperation(snapshotKey, snapshot),
		storage.SetOperation(headerKey, h.encode()),
	}, s.forgetJournal()...)
	if err := s.write(ctx, "save", ops...); err != nil {
		return err
	}
	s.stored, s.length, s.journaled = h, 0, 0
	return nil
}

// Append adds a record to the journal. It may be used unless WantsSave.
func (s *Store) Append(ctx context.Context, record []byte) error {
	if !s.intact {
		return &Error{"append", errNoSnapshot}
	}
	h, place := s.stored, s.stored.records
	h.records++
	s.journaled = max(s.journaled, h.records)
	err := s.write(ctx, "append",
		storage.SetOperation(recordKey(place), encodeRecord(h.generation, place, record)),
		storage.SetOperation(headerKey, h.encode()),
	)
	if err != nil {
		return err
	}
	s.stored = h
	s.length += len(record)
	return nil
}

// Delete removes everything that is stored. If it succeeds, nothing can be
// resumed.
func (s *Store) Delete(ctx context.Context) error {
	ops := append([]*storage.Operation{
		storage.DeleteOperation(headerKey), storage.DeleteOperation(snapshotKey),
	}, s.forgetJournal()...)
	err := s.write(ctx, "delete", ops...)
	s.intact = false
	if err == nil {
		s.journaled = 0
	}
	return err
}

// WantsSave reports whether the next write has to be a snapshot: because there
// is none, because a write failed, or because the journal is long.
func (s *Store) WantsSave() bool {
	return !s.intact || s.stored.records >= maxRecords ||
		s.length > max(minJournal, int(s.stored.size))
}

// Close releases the storage.
func (s *Store) Close(ctx context.Context) error {
	if err := s.client.Close(ctx); err != nil {
		return &Error{"close", err}
	}
	return nil
}

func (s *Store) write(ctx context.Context, op string, ops ...*storage.Operation) error {
	s.intact = false
	if err := s.client.Batch(ctx, ops...); err != nil {
		return &Error{op, err}
	}
	s.intact = true
	return nil
}

func (s *Store) forgetJournal() []*storage.Operation {
	ops := make([]*storage.Operation, 0, s.journaled)
	for place := range s.journaled {
		ops = append(ops, storage.DeleteOperation(recordKey(place)))
	}
	return ops
}
