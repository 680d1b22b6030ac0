// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/gpuplugin"
)

// PluginEntry is one entry of the device plugin's log.
type PluginEntry = gpuplugin.Entry

// The events of the device plugin's log.
const (
	Registered = gpuplugin.Registered
	Allocate   = gpuplugin.Allocate
	Open       = gpuplugin.Open
	Free       = gpuplugin.Free
	Health     = gpuplugin.Health
)

// Holding is what the device plugin knows of a pod: the entries of its
// containers, and those of Allocate that gave them their devices.
func (c *Cluster) Holding(pod *corev1.Pod) []PluginEntry {
	entries, _ := c.Plugin.Log().Entries()
	return holding(entries, pod)
}

func holding(entries []PluginEntry, pod *corev1.Pod) []PluginEntry {
	mine := map[int]bool{}
	for _, e := range entries {
		if e.UID == string(pod.UID) {
			mine[e.Allocation] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e PluginEntry) bool { return !mine[e.Allocation] })
}

// AwaitHolding waits until something is true of what the device plugin knows
// of a pod, and returns it.
func (c *Cluster) AwaitHolding(t testing.TB, pod *corev1.Pod, what string, condition func([]PluginEntry) bool) []PluginEntry {
	t.Helper()
	end := time.After(patience)
	for {
		entries, changed := c.Plugin.Log().Entries()
		of := holding(entries, pod)
		if condition(of) {
			return of
		}
		select {
		case <-changed:
		case <-end:
			t.Fatalf("waiting for the device plugin to know that pod %s is %s; it knows %+v", pod.Name, what, of)
		}
	}
}

// Freed says that so many processes had devices, and all are gone.
func Freed(times int) func([]PluginEntry) bool {
	return func(entries []PluginEntry) bool {
		return len(Of(entries, Free)) >= times && len(Of(entries, Open)) == len(Of(entries, Free))
	}
}

// Opened says that so many processes have opened devices.
func Opened(times int) func([]PluginEntry) bool {
	return func(entries []PluginEntry) bool { return len(Of(entries, Open)) >= times }
}

// Of returns the entries of an event.
func Of(entries []PluginEntry, event gpuplugin.Event) (of []PluginEntry) {
	for _, e := range entries {
		if e.Event == event {
			of = append(of, e)
		}
	}
	return of
}
