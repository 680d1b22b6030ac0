// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/otelcol-gpu/otelcol-gpu/internal/checkpoint/checkpointtest"
)

// TestOutcomes: whatever isn't exactly what this process may go on with isn't
// loaded, says why, and is replaced by the next snapshot.
func TestOutcomes(t *testing.T) {
	failRead := func(disk *checkpointtest.Storage, key string) {
		disk.Before(func(ops []*storage.Operation) error {
			if ops[0].Type == storage.Get && strings.Contains(ops[0].Key, key) {
				return errDisk
			}
			return nil
		})
	}
	tests := map[string]struct {
		prepare func(*checkpointtest.Storage)
		id      Identity
		format  int
		want    Outcome
		says    string
	}{
		"nothing": {
			prepare: func(d *checkpointtest.Storage) { d.Tamper(func(data map[string][]byte) { clear(data) }) },
			want:    Fresh,
		},
		"another boot": {
			id: Identity{Boot: "boot-2", Settings: "pods"}, want: OtherBoot, says: "of boot boot-1, this is boot-2",
		},
		"no boot id": {id: Identity{Settings: "pods"}, want: OtherBoot, says: "doesn't tell its boot"},
		"other settings": {
			id: Identity{Boot: "boot-1", Settings: "workloads"}, want: OtherSettings, says: "made with pods, now workloads",
		},
		"header lost": {
			prepare: func(d *checkpointtest.Storage) { d.Tamper(func(data map[string][]byte) { delete(data, headerKey) }) },
			want:    Corrupt, says: "the header (0 bytes)",
		},
		"record lost": {
			prepare: func(d *checkpointtest.Storage) { d.Tamper(func(data map[string][]byte) { delete(data, recordKey(1)) }) },
			want:    Corrupt, says: "record 1",
		},
		"records swapped": {
			prepare: func(d *checkpointtest.Storage) {
				d.Tamper(func(data map[string][]byte) {
					data[recordKey(0)], data[recordKey(1)] = data[recordKey(1)], data[recordKey(0)]
				})
			},
			want: Corrupt, says: "record 0",
		},
		"record of another snapshot": {
			prepare: func(d *checkpointtest.Storage) {
				d.Tamper(func(data map[string][]byte) { data[recordKey(1)] = encodeRecord(1, 1, []byte("record 1")) })
			},
			want: Corrupt, says: "record 1",
		},
		"header of another snapshot": {
			prepare: func(d *checkpointtest.Storage) {
				d.Tamper(func(data map[string][]byte) { data[snapshotKey] = []byte("SNAPSHOT") })
			},
			want: Corrupt, says: "the snapshot (8 bytes of 8)",
		},
		"newer format":      {format: currentFormat - 1, want: NewerFormat, says: "format 1, this version reads up to 0"},
		"format before":     {format: currentFormat + 1, want: Resumed},
		"format long ago":   {format: currentFormat + 2, want: Corrupt, says: "format 1"},
		"header unreadable": {prepare: func(d *checkpointtest.Storage) { failRead(d, "header") }, want: Unreadable, says: "read: input/output error"},
		"journal unreadable": {
			prepare: func(d *checkpointtest.Storage) { failRead(d, "journal") }, want: Unreadable, says: "read: input/output error",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			disk, id, format := written(t), thisBoot, currentFormat
			if tt.prepare != nil {
				tt.prepare(disk)
			}
			if tt.id != (Identity{}) {
				id = tt.id
			}
			if tt.format != 0 || name == "newer format" {
				format = tt.format
			}
			o := reopen(t, disk, id, format)
			require.Equal(t, tt.want, o.outcome)
			if tt.says != "" {
				require.ErrorContains(t, o.err, tt.says)
			} else {
				require.NoError(t, o.err)
			}
			if tt.want == Resumed {
				require.Equal(t, writtenContent, o.content)
			} else {
				require.Zero(t, o.content, "not loaded")
			}
			require.True(t, o.store.WantsSave(), "what is there isn't to be gone on with as it is")
			disk.Before(nil)
			require.NoError(t, o.store.Save(t.Context(), []byte("new")))
			require.Len(t, disk.Stored(), 2, "the old journal isn't left behind")
			if id.Boot == "" || format == 0 {
				return
			}
			again := reopen(t, disk, id, format)
			require.Equal(t, Resumed, again.outcome)
			require.Equal(t, Content{Snapshot: []byte("new")}, again.content)
		})
	}
}

