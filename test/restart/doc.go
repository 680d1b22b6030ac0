// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package restart kills the built collector at random moments of a simulated
// hour and holds what it counted to a run without kills:
//
//   - with a sender that tries again until a batch is accepted, every total is
//     equal;
//   - with a sender that tries once, the difference is exactly the time that
//     the lost batches spoke for, and that time is unobserved;
//   - where the checkpoint is damaged or can't be written, input passes, no
//     counter falls, and the log says what is wrong.
//
// A sink in the test stands at the end of the pipeline. It sees every point,
// and so a counter that falls. No queue is between: an accepted batch has
// reached the sink. The tests are behind the build tag restart and take what
// they need from the environment:
//
//	OTELCOL_GPU    the collector
//	RESTART_KILLS  how many times each run kills it, 50 if unset
//	RESTART_SEED   repeats the moments and the hour of a run; each run prints its own
//
// A seed repeats what is sent and where it is killed, but not to the
// microsecond what the collector was doing then.
package restart
