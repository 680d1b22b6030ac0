// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package podtest has recordings of a real kubelet (v1.37.2), reduced to what
// the receiver reads: pods with whole GPUs that are initialized, get ready,
// finish, fail, have a sidecar, use claims, and outlive a restart of the kubelet.
package podtest

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

//go:embed testdata
var testdata embed.FS

// Step is one message of the kubelet's Pods API.
type Step struct {
	At   gpu.Time // arrival
	Type string   // ADDED, MODIFIED, DELETED, INITIAL_SYNC_COMPLETE, STREAM_END; of Claims also LIST, CLAIM, SLICE
	Pod  *corev1.Pod

	List  []Listed // a list of PodResources that differs from the one before
	Claim *resourcev1.ResourceClaim
	Slice *resourcev1.ResourceSlice
}

// Listed is a container as PodResources lists it.
type Listed struct {
	Pod, Container string
	Claims         []struct {
		Claim   string
		Devices []string
	}
}

// Life returns the recording of train-0 (an init container, a readiness probe,
// deleted), batch-z47bm (Succeeded), crash (Failed) and with-sidecar.
func Life(t testing.TB) []Step { return load(t, "life.ndjson") }

// Restart returns two pods while the kubelet was ended and started again.
func Restart(t testing.TB) []Step { return load(t, "restart.ndjson") }

// Claims returns dra-template (a claim from a template), dra-shared-a and -b (one
// claim of two devices), and what PodResources listed; the claims and the slice
// come first, as they were later.
func Claims(t testing.TB) []Step { return load(t, "claims.ndjson") }

func load(t testing.TB, name string) []Step {
	t.Helper()
	var steps []Step
	Lines(t, name, func(line []byte) error {
		var s struct {
			At    time.Time
			Type  string
			Pod   *corev1.Pod
			List  []Listed
			Claim *resourcev1.ResourceClaim
			Slice *resourcev1.ResourceSlice
		}
		if err := json.Unmarshal(line, &s); err != nil {
			return err
		}
		steps = append(steps, Step{gpu.Time(s.At.UnixNano()), s.Type, s.Pod, s.List, s.Claim, s.Slice})
		return nil
	})
	return steps
}

// Lines calls read for each line of a file of testdata.
func Lines(t testing.TB, name string, read func(line []byte) error) {
	t.Helper()
	data, err := testdata.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := read(lines.Bytes()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

// Time parses a time of the recordings' day, "12:34:35.6".
func Time(clock string) gpu.Time {
	at, err := time.Parse(time.RFC3339Nano, "2026-11-30T"+clock+"Z")
	if err != nil {
		panic(err)
	}
	return gpu.Time(at.UnixNano())
}
