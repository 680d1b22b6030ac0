// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

const tinyDir = "testdata/tiny"

var (
	alpha = Container{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}
	beta  = Container{0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x00}
)

// sec is the time n seconds after the start of the tiny recording.
func sec(n int64) gpu.Time { return gpu.Time((1_700_000_000 + n) * 1e9) }

func tiny(t *testing.T) Recording {
	t.Helper()
	r, err := Read(tinyDir)
	require.NoError(t, err)
	return r
}

func TestRead(t *testing.T) {
	r := tiny(t)
	assert.Equal(t, sec(0), r.Start)
	assert.Len(t, r.Duty, 7)
	assert.Equal(t, Duty{sec(57), alpha, 50}, r.Duty[1])
	assert.Len(t, r.Memory, 5)
	assert.Equal(t, Memory{sec(57), beta, 1<<30 - 1}, r.Memory[1], "cut to whole bytes: not 1 GiB")
	assert.Equal(t, []Requests{{sec(57), alpha, 0.125}, {sec(115), alpha, 0.25}}, r.Requests,
		"generative requests of containers only")
}

func TestReadCompressed(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"gpu_duty_cycle", "gpu_memory_used_bytes", "qps"} {
		plain, err := os.ReadFile(filepath.Join(tinyDir, name+".csv"))
		require.NoError(t, err)
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err = w.Write(plain)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".csv.gz"), packed.Bytes(), 0o600))
	}
	r, err := Read(dir)
	require.NoError(t, err)
	assert.Equal(t, tiny(t), r)
}

func TestReadSortsRows(t *testing.T) {
	r, err := Read(copyTiny(t, "gpu_duty_cycle", "container_ip,extra,value,timestamp_anon\n"+
		"ffeeddccbbaa99887766554433221100,,1,1700000057\n"+
		"ffeeddccbbaa99887766554433221100,,2,1700000000\n"))
	require.NoError(t, err)
	assert.Equal(t, []Duty{{sec(0), beta, 2}, {sec(57), beta, 1}}, r.Duty)
}

// copyTiny returns a folder with the tiny recording, one file replaced.
func copyTiny(t *testing.T, replaced, text string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(tinyDir)))
	require.NoError(t, os.WriteFile(filepath.Join(dir, replaced+".csv"), []byte(text), 0o600))
	return dir
}

func TestReadErrors(t *testing.T) {
	const head = "timestamp_anon,value,container_ip,request_type\n"
	const hash = "ffeeddccbbaa99887766554433221100"
	for name, c := range map[string]struct{ file, text, want string }{
		"time":      {"gpu_duty_cycle", head + "1700000000,1," + hash + ",\nsoon,1," + hash + ",\n", `gpu_duty_cycle.csv, line 3: timestamp_anon is "soon": want seconds`},
		"old":       {"gpu_duty_cycle", head + "1,1," + hash + ",\n", `line 2: timestamp_anon is "1": want Unix seconds of a time from 2000 to 2100`},
		"millis":    {"gpu_duty_cycle", head + "1700000000000,1," + hash + ",\n", `timestamp_anon is "1700000000000": want`},
		"percent":   {"gpu_duty_cycle", head + "1700000000,101," + hash + ",\n", `line 2: value is "101": want a number from 0 to 100`},
		"NaN":       {"gpu_duty_cycle", head + "1700000000,NaN," + hash + ",\n", `value is "NaN"`},
		"container": {"gpu_memory_used_bytes", head + "1700000000,1,10.0.0.1,\n", `gpu_memory_used_bytes.csv, line 2: container_ip is "10.0.0.1": want a container hash`},
		"bytes":     {"gpu_memory_used_bytes", head + "1700000000,-1," + hash + ",\n", `value is "-1"`},
		"rate":      {"qps", head + "1700000000,many," + hash + ",Generative Requests\n", `qps.csv, line 2: value is "many"`},
		"columns":   {"qps", "timestamp_anon,value\n1700000000,1\n", "qps.csv has no column request_type, only timestamp_anon, value"},
		"ragged":    {"qps", head + "1700000000,1\n", "qps.csv: record on line 2: wrong number of fields"},
		"quote":     {"qps", head + "\"1700000000,1\n", "qps.csv: "},
		"header":    {"qps", "", "qps.csv is empty"},
		"no rows":   {"gpu_duty_cycle", head, "no rows"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(copyTiny(t, c.file, c.text))
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestReadMissingFile(t *testing.T) {
	dir := copyTiny(t, "unused", "")
	require.NoError(t, os.Remove(filepath.Join(dir, "qps.csv")))
	_, err := Read(dir)
	require.ErrorContains(t, err, "has no qps.csv or qps.csv.gz")
	require.ErrorContains(t, err, "github.com/alibaba/clusterdata, folder cluster-trace-v2026-GenAI")

	require.NoError(t, os.WriteFile(filepath.Join(dir, "qps.csv.gz"), []byte("plain text under a wrong name"), 0o600))
	_, err = Read(dir)
	assert.ErrorContains(t, err, "qps.csv.gz: gzip: invalid header")
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"gpu_duty_cycle", "gpu_memory_used_bytes", "qps"} {
		text, err := os.ReadFile(filepath.Join(tinyDir, name+".csv"))
		require.NoError(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var r Recording
		// What one file has wrong is no reason not to read the others.
		for _, add := range []func(*row){r.addDuty, r.addMemory, r.addRequests} {
			_ = scan("fuzz.csv", bytes.NewReader(text), add)
		}
		if len(r.Duty) == 0 {
			return
		}
		r.finish()
		samples := 0
		for _, tick := range r.Ticks() {
			samples += len(tick.Batch.Samples)
			assert.Len(t, tick.Batch.Allocations, tick.Batch.AllocationCounts[0].Count)
		}
		assert.Equal(t, len(r.Duty), samples)
	})
}
