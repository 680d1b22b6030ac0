// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build dcgm

package blackbox

import (
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
)

// xid is an error of a device, by its code.
type xid struct {
	device gpu.DeviceID
	code   string
}

// errors takes the sums of XIDs, which the ledger doesn't read.
func (s *sink) errors(md pmetric.Metrics) {
	for _, rm := range md.ResourceMetrics().All() {
		id, _ := rm.Resource().Attributes().Get(gpupdata.AttrHWID)
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			if m.Name() != gpupdata.MetricErrors {
				continue
			}
			for _, p := range m.Sum().DataPoints().All() {
				if code, ok := p.Attributes().Get("gpu.xid"); ok {
					k := xid{gpu.DeviceID(id.Str()), code.Str()}
					s.view.xids[k] = append(s.view.xids[k], p.IntValue())
					s.say("%s XID %s: %d", k.device, k.code, p.IntValue())
				}
			}
		}
	}
}

// xid returns how often a device had an error.
func (v *view) xid(id gpu.DeviceID, code string) int64 {
	told := v.xids[xid{id, code}]
	if len(told) == 0 {
		return 0
	}
	return told[len(told)-1]
}
