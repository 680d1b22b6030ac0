// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// heldBy is a device that pod a holds from 0 on, sampled every 10 s.
func heldBy(value string, more ...string) string {
	return heldWith("", value, more...)
}

func heldWith(allocation, value string, more ...string) string {
	lines := []string{
		"0 sample gpu0 0", "0 set a@gpu0,begin=0" + allocation,
		"10 sample gpu0 " + value, "10 set a@gpu0" + allocation,
	}
	return strings.Join(append(lines, more...), "\n")
}

func lines(all ...string) string { return strings.Join(all, "\n") }

// stateRows has a case for every row of the table of states in docs/ledger.md:
// points, and the 10 s that they make.
var stateRows = map[gpu.Condition]string{
	row(gpu.Unavailable, gpu.ReasonHealth):          lines("0 available gpu0 0 reason=health", "0 set", "0 sample gpu0 0", "10 set", "10 sample gpu0 0"),
	row(gpu.Unavailable, gpu.ReasonNode):            lines("0 available gpu0 0 reason=node", "0 set", "0 sample gpu0 0", "10 set", "10 sample gpu0 1"),
	row(gpu.Unavailable, gpu.ReasonReconfiguration): lines("0 available gpu0 0 reason=reconfiguration", "0 set", "0 sample gpu0 0", "10 set", "10 sample gpu0 0"),
	row(gpu.Unavailable, gpu.ReasonTaint):           lines("0 available gpu0 0 reason=taint", "0 set", "0 sample gpu0 0", "10 set", "10 sample gpu0 0"),

	row(gpu.Unobserved, gpu.ReasonAllocation): lines("0 set", "0 sample gpu0 0", "10 sample gpu0 1", "10 set a@gpu0,sharing=unheard_of"),
	row(gpu.Unobserved, gpu.ReasonActivity):   lines("0 sample gpu0 0", "0 set a@gpu0,begin=0", "10 set a@gpu0", "100 set a@gpu0", "100 sample gpu0 0"),
	row(gpu.Unobserved, gpu.ReasonDevice): lines("0 sample gpu0 0", "0 set a@gpu0,begin=0", "0 status gpu0 failed", "10 status gpu0 ok",
		"10 set a@gpu0", "100 set a@gpu0", "100 sample gpu0 0"),

	row(gpu.Unallocated, gpu.ReasonFree):            lines("0 set", "0 sample gpu0 0", "10 set", "10 sample gpu0 0"),
	row(gpu.Unallocated, gpu.ReasonForeignActivity): lines("0 set", "0 sample gpu0 0", "10 set", "10 sample gpu0 1"),
	row(gpu.Unallocated, gpu.ReasonUnpartitioned): lines("0 set", "0 sample MIG-a 0 board=gpu0 slices=1/2",
		"20 set", "20 sample MIG-a 0 board=gpu0 slices=1/2"),
	row(gpu.Unallocated, gpu.ReasonSharedSlot): lines("0 sample gpu0 0", "0 set a@gpu0,begin=0,sharing=mps,share=0.5,slots=1/2",
		"20 sample gpu0 0", "20 set a@gpu0,sharing=mps,share=0.5,slots=1/2"),

	row(gpu.Startup, gpu.ReasonAdmission):  heldBy("1", "0 milestone a scheduled"),
	row(gpu.Startup, gpu.ReasonImagePull):  heldBy("0", "0 milestone a scheduled", "0 milestone a pull_started"),
	row(gpu.Startup, gpu.ReasonInit):       heldBy("0", "0 milestone a pull_started", "0 milestone a init_started"),
	row(gpu.Startup, gpu.ReasonBeforeCUDA): heldBy("0.5", "0 milestone a init_finished", "0 milestone a container_started"),
	row(gpu.Startup, gpu.ReasonModelLoad):  heldBy("0.5", "0 milestone a container_started", "0 milestone a first_cuda"),
	row(gpu.Startup, gpu.ReasonBackoff):    heldBy("0", "0 milestone a pull_started", "0 milestone a backoff_started"),

	row(gpu.Terminating, gpu.NoReason): heldBy("1", "0 milestone a scheduled", "0 milestone a deletion_requested"),

	row(gpu.Idle, gpu.ReasonStarved):      heldBy("0", "10 demand a 1"),
	row(gpu.Idle, gpu.ReasonSleeping):     heldBy("0", "10 sleep a 1"),
	row(gpu.Idle, gpu.ReasonProvisioning): heldWith(",class=inference", "0"),
	row(gpu.Idle, gpu.ReasonInference):    used("inference"),
	row(gpu.Idle, gpu.ReasonBatch):        used("batch"),
	row(gpu.Idle, gpu.ReasonInteractive):  used("interactive"),
	row(gpu.Idle, gpu.ReasonUnclassified): used("unclassified"),

	row(gpu.Unproven, gpu.ReasonOutputFlat):   heldBy("1", "0 output a 5", "10 output a 5"),
	row(gpu.Unproven, gpu.ReasonNotScraped):   heldBy("1", "0 output a 5", "5 output a ended"),
	row(gpu.Unproven, gpu.ReasonNoAppMetric):  heldBy("1"),
	row(gpu.Unproven, gpu.ReasonGroupUnknown): heldWith(",group=g", "1"),

	row(gpu.Productive, gpu.NoReason): heldBy("1", "0 output a 5", "10 output a 6"),
}

func row(s gpu.State, r gpu.Reason) gpu.Condition { return gpu.Condition{State: s, Reason: r} }

// used is a holder of a class that was active before.
func used(class string) string {
	return lines("0 sample gpu0 0", "0 set a@gpu0,begin=0,class="+class, "2 sample gpu0 1", "2 set a@gpu0",
		"12 sample gpu0 0", "12 set a@gpu0")
}

func TestStateRows(t *testing.T) {
	for _, s := range allStates() {
		reasons := s.Reasons()
		if len(reasons) == 0 {
			reasons = []gpu.Reason{gpu.NoReason}
		}
		for _, r := range reasons {
			name := strings.TrimRight(s.String()+" "+r.String(), " ")
			t.Run(name, func(t *testing.T) {
				points, has := stateRows[row(s, r)]
				require.True(t, has, "a row of the table without a case")
				out := runScript(t, "config settle_delay=10m max_gap=30s\n"+points+"\nfinish\ndump\n")
				require.Regexp(t, `(?m)^  `+name+`\b.* 10$`, out)
			})
		}
	}
}

func allStates() []gpu.State {
	var all []gpu.State
	for s := gpu.State(0); s.String() != gpu.Productive.String(); s++ {
		all = append(all, s)
	}
	return append(all, gpu.Productive)
}
