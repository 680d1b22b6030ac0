// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package exporter lets the built collector scrape what dcgm-exporter serves,
// with the real Prometheus receiver, and holds its account to the one of a
// second collector that is told the same truth as the dcgm and k8s_gpu receivers
// tell it.
//
// The text is that of internal/gpupdata/testdata/exporter. The truth is constant
// between two scrapes: it is what the later one says. Of the collectors, the
// first is scraped in real time; the second is told everything at once, with the
// times at which the first scraped.
//
// The collector is the one that OTELCOL_GPU names, else one that the test builds.
package exporter
