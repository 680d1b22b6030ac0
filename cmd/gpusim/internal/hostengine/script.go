// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package hostengine

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// The fields that are measured, by DCGM's numbers.
const (
	nvmlIndex     = 52
	pciAddress    = 57
	migMode       = 67
	migMostSlices = 69
	memoryUsed    = 252 // MiB
	engineActive  = 1001
)

// mostInstances is how many ids of instances DCGM leaves to each board.
const mostInstances = 7

// The status of a board.
const (
	statusOK   = 1
	statusLost = 4
)

// entity is what a field is measured on: a board ("gpu"), a GPU instance ("gi")
// or a compute instance ("ci").
type entity struct {
	kind string
	id   uint
}

func (e entity) String() string { return e.kind + " " + strconv.FormatUint(uint64(e.id), 10) }

// script gathers lines.
type script struct{ text bytes.Buffer }

func (s *script) say(format string, args ...any) { fmt.Fprintf(&s.text, format+"\n", args...) }

func (s *script) now(t gpu.Time) { s.say("now %d", int64(t)/int64(time.Microsecond)) }

func (s *script) set(e entity, field int, value string) { s.say("set %s %d %s", e, field, value) }

func (s *script) status(board uint, lost bool) {
	if lost {
		s.say("status %d %d", board, statusLost)
	} else {
		s.say("status %d %d", board, statusOK)
	}
}

func integer(v uint64) string { return "i " + strconv.FormatUint(v, 10) }
func double(v float64) string { return "d " + strconv.FormatFloat(v, 'g', -1, 64) }

// describe says what a board is. Of one in MIG mode slices are all that it has.
func (b *board) describe(s *script, slices int) {
	s.say("gpu %d %s %d %s", b.id, b.ID, b.id, b.Model)
	on := entity{"gpu", b.id}
	s.set(on, nvmlIndex, integer(uint64(b.id)))
	s.set(on, pciAddress, fmt.Sprintf("s 00000000:%02X:00.0", b.id+1))
	if b.mig {
		s.set(on, migMode, integer(1))
		s.set(on, migMostSlices, integer(uint64(slices)))
		return
	}
	s.set(on, migMode, integer(0))
}

// newMeasured sets what is measured on a device at rest.
func newMeasured(d *world.Device, activity, memory entity, s *script) *measured {
	s.set(memory, memoryUsed, integer(0))
	s.set(activity, engineActive, double(0))
	return &measured{Device: d, activity: activity, memory: memory}
}

// newInstance adds the n-th instance of a board: a GPU instance, and in it a
// compute instance that fills it. Its id is the board's × 7 and a number.
func newInstance(board uint, n int, d *world.Device, s *script) *measured {
	id := board*mostInstances + uint(n)
	_, profile, _ := strings.Cut(d.Model, " MIG ")
	s.say("gi %d %d %d %d %d %s", id, board, n+1, d.Slices.N, d.Slices.N, profile)
	s.say("ci %d %d 0 0 %d %s %s", id, id, d.Slices.N, profile, d.ID)
	return newMeasured(d, entity{"ci", id}, entity{"gi", id}, s)
}
