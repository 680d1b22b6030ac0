// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package accuracy

// why says why a figure of a scenario is beyond its mark, "" if nobody knows.
// Numbers are those of the reasons in docs/accuracy.md.
func why(scenario, figure string) string {
	if w := special[scenario][figure]; w != "" {
		return w
	}
	return usual[figure]
}

// usual holds in every scenario in which a pod starts and produces something.
var usual = map[string]string{
	"sums: productive":     "1, 7",
	"sums: idle by reason": "1",
}

const (
	sums   = "sums: "
	gauges = "gauges: "

	allocated  = "allocated"
	active     = "active"
	productive = "productive"
	idleBy     = "idle by reason"
)

var special = map[string]map[string]string{
	"bursts-aliasing": {
		gauges + active: "4", gauges + productive: "4", gauges + idleBy: "4",
	},
	"cold-start": {
		gauges + active: "3: trickles of 40 requests an hour", gauges + productive: "3", gauges + idleBy: "3",
	},
	"short-pods": {
		sums + active: "2", sums + idleBy: "1, 3: pods of 5 s and 18 s",
		gauges + active: "3", gauges + idleBy: "3",
	},
	"churn": {
		sums + active: "2", sums + productive: "7: pods of less than three minutes", sums + idleBy: "1, 3",
		gauges + active: "3", gauges + productive: "3, 7", gauges + idleBy: "3",
	},
	"time-sliced": {
		sums + allocated: "5: the pods do the same, at other times", sums + active: "5", sums + productive: "5", sums + idleBy: "1, 5",
	},
	"time-sliced-unequal": {
		sums + allocated: "5: the pods don't do the same", sums + active: "5", sums + productive: "5, 7", sums + idleBy: "1, 5",
		gauges + allocated: "5", gauges + active: "5", gauges + productive: "5",
	},
	"mps": {
		sums + allocated: "5: the pods don't do the same, one does nothing", sums + active: "5", sums + productive: "5, 7", sums + idleBy: "1, 5",
		gauges + allocated: "5", gauges + active: "5", gauges + productive: "5", gauges + idleBy: "5",
	},
	"lost-gpu": {
		sums + active: "2: the interval in which it is lost", sums + productive: "2, 7",
	},
	"engine-away": {
		sums + allocated: "6: the kubelet was away for 4 minutes", sums + active: "2, 6", sums + productive: "6, 7", sums + idleBy: "1, 6",
	},
	"collector-gap": {
		sums + allocated: "6: nobody watched for 10 minutes", sums + active: "6", sums + productive: "6, 7", sums + idleBy: "1, 6",
	},
	"force-deleted": {
		sums + allocated: "6: the end isn't told", sums + active: "6", sums + productive: "6, 7", sums + idleBy: "1, 6",
	},
	"late-and-twice": {
		gauges + active: "3: pods of three minutes", gauges + idleBy: "3", sums + idleBy: "1, 3",
	},
	"clock-steps": {
		sums + allocated: "6: half a second that the clock skipped",
	},
	"foreign": {
		sums + active: "2: somebody else's work", sums + productive: "2, 7",
	},
	"idle-rank": {
		gauges + idleBy: "1: one rank's interval says how another's idle time counts", sums + idleBy: "1: as with gauges",
	},
}
