// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package accuracy measures how far what a collector says of a holder is from
// what happened, by how closely it watches, and what dashboards over
// dcgm-exporter would have said. Its test writes docs/accuracy.md.
package accuracy
