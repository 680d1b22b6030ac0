// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package script

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func run(t *testing.T, ctx context.Context, script ...string) (said []string, err error) { //nolint:revive // t is first in tests
	t.Helper()
	var out bytes.Buffer
	err = Run(ctx, Log{Out: &out}, script)
	for d := json.NewDecoder(&out); d.More(); {
		var e Entry
		require.NoError(t, d.Decode(&e))
		require.False(t, e.At.IsZero())
		said = append(said, e.Step+e.Detail)
	}
	return said, err
}

func TestSteps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a", "ready")
	said, err := run(t, t.Context(), "load=10ms", "ready="+file, "exit=3", "sleep=1h")
	require.ErrorIs(t, err, Exit(3))
	require.Len(t, said, 13)
	require.Equal(t, []string{"load=10ms", "loaded10", "loaded20"}, said[:3])
	require.Equal(t, []string{"loaded100", "ready=" + file, "exit=3"}, said[10:])
	require.FileExists(t, file)
}

func TestUnknownStepFailsBeforeTheFirst(t *testing.T) {
	said, err := run(t, t.Context(), "sleep=1h", "slep=1s")
	require.ErrorContains(t, err, "slep=1s")
	require.Empty(t, said)
}

func TestASignalEndsEveryStep(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, step := range []string{"sleep=1h", "load=1h", "wait"} {
		_, err := run(t, ended, step)
		require.ErrorIs(t, err, context.Canceled, step)
	}
}
