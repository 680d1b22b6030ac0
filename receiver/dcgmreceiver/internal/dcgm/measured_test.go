// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import "testing"

// rows are those of what was measured of a host engine of DCGM 4.6 by way
// of the real binding. Each holds the stand-in to it, by way of the same binding.
var rows = []struct {
	row  string
	test func(t *testing.T)
}{
	// Values: a status of 0 doesn't mean that there is one.
	{"a field that nobody watched, and any of an unknown entity: not watched, blank, no time", notWatched},
	{"watched and never sampled, a fake GPU, no XID yet: no data, blank, no time", noData},
	{"NVML doesn't support it: status 0, the number of not supported, a fresh time", notSupported},
	{"the first sample of GPM: status 0, blank, a fresh time", firstOfGPM},
	{"a GPU instance's field on a compute instance: status 0, always blank, a fresh time", tooLow},
	{"a lost GPU, or a detached driver: status 0, blank, a fresh time, texts too", unreachable},
	{"field 526 where it isn't supported: status 0, a text in a field of integers", textForInteger},
	// Entities.
	{"a board's field on an instance is the board's value, the same for each", valueOfBoard},
	{"an instance's UUID, name and memory are the MIG device's", factsOfInstance},
	{"ids of instances are the board's times seven, small profiles first; the hierarchy tells", idsOfInstances},
	// Watches and reads.
	{"one field that isn't served fails a watch whole; the others were sampled once", notServed},
	{"a live read of a profiling field crashes the engine, and the process that embeds it", liveProfiling},
	{"live answers come out of order", liveOrder},
	{"an unknown field or an empty text spoils a read of many; an unknown entity doesn't", spoiled},
	{"an XID is the last one for ever, with the time of its event", lastXID},
	{"127 fields in a field group, whose name is unique; no entity twice in a group", limits},
	{"reads of many values take their time, by function", latencies},
	// The engine.
	{"it dies: the next call fails at once or after a while, and the connection for ever", death},
	{"it restarts: old ids are another client's", restart},
	{"it restarts: injected values and fake GPUs are gone", madeIsGone},
	{"it isn't there: a connect fails after a while", nobodyListens},
	{"it hangs: a call blocks and times out; when it wakes, the connection goes on", hang},
	{"a client goes: its groups and watches go with it", clientGoes},
	{"a GPU is lost: it is counted and not supported; the watch goes on by itself", lost},
	{"the driver is detached and attached: no GPU is supported, no hierarchy; the watch goes on", detached},
	{"it runs without NVML: no GPUs, and each watch of one fails", noNVML},
	// The binding.
	{"an empty list is an error (of v1.4601 it was a panic)", emptyLists},
	{"most of its calls say what failed by a text only", noCodes},
	{"what it tells of a device in one piece has raw sentinels", rawSentinels},
	{"connects that work and that fail leave nothing behind", nothingLeaks},
}

func TestMeasured(t *testing.T) {
	for _, m := range rows {
		t.Run(m.row, m.test)
	}
}
