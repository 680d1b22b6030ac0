// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// BenchmarkCharge charges a send of so many accounts, at prices of 20 entries.
func BenchmarkCharge(b *testing.B) {
	var entries []string
	for i := range 20 {
		entries = append(entries, hourly("1.74", fmt.Sprintf(", model: NVIDIA L40S, node: n%d", i)))
	}
	for _, n := range []int{16, 1024} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			c, prices, begin := NewCosts(), book(b, entries...), day("2026-09-17")
			end := begin
			b.ReportAllocs()
			for b.Loop() {
				end = end.Add(10 * time.Second)
				var d gpu.Derived
				for i := range n {
					d.Accounts = append(d.Accounts, held(gpu.DeviceID(strconv.Itoa(i)), begin, end, 0))
				}
				c.Charge(prices, &d)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/account")
		})
	}
}

// BenchmarkParseLargest: batches wait while a file is read. Looking up
// something for each pair of entries took seconds.
func BenchmarkParseLargest(b *testing.B) {
	entries := make([]string, maxEntries)
	for i := range entries {
		entries[i] = hourly("1.74", fmt.Sprintf(", model: NVIDIA L40S, node: n%d", i))
	}
	for b.Loop() {
		book(b, entries...)
	}
}
