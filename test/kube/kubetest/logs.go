// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/node"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/script"
)

// Said is one line of the log of a script.
type Said = script.Entry

// Said returns what the script of a container has written of itself in a life
// of the container, the first being 0. It is there as
// long as the pod is.
func (c *Cluster) Said(t testing.TB, pod *corev1.Pod, container string, life int) []Said {
	t.Helper()
	file := c.path(node.PodLogs, fmt.Sprintf("%s_%s_%s", pod.Namespace, pod.Name, pod.UID), container, strconv.Itoa(life)+".log")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("reading what %s of pod %s has said: %v", container, pod.Name, err)
	}
	var said []Said
	for line := range strings.Lines(string(text)) {
		// Time, stream, and whether the line is whole: then the line.
		fields := strings.SplitN(line, " ", 4)
		var entry Said
		if len(fields) < 4 || json.Unmarshal([]byte(fields[3]), &entry) != nil {
			continue // not from the script: an error message
		}
		said = append(said, entry)
	}
	return said
}

// tail is how many lines of each log a failed test shows.
const tail = 15

// logTails returns the ends of all logs of the cluster.
func (c *Cluster) logTails() string {
	files, err := filepath.Glob(c.path(node.Logs, "*.log"))
	if err != nil {
		return err.Error()
	}
	var out strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the test's own failure is the one to tell
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		fmt.Fprintf(&out, "== %s\n%s\n", filepath.Base(file), strings.Join(lines[max(0, len(lines)-tail):], "\n"))
	}
	return out.String()
}
