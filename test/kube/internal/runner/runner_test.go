// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain lets the test's own binary be the program that serves.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "serve" {
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func launch(t *testing.T) (client *Client, dir string) {
	t.Helper()
	dir = t.TempDir()
	client, err := Launch(filepath.Join(dir, "runner.log"), os.Args[0], "serve")
	require.NoError(t, err)
	return client, dir
}

func TestRunWaitsAndTellsHowItEnded(t *testing.T) {
	c, dir := launch(t)
	log := filepath.Join(dir, "log")
	require.NoError(t, c.Run("a", log, "/bin/sh", "-c", "echo said"))
	said, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, "said\n", string(said))
	require.ErrorContains(t, c.Run("a", log, "/bin/sh", "-c", "exit 3"), "exit status 3")
	require.ErrorContains(t, c.Run("a", log, "/no/such/program"), "no such file")
	require.NoError(t, c.Close())
}

func TestStopStartsAnew(t *testing.T) {
	c, dir := launch(t)
	log := filepath.Join(dir, "log")
	require.NoError(t, c.Start("a", log, "/bin/sleep", "1000"))
	require.ErrorContains(t, c.Start("a", log, "/bin/sleep", "1000"), "runs already")
	require.NoError(t, c.Stop("a"))
	require.ErrorContains(t, c.Kill("a"), "wasn't started")
	require.NoError(t, c.Start("a", log, "/bin/sleep", "1000"))
	require.NoError(t, c.Alive("a"))
	require.NoError(t, c.Kill("a"))
	require.ErrorContains(t, c.Alive("a"), "wasn't started")
	require.NoError(t, c.Start("b", log, "/bin/sh", "-c", "exit 3"))
	require.Eventually(t, func() bool { return c.Alive("b") != nil }, time.Minute, time.Millisecond)
	require.NoError(t, c.Close())
}

// The end of the input stands for a test that has crashed.
func TestEndOfInputEndsAll(t *testing.T) {
	c, dir := launch(t)
	pid := filepath.Join(dir, "pid")
	require.NoError(t, c.Run("fifo", filepath.Join(dir, "log"), "/usr/bin/mkfifo", pid))
	require.NoError(t, c.Start("a", filepath.Join(dir, "log"), "/bin/sh", "-c", "echo $$ >"+pid+"; exec sleep 1000"))
	text, err := os.ReadFile(pid)
	require.NoError(t, err)
	proc := "/proc/" + strings.TrimSpace(string(text))
	require.DirExists(t, proc)
	require.NoError(t, c.Close())
	require.NoDirExists(t, proc)
}
