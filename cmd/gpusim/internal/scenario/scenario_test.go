// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEmbedded(t *testing.T) {
	for _, name := range Names() {
		s, err := Load(name)
		require.NoError(t, err)
		w := s.World()
		require.Len(t, w.Nodes, s.Nodes())
	}
}
