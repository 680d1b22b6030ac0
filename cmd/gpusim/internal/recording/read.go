// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// generative is the request type whose rows belong to containers; the rows of
// the other ("API Requests") name none.
const generative = "Generative Requests"

// maxPerSecond bounds a request rate: a sum of rates stays exact enough to
// rise with every row.
const maxPerSecond = 1e6

// Read reads the files of the recording in dir, each as .csv or .csv.gz.
func Read(dir string) (Recording, error) {
	var r Recording
	for _, file := range []struct {
		name string
		each func(*row)
	}{
		{"gpu_duty_cycle", r.addDuty},
		{"gpu_memory_used_bytes", r.addMemory},
		{"qps", r.addRequests},
	} {
		if err := readFile(dir, file.name, file.each); err != nil {
			return Recording{}, err
		}
	}
	if len(r.Duty) == 0 {
		return Recording{}, fmt.Errorf("gpu_duty_cycle in %s has no rows", dir)
	}
	r.finish()
	return r, nil
}

func (r *Recording) finish() {
	r.sort()
	r.Start = r.Duty[0].Time
	containers := make([]Container, 0, len(r.Duty))
	for _, d := range r.Duty {
		containers = append(containers, d.Container)
	}
	r.pods = podNames(containers)
}

func (r *Recording) addDuty(row *row) {
	r.Duty = append(r.Duty, Duty{
		Time:      field(row, "timestamp_anon", parseTime),
		Container: field(row, "container_ip", parseContainer),
		Percent:   field(row, "value", func(s string) (float64, error) { return parseNumber(s, 100) }),
	})
}

func (r *Recording) addMemory(row *row) {
	r.Memory = append(r.Memory, Memory{
		Time:      field(row, "timestamp_anon", parseTime),
		Container: field(row, "container_ip", parseContainer),
		Bytes: field(row, "value", func(s string) (uint64, error) {
			v, err := parseNumber(s, math.MaxInt64)
			return uint64(v), err
		}),
	})
}

func (r *Recording) addRequests(row *row) {
	text := func(s string) (string, error) { return s, nil }
	kind, container := field(row, "request_type", text), field(row, "container_ip", text)
	if row.err != nil || kind != generative || container == "" {
		return
	}
	r.Requests = append(r.Requests, Requests{
		Time:      field(row, "timestamp_anon", parseTime),
		Container: field(row, "container_ip", parseContainer),
		PerSecond: field(row, "value", func(s string) (float64, error) { return parseNumber(s, maxPerSecond) }),
	})
}

func readFile(dir, name string, each func(*row)) error {
	in, err := open(dir, name)
	if err != nil {
		return err
	}
	defer in.Close()
	var plain io.Reader = in
	if strings.HasSuffix(in.Name(), ".gz") {
		if plain, err = gzip.NewReader(in); err != nil {
			return fmt.Errorf("%s: %w", in.Name(), err)
		}
	}
	return scan(filepath.Base(in.Name()), plain, each)
}

func open(dir, name string) (*os.File, error) {
	for _, ending := range []string{".csv", ".csv.gz"} {
		in, err := os.Open(filepath.Join(dir, name+ending))
		if err == nil {
			return in, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s has no %s.csv or %s.csv.gz: the recording is GenTD26, in github.com/alibaba/clusterdata, folder cluster-trace-v2026-GenAI",
		dir, name, name)
}
