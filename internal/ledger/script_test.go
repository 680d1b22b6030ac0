// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/ledger"
)

var update = flag.Bool("update", false, "write the outputs of the scripts in testdata")

// TestScripts runs every script in testdata: "-- in --" is fed to a ledger line
// by line, "-- out --" is what its dump and publish lines must print. The
// language is described in testdata/README.md.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.Len(t, archive.Files, 2, "a script has the files in and out")
			got := runScript(t, string(archive.Files[0].Data))
			if *update {
				archive.Files[1].Data = []byte(got)
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o600))
			}
			require.Equal(t, string(archive.Files[1].Data), got)
		})
	}
}

// script is the state of a running script. Second 0 of it is scriptEpoch.
type script struct {
	t      *testing.T
	cfg    ledger.Config
	ledger *ledger.Ledger
	out    strings.Builder

	batch     gpu.Batch // the lines of one time make one batch
	batchTime string
	confirmed bool
}

const scriptEpoch = 1_700_000_000 * gpu.Time(time.Second)

func runScript(t *testing.T, in string) string {
	s := &script{t: t, cfg: ledger.DefaultConfig()}
	for number, line := range strings.Split(in, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			s.run(words, fmt.Sprintf("line %d: %s", number+1, line))
		}
	}
	s.deliver()
	return s.out.String()
}

func (s *script) run(words []string, where string) {
	if words[0] == "config" {
		for _, w := range words[1:] {
			key, value, _ := strings.Cut(w, "=")
			s.configure(key, value, where)
		}
		return
	}
	if s.ledger == nil {
		s.ledger = ledger.New(s.cfg)
	}
	if words[0] != s.batchTime {
		s.deliver()
	}
	switch words[0] {
	case "finish":
		s.ledger.Finish()
	case "dump":
		s.dump(s.ledger.Snapshot())
	case "publish":
		derived, due := s.ledger.Due()
		fmt.Fprintf(&s.out, "publish due=%t\n", due)
		s.dump(derived)
		if len(words) == 1 { // else: the send failed
			s.ledger.Confirm(derived)
			s.confirmed = true
		}
	case "counts":
		s.counts()
	default:
		s.batchTime = words[0]
		appendBatch(&s.batch, parseEvent(s.t, words, where))
	}
}

// deliver hands the batch over, to a ledger that was saved and restored: a
// script must not notice.
func (s *script) deliver() {
	if s.ledger != nil {
		var err error
		s.ledger, err = ledger.Restore(s.cfg, s.ledger.Save())
		require.NoError(s.t, err)
		s.ledger.Observe(s.batch)
	}
	s.batch, s.batchTime = gpu.Batch{}, ""
}

func appendBatch(to *gpu.Batch, b gpu.Batch) {
	to.Samples = append(to.Samples, b.Samples...)
	to.Counters = append(to.Counters, b.Counters...)
	to.SeriesEnds = append(to.SeriesEnds, b.SeriesEnds...)
	to.Processes = append(to.Processes, b.Processes...)
	to.PartitionCounts = append(to.PartitionCounts, b.PartitionCounts...)
	to.Memory = append(to.Memory, b.Memory...)
	to.Availability = append(to.Availability, b.Availability...)
	to.Statuses = append(to.Statuses, b.Statuses...)
	to.Allocations = append(to.Allocations, b.Allocations...)
	to.AllocationCounts = append(to.AllocationCounts, b.AllocationCounts...)
	to.DeviceAllocations = append(to.DeviceAllocations, b.DeviceAllocations...)
	to.Milestones = append(to.Milestones, b.Milestones...)
	to.Outputs = append(to.Outputs, b.Outputs...)
}

func (s *script) configure(key, value, where string) {
	var err error
	duration := func(to *time.Duration) { *to, err = time.ParseDuration(value) }
	switch key {
	case "max_gap":
		duration(&s.cfg.MaxGap)
	case "settle_delay":
		duration(&s.cfg.SettleDelay)
	case "idle_grace":
		duration(&s.cfg.IdleGrace)
	case "emit_interval":
		duration(&s.cfg.EmitInterval)
	case "max_accounts":
		s.cfg.MaxAccounts, err = strconv.Atoi(value)
	case "granularity":
		s.cfg.Workloads = value == "workload"
	case "allocation":
		s.cfg.Labels, s.cfg.Host = value == "labels", value == "none"
	default:
		err = fmt.Errorf("unknown key %q", key)
	}
	require.NoError(s.t, err, where)
}

