// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build realdata

package realdata

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// keys are what is compared, of every container and of all.
var keys = []string{
	"allocated", "unobserved_activity", "active", "idle", "idle_resident",
	"productive", "unproven_output_flat", "unproven_no_app_metric",
}

// TestCalculation holds the calculation to the totals that the recording's
// page gives.
func TestCalculation(t *testing.T) {
	f := readFiles(t, environment(t, "GENTD26"))
	accounts := calculate(f)
	assert.Len(t, accounts, 123)
	sum := total(f, accounts)
	for key, want := range map[string]string{
		"allocated":              "4824366.000",
		"unobserved_activity":    "7353.000",
		"active":                 "547815.395",
		"idle":                   "4269197.605",
		"productive":             "248558.409",
		"unproven_output_flat":   "121803.634",
		"unproven_no_app_metric": "177453.352",
		"idle_resident":          "4269197.605",
	} {
		assert.Equal(t, want, sum[key].FloatString(3), key)
	}
}
