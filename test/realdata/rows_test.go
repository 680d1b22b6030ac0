// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build realdata

package realdata

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// environment returns a variable that a test can't do without.
func environment(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s isn't set; see doc.go, or run: make real-data-check DATA=<folder>", name)
	}
	return value
}

// sample is one row: a value of a container at a time in seconds.
type sample struct {
	container string
	time      *big.Rat
	value     *big.Rat
}

// files are the rows of the recording, in the order of the files.
type files struct{ duty, memory, requests []sample }

func readFiles(t *testing.T, dir string) files {
	t.Helper()
	return files{
		duty:     readRows(t, dir, "gpu_duty_cycle"),
		memory:   readRows(t, dir, "gpu_memory_used_bytes"),
		requests: readRows(t, dir, "qps"),
	}
}

// readRows reads one file. Of requests, only generative ones that name a
// container are evidence.
func readRows(t *testing.T, dir, name string) []sample {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, name+".csv.gz"))
	require.NoError(t, err)
	defer file.Close()
	plain, err := gzip.NewReader(file)
	require.NoError(t, err)
	reader := csv.NewReader(plain)
	header, err := reader.Read()
	require.NoError(t, err)
	var rows []sample
	for {
		fields, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows
		}
		require.NoError(t, err)
		row := make(map[string]string)
		for i, column := range header {
			row[column] = fields[i]
		}
		if kind, ok := row["request_type"]; ok && (kind != "Generative Requests" || row["container_ip"] == "") {
			continue
		}
		rows = append(rows, sample{row["container_ip"], fraction(t, row["timestamp_anon"]), fraction(t, row["value"])})
	}
}

func fraction(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	require.True(t, ok, "%q isn't a number", text)
	return r
}

// cut applies a cut to the rows of every file: seconds since the first
// duty-cycle sample of the whole recording, both ends included.
func (f files) cut(from, to int64) files {
	start := f.duty[0].time
	for _, s := range f.duty {
		if s.time.Cmp(start) < 0 {
			start = s.time
		}
	}
	first := new(big.Rat).Add(start, big.NewRat(from, 1))
	last := new(big.Rat).Add(start, big.NewRat(to, 1))
	keep := func(rows []sample) []sample {
		var kept []sample
		for _, s := range rows {
			if s.time.Cmp(first) >= 0 && s.time.Cmp(last) <= 0 {
				kept = append(kept, s)
			}
		}
		return kept
	}
	return files{keep(f.duty), keep(f.memory), keep(f.requests)}
}
