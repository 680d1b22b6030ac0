// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpupdata

// The metrics that describe devices.
const (
	MetricActivity          = "gpu.activity"
	MetricActivityTime      = "gpu.activity.time"
	MetricObservedTime      = "gpu.observed.time"
	MetricMIGInstances      = "gpu.mig.instances"
	MetricProcessActivity   = "gpu.process.activity"
	MetricUtilization       = "hw.gpu.utilization"
	MetricMemoryUsage       = "hw.gpu.memory.usage"
	MetricMemoryLimit       = "hw.gpu.memory.limit"
	MetricMemoryUtilization = "hw.gpu.memory.utilization"
	MetricIO                = "hw.gpu.io"
	MetricPower             = "hw.power"
	MetricEnergy            = "hw.energy"
	MetricTemperature       = "hw.temperature"
	MetricErrors            = "hw.errors"
	MetricStatus            = "hw.status"
	MetricClockFrequency    = "gpu.clock.frequency"
	MetricThrottleTime      = "gpu.throttle.time"
	MetricMemoryFree        = "gpu.memory.free"
	MetricMemoryReserved    = "gpu.memory.reserved"
	MetricMemoryBandwidth   = "gpu.memory.bandwidth.utilization"
	MetricRemappedRows      = "gpu.memory.remapped_rows"
	MetricRowRemapFailed    = "gpu.memory.row_remap.failed"
	MetricVGPULicensed      = "gpu.vgpu.licensed"
	MetricDeviceAvailable   = "gpu.device.available"
)

// The metrics that describe allocations and the life of pods.
const (
	MetricAllocation      = "gpu.allocation"
	MetricNodeAllocations = "gpu.node.allocations"
	MetricMilestoneTime   = "gpu.milestone.time"
	MetricSourceUp        = "gpu.source.up"
)

// The metrics that describe nodes and what is asked for. The ledger doesn't
// read them.
const (
	MetricNodeCapacity    = "gpu.node.capacity"
	MetricNodeAllocatable = "gpu.node.allocatable"
	MetricDemandPending   = "gpu.demand.pending"
)

// The derived metrics: what the ledger publishes.
const (
	MetricTime           = "gpu.time"
	MetricAllocatedTime  = "gpu.allocated.time"
	MetricActiveTime     = "gpu.active.time"
	MetricProductiveTime = "gpu.productive.time"
	MetricEntitledTime   = "gpu.entitled.time"
	MetricSMActiveTime   = "gpu.sm_active.time"
	MetricTensorTime     = "gpu.tensor_active.time"
	MetricDRAMTime       = "gpu.dram_active.time"
	MetricPrice          = "gpu.price"
	MetricCost           = "gpu.cost"
	MetricIdleDuration   = "gpu.idle.duration"
	MetricOutput         = "gpu.output"
	MetricLedgerError    = "gpu.ledger.error"
	MetricLedgerLag      = "gpu.ledger.lag"
	MetricLedgerCoverage = "gpu.ledger.coverage"
	MetricLedgerClamped  = "gpu.ledger.clamped"
)

// ScopeName is the instrumentation scope of the derived metrics.
const ScopeName = "github.com/otelcol-gpu/otelcol-gpu/processor/gpuaccountingprocessor"

// The attributes of devices.
const (
	AttrHWID              = "hw.id"
	AttrHWType            = "hw.type"
	AttrHWParent          = "hw.parent"
	AttrHWModel           = "hw.model"
	AttrHWVendor          = "hw.vendor"
	AttrHWDriver          = "hw.driver_version"
	AttrHWState           = "hw.state"
	AttrEngine            = "gpu.engine"
	AttrActivitySource    = "gpu.activity.source"
	AttrUnavailableReason = "gpu.unavailable.reason"
	AttrGPUIndex          = "gpu.index"
	AttrGPUMinor          = "gpu.minor"
	AttrPCIAddress        = "gpu.pci.address"
	AttrMIGInstance       = "gpu.mig.gi" // NVIDIA's number of the GPU instance on its board
	AttrMIGProfile        = "gpu.mig.profile"
	AttrMIGSlices         = "gpu.mig.slices"
	AttrMIGSlicesTotal    = "gpu.mig.slices_total"
)

// The attributes of places, pods and workloads.
const (
	AttrClusterName      = "k8s.cluster.name"
	AttrNodeName         = "k8s.node.name"
	AttrHostName         = "host.name"
	AttrNamespaceName    = "k8s.namespace.name"
	AttrPodName          = "k8s.pod.name"
	AttrPodUID           = "k8s.pod.uid"
	AttrPodIP            = "k8s.pod.ip"
	AttrContainerName    = "k8s.container.name"
	AttrWorkloadKind     = "gpu.workload.kind"
	AttrWorkloadName     = "gpu.workload.name"
	AttrWorkloadClass    = "gpu.workload.class"
	AttrWorkloadGroup    = "gpu.workload.group"
	AttrModelStorage     = "gpu.model.storage" // gpu.ModelStorage, or what a label says
	AttrServerAddress    = "server.address"
	AttrServerPort       = "server.port"
	AttrServiceName      = "service.name"
	AttrServiceNS        = "service.namespace"
	AttrServiceID        = "service.instance.id"
	AttrProcessPID       = "process.pid"
	AttrDeviceRef        = "gpu.device.ref"
	AttrSharing          = "gpu.sharing"
	AttrSlots            = "gpu.slots"
	AttrSlotsTotal       = "gpu.slots_total"
	AttrMilestone        = "gpu.milestone"
	AttrMilestoneAttempt = "gpu.milestone.attempt"
	AttrMilestoneSource  = "gpu.milestone.source"
	AttrSource           = "gpu.source"
	AttrSourceReason     = "gpu.source.reason"

	AttrAllocationSource     = "gpu.allocation.source"
	AttrMilestoneUncertainty = "gpu.milestone.uncertainty" // s, a double

	AttrImageName    = "container.image.name"
	AttrImageTags    = "container.image.tags"
	AttrImageDigests = "container.image.repo_digests"
	AttrImageSize    = "gpu.image.size"    // By
	AttrImagePresent = "gpu.image.present" // a bool

	AttrMetricOverflow = "otel.metric.overflow"
)

// The attributes of nodes and of demand.
const (
	AttrHostType       = "host.type"
	AttrRegion         = "cloud.region"
	AttrZone           = "cloud.availability_zone"
	AttrCapacityType   = "gpu.capacity_type"
	NodeLabelPrefix    = "k8s.node.label." // followed by the label's name
	AttrDemandResource = "gpu.demand.resource"
	AttrDemandReason   = "gpu.demand.reason"
	AttrDemandAge      = "gpu.demand.age"
)

// The attributes of derived points.
const (
	AttrState          = "gpu.state"
	AttrStateReason    = "gpu.state.reason"
	AttrIdleForm       = "gpu.idle.form"
	AttrMemoryResident = "gpu.memory.resident"
	AttrAttribution    = "gpu.attribution"
	AttrCurrency       = "gpu.currency"
	AttrPriceSource    = "gpu.price.source"
	AttrPriceVersion   = "gpu.price.version"
	AttrPriceKind      = "gpu.price.kind"
	AttrOutputUnit     = "gpu.output.unit"
)

// Values of attributes that have no type in the domain.
const (
	TypeGPU       = "gpu"      // hw.type
	StateOK       = "ok"       // hw.state
	StateDegraded = "degraded" // hw.state
	StateFailed   = "failed"   // hw.state
)
