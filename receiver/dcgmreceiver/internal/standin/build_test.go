// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"strings"
	"testing"
)

func TestBuildSaysThatThereIsNoCompiler(t *testing.T) {
	t.Setenv("CC", "no-such-compiler")
	_, err := Build(t.Context(), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), `no C compiler "no-such-compiler": install one`) {
		t.Errorf("got %v", err)
	}
}
