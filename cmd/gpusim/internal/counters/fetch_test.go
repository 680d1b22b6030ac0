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
	export, err := Fetch(t.Context(), server.URL+"/tiny.prom")
	require.NoError(t, err)
	assert.Len(t, export.Accounts, 4)

	_, err = Fetch(t.Context(), server.URL+"/metrics")
	assert.ErrorContains(t, err, "/metrics answers 404 Not Found; --counters says where they are")
}

func TestFetchUnreachable(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := Fetch(t.Context(), server.URL)
	require.ErrorContains(t, err, "can't read the collector's counters")
	require.ErrorContains(t, err, server.Listener.Addr().String())
	require.ErrorContains(t, err, "--counters")

	_, err = Fetch(t.Context(), "://")
	assert.ErrorContains(t, err, "--counters: ")
}
