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
		sample.Minor: nv.DCGM_FI_DEV_GPU_MINOR_NUMBER, sample.PCIBusID: nv.DCGM_FI_DEV_PCI_BUS_ID, sample.DriverVersion: nv.DCGM_FI_DRIVER_VERSION,
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
		sample.MemoryTemperature: nv.DCGM_FI_DEV_MEMORY_TEMP_CELSIUS, sample.PCIeReplays: nv.DCGM_FI_DEV_PCIE_REPLAY_TOTAL,
		sample.MemoryCopyUtil: nv.DCGM_FI_DEV_MEM_COPY_UTIL, sample.PowerViolation: nv.DCGM_FI_DEV_POWER_VIOLATION,
		sample.ThermalViolation: nv.DCGM_FI_DEV_THERMAL_VIOLATION, sample.SyncBoostViolation: nv.DCGM_FI_DEV_SYNC_BOOST_VIOLATION,
		sample.BoardViolation: nv.DCGM_FI_DEV_BOARD_LIMIT_VIOLATION, sample.LowUtilViolation: nv.DCGM_FI_DEV_LOW_UTIL_VIOLATION,
		sample.ReliableViolation: nv.DCGM_FI_DEV_RELIABILITY_VIOLATION, sample.AppClocksViolation: nv.DCGM_FI_DEV_TOTAL_APP_CLOCKS_VIOLATION,
		sample.BaseClocksViolation: nv.DCGM_FI_DEV_TOTAL_BASE_CLOCKS_VIOLATION, sample.MemoryUtil: nv.DCGM_FI_DEV_FB_USED_RATIO,
		sample.ECCCorrected: nv.DCGM_FI_DEV_ECC_SBE_VOL_TOTAL, sample.ECCUncorrected: nv.DCGM_FI_DEV_ECC_DBE_VOL_TOTAL,
		sample.RowsUncorrectable: nv.DCGM_FI_DEV_ROW_REMAP_UNCORRECTABLE_TOTAL, sample.RowsCorrectable: nv.DCGM_FI_DEV_ROW_REMAP_CORRECTABLE_TOTAL,
		sample.RowRemapFailed: nv.DCGM_FI_DEV_ROW_REMAP_FAILED, sample.VGPULicensed: nv.DCGM_FI_DEV_VGPU_LICENSE_STATUS,
		sample.NVLinkFlitErrors: nv.DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_TOTAL, sample.NVLinkDataErrors: nv.DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_TOTAL,
		sample.NVLinkReplays: nv.DCGM_FI_DEV_NVLINK_REPLAY_ERROR_TOTAL, sample.NVLinkRecoveries: nv.DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_TOTAL,
		sample.PCIeSentRate: nv.DCGM_FI_PROF_PCIE_TX_BYTES, sample.PCIeReceivedRate: nv.DCGM_FI_PROF_PCIE_RX_BYTES,
		sample.NVLinkSentRate: nv.DCGM_FI_PROF_NVLINK_TX_BYTES, sample.NVLinkReceivedRate: nv.DCGM_FI_PROF_NVLINK_RX_BYTES,
		sample.PCIeSent: nv.DCGM_FI_PROF_PCIE_TX_BYTES_TOTAL, sample.PCIeReceived: nv.DCGM_FI_PROF_PCIE_RX_BYTES_TOTAL,
		sample.NVLinkSent: nv.DCGM_FI_DEV_NVLINK_TX_BYTES_TOTAL, sample.NVLinkReceived: nv.DCGM_FI_DEV_NVLINK_RX_BYTES_TOTAL,
		sample.FP32Cycles: nv.DCGM_FI_PROF_FP32_CYCLES_ACTIVE_TOTAL, sample.FP16Cycles: nv.DCGM_FI_PROF_FP16_CYCLES_ACTIVE_TOTAL,
	} {
		if uint16(field) != uint16(id) {
			t.Errorf("field %d is %d in DCGM", field, id)
		}
	}
}