// dump prints one line per series: seconds, exact to the nanosecond.
func (s *script) dump(derived gpu.Derived) {
	s.balance(derived)
	for _, a := range derived.Accounts {
		who := a.Holder.Key()
		switch {
		case a.Kind == gpu.OverflowAccount:
			who = "(overflow)"
		case a.Kind == gpu.DeviceAccount:
			who = "-"
		case a.Attribution == gpu.HostAttribution:
			who = "(host)"
		case who == "":
			who = a.Holder.Namespace + "/" + a.Holder.Workload.Name
		}
		name := fmt.Sprintf("%s %s", cmp.Or(string(a.Device.ID), "("+a.Device.Ref+")"), who)
		switch a.Attribution {
		case gpu.PartitionAttribution, gpu.EqualAttribution, gpu.ProcessAttribution:
			name += " " + a.Attribution.String()
		}
		fmt.Fprintf(&s.out, "%s  %s..%s\n", name, at(a.Start), at(a.Time))
		for _, st := range a.States {
			fmt.Fprintf(&s.out, "  %-52s %s%s\n", condition(st.Condition), seconds(st.Nanos), since(st, a))
		}
		if a.Active != 0 && a.Kind != gpu.DeviceAccount {
			fmt.Fprintf(&s.out, "  (active)%44s %s\n", "", seconds(a.Active))
		}
		if a.Entitled != a.Allocated {
			fmt.Fprintf(&s.out, "  (entitled)%42s %s\n", "", seconds(a.Entitled))
		}
		for _, d := range a.Depth {
			fmt.Fprintf(&s.out, "  (%s)%*s %s\n", d.Engine, 50-len(d.Engine.String()), "", seconds(d.Nanos))
		}
		if a.Episode != nil {
			fmt.Fprintf(&s.out, "  (episode) %s for %s\n", a.Episode.Reason, seconds(a.Episode.Age))
		}
	}
	for _, o := range derived.Outputs {
		fmt.Fprintf(&s.out, "output %s %s  %s..%s: %g\n", o.Holder.Key(), o.Unit, at(o.Start), at(o.Time), o.Value)
	}
}

// balance requires that the states of a device add up to its span.
func (s *script) balance(derived gpu.Derived) {
	if s.confirmed {
		return // accounts that ended are forgotten
	}
	left := map[gpu.Device]time.Duration{}
	for _, span := range derived.Spans {
		left[span.Device] = span.Span
	}
	for _, a := range derived.Accounts {
		for _, st := range a.States {
			left[a.Device] -= st.Nanos
		}
	}
	for d, rest := range left {
		// A device's own account is published once it has time, so all are here.
		require.Zero(s.t, rest, "%v of %s%s is in no state", rest, d.ID, d.Ref)
	}
}

func since(st gpu.StateTime, a gpu.Account) string {
	if st.Start == a.Start {
		return ""
	}
	return " since " + at(st.Start)
}

func (s *script) counts() {
	c := s.ledger.Counts()
	for _, r := range ledger.Reasons() {
		if c.Points[r] > 0 {
			fmt.Fprintf(&s.out, "count %s %d\n", r, c.Points[r])
		}
	}
	fmt.Fprintf(&s.out, "count accounts %d rejected %d trimmed %d sparse %d clamped %s overlaps %s\n",
		c.Accounts, c.Rejected, c.Trimmed, c.Sparse, seconds(c.Clamped), seconds(c.Overlaps))
}

func condition(c gpu.Condition) string {
	words := []string{c.State.String()}
	for _, w := range []string{c.Reason.String(), c.Form.String()} {
		if w != "" {
			words = append(words, w)
		}
	}
	if c.State == gpu.Idle {
		words = append(words, "resident="+c.Residence.String())
	}
	return strings.Join(words, " ")
}

func at(t gpu.Time) string { return seconds(t.Sub(scriptEpoch)) }

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
