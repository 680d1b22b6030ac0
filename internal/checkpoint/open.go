// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package checkpoint

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// Content is what is stored: a snapshot, and the records that follow it, the
// oldest first.
type Content struct {
	Snapshot []byte
	Records  [][]byte
}

// Open opens the checkpoint that client keeps, and has load take its content if
// it can be resumed. The error says why it can't, never that the component
// can't start: what is stored is then left as it is until the first Save.
func Open(
	ctx context.Context, client storage.Client, id Identity, load func(Content) error,
) (*Store, Outcome, error) {
	return open(ctx, client, id, load, currentFormat)
}

func open(
	ctx context.Context, client storage.Client, id Identity, load func(Content) error, format int,
) (*Store, Outcome, error) {
	s := &Store{client: client, id: id, format: format}
	outcome, err := s.open(ctx, load)
	if err != nil {
		err = fmt.Errorf("checkpoint: %w", err)
	}
	return s, outcome, err
}

func (s *Store) open(ctx context.Context, load func(Content) error) (Outcome, error) {
	head, snapshot := storage.GetOperation(headerKey), storage.GetOperation(snapshotKey)
	s.journaled = maxRecords // until a header says how many
	if err := s.client.Batch(ctx, head, snapshot); err != nil {
		return Unreadable, &Error{"read", err}
	}
	if head.Value == nil && snapshot.Value == nil {
		s.journaled = 0
		return Fresh, nil
	}
	h, err := decodeHeader(head.Value, s.format)
	if err != nil {
		return outcomeOf(err), err
	}
	s.stored, s.journaled = h, h.records
	switch {
	case s.id.Boot == "":
		return OtherBoot, errors.New("this system doesn't tell its boot")
	case h.boot != s.id.Boot:
		return OtherBoot, fmt.Errorf("of boot %s, this is %s", h.boot, s.id.Boot)
	case h.settings != s.id.Settings:
		return OtherSettings, fmt.Errorf("made with %s, now %s", h.settings, s.id.Settings)
	}
	content, err := s.read(ctx, snapshot.Value)
	if err == nil {
		err = load(content)
	}
	if err != nil {
		return outcomeOf(err), err
	}
	s.intact = h.format == s.format // a record of this format may not follow a snapshot of an older one
	return Resumed, nil
}

// read returns the content that the header describes.
func (s *Store) read(ctx context.Context, snapshot []byte) (Content, error) {
	h := s.stored
	if uint64(len(snapshot)) != h.size || sum(snapshot) != h.sum {
		return Content{}, fmt.Errorf("%w: the snapshot (%d bytes of %d)", errCorrupt, len(snapshot), h.size)
	}
	ops := make([]*storage.Operation, h.records)
	for place := range ops {
		ops[place] = storage.GetOperation(recordKey(uint64(place)))
	}
	if len(ops) > 0 {
		if err := s.client.Batch(ctx, ops...); err != nil {
			return Content{}, &Error{"read", err}
		}
	}
	content := Content{Snapshot: snapshot}
	for place, op := range ops {
		record, err := decodeRecord(op.Value, h.generation, uint64(place))
		if err != nil {
			return Content{}, err
		}
		content.Records = append(content.Records, record)
		s.length += len(record)
	}
	return content, nil
}

func outcomeOf(err error) Outcome {
	var failed *Error
	switch {
	case errors.As(err, &failed):
		return Unreadable
	case errors.Is(err, ErrNewerFormat):
		return NewerFormat
	default:
		return Corrupt
	}
}
