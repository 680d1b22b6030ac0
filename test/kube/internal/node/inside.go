// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Inside is process 1 of a node: it makes the mounts, starts the runner and
// waits for all that ends. When it returns, the kernel ends every process of
// the node.
func Inside(c Config) error {
	if err := syscall.Sethostname([]byte(c.Hostname)); err != nil {
		return fmt.Errorf("naming the node %s: %w", c.Hostname, err)
	}
	if err := mountAll(c); err != nil {
		return err
	}
	// Not by the path that this was started under: the mounts may hide it.
	runner := exec.Command(filepath.Join(c.Dir, Programs, Program), "run")
	runner.Stdin, runner.Stdout, runner.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := runner.Start(); err != nil {
		return fmt.Errorf("starting the runner of %s: %w", c.Hostname, err)
	}
	return reap(runner.Process.Pid)
}

// reap takes note of the end of every process until the given one has ended:
// those of containers become children of process 1.
func reap(until int) error {
	for {
		var status syscall.WaitStatus
		switch pid, err := syscall.Wait4(-1, &status, 0, nil); {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return fmt.Errorf("waiting for processes: %w", err)
		case pid == until && status != 0:
			return fmt.Errorf("the runner ended with status %#x", int(status))
		case pid == until:
			return nil
		}
	}
}
