// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

// DropReason says why the codec refused a point.
type DropReason string

// The reasons for refusing a point.
const (
	DropUnsetClock      DropReason = "unset_clock"      // stamped before gpu.Earliest
	DropFuture          DropReason = "future"           // stamped later than the caller allows
	DropNoDevice        DropReason = "no_device"        // no hw.id
	DropPartition       DropReason = "partition"        // of a MIG instance whose board or slices aren't told
	DropUnknownInstance DropReason = "unknown_instance" // an allocation of a MIG instance that nobody told of yet
	DropNoEngine        DropReason = "no_engine"        // activity without gpu.engine
	DropUnknownEngine   DropReason = "unknown_engine"   // gpu.engine isn't one of the contract's
	DropNoPod           DropReason = "no_pod"           // names no pod, or nothing to join by
	DropNoValue         DropReason = "no_value"         // neither a number nor NoRecordedValue
	DropNotANumber      DropReason = "not_a_number"     // NaN
	DropBlank           DropReason = "blank"            // one of DCGM's sentinels
	DropOutOfRange      DropReason = "out_of_range"     // infinite, negative, or outside the unit's range
	DropUnsupportedType DropReason = "unsupported_type" // of another metric type or temporality
	DropDerived         DropReason = "derived"          // one of our own outputs, as an input
	DropUnknownMetric   DropReason = "unknown_metric"   // of DCGM, named like evidence, of no known generation
	DropUnknownUnit     DropReason = "unknown_unit"     // of DCGM, in another unit than its name says
	DropShadowed        DropReason = "shadowed"         // better evidence is there, as the ledger has it
	DropNoNode          DropReason = "no_node"          // DecodeCluster only: names no node
	DropUnknownState    DropReason = "unknown_state"    // DecodeDerived only: gpu.state, its qualifiers, gpu.attribution
)

// The outcomes of reading a point that aren't a drop.
const (
	accepted DropReason = ""
	// ignored: the point says nothing that the ledger wants to know.
	ignored DropReason = "ignored"
)

// Drops counts refused points by reason. It is nil if there are none.
type Drops map[DropReason]int

// Total returns the number of all refused points.
func (d Drops) Total() int {
	total := 0
	for _, n := range d {
		total += n
	}
	return total
}

// add counts n points; outcomes that aren't a drop and n = 0 leave no trace.
func (d *Drops) add(why DropReason, n int) {
	if why == accepted || why == ignored || n == 0 {
		return
	}
	if *d == nil {
		*d = Drops{}
	}
	(*d)[why] += n
}

// DropReasons returns the reasons for which Decode refuses points.
func DropReasons() []DropReason {
	return []DropReason{
		DropUnsetClock, DropFuture, DropNoDevice, DropPartition, DropUnknownInstance, DropNoEngine, DropUnknownEngine, DropNoPod,
		DropNoValue, DropNotANumber, DropBlank, DropOutOfRange, DropUnsupportedType, DropDerived,
		DropUnknownMetric, DropUnknownUnit, DropShadowed,
	}
}
