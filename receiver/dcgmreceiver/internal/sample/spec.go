// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package sample

// Spec says how a numeric field is read. Min and Max are in the field's own
// unit; Scale brings it to the base unit of its metric.
type Spec struct {
	Field    Field
	Type     Type
	Min, Max float64
	Scale    float64
	Ratio    bool // a value above Max is Max, and counted
	Level    Kind // the lowest level that measures it; below, it is another's
}

// The fields, by what they measure.
const (
	DriverVersion       Field = 1 // of the node: every entity has it
	Name                Field = 50
	NVMLIndex           Field = 52
	UUID                Field = 54
	Minor               Field = 55
	PCIBusID            Field = 57
	MIGMode             Field = 67
	MIGMaxSlices        Field = 69
	SMClock             Field = 100
	MemoryClock         Field = 101
	MemoryTemperature   Field = 140
	Temperature         Field = 150
	PowerWatts          Field = 155
	EnergyMillijoules   Field = 156
	PCIeReplays         Field = 202
	Util                Field = 203
	MemoryCopyUtil      Field = 204
	EncoderUtil         Field = 206
	DecoderUtil         Field = 207
	XID                 Field = 230
	PowerViolation      Field = 240
	ThermalViolation    Field = 241
	SyncBoostViolation  Field = 242
	BoardViolation      Field = 243
	LowUtilViolation    Field = 244
	ReliableViolation   Field = 245
	AppClocksViolation  Field = 246
	BaseClocksViolation Field = 247
	MemoryTotal         Field = 250
	MemoryFree          Field = 251
	MemoryUsed          Field = 252
	MemoryReserved      Field = 253
	MemoryUtil          Field = 254
	ECCCorrected        Field = 310
	ECCUncorrected      Field = 311
	RowsUncorrectable   Field = 393
	RowsCorrectable     Field = 394
	RowRemapFailed      Field = 395
	NVLinkFlitErrors    Field = 409
	NVLinkDataErrors    Field = 419
	NVLinkReplays       Field = 429
	NVLinkRecoveries    Field = 439
	VGPULicensed        Field = 526
	EngineActive        Field = 1001
	SMActive            Field = 1002
	SMOccupancy         Field = 1003
	TensorActive        Field = 1004
	DRAMActive          Field = 1005
	FP64Active          Field = 1006
	FP32Active          Field = 1007
	FP16Active          Field = 1008
	PCIeSentRate        Field = 1009
	PCIeReceivedRate    Field = 1010
	NVLinkSentRate      Field = 1011
	NVLinkReceivedRate  Field = 1012
	CyclesElapsed       Field = 1084
	SMCycles            Field = 1085
	TensorCycles        Field = 1086
	PCIeSent            Field = 1091
	PCIeReceived        Field = 1092
	FP64Cycles          Field = 1094
	FP32Cycles          Field = 1095
	FP16Cycles          Field = 1096
	NVLinkSent          Field = 1201
	NVLinkReceived      Field = 1203
)

// Profiling reports whether a field is served by DCGM's profiling, counters of
// cycles too: a watch with one such field that can't be served fails whole.
func (f Field) Profiling() bool { return 1001 <= f && f <= 1096 }

const (
	mebibyte  = 1 << 20
	unbounded = 1 << 62 // of a counter: below every sentinel
)

func percent(f Field) Spec { return Spec{Field: f, Type: Integer, Max: 100, Scale: 0.01, Level: Board} }

func ratio(f Field, level Kind) Spec {
	return Spec{Field: f, Type: Double, Max: 1, Scale: 1, Ratio: true, Level: level}
}

func counter(f Field, scale float64) Spec {
	return Spec{Field: f, Type: Integer, Max: unbounded, Scale: scale, Level: Board}
}

func memory(f Field) Spec {
	// 16 TiB is more than any device has, in MiB.
	return Spec{Field: f, Type: Integer, Max: 1 << 24, Scale: mebibyte, Level: GPUInstance}
}

func clock(f Field) Spec {
	return Spec{Field: f, Type: Integer, Max: 100_000, Scale: 1e6, Level: Board} // MHz
}

func celsius(f Field) Spec {
	return Spec{Field: f, Type: Integer, Min: -50, Max: 200, Scale: 1, Level: Board}
}

func flag(f Field) Spec { return Spec{Field: f, Type: Integer, Max: 1, Scale: 1, Level: Board} }

// throughput is in bytes per second: 100 TB/s is more than any link has.
func throughput(f Field) Spec { return Spec{Field: f, Type: Double, Max: 1e14, Scale: 1, Level: Board} }

const (
	milli = 1e-3
	nano  = 1e-9
)

// specs are those of the fields that are numbers.
var specs = index(
	clock(SMClock), clock(MemoryClock), celsius(Temperature), celsius(MemoryTemperature),
	Spec{Field: PowerWatts, Type: Double, Max: 20_000, Scale: 1, Level: Board},
	counter(EnergyMillijoules, milli),
	percent(Util), percent(MemoryCopyUtil), percent(EncoderUtil), percent(DecoderUtil),
	Spec{Field: XID, Type: Integer, Max: 1 << 16, Scale: 1, Level: ComputeInstance},
	counter(PowerViolation, nano), counter(ThermalViolation, nano), counter(SyncBoostViolation, nano), counter(BoardViolation, nano),
	counter(LowUtilViolation, nano), counter(ReliableViolation, nano), counter(AppClocksViolation, nano), counter(BaseClocksViolation, nano),
	memory(MemoryTotal), memory(MemoryFree), memory(MemoryUsed), memory(MemoryReserved), ratio(MemoryUtil, GPUInstance),
	counter(PCIeReplays, 1), counter(ECCCorrected, 1), counter(ECCUncorrected, 1),
	counter(RowsCorrectable, 1), counter(RowsUncorrectable, 1), flag(RowRemapFailed), flag(VGPULicensed),
	counter(NVLinkFlitErrors, 1), counter(NVLinkDataErrors, 1), counter(NVLinkReplays, 1), counter(NVLinkRecoveries, 1),
	ratio(EngineActive, ComputeInstance), ratio(SMActive, ComputeInstance), ratio(SMOccupancy, ComputeInstance),
	ratio(TensorActive, ComputeInstance), ratio(DRAMActive, GPUInstance),
	ratio(FP64Active, ComputeInstance), ratio(FP32Active, ComputeInstance), ratio(FP16Active, ComputeInstance),
	throughput(PCIeSentRate), throughput(PCIeReceivedRate), throughput(NVLinkSentRate), throughput(NVLinkReceivedRate),
	counter(CyclesElapsed, 1), counter(SMCycles, 1), counter(TensorCycles, 1),
	counter(FP64Cycles, 1), counter(FP32Cycles, 1), counter(FP16Cycles, 1),
	counter(PCIeSent, 1), counter(PCIeReceived, 1), counter(NVLinkSent, 1), counter(NVLinkReceived, 1),
)

func index(all ...Spec) map[Field]Spec {
	m := make(map[Field]Spec, len(all))
	for _, s := range all {
		m[s.Field] = s
	}
	return m
}

// SpecOf returns how a field is read, and false for one that isn't a number
// that is known here.
func SpecOf(f Field) (Spec, bool) {
	s, ok := specs[f]
	return s, ok
}
