// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// hidden are folders of the machine that a kubelet and containerd write to.
// The node has empty ones, and the machine keeps its own untouched.
var hidden = []string{"/run", "/var/lib", "/var/log"}

// written are the settings of the kernel that a kubelet writes. It writes to
// copies.
var written = []string{
	"vm/overcommit_memory", "vm/panic_on_oom",
	"kernel/panic", "kernel/panic_on_oops", "kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
}

func mountAll(c Config) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	// Before the folder that it's in is hidden.
	if err := bind(c.Programs, filepath.Join(c.Dir, Programs)); err != nil {
		return err
	}
	for _, dir := range hidden {
		if err := mount("tmpfs", dir, "tmpfs", "mode=755"); err != nil {
			return err
		}
	}
	if err := mount("proc", "/proc", "proc", ""); err != nil {
		return err
	}
	if err := errors.Join(mountCgroups(), coverSysctls(filepath.Join(c.Dir, sysctls))); err != nil {
		return err
	}
	const kubelet = "/var/lib/kubelet"
	if err := os.Mkdir(kubelet, 0o750); err != nil {
		return err
	}
	if err := bind(filepath.Join(c.Dir, Kubelet), kubelet); err != nil {
		return err
	}
	// Volumes that it mounts have to show in the containers.
	return syscall.Mount("", kubelet, "", syscall.MS_REC|syscall.MS_SHARED, "")
}

func mount(source, target, kind, options string) error {
	if err := syscall.Mount(source, target, kind, syscall.MS_NOSUID, options); err != nil {
		return fmt.Errorf("mounting %s on %s: %w", kind, target, err)
	}
	return nil
}

func bind(source, target string) error {
	if err := syscall.Mount(source, target, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("mounting %s on %s: %w", source, target, err)
	}
	return nil
}

// coverSysctls puts copies over the settings that a kubelet writes.
func coverSysctls(dir string) error {
	for _, name := range written {
		setting := filepath.Join("/proc/sys", name)
		value, err := os.ReadFile(setting)
		if errors.Is(err, os.ErrNotExist) {
			continue // this kernel hasn't got it
		}
		if err != nil {
			return err
		}
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "."))
		if err := os.WriteFile(file, value, 0o644); err != nil {
			return err
		}
		if err := bind(file, setting); err != nil {
			return err
		}
	}
	return nil
}

// mountCgroups mounts the hierarchies anew, as they are seen from the cgroup
// of process 1: that is their root here.
func mountCgroups() error {
	v2, err := unified()
	if err != nil {
		return err
	}
	if err := unmountBelow(cgroupRoot); err != nil {
		return err
	}
	if v2 {
		return mountUnified()
	}
	if err := mount("tmpfs", cgroupRoot, "tmpfs", "mode=755"); err != nil {
		return err
	}
	controllers, err := controllersInUse()
	if err != nil {
		return err
	}
	for _, controller := range append(controllers, "name=systemd") {
		dir := filepath.Join(cgroupRoot, strings.TrimPrefix(controller, "name="))
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		options := controller
		if strings.HasPrefix(controller, "name=") {
			options = "none," + controller
		}
		if err := mount("cgroup", dir, "cgroup", options); err != nil {
			return err
		}
	}
	return nil
}

// mountUnified also moves process 1 out of the root: the root hands controllers
// on to pods, and so may have no process.
func mountUnified() error {
	if err := mount("cgroup2", cgroupRoot, "cgroup2", ""); err != nil {
		return err
	}
	own := filepath.Join(cgroupRoot, "init")
	if err := os.Mkdir(own, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(own, "cgroup.procs"), []byte("1"), 0); err != nil {
		return fmt.Errorf("moving process 1 to a cgroup of its own: %w", err)
	}
	delegate(cgroupRoot)
	return nil
}

// controllersInUse returns the v1 controllers that have a hierarchy.
func controllersInUse() (names []string, err error) {
	file, err := os.Open("/proc/cgroups")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	// A line is "memory 4 41 1": name, hierarchy, cgroups, enabled.
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) == 4 && fields[0][0] != '#' && fields[1] != "0" && fields[3] == "1" {
			names = append(names, fields[0])
		}
	}
	return names, nil
}

// unmountBelow unmounts what is mounted on dir and below it, the last first.
func unmountBelow(dir string) error {
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	defer file.Close()
	var targets []string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		// The fifth field is where it's mounted.
		fields := strings.Fields(lines.Text())
		if len(fields) > 4 && (fields[4] == dir || strings.HasPrefix(fields[4], dir+"/")) {
			targets = append(targets, fields[4])
		}
	}
	for _, target := range slices.Backward(targets) {
		if err := syscall.Unmount(target, syscall.MNT_DETACH); err != nil {
			return fmt.Errorf("unmounting %s: %w", target, err)
		}
	}
	return nil
}
