// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"encoding/json"
	"maps"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/counters"
)

// JSON writes the totals and every holder for programs, in nanoseconds.
func JSON(accounts []counters.Account) ([]byte, error) {
	type holder struct {
		Pod    string           `json:"pod"`
		PodUID string           `json:"pod_uid"`
		Device string           `json:"device"`
		Nanos  map[string]int64 `json:"time"`
	}
	all := holders(accounts)
	document := struct {
		Totals  map[string]int64 `json:"totals"`
		Holders []holder         `json:"holders"`
	}{Totals: nanos(held, counters.Total(all)), Holders: make([]holder, 0, len(all))}
	maps.Copy(document.Totals, nanos(unheld, counters.Total(accounts)))
	document.Totals["capacity_ns"] = int64(Capacity(accounts))
	for _, a := range all {
		document.Holders = append(document.Holders, holder{a.Pod, a.PodUID, a.Device, nanos(held, a)})
	}
	return json.MarshalIndent(document, "", "  ")
}

func nanos(figures []figure, a counters.Account) map[string]int64 {
	values := make(map[string]int64, len(figures))
	for _, f := range figures {
		values[f.key+"_ns"] = int64(f.of(a))
	}
	return values
}
