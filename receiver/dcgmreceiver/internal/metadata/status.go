// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package metadata holds what metadata.yaml says, in code.
package metadata

import "go.opentelemetry.io/collector/component"

// Type is the type of the component.
var Type = component.MustNewType("dcgm")

// ScopeName is the instrumentation scope of the component's own telemetry.
const ScopeName = "github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver"

// MetricsStability is the stability of the component for metrics.
const MetricsStability = component.StabilityLevelDevelopment
