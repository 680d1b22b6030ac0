// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build realdata

package realdata

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tolerance is half a millisecond, in seconds: what the page prints is equal.
var tolerance = big.NewRat(1, 2000)

// TestCollector replays the recording, whole and cut at random, through the
// real collector and compares all that it counted with the calculation.
func TestCollector(t *testing.T) {
	whole := readFiles(t, environment(t, "GENTD26"))
	length := minus(last(whole.duty), whole.duty[0].time).Num().Int64()
	seed := cutSeed(t)
	t.Logf("cuts of seed %d; REALDATA_SEED=%d repeats them", seed, seed)
	random := rand.New(rand.NewPCG(seed, 0))
	cuts := [][2]int64{{0, length}}
	for range 3 {
		from := random.Int64N(length - 600)
		cuts = append(cuts, [2]int64{from, from + 600 + random.Int64N(length-600-from+1)})
	}
	for _, cut := range cuts {
		t.Run(fmt.Sprintf("%d-%d", cut[0], cut[1]), func(t *testing.T) {
			rows := whole.cut(cut[0], cut[1])
			compare(t, rows, calculate(rows), replay(t, cut[0], cut[1]))
		})
	}
}

func cutSeed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("REALDATA_SEED")
	if text == "" {
		return uint64(time.Now().UnixNano())
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return seed
}

// counted is what gpusim --json writes, in nanoseconds.
type counted struct {
	Totals  map[string]int64 `json:"totals"`
	Holders []struct {
		Pod    string           `json:"pod"`
		PodUID string           `json:"pod_uid"`
		Device string           `json:"device"`
		Time   map[string]int64 `json:"time"`
	} `json:"holders"`
}

// replay runs one cut through a collector of its own.
func replay(t *testing.T, from, to int64) counted {
	t.Helper()
	file := filepath.Join(t.TempDir(), "counted.json")
	command := exec.CommandContext(t.Context(), "../../examples/recording/run",
		environment(t, "OTELCOL_GPU"), environment(t, "GPUSIM"), "gentd26",
		"--data", environment(t, "GENTD26"),
		"--from", strconv.FormatInt(from, 10), "--to", strconv.FormatInt(to, 10),
		"--per-container", "--json", file)
	command.Env = append(os.Environ(), "OTLP_ENDPOINT="+freeAddress(t), "PROMETHEUS_ENDPOINT="+freeAddress(t))
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var c counted
	require.NoError(t, json.Unmarshal(text, &c))
	return c
}

// freeAddress returns a loopback address that nobody listens on, so that the
// test doesn't meet another collector on this machine.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

func compare(t *testing.T, f files, want map[string]account, got counted) {
	t.Helper()
	var worst comparison
	worst.figures(t, "total", total(f, want), got.Totals)
	seen := make(map[string]bool)
	for _, holder := range got.Holders {
		name := strings.ReplaceAll(holder.PodUID, "-", "")
		assert.Equal(t, "container-"+name[:12], holder.Pod)
		assert.Equal(t, "GPU-"+holder.PodUID, holder.Device)
		assert.False(t, seen[name], "%s is there twice", name)
		seen[name] = true
		if assert.Contains(t, want, name, "a holder that isn't in the recording") {
			worst.figures(t, name, want[name], holder.Time)
		}
	}
	for name, a := range want {
		if a["allocated"].Sign() > 0 {
			assert.True(t, seen[name], "%s wasn't counted", name)
		}
	}
	t.Logf("%d containers, %d figures; largest difference %s s (%s)",
		len(seen), worst.count, worst.difference().FloatString(9), worst.name)
}

// comparison keeps the largest difference.
type comparison struct {
	count int
	worst *big.Rat
	name  string
}

func (c *comparison) difference() *big.Rat {
	if c.worst == nil {
		return new(big.Rat)
	}
	return c.worst
}

// figures compares every figure of one container or of all. What gpusim
// counts beyond the calculation must be 0.
func (c *comparison) figures(t *testing.T, name string, want account, got map[string]int64) {
	t.Helper()
	for key := range want {
		assert.Contains(t, got, key+"_ns", name)
	}
	for key, nanos := range got {
		expected := new(big.Rat)
		if w := want[strings.TrimSuffix(key, "_ns")]; w != nil {
			expected = w
		}
		off := minus(big.NewRat(nanos, 1_000_000_000), expected)
		off.Abs(off)
		c.count++
		if off.Cmp(c.difference()) > 0 {
			c.worst, c.name = off, name+" "+key
		}
		assert.Negative(t, off.Cmp(tolerance), "%s %s: counted %d ns, calculated %s s", name, key, nanos, expected.FloatString(9))
	}
}
