// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/truth"
	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/verdict"
)

// truth is what a collector with the defaults of gpu_accounting has to export.
func (s *simulation) truth() []counters.Account {
	return verdict.Truth(s.nodes, truth.DefaultRules())
}
