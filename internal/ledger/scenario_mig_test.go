// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"fmt"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// --- Partitions ------------------------------------------------------------

// board draws a device that is partitioned, once or several times, and may be a
// plain one before, between and after.
func (g *generator) board(d gpu.Device) {
	b := &boarder{g: g, board: d, total: pick(g, 2, 7, 4), until: map[gpu.DeviceID]int{}}
	own := &sampler{g: g, device: d}
	at := g.intn(20)
	if g.chance(8) {
		at += 10 + g.intn(60)
		own.run(g.intn(10), at)
	}
	always := g.chance(4) // sources go on to sample the board itself
	began := at
	for at < g.length {
		to := at + 10 + g.intn(80)
		b.partitioned(at, to)
		at = to
		if g.chance(8) {
			at += b.plain(own, at)
		}
	}
	if always {
		(&sampler{g: g, device: d}).run(began, g.length)
	}
	if g.Health {
		g.health(d)
	}
}

// boarder draws the partitions of a board.
type boarder struct {
	g     *generator
	board gpu.Device
	total int
	drawn int
	known []gpu.Device
	until map[gpu.DeviceID]int // the second from which a partition may live again
}

// partitioned draws partitions that exist in [from, to) seconds.
func (b *boarder) partitioned(from, to int) {
	g := b.g
	var live []gpu.Device
	for left := b.total; left > 0 && len(live) < 3; {
		p := b.next(1 + g.intn(left))
		live = append(live, p)
		left -= p.Slices.N
		if g.chance(4) {
			break
		}
	}
	stop := g.chance(8)
	for _, p := range live {
		s := &sampler{g: g, device: p}
		from := max(from, b.until[p.ID])
		end := to
		if g.chance(3) { // longer or shorter than the others
			end = to - 8 + g.intn(32)
		}
		s.run(from+g.intn(6), min(end, g.length))
		if s.any && (stop || g.chance(3)) {
			s.stop()
		}
		b.until[p.ID] = max(from, end) + 10
	}
	count := len(live)
	for at := from + g.intn(6); at < min(to, g.length); at += g.wait(3, 10) {
		if g.chance(1) {
			count = 1 + g.intn(4)
		}
		b.count(at, gpu.PartitionCount{Count: count})
	}
}

// next returns a partition with n slices: a new one, or one that was there
// before.
func (b *boarder) next(n int) gpu.Device {
	g := b.g
	if len(b.known) > 0 && g.chance(4) {
		i := g.intn(len(b.known))
		p := b.known[i]
		b.known = append(b.known[:i:i], b.known[i+1:]...)
		return p
	}
	p := gpu.Device{
		ID: gpu.DeviceID(fmt.Sprintf("MIG-%d-%s", (b.drawn*5)%9+b.drawn/9*9, b.board.ID)), Parent: b.board.ID,
		Slices: gpu.Slices{N: n, Of: b.total}, Node: b.board.Node, Cluster: b.board.Cluster, Model: b.board.Model,
	}
	if b.drawn > 0 && g.chance(1) {
		p.Slices.Of = b.total + 1 - g.intn(3)
	}
	b.drawn++
	if g.chance(8) {
		b.known = append(b.known, p)
	}
	g.devices = append(g.devices, p)
	return p
}

func (b *boarder) count(at int, c gpu.PartitionCount) {
	c.Board, c.Time = b.board, b.g.instant(at)
	b.g.add(c.Time, gpu.Batch{PartitionCounts: []gpu.PartitionCount{c}})
}

// plain draws a time without partitions, and returns its length.
func (b *boarder) plain(own *sampler, from int) int {
	g := b.g
	length := 20 + g.intn(40)
	if g.chance(8) {
		b.count(from+g.intn(8), gpu.PartitionCount{})
	}
	if g.chance(10) {
		b.count(from+8, gpu.PartitionCount{Ended: true})
	}
	if g.chance(12) {
		own.hasPair = false
		own.run(from+g.intn(16), min(from+length, g.length))
	}
	return length
}
