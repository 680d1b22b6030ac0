// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const cgroupRoot = "/sys/fs/cgroup"

// unified says whether the machine has cgroup v2 only.
func unified() (bool, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(cgroupRoot, &stat); err != nil {
		return false, fmt.Errorf("looking at %s: %w", cgroupRoot, err)
	}
	return stat.Type == unix.CGROUP2_SUPER_MAGIC, nil
}

// cgroups are folders, one in each hierarchy.
type cgroups []string

// enterCgroups makes a cgroup below the one of this process in each hierarchy,
// and moves this process there. With cgroup v2 it is below the root: a cgroup
// that has processes can't hand controllers on.
func enterCgroups(mark string) (made cgroups, err error) {
	v2, err := unified()
	if err != nil {
		return nil, err
	}
	if v2 {
		delegate(cgroupRoot)
		made, err = made.add(filepath.Join(cgroupRoot, mark))
	} else {
		made, err = addHierarchies(mark)
	}
	for _, dir := range made {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "cgroup.procs"), fmt.Append(nil, os.Getpid()), 0)
		}
	}
	if err != nil {
		return made, fmt.Errorf("making cgroups: %w", err)
	}
	return made, nil
}

func addHierarchies(mark string) (made cgroups, err error) {
	file, err := os.Open("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// A line is "4:memory:/where", "1:name=systemd:/where" or "0::/where".
	for lines := bufio.NewScanner(file); lines.Scan(); {
		parts := strings.SplitN(lines.Text(), ":", 3)
		if len(parts) != 3 || parts[1] == "" {
			continue
		}
		parent := filepath.Join(cgroupRoot, strings.TrimPrefix(parts[1], "name="), parts[2])
		if _, err := os.Stat(parent); err != nil {
			continue // not mounted here
		}
		if made, err = made.add(filepath.Join(parent, mark)); err != nil {
			return made, err
		}
		if parts[1] == "cpuset" {
			err = errors.Join(inherit(made[len(made)-1], "cpuset.cpus"), inherit(made[len(made)-1], "cpuset.mems"))
		}
		if err != nil {
			return made, err
		}
	}
	if len(made) == 0 {
		return nil, fmt.Errorf("no cgroup hierarchy is mounted in %s", cgroupRoot)
	}
	return made, nil
}

func (c cgroups) add(dir string) (cgroups, error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return c, err
	}
	return append(c, dir), nil
}

// inherit copies a setting of the parent: a new cpuset has none of its own.
func inherit(dir, setting string) error {
	value, err := os.ReadFile(filepath.Join(filepath.Dir(dir), setting))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, setting), value, 0)
}

// delegate lets the children of a v2 cgroup have every controller that it has.
// Some can't be handed on, depending on the machine: the kubelet names what it
// lacks.
func delegate(dir string) {
	available, _ := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	for controller := range strings.FieldsSeq(string(available)) {
		_ = os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte("+"+controller), 0)
	}
}

// leave moves this process to the parents and removes the cgroups. The last
// processes in them may take a moment to be gone.
func (c cgroups) leave() error {
	var errs []error
	for _, dir := range c {
		if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "cgroup.procs"), fmt.Append(nil, os.Getpid()), 0); err != nil {
			errs = append(errs, err)
		}
		errs = append(errs, remove(dir, 10*time.Second))
	}
	return errors.Join(errs...)
}

// remove removes a cgroup with those below it.
func remove(dir string, patience time.Duration) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		err := removeOnce(dir)
		if err == nil || !errors.Is(err, syscall.EBUSY) || time.Now().After(end) {
			return err
		}
	}
}

func removeOnce(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeOnce(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	if err := syscall.Rmdir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &os.PathError{Op: "rmdir", Path: dir, Err: err}
	}
	return nil
}

// orphanedCgroups returns the cgroups of nodes that are gone.
func orphanedCgroups() (found []string) {
	// What can't be read can't be swept.
	_ = filepath.WalkDir(cgroupRoot, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir
		case entry.IsDir() && orphaned(entry.Name()):
			found = append(found, path)
			return fs.SkipDir
		default:
			return nil
		}
	})
	return found
}
