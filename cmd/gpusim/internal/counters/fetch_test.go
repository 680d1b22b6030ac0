// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package counters

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFetch(t *testing.T) {
	server := httptest.NewServer(http.FileServer(http.Dir("testdata")))
	defer server.Close()
	accounts, err := Fetch(t.Context(), server.URL+"/tiny.prom", "gentd26")
	require.NoError(t, err)
	assert.Len(t, accounts, 3)

	_, err = Fetch(t.Context(), server.URL+"/tiny.prom", "node-8")
	require.ErrorIs(t, err, ErrNone)
	require.ErrorContains(t, err, server.URL)

	_, err = Fetch(t.Context(), server.URL+"/metrics", "gentd26")
	assert.ErrorContains(t, err, "/metrics answers 404 Not Found; --counters says where they are")
}

func TestFetchUnreachable(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := Fetch(t.Context(), server.URL, "gentd26")
	require.ErrorContains(t, err, "can't read the collector's counters")
	require.ErrorContains(t, err, server.Listener.Addr().String())
	require.ErrorContains(t, err, "--counters")

	_, err = Fetch(t.Context(), "://", "gentd26")
	assert.ErrorContains(t, err, "--counters: ")
}
