// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package exporter

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// numberMetric tells which scrape it is, from 0: one that takes too long is
// served, but counts for nothing.
const numberMetric = "test_scrape_number"

// target serves the scrapes of a file, one after the other, over and over.
type target struct {
	address string
	texts   []string

	mu     sync.Mutex // guards what follows
	served int
}

func serve(t *testing.T, name string) *target {
	t.Helper()
	text, err := os.ReadFile("../../internal/gpupdata/testdata/exporter/" + name + ".txt")
	require.NoError(t, err)
	target := &target{texts: strings.Split(string(text), "# scrape\n")[1:]}
	server := httptest.NewServer(target)
	t.Cleanup(server.Close)
	target.address = strings.TrimPrefix(server.URL, "http://")
	return target
}

// ServeHTTP serves the next scrape.
func (s *target) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	text := fmt.Sprintf("%s# TYPE %s gauge\n%s %d\n", s.texts[s.served%len(s.texts)], numberMetric, numberMetric, s.served)
	s.served++
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	_, _ = io.WriteString(w, text) // the test counts the scrapes that succeeded
}

// count returns how many scrapes were served.
func (s *target) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.served
}
