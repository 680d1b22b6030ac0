// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgmreceiver

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
