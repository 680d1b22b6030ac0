// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"github.com/vishvananda/netlink"
)

// Outside makes what of a node is the machine's, runs its process 1 with this
// process' input and output, and takes everything away again.
func Outside(c Config) (err error) {
	// The kernel ends process 1 with the thread that has started it.
	runtime.LockOSThread()
	groups, err := enterCgroups(c.Mark)
	defer func() { err = errors.Join(err, groups.leave()) }()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, removeBridge(c.Mark)) }()
	if err := addBridge(c.Mark, c.Address); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	inside := exec.Command(self, "inside", c.Dir)
	inside.Stdin, inside.Stdout, inside.Stderr = os.Stdin, os.Stdout, os.Stderr
	inside.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWCGROUP,
		Pdeathsig:  syscall.SIGKILL,
	}
	if err := inside.Run(); err != nil {
		return fmt.Errorf("process 1 of %s: %w", c.Hostname, err)
	}
	return nil
}

// addBridge makes the network of the pods. The node has its first address.
func addBridge(name, address string) error {
	bridge := &netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: name}}
	if err := netlink.LinkAdd(bridge); err != nil {
		return fmt.Errorf("making the bridge %s: %w", name, err)
	}
	parsed, err := netlink.ParseAddr(address)
	if err != nil {
		return err
	}
	if err := netlink.AddrAdd(bridge, parsed); err != nil {
		return fmt.Errorf("giving %s to the bridge %s: %w", address, name, err)
	}
	return netlink.LinkSetUp(bridge)
}

// removeBridge removes a bridge and what is plugged into it.
func removeBridge(name string) error {
	bridge, err := netlink.LinkByName(name)
	if missing := (netlink.LinkNotFoundError{}); errors.As(err, &missing) {
		return nil
	}
	if err != nil {
		return err
	}
	links, err := netlink.LinkList()
	if err != nil {
		return err
	}
	for _, link := range links {
		if link.Attrs().MasterIndex == bridge.Attrs().Index {
			_ = netlink.LinkDel(link) // the kernel may have been faster
		}
	}
	if err := netlink.LinkDel(bridge); err != nil {
		return fmt.Errorf("removing the bridge %s: %w", name, err)
	}
	return nil
}

// Mark returns the name of a node's cgroups and bridge: of this process, so
// that Sweep can tell whether it's still used. It has 15 bytes at most.
func Mark(n int) string { return fmt.Sprintf("%s%d-%d", markPrefix, os.Getpid(), n) }

const markPrefix = "kubet"

// Sweep removes what nodes have left whose processes are all gone: they were
// killed before they could.
func Sweep() error {
	links, err := net.Interfaces()
	if err != nil {
		return err
	}
	var errs []error
	for _, link := range links {
		if orphaned(link.Name) {
			errs = append(errs, removeBridge(link.Name))
		}
	}
	for _, dir := range orphanedCgroups() {
		errs = append(errs, remove(dir, 0))
	}
	return errors.Join(errs...)
}

func orphaned(mark string) bool {
	var pid, n int
	if !strings.HasPrefix(mark, markPrefix) {
		return false
	}
	if _, err := fmt.Sscanf(mark, markPrefix+"%d-%d", &pid, &n); err != nil {
		return false
	}
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
