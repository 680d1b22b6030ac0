// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOwns(t *testing.T) {
	for _, ours := range []string{"gpu.activity", "gpu.allocation", "gpu.time", "gpu.ledger.error", "gpu.process.activity", "gpu.mig.instances"} {
		require.True(t, Owns(ours), ours)
	}
	require.False(t, Owns("vllm:generation_tokens_total"))
	require.False(t, Owns(""))
}
