// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build dcgm && linux

package hour

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var residentLine = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB$`)

// resident returns the memory of a process, in kB.
func resident(t *testing.T, pid int) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	m := residentLine.FindSubmatch(status)
	require.NotNil(t, m, "no VmRSS in %s", status)
	kB, err := strconv.ParseInt(string(m[1]), 10, 64)
	require.NoError(t, err)
	return kB
}

// window returns the median of a part of the time: a garbage collector lets the
// memory swing.
func window(rss []int64, from, to float64) int64 {
	part := func(p float64) int { return int(p * float64(len(rss))) }
	sorted := slices.Sorted(slices.Values(rss[part(from):part(to)]))
	return sorted[len(sorted)/2]
}

// used returns what the process has used so far.
func used() syscall.Rusage {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // no error is documented for a process that asks for itself
	}
	return u
}

// processorTime is real, also where a bubble has a time of its own.
func processorTime() time.Duration {
	u := used()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Round(time.Millisecond)
}

// peak returns the most memory that the process had, in kB.
func peak() int64 { return used().Maxrss }
