// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package session keeps a connection to a DCGM host engine through all its
// failures, and adds up what it says. One goroutine makes every call of the
// engine; whoever reads what was added up never waits for it.
//
// It looks at the devices, watches what is served of them, and drains the
// samples. It looks again every Config.Look: devices come, go, are lost and
// come back, and boards are cut into other instances. An engine that is gone is
// connected to again, with groups of one's own: old ids would be another's. An
// engine that hangs is waited for. Meanwhile nothing is told as if it were new.
package session
