// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpu

// State is what a nanosecond of GPU time was. Every settled nanosecond of a
// device is in exactly one state.
type State uint8

// The states, in the order in which the evidence decides.
const (
	Unavailable State = iota
	Unobserved
	Unallocated
	Terminating
	Startup
	Idle
	Unproven
	Productive
	states
)

var stateNames = [states]string{
	"unavailable", "unobserved", "unallocated", "terminating", "startup", "idle", "unproven", "productive",
}

var stateTitles = [states]string{
	"Out of service", "No data", "Free", "Stopping", "Starting", "Idle", "Busy, unproven", "Productive",
}

// String returns the value of the attribute gpu.state.
func (s State) String() string { return stateNames[s] }

// Title returns the words that people read.
func (s State) Title() string { return stateTitles[s] }

// ParseState is the inverse of State.String.
func ParseState(name string) (State, bool) { return parse[State](stateNames[:], name) }

// Reason says why time is in its state.
type Reason uint8

// The reasons. Which go with which state is in Reasons.
const (
	NoReason Reason = iota

	ReasonHealth
	ReasonNode
	ReasonReconfiguration
	ReasonTaint

	ReasonAllocation
	ReasonActivity
	ReasonDevice

	ReasonFree
	ReasonUnpartitioned
	ReasonSharedSlot
	ReasonForeignActivity

	ReasonAdmission
	ReasonImagePull
	ReasonInit
	ReasonBeforeCUDA
	ReasonModelLoad
	ReasonBackoff

	ReasonStarved
	ReasonSleeping
	ReasonProvisioning
	ReasonInference
	ReasonBatch
	ReasonInteractive
	ReasonUnclassified

	ReasonOutputFlat
	ReasonNoAppMetric
	ReasonNotScraped
	ReasonGroupUnknown
	reasons
)

var reasonNames = [reasons]string{
	"",
	"health", "node", "reconfiguration", "taint",
	"allocation", "activity", "device",
	"free", "unpartitioned", "shared_slot", "foreign_activity",
	"admission", "image_pull", "init", "before_cuda", "model_load", "backoff",
	"starved", "sleeping", "provisioning", "inference", "batch", "interactive", "unclassified",
	"output_flat", "no_app_metric", "not_scraped", "group_unknown",
}

// String returns the value of the attribute gpu.state.reason.
func (r Reason) String() string { return reasonNames[r] }

// ParseReason is the inverse of Reason.String.
func ParseReason(name string) (Reason, bool) { return parse[Reason](reasonNames[:], name) }

// Reasons returns the reasons that a state can have.
func (s State) Reasons() []Reason {
	switch s {
	case Unavailable:
		return []Reason{ReasonHealth, ReasonNode, ReasonReconfiguration, ReasonTaint}
	case Unobserved:
		return []Reason{ReasonAllocation, ReasonActivity, ReasonDevice}
	case Unallocated:
		return []Reason{ReasonFree, ReasonUnpartitioned, ReasonSharedSlot, ReasonForeignActivity}
	case Startup:
		return []Reason{
			ReasonAdmission, ReasonImagePull, ReasonInit, ReasonBeforeCUDA, ReasonModelLoad, ReasonBackoff,
		}
	case Idle:
		return []Reason{
			ReasonStarved, ReasonSleeping, ReasonProvisioning,
			ReasonInference, ReasonBatch, ReasonInteractive, ReasonUnclassified,
		}
	case Unproven:
		return []Reason{ReasonOutputFlat, ReasonNoAppMetric, ReasonNotScraped, ReasonGroupUnknown}
	default:
		return nil
	}
}

// Form says whether scaling the holder down would have reclaimed idle time.
type Form uint8

// The forms of idle time.
const (
	NoForm Form = iota
	BetweenWork
	Episode
	forms
)

var formNames = [forms]string{"", "between_work", "episode"}

// String returns the value of the attribute gpu.idle.form.
func (f Form) String() string { return formNames[f] }

// ParseForm is the inverse of Form.String.
func ParseForm(name string) (Form, bool) { return parse[Form](formNames[:], name) }

// Residence says whether a model was loaded while the device was idle.
type Residence uint8

// What is known of a model's residence.
const (
	NoResidence Residence = iota
	ResidentUnknown
	ResidentTrue
	ResidentFalse
	residences
)

var residenceNames = [residences]string{"", "unknown", "true", "false"}

// String returns the value of the attribute gpu.memory.resident.
func (r Residence) String() string { return residenceNames[r] }

// ParseResidence is the inverse of Residence.String.
func ParseResidence(name string) (Residence, bool) {
	return parse[Residence](residenceNames[:], name)
}

// Condition is a state with all that qualifies it: the key under which time is
// summed. Form and Residence are set for Idle only.
type Condition struct {
	State     State
	Reason    Reason
	Form      Form
	Residence Residence
}
