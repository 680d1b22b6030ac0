// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"strconv"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// runs returns what a pod does on its devices up to end: it loads, then its
// pattern runs. All its devices do the same.
func (l *life) runs(p *podSpec, of seedWords, end gpu.Time) (runs []run) {
	for n, a := range l.attempts {
		load := run{span(a.cuda, min(a.loaded, a.end, end)), steady(p.Start.LoadLevel), seed{}}
		if !empty(load.Span) && p.Start.LoadLevel > 0 {
			runs = append(runs, load)
		}
		if r := l.work(n, of, end); !empty(r.Span) && r.pattern != nil {
			runs = append(runs, r)
		}
	}
	return runs
}

// work is what the nth attempt does once it is loaded.
func (l *life) work(n int, of seedWords, end gpu.Time) run {
	a := l.attempts[n]
	return run{span(a.loaded, min(a.end, end)), a.pattern, of.seed("activity", strconv.Itoa(n))}
}

// seedWords name a pod, of a scenario with this seed.
type seedWords struct {
	scenario  int64
	namespace string
	pod       string
}

func (w seedWords) seed(what ...string) seed {
	return seedOf(w.scenario, append([]string{w.namespace, w.pod}, what...)...)
}

func span(from, to gpu.Time) world.Span { return world.Span{From: from, To: to} }

func empty(s world.Span) bool { return s.To <= s.From }

func steady(level int64) *pattern { return &pattern{Steady: &steadyPattern{Level: level}} }