// TestEveryDamageIsFound flips every byte and cuts off every length.
func TestEveryDamageIsFound(t *testing.T) {
	intact := written(t).Stored()
	for key, value := range intact {
		damaged := [][]byte{}
		for i := range value {
			flipped := append([]byte{}, value...)
			flipped[i] ^= 0x10
			damaged = append(damaged, flipped, value[:i])
		}
		damaged = append(damaged, append(append([]byte{}, value...), 0))
		for _, d := range damaged {
			disk := written(t)
			disk.Tamper(func(data map[string][]byte) { data[key] = d })
			o := reopen(t, disk, thisBoot, currentFormat)
			require.Equal(t, Corrupt, o.outcome, "%s: %q", key, d)
			require.Error(t, o.err)
			require.Zero(t, o.content)
		}
	}
}

// TestLoaderRefuses: what the payload's owner can't read is no checkpoint.
func TestLoaderRefuses(t *testing.T) {
	for want, refusal := range map[Outcome]error{
		Corrupt: errors.New("not a ledger"), NewerFormat: fmt.Errorf("a ledger: %w", ErrNewerFormat),
	} {
		disk := written(t)
		disk.Kill()
		client, err := disk.GetClient(t.Context(), component.KindProcessor, component.MustNewID("gpu_accounting"), "")
		require.NoError(t, err)
		s, outcome, err := Open(t.Context(), client, thisBoot, func(Content) error { return refusal })
		require.Equal(t, want, outcome)
		require.ErrorIs(t, err, refusal)
		require.True(t, s.WantsSave())
	}
}

// TestFormat1 reads what the first version stored.
func TestFormat1(t *testing.T) {
	disk := checkpointtest.New()
	reopen(t, disk, thisBoot, currentFormat)
	for _, key := range []string{headerKey, snapshotKey, recordKey(0), recordKey(1), recordKey(2)} {
		value, err := os.ReadFile(filepath.Join("testdata", "format-1", filepath.FromSlash(key)))
		require.NoError(t, err)
		disk.Tamper(func(data map[string][]byte) { data[key] = value })
	}
	o := reopen(t, disk, thisBoot, currentFormat)
	require.NoError(t, o.err)
	require.Equal(t, Resumed, o.outcome)
	require.Equal(t, writtenContent, o.content)
}

func FuzzOpen(f *testing.F) {
	good := map[string][]byte{}
	h := header{format: currentFormat, boot: "boot-1", settings: "pods", generation: 1, size: 1, sum: sum([]byte("s"))}
	good[headerKey], good[snapshotKey], good[recordKey(0)] = h.encode(), []byte("s"), encodeRecord(1, 0, []byte("r"))
	f.Add(good[headerKey], good[snapshotKey], good[recordKey(0)])
	h.records = 1
	f.Add(h.encode(), good[snapshotKey], good[recordKey(0)])
	f.Add([]byte{}, []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, head, snapshot, record []byte) {
		disk := checkpointtest.New()
		reopen(t, disk, thisBoot, currentFormat)
		disk.Tamper(func(data map[string][]byte) {
			// A right checksum, so that what is behind it is read.
			data[headerKey], data[snapshotKey], data[recordKey(0)] = appendSum(head), snapshot, appendSum(record)
		})
		o := reopen(t, disk, thisBoot, currentFormat)
		require.NoError(t, o.store.Save(t.Context(), []byte("new")))
		again := reopen(t, disk, thisBoot, currentFormat)
		require.Equal(t, Resumed, again.outcome)
		require.Equal(t, Content{Snapshot: []byte("new")}, again.content)
	})
}
