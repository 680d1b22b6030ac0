// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package standin

import (
	"fmt"
	"os"
	"strconv"
)

// ScriptVariable is the environment variable that names the script. The
// library reads it when it is initialised.
const ScriptVariable = "DCGM_STANDIN_SCRIPT"

// Entity is what a field is measured on: its kind ("gpu", "gi", "ci") and
// DCGM's id of it.
type Entity struct {
	Kind string
	ID   uint
}

// GPU is a board.
func GPU(id uint) Entity { return Entity{"gpu", id} }

// GI is a GPU instance.
func GI(id uint) Entity { return Entity{"gi", id} }

// CI is a compute instance.
func CI(id uint) Entity { return Entity{"ci", id} }

func (e Entity) String() string { return e.Kind + " " + strconv.FormatUint(uint64(e.ID), 10) }

// Value is a value as the engine types it.
type Value string

// Int is a 64-bit integer.
func Int(v int64) Value { return Value("i " + strconv.FormatInt(v, 10)) }

// Double is a double.
func Double(v float64) Value { return Value("d " + strconv.FormatFloat(v, 'g', -1, 64)) }

// String is a string, on one line.
func String(v string) Value { return Value("s " + v) }

// The values that stand for none.
const (
	IntBlank        Value = "i 9223372036854775792"
	IntNotSupported Value = "i 9223372036854775794"
	DoubleBlank     Value = "d 140737488355328"
	NotSupported    Value = "s <<<NOT_SUPPORTED>>>"
)

// Script is what the engine does.
type Script struct{ file *os.File }

// NewScript makes an empty script.
func NewScript(path string) (*Script, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make a script for the DCGM stand-in: %w", err)
	}
	return &Script{file}, nil
}

// Close closes the file; what was said stays in force.
func (s *Script) Close() error { return s.file.Close() }

// Path names the script.
func (s *Script) Path() string { return s.file.Name() }

// Say appends a line, as doc.go lists them.
func (s *Script) Say(format string, args ...any) error {
	// In one write: a reader never sees half of it.
	if _, err := fmt.Fprintf(s.file, format+"\n", args...); err != nil {
		return fmt.Errorf("write the script of the DCGM stand-in: %w", err)
	}
	return nil
}

// Set says what is measured of a field from now on.
func (s *Script) Set(e Entity, field uint16, v Value) error {
	return s.Say("set %s %d %s", e, field, v)
}

// Sample says that the engine took a sample.
func (s *Script) Sample(e Entity, field uint16, us int64, status int, v Value) error {
	return s.Say("sample %s %d %d %d %s", e, field, us, status, v)
}
