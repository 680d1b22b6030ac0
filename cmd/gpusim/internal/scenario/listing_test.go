// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

var update = flag.Bool("update", false, "write the golden files")

// listing writes a world as text; times are since its start.
type listing struct {
	strings.Builder
	start gpu.Time
}

func (l *listing) line(indent int, format string, args ...any) {
	fmt.Fprintf(l, strings.Repeat("  ", indent)+format+"\n", args...)
}

func (l *listing) at(t gpu.Time) string {
	if t == gpu.Forever {
		return "forever"
	}
	return t.Sub(l.start).String()
}

func (l *listing) span(s world.Span) string { return l.at(s.From) + ".." + l.at(s.To) }

func (l *listing) activity(a world.Activity) string {
	var steps []string
	walk := a.Walk()
	for s, ok := walk(); ok; s, ok = walk() {
		steps = append(steps, fmt.Sprintf("%d..%s", s.Level, l.at(s.Until)))
	}
	return strings.Join(steps, " ")
}

func (l *listing) world(w *world.World) string {
	l.start = w.Start
	for _, n := range w.Nodes {
		l.line(0, "node %s of %s, outages %v, clock %v, hitches %v", n.Name, n.Cluster, l.outages(n), l.clock(n), l.hitches(n))
		for _, d := range n.Devices {
			l.device(d)
		}
		for _, p := range n.Pods {
			l.pod(p)
		}
	}
	return l.String()
}

func (l *listing) outages(n *world.Node) (all []string) {
	for _, o := range n.Outages {
		all = append(all, fmt.Sprint(o.Part, " ", l.span(o.Span)))
	}
	return all
}

func (l *listing) clock(n *world.Node) (all []string) {
	for _, c := range n.Clock {
		all = append(all, fmt.Sprint(l.at(c.At), " by ", time.Duration(c.By)))
	}
	return all
}

func (l *listing) hitches(n *world.Node) (all []string) {
	for _, h := range n.Hitches {
		all = append(all, fmt.Sprint(l.span(h.Span), " late ", h.Late, " twice ", h.Twice))
	}
	return all
}

func (l *listing) device(d *world.Device) {
	l.line(1, "device %s of %q, %d of %d, %s, lives %s", d.ID, d.Parent, d.Slices.N, d.Slices.Of, d.Model, l.span(d.Life))
	l.line(2, "activity %s", l.activity(d.Activity))
	for _, m := range d.Memory {
		l.line(2, "memory %s from %s", Bytes(m.Bytes), l.at(m.From))
	}
	for _, s := range d.Lost {
		l.line(2, "lost %s", l.span(s))
	}
	for _, c := range d.Closed {
		l.line(2, "closed %s: %s", l.span(c.Span), c.Reason)
	}
}

func (l *listing) pod(p *world.Pod) {
	l.line(1, "pod %+v, processes %v", p.Holder, p.Processes)
	for _, h := range p.Holds {
		l.line(2, "holds %s, %s, %d of %d, %s, unseen %v", h.Device, h.Sharing, h.Slots.N, h.Slots.Of, l.span(h.Span), h.Unseen)
		l.line(3, "activity %s", l.activity(h.Activity))
	}
	for _, m := range p.Milestones {
		l.line(2, "%s %d of %q by %q at %s", m.Name, m.Attempt, m.Container, m.Source, l.at(m.At))
	}
	for _, m := range p.Metrics {
		l.line(2, "metric %+v, join %+v, up %s", m.Profile, m.Join, l.span(m.Span))
		for _, f := range m.Failing {
			l.line(3, "failing %s", l.span(f))
		}
		walk := m.Marks()
		for k, ok := walk(); ok; k, ok = walk() {
			l.line(3, "%g from %s, counting since %s", k.Value, l.at(k.At), l.at(k.Start))
		}
	}
}

// TestSmall holds the whole world of a small scenario to what it was. -update writes
// it anew; read the difference.
func TestSmall(t *testing.T) {
	s, err := Load(filepath.Join("testdata", "small.yaml"))
	require.NoError(t, err)
	w := s.World()
	require.Empty(t, sane(w))
	text := new(listing).world(w)
	golden := filepath.Join("testdata", "small.txt")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(text), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), text)
	assert.Equal(t, Collection{Interval: 5 * time.Second, Sample: 500 * time.Millisecond, Scrape: 10 * time.Second, Kind: "gauges"}, s.Collection)
	assert.Equal(t, "small", s.Name)
}

// TestSameWorld reads each scenario twice and walks its world twice.
func TestSameWorld(t *testing.T) {
	for _, name := range []string{"accuracy/14-churn", "accuracy/04-trickle", "accuracy/22-mig-mixed"} {
		first, err := Load(name)
		require.NoError(t, err)
		second, err := Load(name)
		require.NoError(t, err)
		w := first.World()
		text := new(listing).world(w)
		assert.Equal(t, text, new(listing).world(w), name)
		assert.Equal(t, text, new(listing).world(second.World()), name)
	}
}
