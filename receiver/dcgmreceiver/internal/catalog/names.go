// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import "github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"

// Names are those of a field elsewhere.
type Names struct {
	Old    string // dcgm-exporter's up to 4.8.4, without DCGM_FI_
	New    string // from 4.9.0 on, if it is another
	Google string // Google's receiver's, without gpu.dcgm.
}

// NamesOf returns the names of a field.
func NamesOf(f sample.Field) Names { return names[f] }

var names = map[sample.Field]Names{
	sample.SMClock:             {"DEV_SM_CLOCK", "DEV_SM_CLOCK_HERTZ", "clock.frequency"},
	sample.MemoryClock:         {"DEV_MEM_CLOCK", "DEV_MEMORY_CLOCK_HERTZ", ""},
	sample.MemoryTemperature:   {"DEV_MEMORY_TEMP", "DEV_MEMORY_TEMP_CELSIUS", ""},
	sample.Temperature:         {"DEV_GPU_TEMP", "DEV_GPU_TEMP_CELSIUS", "temperature"},
	sample.PowerWatts:          {"DEV_POWER_USAGE", "DEV_BOARD_POWER_WATTS", "energy_consumption"},
	sample.EnergyMillijoules:   {"DEV_TOTAL_ENERGY_CONSUMPTION", "DEV_GPU_ENERGY_JOULES_TOTAL", "energy_consumption"},
	sample.PCIeReplays:         {"DEV_PCIE_REPLAY_COUNTER", "DEV_PCIE_REPLAY_TOTAL", ""},
	sample.Util:                {"DEV_GPU_UTIL", "DEV_GPU_UTIL_RATIO", "utilization"},
	sample.MemoryCopyUtil:      {"DEV_MEM_COPY_UTIL", "DEV_MEMORY_UTIL_RATIO", "memory.bandwidth_utilization"},
	sample.EncoderUtil:         {"DEV_ENC_UTIL", "DEV_ENC_UTIL_RATIO", "codec.encoder.utilization"},
	sample.DecoderUtil:         {"DEV_DEC_UTIL", "DEV_DEC_UTIL_RATIO", "codec.decoder.utilization"},
	sample.XID:                 {"DEV_XID_ERRORS", "DEV_XID_ERROR", "xid_errors"},
	sample.PowerViolation:      {"DEV_POWER_VIOLATION", "", "clock.throttle_duration.time"},
	sample.ThermalViolation:    {"DEV_THERMAL_VIOLATION", "", "clock.throttle_duration.time"},
	sample.SyncBoostViolation:  {"DEV_SYNC_BOOST_VIOLATION", "", "clock.throttle_duration.time"},
	sample.BoardViolation:      {"DEV_BOARD_LIMIT_VIOLATION", "", "clock.throttle_duration.time"},
	sample.LowUtilViolation:    {"DEV_LOW_UTIL_VIOLATION", "", "clock.throttle_duration.time"},
	sample.ReliableViolation:   {"DEV_RELIABILITY_VIOLATION", "", "clock.throttle_duration.time"},
	sample.AppClocksViolation:  {"DEV_TOTAL_APP_CLOCKS_VIOLATION", "", "clock.throttle_duration.time"},
	sample.BaseClocksViolation: {"DEV_TOTAL_BASE_CLOCKS_VIOLATION", "", "clock.throttle_duration.time"},
	sample.MemoryTotal:         {"DEV_FB_TOTAL", "DEV_FB_CAPACITY_BYTES", ""},
	sample.MemoryFree:          {"DEV_FB_FREE", "DEV_FB_FREE_BYTES", "memory.bytes_used"},
	sample.MemoryUsed:          {"DEV_FB_USED", "DEV_FB_USED_BYTES", "memory.bytes_used"},
	sample.MemoryReserved:      {"DEV_FB_RESERVED", "DEV_FB_RESERVED_BYTES", "memory.bytes_used"},
	sample.MemoryUtil:          {"DEV_FB_USED_PERCENT", "DEV_FB_USED_RATIO", ""},
	sample.ECCCorrected:        {"DEV_ECC_SBE_VOL_TOTAL", "", "ecc_errors"},
	sample.ECCUncorrected:      {"DEV_ECC_DBE_VOL_TOTAL", "", "ecc_errors"},
	sample.RowsUncorrectable:   {"DEV_UNCORRECTABLE_REMAPPED_ROWS", "DEV_ROW_REMAP_UNCORRECTABLE_TOTAL", ""},
	sample.RowsCorrectable:     {"DEV_CORRECTABLE_REMAPPED_ROWS", "DEV_ROW_REMAP_CORRECTABLE_TOTAL", ""},
	sample.RowRemapFailed:      {"DEV_ROW_REMAP_FAILURE", "DEV_ROW_REMAP_FAILED", ""},
	sample.NVLinkFlitErrors:    {"DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", "DEV_NVLINK_CRC_FLIT_ERROR_TOTAL", ""},
	sample.NVLinkDataErrors:    {"DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", "DEV_NVLINK_CRC_DATA_ERROR_TOTAL", ""},
	sample.NVLinkReplays:       {"DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", "DEV_NVLINK_REPLAY_ERROR_TOTAL", ""},
	sample.NVLinkRecoveries:    {"DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", "DEV_NVLINK_RECOVERY_ERROR_TOTAL", ""},
	sample.VGPULicensed:        {"DEV_VGPU_LICENSE_STATUS", "", ""},
	sample.EngineActive:        {"PROF_GR_ENGINE_ACTIVE", "PROF_GR_ENGINE_UTIL_RATIO", "utilization"},
	sample.SMActive:            {"PROF_SM_ACTIVE", "PROF_SM_UTIL_RATIO", "sm.utilization"},
	sample.SMOccupancy:         {"PROF_SM_OCCUPANCY", "PROF_SM_OCCUPANCY_RATIO", "sm.occupancy"},
	sample.TensorActive:        {"PROF_PIPE_TENSOR_ACTIVE", "PROF_TENSOR_UTIL_RATIO", "pipe.utilization"},
	sample.DRAMActive:          {"PROF_DRAM_ACTIVE", "PROF_DRAM_UTIL_RATIO", "memory.bandwidth_utilization"},
	sample.FP64Active:          {"PROF_PIPE_FP64_ACTIVE", "PROF_FP64_UTIL_RATIO", "pipe.utilization"},
	sample.FP32Active:          {"PROF_PIPE_FP32_ACTIVE", "PROF_FP32_UTIL_RATIO", "pipe.utilization"},
	sample.FP16Active:          {"PROF_PIPE_FP16_ACTIVE", "PROF_FP16_UTIL_RATIO", "pipe.utilization"},
	sample.PCIeSentRate:        {"PROF_PCIE_TX_BYTES", "", "pcie.io"},
	sample.PCIeReceivedRate:    {"PROF_PCIE_RX_BYTES", "", "pcie.io"},
	sample.NVLinkSentRate:      {"PROF_NVLINK_TX_BYTES", "", "nvlink.io"},
	sample.NVLinkReceivedRate:  {"PROF_NVLINK_RX_BYTES", "", "nvlink.io"},
	sample.CyclesElapsed:       {"PROF_SM_CYCLES_ELAPSED_TOTAL", "", ""},
	sample.SMCycles:            {"PROF_SM_CYCLES_ACTIVE_TOTAL", "", ""},
	sample.TensorCycles:        {"PROF_MMA_CYCLES_ACTIVE_TOTAL", "", ""},
	sample.PCIeSent:            {"PROF_PCIE_TX_BYTES_TOTAL", "", ""},
	sample.PCIeReceived:        {"PROF_PCIE_RX_BYTES_TOTAL", "", ""},
	sample.FP64Cycles:          {"PROF_FP64_CYCLES_ACTIVE_TOTAL", "", ""},
	sample.FP32Cycles:          {"PROF_FP32_CYCLES_ACTIVE_TOTAL", "", ""},
	sample.FP16Cycles:          {"PROF_FP16_CYCLES_ACTIVE_TOTAL", "", ""},
	sample.NVLinkSent:          {"DEV_NVLINK_COUNT_TX_BYTES", "DEV_NVLINK_TX_BYTES_TOTAL", ""},
	sample.NVLinkReceived:      {"DEV_NVLINK_COUNT_RX_BYTES", "DEV_NVLINK_RX_BYTES_TOTAL", ""},
}
