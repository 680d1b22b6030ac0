// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

// measured says of each device by what its engines are measured, and how many
// gauges it has.
func measured(accounts []session.Account) string {
	var lines []string
	for _, a := range accounts {
		var sources []string
		for _, p := range a.Points {
			sources = append(sources, fmt.Sprintf("%v/%v", p.Engine, p.Source))
		}
		slices.Sort(sources)
		place := a.Device.Model
		if a.Device.Parent != "" {
			place = fmt.Sprintf("%s %d/%d of %s", a.Device.Profile, a.Device.Slices, a.Device.Of, a.Device.Parent)
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", a.Device.UUID, place, strings.Join(sources, " ")))
	}
	return strings.Join(lines, "\n")
}

func seven(board uint) []standin.Instance {
	var all []standin.Instance
	for i := range uint(7) {
		all = append(all, standin.Instance{Profile: "1g.10gb", Slices: 1, UUID: fmt.Sprintf("MIG-%d-%d", board, i), NVML: 7 + i})
	}
	return all
}

// What each model can be measured by; a node may have several.
func TestModels(t *testing.T) {
	s := newScript(t)
	s.say("clock real")
	for i, m := range []standin.Model{standin.H100, standin.A100, standin.L4, standin.L40S, standin.T4, standin.P4} {
		s.must(s.Board(uint(i), m))
	}
	s.must(s.Board(6, standin.H100, twoInstances...))
	s.say("start")
	r := runSession(t, 50*time.Millisecond)
	const deep = "dram/prof engine/prof fp16/prof fp32/prof "
	want := strings.Join([]string{
		standin.UUID(0) + " NVIDIA H100 80GB HBM3: dram/prof engine/prof fp16/cycles fp32/cycles fp64/cycles sm/cycles tensor/cycles",
		standin.UUID(1) + " NVIDIA A100-SXM4-80GB: " + deep + "fp64/prof sm/prof tensor/prof",
		standin.UUID(2) + " NVIDIA L4: " + deep + "sm/prof tensor/prof",
		standin.UUID(3) + " NVIDIA L40S: " + deep + "sm/prof tensor/prof",
		standin.UUID(4) + " Tesla T4: " + deep + "fp64/prof sm/prof tensor/prof",
		standin.UUID(5) + " Tesla P4: engine/util",
		standin.UUID(6) + " NVIDIA H100 80GB HBM3: ",
		"MIG-a 1g.10gb 1/7 of " + standin.UUID(6) + ": " + deep + "fp64/prof sm/prof tensor/prof",
		"MIG-b 3g.40gb 3/7 of " + standin.UUID(6) + ": " + deep + "fp64/prof sm/prof tensor/prof",
	}, "\n")
	var got string
	defer func() {
		if t.Failed() {
			t.Logf("got\n%s\nwant\n%s", got, want)
		}
	}()
	until(t, "every engine is measured", func() bool {
		got = measured(r.Read())
		return got == want
	})
}

// The most that a host has: it fits into the engine's limits.
func TestSixteenBoardsInSevenParts(t *testing.T) {
	s := newScript(t)
	s.say("clock real")
	for i := range uint(16) {
		s.must(s.Board(i, standin.H100, seven(i)...))
	}
	s.say("start")
	r := runSession(t, 200*time.Millisecond)
	until(t, "every part is measured", func() bool {
		parts := 0
		for _, a := range r.Read() {
			if a.Device.Parent != "" && len(a.Points) == 7 {
				parts++
			}
		}
		return parts == 16*7
	})
}
