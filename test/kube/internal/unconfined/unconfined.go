// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package unconfined stands before a runc that is built without libseccomp.
// Such a runc refuses a container with a filter of system calls, and containerd
// gives one to every pod: the kubelet wants it so. No test is about filters.
package unconfined

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Runc is the name of the program, and of what stands before it.
const Runc = "runc"

// Main takes the filter out of a container that is to be created, and becomes
// the runc in the folder of this program.
func Main(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if bundle := bundleOf(args); bundle != "" {
		if err := removeFilter(filepath.Join(bundle, "config.json")); err != nil {
			return fmt.Errorf("removing the filter of system calls: %w", err)
		}
	}
	program := filepath.Join(filepath.Dir(self), Runc)
	if err := syscall.Exec(program, args, os.Environ()); err != nil {
		return fmt.Errorf("starting %s: %w", program, err)
	}
	return nil
}

// bundleOf returns the folder of a container that is to be created, "" for
// every other command.
func bundleOf(args []string) string {
	create := slices.Index(args, "create")
	if create < 0 {
		return ""
	}
	if at := slices.Index(args[create:], "--bundle"); at >= 0 && create+at+1 < len(args) {
		return args[create+at+1]
	}
	return ""
}

// removeFilter leaves everything else as it's written.
func removeFilter(file string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // runc says so better
	}
	if err != nil {
		return err
	}
	var config, linux map[string]json.RawMessage
	if err := json.Unmarshal(text, &config); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := json.Unmarshal(config["linux"], &linux); err != nil {
		return fmt.Errorf("%s: linux: %w", file, err)
	}
	delete(linux, "seccomp")
	if config["linux"], err = json.Marshal(linux); err != nil {
		return err
	}
	if text, err = json.Marshal(config); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}
