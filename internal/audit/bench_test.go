// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"strconv"
	"testing"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// BenchmarkAudit checks and accepts one send of devices with three series each.
func BenchmarkAudit(b *testing.B) {
	for _, n := range []int{8, 8000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var sent gpu.Derived
			var spans []gpu.DeviceSpan
			for i := range n {
				one, its := sends{device(gpu.DeviceID("GPU-" + strconv.Itoa(i))), 1}.at(1)
				sent.Accounts, spans = append(sent.Accounts, one.Accounts...), append(spans, its...)
			}
			a := New()
			b.ReportAllocs()
			for b.Loop() {
				if worst := a.Check(sent, spans); len(worst) != 1 {
					b.Fatal(worst)
				}
				a.Accept()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(3*n), "ns/point")
		})
	}
}
