// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build churn && linux

package churn

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// usage is what a process has at one moment.
type usage struct {
	after      time.Duration // since the start of the churn
	rss        int64         // kB
	files      int
	goroutines int
}

var (
	residentLine  = regexp.MustCompile(`(?m)^VmRSS:\s+(\d+) kB$`)
	goroutineLine = regexp.MustCompile(`^goroutine profile: total (\d+)\n`)
)

// measure reads what a process has: of the system, and of its pprof extension.
func measure(pid int, pprof string) (u usage, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return u, fmt.Errorf("read the memory of the collector: %w", err)
	}
	if u.rss, err = number(residentLine, status); err != nil {
		return u, err
	}
	if u.files, err = openFiles(pid); err != nil {
		return u, err
	}
	profile, err := get("http://" + pprof + "/debug/pprof/goroutine?debug=1")
	if err != nil {
		return u, fmt.Errorf("count the goroutines of the collector: %w", err)
	}
	n, err := number(goroutineLine, profile)
	u.goroutines = int(n)
	return u, err
}

func openFiles(pid int) (int, error) {
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return 0, fmt.Errorf("count the open files of the collector: %w", err)
	}
	return len(files), nil
}

func number(line *regexp.Regexp, text []byte) (int64, error) {
	m := line.FindSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("no %q in %.200q", line, text)
	}
	return strconv.ParseInt(string(m[1]), 10, 64)
}

func get(url string) ([]byte, error) {
	answer, err := http.Get(url) //nolint:noctx // of this machine
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// Memory at the end may be so much of what it was at the beginning.
const mostGrowth = 1.05

// The two windows that are compared, as parts of the whole time.
const (
	firstFrom, firstTo = 0.20, 0.25
	lastFrom           = 0.95
)

// window is what a process had in a part of the time: the median of its memory,
// which a garbage collector lets swing, and the fewest of files and goroutines,
// as calls that are under way have some.
func window(all []usage, from, to time.Duration) usage {
	var rss []int64
	w := usage{after: from}
	for _, u := range all {
		if u.after < from || u.after > to {
			continue
		}
		if len(rss) == 0 {
			w.files, w.goroutines = u.files, u.goroutines
		}
		rss = append(rss, u.rss)
		w.files, w.goroutines = min(w.files, u.files), min(w.goroutines, u.goroutines)
	}
	if len(rss) > 0 {
		slices.Sort(rss)
		w.rss = rss[len(rss)/2]
	}
	return w
}

// compare returns the two windows of a run, and what grew between them.
func compare(all []usage, whole time.Duration) (first, last usage, grew []string) {
	part := func(p float64) time.Duration { return time.Duration(p * float64(whole)) }
	first = window(all, part(firstFrom), part(firstTo))
	last = window(all, part(lastFrom), whole+time.Hour)
	if first.rss == 0 || last.rss == 0 {
		return first, last, []string{"nothing was measured"}
	}
	if growth := float64(last.rss) / float64(first.rss); growth > mostGrowth {
		grew = append(grew, fmt.Sprintf("memory: %d kB, then %d kB, %.3f of it", first.rss, last.rss, growth))
	}
	if last.files != first.files {
		grew = append(grew, fmt.Sprintf("open files: %d, then %d", first.files, last.files))
	}
	if last.goroutines != first.goroutines {
		grew = append(grew, fmt.Sprintf("goroutines: %d, then %d", first.goroutines, last.goroutines))
	}
	return first, last, grew
}
