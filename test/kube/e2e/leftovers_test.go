// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/node"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

// A cluster leaves nothing when it's stopped, and never changes the machine.
func TestStopLeavesNothing(t *testing.T) {
	mark := strings.TrimSuffix(node.Mark(0), "0") // of all clusters of this process
	before := machine(t)
	require.Empty(t, traces(t, mark, mark))
	c, err := kubetest.New(t.Context(), kubetest.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Stop()) }) // where the test fails
	pod := c.Create(t, "default", kubetest.Pod("left", holds(kubetest.GPU, 1)))
	c.Await(t, pod, "running", kubetest.Running)
	require.Equal(t, before, machine(t), "while it runs")
	// The control: what it left would be found.
	for _, kind := range []string{"process", "cgroup", "interface", "folder"} {
		require.Contains(t, strings.Join(traces(t, mark, c.Dir), "\n"), kind)
	}
	require.NoError(t, c.Stop())
	require.Empty(t, traces(t, mark, c.Dir))
	require.Equal(t, before, machine(t))
}

// A test that is killed leaves no process, mount, cgroup or interface: what it
// has started ends with its input.
func TestKilledTestLeavesNothing(t *testing.T) {
	if os.Getenv(victim) != "" {
		c, err := kubetest.New(t.Context(), kubetest.Options{})
		require.NoError(t, err)
		fmt.Println(node.Mark(0), c.Dir)
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGKILL))
	}
	before := machine(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledTestLeavesNothing$")
	cmd.Env = append(os.Environ(), victim+"=1")
	out, err := cmd.Output()
	require.ErrorContains(t, err, "killed", "%s", out)
	var mark, dir string
	_, err = fmt.Sscan(string(out), &mark, &dir)
	require.NoError(t, err, "%s", out)
	mark = strings.TrimSuffix(mark, "0")
	folder := []string{"folder " + dir} // the only thing that nobody is left to remove
	require.Eventually(t, func() bool { return slices.Equal(folder, traces(t, mark, dir)) }, patience, pollInterval, "%v", traces(t, mark, dir))
	require.NoError(t, os.RemoveAll(dir))
	require.Equal(t, before, machine(t))
}

const victim = "KUBE_E2E_VICTIM"

// traces returns what there is of clusters with a mark, or in a folder.
func traces(t *testing.T, mark, dir string) (found []string) {
	t.Helper()
	pids, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, pid := range pids {
		// A process may end meanwhile: then it's no trace.
		groups, _ := os.ReadFile(filepath.Join(pid, "cgroup"))
		line, _ := os.ReadFile(filepath.Join(pid, "cmdline"))
		if bytes.Contains(groups, []byte(mark)) || bytes.Contains(line, []byte(dir)) {
			found = append(found, "process "+pid+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	err = filepath.WalkDir("/sys/fs/cgroup", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(entry.Name(), mark) {
			found = append(found, "cgroup "+path)
		}
		return nil // a cgroup of somebody else may be gone meanwhile
	})
	require.NoError(t, err)
	links, err := net.Interfaces()
	require.NoError(t, err)
	for _, link := range links {
		if strings.HasPrefix(link.Name, mark) || strings.HasPrefix(link.Name, "kveth") {
			found = append(found, "interface "+link.Name)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		found = append(found, "folder "+dir)
	}
	return found
}

// Where a kubelet and containerd write as they are shipped.
var wouldBeWritten = []string{
	"/var/lib/kubelet", "/var/lib/containerd", "/var/log/pods", "/var/log/containers", "/run/containerd/containerd.sock",
	"/run/netns", "/opt/cni", "/opt/containerd", "/etc/cni", "/etc/kubernetes", "/usr/libexec/kubernetes",
}

// Settings that are the same from one moment to the next.
var settings = []string{
	"/proc/sys/vm/overcommit_memory", "/proc/sys/vm/panic_on_oom", "/proc/sys/kernel/panic", "/proc/sys/kernel/panic_on_oops",
	"/proc/sys/kernel/keys/*", "/proc/sys/net/ipv4/*", "/proc/sys/net/netfilter/*_max", "/proc/sys/net/bridge/*",
}

// The devices that containers get as well: the node has the machine's own.
var sharedDevices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// machine is what no cluster may change: mounts, settings, folders of the
// system, and devices.
func machine(t *testing.T) map[string]string {
	t.Helper()
	state := map[string]string{}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	require.NoError(t, err)
	state["mounts"] = string(mounts)
	for _, pattern := range settings {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			value, _ := os.ReadFile(file) // folders, and files that are only written
			state[file] = string(value)
		}
	}
	for _, path := range wouldBeWritten {
		info, err := os.Stat(path)
		if err == nil {
			state[path] = info.ModTime().String()
		} else {
			state[path] = err.Error()
		}
	}
	for _, path := range sharedDevices {
		info, err := os.Lstat(path)
		require.NoError(t, err)
		state[path] = info.Mode().String()
	}
	return state
}
