// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

// MilestoneName names a mark in the life of a pod.
type MilestoneName string

// The milestones, in the order in which a start passes them.
const (
	Created            MilestoneName = "created"
	NodeCreated        MilestoneName = "node_created"
	ClaimAllocated     MilestoneName = "claim_allocated"
	Scheduled          MilestoneName = "scheduled"
	Admitted           MilestoneName = "admitted"
	SandboxReady       MilestoneName = "sandbox_ready"
	PullStarted        MilestoneName = "pull_started"
	PullFinished       MilestoneName = "pull_finished"
	InitStarted        MilestoneName = "init_started"
	InitFinished       MilestoneName = "init_finished"
	BackoffStarted     MilestoneName = "backoff_started"
	ContainerStarted   MilestoneName = "container_started"
	FirstCUDA          MilestoneName = "first_cuda"
	Ready              MilestoneName = "ready"
	DeletionRequested  MilestoneName = "deletion_requested"
	ContainersFinished MilestoneName = "containers_finished"
	Failed             MilestoneName = "failed"
)

// SourceProbe is the source of a ready milestone that a readiness probe told;
// without a probe a container is ready as soon as it runs.
const SourceProbe = "probe"

// Milestone is a mark that a pod passed at At; Time is that of the point that
// told so.
type Milestone struct {
	Pod  string // Holder.Key
	Name MilestoneName
	// Attempt counts the starts of the container that holds the device, from
	// 0; a back-off has the number of the attempt that it delays.
	Attempt   int
	Container string // "" if it is the pod's
	Source    string
	At        Time
	Time      Time
}

// Stage is a stretch of a pod's start: the name of its span in a trace.
type Stage string

// The stages of a start.
const (
	StageScheduling  Stage = "scheduling"
	StageSandbox     Stage = "sandbox"
	StageImagePull   Stage = "image_pull"
	StageInit        Stage = "init"
	StageBackoff     Stage = "backoff"
	StageBeforeCUDA  Stage = "before_cuda"
	StageModelLoad   Stage = "model_load"
	StageApplication Stage = "application" // the start is over
)

// Progress is what a milestone says of a start.
type Progress struct {
	Milestone MilestoneName
	// Begins is the stage that begins with it, "" if none does.
	Begins Stage
	// Reason is that of start-up time from it on, NoReason if no stage begins
	// that a device can be held in.
	Reason Reason
}

// startTable is the one table of milestones, start-up reasons and stages of a
// trace. Of two milestones of one time, the later in the table counts.
var startTable = []Progress{
	{Created, StageScheduling, NoReason},
	{NodeCreated, "", NoReason},
	{ClaimAllocated, "", ReasonAdmission},
	{Scheduled, StageSandbox, ReasonAdmission},
	{Admitted, "", ReasonAdmission},
	{SandboxReady, "", ReasonAdmission},
	{PullStarted, StageImagePull, ReasonImagePull},
	{PullFinished, "", NoReason},
	{InitStarted, StageInit, ReasonInit},
	{InitFinished, "", NoReason},
	{BackoffStarted, StageBackoff, ReasonBackoff},
	{ContainerStarted, StageBeforeCUDA, ReasonBeforeCUDA},
	{FirstCUDA, StageModelLoad, ReasonModelLoad},
	{Ready, StageApplication, NoReason},
}

// StartTable returns what each milestone of a start says, in the order of a
// start. Milestones that aren't in it say nothing of a start.
func StartTable() []Progress { return append([]Progress(nil), startTable...) }

// StartOrder returns the place of a milestone in StartTable, and false if it
// isn't one of a start.
func StartOrder(name MilestoneName) (int, bool) {
	for i, p := range startTable {
		if p.Milestone == name {
			return i, true
		}
	}
	return 0, false
}
