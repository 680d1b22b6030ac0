// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"testing"

	nv "github.com/NVIDIA/go-dcgm/pkg/dcgm"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// The ids that the pure packages use are those of DCGM.
func TestFieldIDs(t *testing.T) {
	for field, id := range map[sample.Field]nv.Short{
		sample.Name: nv.DCGM_FI_DEV_GPU_NAME, sample.NVMLIndex: nv.DCGM_FI_DEV_NVML_INDEX, sample.UUID: nv.DCGM_FI_DEV_GPU_UUID,
		sample.Minor: nv.DCGM_FI_DEV_GPU_MINOR_NUMBER, sample.PCIBusID: nv.DCGM_FI_DEV_PCI_BUS_ID,
		sample.MIGMode: nv.DCGM_FI_DEV_MIG_MODE, sample.MIGMaxSlices: nv.DCGM_FI_DEV_MIG_MAX_SLICES,
		sample.EnergyMillijoules: nv.DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION, sample.PowerWatts: nv.DCGM_FI_DEV_BOARD_POWER_WATTS,
		sample.Temperature: nv.DCGM_FI_DEV_GPU_TEMP_CELSIUS, sample.SMClock: nv.DCGM_FI_DEV_SM_CLOCK, sample.MemoryClock: nv.DCGM_FI_DEV_MEM_CLOCK,
		sample.Util: nv.DCGM_FI_DEV_GPU_UTIL_RATIO, sample.EncoderUtil: nv.DCGM_FI_DEV_ENC_UTIL, sample.DecoderUtil: nv.DCGM_FI_DEV_DEC_UTIL,
		sample.XID: nv.DCGM_FI_DEV_XID_ERROR, sample.MemoryTotal: nv.DCGM_FI_DEV_FB_TOTAL, sample.MemoryFree: nv.DCGM_FI_DEV_FB_FREE,
		sample.MemoryUsed: nv.DCGM_FI_DEV_FB_USED, sample.MemoryReserved: nv.DCGM_FI_DEV_FB_RESERVED,
		sample.EngineActive: nv.DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO, sample.SMActive: nv.DCGM_FI_PROF_SM_UTIL_RATIO,
		sample.SMOccupancy: nv.DCGM_FI_PROF_SM_OCCUPANCY_RATIO, sample.TensorActive: nv.DCGM_FI_PROF_TENSOR_UTIL_RATIO,
		sample.DRAMActive: nv.DCGM_FI_PROF_DRAM_UTIL_RATIO, sample.FP64Active: nv.DCGM_FI_PROF_FP64_UTIL_RATIO,
		sample.FP32Active: nv.DCGM_FI_PROF_FP32_UTIL_RATIO, sample.FP16Active: nv.DCGM_FI_PROF_FP16_UTIL_RATIO,
		sample.CyclesElapsed: nv.DCGM_FI_PROF_SM_CYCLES_ELAPSED_TOTAL, sample.SMCycles: nv.DCGM_FI_PROF_SM_CYCLES_ACTIVE_TOTAL,
		sample.TensorCycles: nv.DCGM_FI_PROF_MMA_CYCLES_ACTIVE_TOTAL, sample.FP64Cycles: nv.DCGM_FI_PROF_FP64_CYCLES_ACTIVE_TOTAL,
		sample.FP32Cycles: nv.DCGM_FI_PROF_FP32_CYCLES_ACTIVE_TOTAL, sample.FP16Cycles: nv.DCGM_FI_PROF_FP16_CYCLES_ACTIVE_TOTAL,
	} {
		if uint16(field) != uint16(id) {
			t.Errorf("field %d is %d in DCGM", field, id)
		}
	}
}
