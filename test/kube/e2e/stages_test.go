// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

// stages returns how long each stage of its starts took, while it had devices,
// by the log of the device plugin: each process opens them when it starts.
func (h *truth) stages(pulls time.Time) map[string]time.Duration {
	took := map[string]time.Duration{}
	stage, since := "admission", h.bound
	enter := func(next string, at time.Time) {
		if !h.asked.IsZero() && at.After(h.asked) {
			at = h.asked // from then on it's terminating
		}
		if stage != "" && at.After(since) {
			took[stage] += at.Sub(since)
		}
		stage, since = next, at
	}
	if !pulls.IsZero() {
		enter("image_pull", pulls)
	}
	entries := slices.DeleteFunc(slices.Clone(h.entries), func(e kubetest.PluginEntry) bool { return e.Event == kubetest.Allocate })
	slices.SortStableFunc(entries, func(a, b kubetest.PluginEntry) int { return a.At.Compare(b.At) })
	for i, e := range entries {
		inits := slices.ContainsFunc(h.pod.Spec.InitContainers, func(c corev1.Container) bool { return c.Name == e.Container })
		switch {
		case e.Event == kubetest.Open && inits:
			enter("init", e.At)
		case e.Event == kubetest.Open:
			enter("before_cuda", e.At)
			if over := h.startOver(e.At); !slices.ContainsFunc(entries[i+1:], func(n kubetest.PluginEntry) bool { return n.At.Before(over) && n.Event == kubetest.Free }) {
				enter("", over)
			}
		case inits:
		case i+1 < len(entries) || h.released.After(h.freed):
			enter("backoff", e.At)
		default:
			enter("", e.At)
		}
	}
	enter("", h.released)
	return took
}

// startOver returns when a start is over that began at a time and isn't
// interrupted: the probe says so, or there were 10 s of activity.
func (h *truth) startOver(began time.Time) time.Time {
	const activity = 10 * time.Second
	if h.pod.Spec.Containers[0].ReadinessProbe == nil {
		return began.Add(time.Duration(float64(activity) / busy))
	}
	for _, v := range h.versions {
		if kubetest.Ready(v.Pod) && v.At.After(began) {
			return v.At
		}
	}
	return began.Add(time.Hour)
}
