// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWordsParseBack(t *testing.T) {
	for s := range states {
		got, ok := ParseState(s.String())
		require.True(t, ok && got == s, s)
		require.NotEmpty(t, s.Title())
	}
	for r := range reasons {
		got, ok := ParseReason(r.String())
		require.True(t, ok && got == r, r)
	}
	for c := range classes {
		got, ok := ParseClass(c.String())
		require.True(t, ok && got == c, c)
	}
	for k := range outputKinds {
		got, ok := ParseOutputKind(k.String())
		require.True(t, ok && got == k, k)
	}
	for _, e := range Engines() {
		got, ok := ParseEngine(e.String())
		require.True(t, ok && got == e, e)
	}
	_, ok := ParseState("busy")
	require.False(t, ok)
}

// TestEveryReasonHasOneState: a reason tells its state.
func TestEveryReasonHasOneState(t *testing.T) {
	of := map[Reason]State{}
	for s := range states {
		for _, r := range s.Reasons() {
			require.NotContains(t, of, r)
			of[r] = s
		}
	}
	require.Len(t, of, int(reasons)-1, "all but NoReason")
}

func TestHolderKey(t *testing.T) {
	require.Equal(t, "uid", Holder{PodUID: "uid", Namespace: "ns", Pod: "pod"}.Key())
	require.Equal(t, "ns/pod", Holder{Namespace: "ns", Pod: "pod"}.Key())
	require.Empty(t, Holder{Namespace: "ns"}.Key())
}

func TestImageParts(t *testing.T) {
	for reference, want := range map[string][3]string{
		"":                          {},
		"vllm":                      {"vllm", "", ""},
		"vllm/vllm-openai:v1":       {"vllm/vllm-openai", "v1", ""},
		"localhost:5000/a":          {"localhost:5000/a", "", ""},
		"localhost:5000/a:1":        {"localhost:5000/a", "1", ""},
		"r.example/a:1@sha256:0f":   {"r.example/a", "1", "r.example/a@sha256:0f"},
		"r.example:443/a@sha256:0f": {"r.example:443/a", "", "r.example:443/a@sha256:0f"},
		"r.example/a@":              {"r.example/a", "", ""},
	} {
		repository, tag, digest := Image{Reference: reference}.Parts()
		if got := [3]string{repository, tag, digest}; got != want {
			t.Errorf("%q: %q, want %q", reference, got, want)
		}
	}
}
