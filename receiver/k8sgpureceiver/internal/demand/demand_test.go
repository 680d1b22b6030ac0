// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package demand

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
)

const now = gpu.Time(1_700_000_000 * time.Second)

func isGPU(name string) bool { return strings.HasPrefix(name, "nvidia.com/") }

func container(n string) corev1.Container {
	return corev1.Container{Name: "c", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(n), "cpu": resource.MustParse("1")}}}
}

func unscheduled(reason, message string) []corev1.PodCondition {
	return []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason, Message: message}}
}

func TestReason(t *testing.T) {
	const full = "0/5 nodes are available: 3 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint(s). preemption: 0/5 nodes are available"
	for name, c := range map[string]struct {
		change func(*corev1.Pod)
		want   gpu.DemandReason
	}{
		"new":   {func(*corev1.Pod) {}, gpu.DemandNotTried},
		"gates": {func(p *corev1.Pod) { p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "queue"}} }, gpu.DemandGated},
		"gated": {func(p *corev1.Pod) { p.Status.Conditions = unscheduled("SchedulingGated", "") }, gpu.DemandGated},
		"full":  {func(p *corev1.Pod) { p.Status.Conditions = unscheduled("Unschedulable", full) }, gpu.DemandNoGPU},
		"at the end": {func(p *corev1.Pod) {
			p.Status.Conditions = unscheduled("Unschedulable", "1 Insufficient nvidia.com/gpu.")
		}, gpu.DemandNoGPU},
		"of another": {func(p *corev1.Pod) {
			p.Status.Conditions = unscheduled("Unschedulable", "1 Insufficient nvidia.com/gpu.shared")
		}, gpu.DemandUnfit},
		"claims": {func(p *corev1.Pod) {
			p.Status.Conditions = unscheduled("Unschedulable", "2 cannot allocate all claims.")
		}, gpu.DemandNoGPU},
		"other":    {func(p *corev1.Pod) { p.Status.Conditions = unscheduled("Unschedulable", "1 Insufficient cpu.") }, gpu.DemandUnfit},
		"an error": {func(p *corev1.Pod) { p.Status.Conditions = unscheduled("SchedulerError", "") }, gpu.DemandUnfit},
		"nominated": {func(p *corev1.Pod) {
			p.Status.NominatedNodeName = "n"
			p.Status.Conditions = unscheduled("Unschedulable", full)
		}, gpu.DemandNominated},
		"was bound": {func(p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
		}, gpu.DemandNotTried},
		"other state": {func(p *corev1.Pod) {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
		}, gpu.DemandNotTried},
	} {
		p := corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{container("1")}}}
		c.change(&p)
		require.Equal(t, c.want, Read(&p, isGPU).Reason, name)
	}
}

func TestRead(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	sidecar, name := container("1"), "claim"
	sidecar.RestartPolicy = &always
	user := corev1.Container{Name: "d", Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "x"}, {Name: "later"}}}}
	p := Read(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{UID: "u", Namespace: "ml", CreationTimestamp: metav1.Unix(1_700_000_000, 0)},
		Spec: corev1.PodSpec{
			InitContainers: []corev1.Container{container("3"), sidecar, container("5")},
			Containers:     []corev1.Container{container("2"), container("2"), user, user},
			ResourceClaims: []corev1.PodResourceClaim{{Name: "x", ResourceClaimName: &name}, {Name: "later"}},
		},
	}, isGPU)
	require.Equal(t, Pod{
		UID: "u", Namespace: "ml", Created: now, Wants: map[string]int64{"nvidia.com/gpu": 6}, Claims: []claim.Key{{Namespace: "ml", Name: "claim"}},
		Reason: gpu.DemandNotTried,
	}, p, "the last init container beside the sidecar")
}

func pending(uid string, age time.Duration, n int64) Pod {
	return Pod{UID: uid, Namespace: "ml", Created: now.Add(-age), Wants: map[string]int64{"nvidia.com/gpu": n}, Reason: gpu.DemandNoGPU}
}

func texts(all []gpu.Demand) (out []string) {
	for _, d := range all {
		out = append(out, fmt.Sprintf("%s %s %s %s: %d", d.Namespace, d.Resource, d.Reason, d.Age, d.Count))
	}
	return out
}

func TestSum(t *testing.T) {
	claims := &claim.Store{}
	key := claim.Key{Namespace: "ml", Name: "c"}
	a, b := pending("a", 3*time.Minute, 0), pending("b", 2*time.Minute, 0)
	a.Claims, b.Claims = []claim.Key{key}, []claim.Key{key, {Namespace: "ml", Name: "unknown"}}
	pods := []Pod{b, a, pending("d", time.Second, 8), pending("e", 30*time.Second, 1), pending("f", time.Minute, 2), pending("g", time.Hour, 4)}
	require.Equal(t, []string{
		"ml nvidia.com/gpu no_gpu over_1h: 4", "ml nvidia.com/gpu no_gpu under_10m: 2", "ml nvidia.com/gpu no_gpu under_1m: 9",
	}, texts(Sum(pods, claims, now, "c")))
	claims.Put(claim.Claim{Key: key, Wants: map[string]int64{"gpu.nvidia.com": 2}})
	first := Sum(pods, claims, now, "c")
	require.Contains(t, texts(first), "ml gpu.nvidia.com no_gpu under_10m: 2", "one claim of two pods asks once")
	claims.Put(claim.Claim{Key: key, Wants: map[string]int64{"gpu.nvidia.com": 2}, Grants: []claim.Grant{{}}})
	require.NotContains(t, strings.Join(texts(Sum(pods, claims, now, "c")), " "), "gpu.nvidia.com", "it has what it asks for")

	zeros := Zeros(first, Sum(pods, claims, now+1, "c"), now+1)
	require.Equal(t, []string{"ml gpu.nvidia.com no_gpu under_10m: 0"}, texts(zeros))
	require.Equal(t, now+1, zeros[0].Time)
	require.Empty(t, Zeros(zeros, nil, now+2), "told once")
}

// TestPropSum: nothing is lost or counted twice.
func TestPropSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pods []Pod
		want := 0
		for i := range rapid.IntRange(0, 20).Draw(t, "pods") {
			p := pending(strconv.Itoa(i), time.Duration(rapid.Int64Range(0, 1e13).Draw(t, "age")), rapid.Int64Range(0, 9).Draw(t, "wants"))
			p.Namespace = rapid.SampledFrom([]string{"a", "b"}).Draw(t, "namespace")
			p.Reason = rapid.SampledFrom(gpu.DemandReasons()).Draw(t, "reason")
			want += int(p.Wants["nvidia.com/gpu"])
			pods = append(pods, p)
		}
		got := 0
		for _, d := range Sum(pods, &claim.Store{}, now, "c") {
			got += d.Count
		}
		if got != want {
			t.Fatalf("%d, not %d", got, want)
		}
	})
}
