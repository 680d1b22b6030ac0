// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package truth_test

import (
	"flag"
	"fmt"
	"path"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/scenario"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/watch"
)

var whole = flag.Bool("whole", false, "watch the scenarios every second and every 10 s too, not only every 30 s")

// TestScenariosAreRight: of each scenario of docs/accuracy.md a ledger accounts
// exactly what is true, to the nanosecond, in every state and reason.
func TestScenariosAreRight(t *testing.T) {
	intervals := []time.Duration{30 * time.Second}
	if *whole {
		intervals = append(intervals, 10*time.Second, time.Second)
	}
	for _, name := range scenario.Names() {
		if path.Dir(name) != "accuracy" {
			continue
		}
		s, err := scenario.Load(name)
		require.NoError(t, err)
		w := s.World()
		for _, interval := range intervals {
			for _, gauges := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s every %s gauges %t", s.Name, interval, gauges), func(t *testing.T) {
					c := watch.Settings{Interval: interval, Sample: s.Collection.Sample, Scrape: s.Collection.Scrape, Gauges: gauges}
					want := expected(w, c)
					require.NotEmpty(t, want)
					compare(t, want, accounted(w, c))
				})
			}
		}
	}
}
