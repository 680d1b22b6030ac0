// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package standin builds a stand-in for NVIDIA's libdcgm.so.4 and drives it:
// a C library with DCGM's own ABI, compiled at test time from the headers that
// go-dcgm ships, whose engine does what a script says. It is for tests and
// demonstrations on machines without a GPU. It is no part of the collector.
//
// It behaves as DCGM 4.6 was measured to, in what a client of a running engine
// meets: sentinels with status 0 and a fresh timestamp, profiling fields whose
// watch fails whole, values of the board on its instances, handles that never
// recover, ids that are handed out again. ../dcgm/measured_test.go has all that was
// measured, row by row, and holds it to that.
//
// # The script
//
// The environment variable DCGM_STANDIN_SCRIPT names a file that only grows.
// Each call into the library reads the lines appended since the last one, so
// that a line is an event. Times are in µs. A line that isn't understood ends
// the process.
//
//	clock manual             time is what the script says; else the machine's
//	now <time>               of the manual clock
//	start                    the engine starts: no groups, ids begin anew
//	die                      the engine dies: calls fail, handles are void
//	refuse <duration>        how long a connect to a dead engine takes
//	hang <duration>          calls block that long, then time out; 0 lets go
//	latency <function> <d>   a call takes d; "*" are all functions
//	nvml absent              the engine runs without NVML, with no GPU
//	detach, attach           the driver
//	group <name> <kind> <id> …  another client makes a group
//
//	gpu <id> <uuid> <nvml index> <model>
//	gi <id> <gpu> <nvml id> <profile id> <slices> <profile>
//	ci <id> <gi> <nvml id> <profile id> <slices> <profile> <uuid>
//	gpm <gpu>                profiling fields are blank once after a watch
//	status <gpu> <n>         DcgmEntityStatus_t: 1 ok, 4 lost, 5 fake
//	remove <gpu>             the board and its instances
//	remove-mig <gpu>         its instances
//
//	set <kind> <id> <field> <type> <value>      in force from now on
//	rate <kind> <id> <field> <per second>       an integer grows from now on
//	unset <kind> <id> <field>                   nothing is measured
//	unservable <kind> <id> <field>              a watch with it fails whole
//	sample <kind> <id> <field> <time> <status> <type> <value>
//
// A kind is gpu, gi or ci; a type is i, d or s, as in DCGM. A field that is
// watched is sampled at the period of its watch, if it is set. A "sample" is
// one that the engine took beside that; nobody sees it if nobody watches.
// The field 230 (XID) has no other samples. What clients make up themselves (fake
// GPUs, injected values) is gone with the next start.
//
// The tests write scripts with Script. cmd/gpusim writes those of its scenarios
// by itself (internal/hostengine there), from this list.
package standin
