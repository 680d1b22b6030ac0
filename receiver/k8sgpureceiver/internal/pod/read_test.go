// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func hex(t gpu.Time) string { return strconv.FormatInt(int64(t), 16) }

func TestParsePulled(t *testing.T) {
	for message, want := range map[string]Pull{
		`Successfully pulled image "X" in 1.2s (3.4s including waiting). Image size: 123 bytes.`: {Took: 1200 * time.Millisecond, Waited: 2200 * time.Millisecond, Bytes: 123},
		`Successfully pulled image "X" in 2m7s`:                                                  {Took: 127 * time.Second},
		`Container image "X" already present on machine`:                                         {Present: true},
		`Container image "X" already present on machine and can be accessed by the pod`:          {Present: true},
	} {
		got, ok := ParsePulled(message)
		require.True(t, ok, message)
		require.Equal(t, want, got, message)
	}
	for _, message := range []string{"", `Failed to pull image "X"`, `Successfully pulled image "X" in ages`} {
		_, ok := ParsePulled(message)
		require.False(t, ok, message)
	}
}

func TestPullEvents(t *testing.T) {
	m := &Milestones{}
	m.ObserveEvent(&Event{
		Name: "p." + hex(at(9.5)), Reason: "Pulled", FieldPath: "spec.containers{c}", First: at(9),
		Message: `Successfully pulled image "X" in 2s (5s including waiting). Image size: 1 bytes.`,
	})
	require.Equal(t, []Milestone{
		{gpu.PullStarted, 0, "c", Mark{at(4.5), SourceEvent, time.Millisecond}},
		{gpu.PullFinished, 0, "c", Mark{at(9.5), SourceEvent, 0}},
	}, m.All())
	pull, known := m.Pull("c")
	require.True(t, known)
	require.Equal(t, Pull{Took: 2 * time.Second, Waited: 3 * time.Second, Bytes: 1}, pull)
}

// TestPresentImage: the pull has an end, but it never began. Of a container
// that starts again, the first pull is that of the start.
func TestPresentImage(t *testing.T) {
	m := &Milestones{}
	for i, message := range []string{
		`Container image "X" already present on machine`, `Successfully pulled image "X" in 2s (5s including waiting). Image size: 1 bytes.`, "unreadable",
	} {
		when := at(float64(9 + i))
		m.ObserveEvent(&Event{Name: "p." + hex(when), Reason: "Pulled", FieldPath: "spec.containers{c}", First: when, Message: message})
	}
	require.Equal(t, []Milestone{{gpu.PullFinished, 0, "c", Mark{at(9), SourceEvent, 0}}}, m.All())
	pull, known := m.Pull("c")
	require.True(t, known)
	require.Equal(t, Pull{Present: true}, pull)
	_, known = m.Pull("d")
	require.False(t, known)
}

func TestEventNameWithoutTime(t *testing.T) {
	for _, name := range []string{"0b9c2f9e-7f0c-4f43-9c25-6b8a1f1d5f3e", "p.zz", "p.1", ""} {
		e := Event{Name: name, First: at(3)}
		require.Equal(t, Mark{at(3), SourceEvent, time.Second}, e.At(), name)
	}
}

func TestReadTimes(t *testing.T) {
	grace := int64(30)
	asked := metav1.NewTime(time.Unix(0, int64(at(100))))
	p := Read(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		DeletionTimestamp: &asked, DeletionGracePeriodSeconds: &grace,
		Annotations: map[string]string{annotationSeen: "2026-11-30T12:34:35.603801321Z", annotationApplied: "{}", "a": "b"},
	}})
	require.Equal(t, at(70), p.DeletionAsked)
	require.False(t, p.Forced)
	require.Equal(t, gpu.Time(1796042075603801321), p.Seen)
	require.NotContains(t, p.Annotations, annotationApplied)
	require.Equal(t, gpu.NoTime, p.Created)
	grace = 1 << 30 // 34 years
	far := Read(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &asked, DeletionGracePeriodSeconds: &grace}})
	require.Equal(t, gpu.Earliest, far.DeletionAsked)
	for _, bad := range []string{"", "yesterday", "1970-01-01T00:00:00Z", "9999-01-01T00:00:00Z"} {
		require.Equal(t, gpu.NoTime, seen(bad), bad)
	}
}

func TestReadSchedulingGroup(t *testing.T) {
	name := "pg"
	require.Equal(t, name, Read(&corev1.Pod{Spec: corev1.PodSpec{SchedulingGroup: &corev1.PodSchedulingGroup{PodGroupName: &name}}}).SchedulingGroup)
	require.Empty(t, Read(&corev1.Pod{Spec: corev1.PodSpec{SchedulingGroup: &corev1.PodSchedulingGroup{}}}).SchedulingGroup)
}

func TestReadVolumes(t *testing.T) {
	source := map[string]corev1.VolumeSource{
		"claim":  {PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{}},
		"empty":  {EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}},
		"made":   {Ephemeral: &corev1.EphemeralVolumeSource{}},
		"host":   {HostPath: &corev1.HostPathVolumeSource{Path: "/mnt/nvme"}},
		"image":  {Image: &corev1.ImageVolumeSource{}},
		"csi":    {CSI: &corev1.CSIVolumeSource{Driver: "d"}},
		"nfs":    {NFS: &corev1.NFSVolumeSource{}},
		"disk":   {AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{}},
		"secret": {Secret: &corev1.SecretVolumeSource{}},
		"":       {},
	}
	want := map[string]Volume{
		"claim": {Kind: VolumeClaim}, "empty": {Kind: VolumeEmptyDir, Memory: true}, "made": {Kind: VolumeEmptyDir},
		"host": {Kind: VolumeHostPath, Path: "/mnt/nvme"}, "image": {Kind: VolumeImage}, "csi": {Kind: VolumeCSI, Driver: "d"},
		"nfs": {Kind: VolumeNetwork}, "disk": {Kind: VolumeBlock},
	}
	for name, s := range source {
		volume := corev1.Volume{Name: name, VolumeSource: s}
		c := corev1.Container{Name: "c", VolumeMounts: []corev1.VolumeMount{{Name: name, MountPath: "/m"}}}
		p := Read(&corev1.Pod{Spec: corev1.PodSpec{
			Volumes: []corev1.Volume{volume}, Containers: []corev1.Container{c}, InitContainers: []corev1.Container{{Name: "i"}},
		}})
		v, data := want[name]
		require.Equal(t, data, HoldsData(&volume), name)
		if !data {
			require.Empty(t, p.Volumes, name)
			require.Empty(t, p.Container("c").Mounts, name)
			continue
		}
		v.Name = name
		require.Equal(t, []Volume{v}, p.Volumes, name)
		require.Equal(t, []Mount{{name, "/m"}}, p.Container("c").Mounts, name)
		require.Empty(t, p.Container("i").Mounts, name)
	}
}

// FuzzUnmarshal: bytes from a socket never end the collector.
func FuzzUnmarshal(f *testing.F) {
	sample := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "n", UID: "u"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{
			{Name: "c", RestartCount: 2, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
		}},
	}
	data, err := sample.Marshal()
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte{0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Unmarshal(data)
		if err != nil {
			return
		}
		m := &Milestones{}
		m.Observe(&p, at(1), true, holdsAll)
		for _, s := range m.All() {
			if s.At < gpu.Earliest || s.Uncertainty < 0 {
				t.Errorf("%+v", s)
			}
		}
	})
}
