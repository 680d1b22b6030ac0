// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDockerfile: the architecture is the builder's, and each file that is
// copied, for both of them, is in the context.
func TestDockerfile(t *testing.T) {
	context := linesOf(t, "../../.dockerignore")
	for _, line := range linesOf(t, "../../distribution/Dockerfile") {
		assert.NotContains(t, line, "ARG TARGETARCH=", "a default wins over the architecture that is asked for")
		words := strings.Fields(line)
		if len(words) < 4 || words[0] != "COPY" {
			continue
		}
		for _, source := range words[2 : len(words)-1] {
			for _, arch := range []string{"amd64", "arm64"} {
				assert.Contains(t, context, "!"+strings.ReplaceAll(source, "${TARGETARCH}", arch))
			}
		}
	}
}

func linesOf(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return strings.Split(string(text), "\n")
}
