// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package checkpoint

import (
	"errors"
	"syscall"

	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// Outcome says what Open found.
type Outcome string

// The outcomes. Only a checkpoint that is Resumed was loaded; after every other
// outcome the component starts anew, and its first Save replaces what is there.
const (
	Fresh         Outcome = "fresh"          // nothing was stored
	Resumed       Outcome = "resumed"        // loaded
	OtherBoot     Outcome = "other_boot"     // the machine was started since, or may have been
	OtherSettings Outcome = "other_settings" // what is stored means something else
	Corrupt       Outcome = "corrupt"        // not what was stored
	NewerFormat   Outcome = "newer_format"   // stored by a newer version
	Unreadable    Outcome = "unreadable"     // the storage failed
)

// Outcomes returns all outcomes.
func Outcomes() []Outcome {
	return []Outcome{Fresh, Resumed, OtherBoot, OtherSettings, Corrupt, NewerFormat, Unreadable}
}

// ErrNewerFormat says that a newer version stored something. A loader wraps it
// if that is so of the payload.
var ErrNewerFormat = errors.New("stored by a newer version")

// errCorrupt says that something isn't what was stored.
var errCorrupt = errors.New("not what was stored")

// errNoSnapshot is a misuse of Append.
var errNoSnapshot = errors.New("there is no snapshot that a record could follow")

// Error is a failure of the storage.
type Error struct {
	Op  string // what was tried
	Err error
}

// Error says what failed, and what to do if that is known.
func (e *Error) Error() string {
	text := e.Op + ": " + e.Err.Error()
	if e.Full() {
		text += ": free space, or raise max_size of the storage extension"
	}
	return text
}

// Unwrap returns the storage's own error.
func (e *Error) Unwrap() error { return e.Err }

// Full reports whether the storage has no space left.
func (e *Error) Full() bool {
	return errors.Is(e.Err, storage.ErrStorageFull) || errors.Is(e.Err, syscall.ENOSPC)
}
