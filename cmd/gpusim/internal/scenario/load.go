// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/scenarios"
)

// Names returns the scenarios that are built in, in order, as demo and
// accuracy/01-steady.
func Names() (names []string) {
	err := fs.WalkDir(scenarios.Files, ".", func(path string, _ fs.DirEntry, err error) error {
		if name, ok := strings.CutSuffix(path, ".yaml"); ok {
			names = append(names, name)
		}
		return err
	})
	if err != nil { // it is in memory
		panic(err)
	}
	return names
}

// Load reads a scenario: one that is built in, by its name, or a file.
func Load(name string) (*Scenario, error) {
	text, err := scenarios.Files.ReadFile(name + ".yaml")
	if err == nil {
		return Parse(name, text)
	}
	text, err = os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read scenario %q: no such file, and none of the built-in ones: %s", name, strings.Join(Names(), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	return Parse(name, text)
}
