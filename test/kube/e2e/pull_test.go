// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/kubetest"
)

// The devices of a pod are its own while its image is on the way.
func testSlowPull(t *testing.T, s *stage) {
	const padding, rate = 4 << 20, 2 << 20 // two seconds
	img, err := s.NewImage(padding)
	require.NoError(t, err)
	namespace := s.Namespace(t)
	pod := s.start(t, namespace, kubetest.Pod("pulled",
		kubetest.Container("main", kubetest.From(s.Registry.Add(namespace, img, rate)), kubetest.Run("wait"), kubetest.Use(kubetest.MIG, 1))))
	sent := s.Registry.Sent(namespace)
	require.NotEmpty(t, sent)
	begin, end := sent[0].Begin, sent[len(sent)-1].End
	require.Greater(t, end.Sub(begin), time.Second)

	entries := s.Holding(pod)
	given := first(t, kubetest.Of(entries, kubetest.Allocate)).At
	require.True(t, given.Before(begin), "devices are given before the pull: %v, %v", given, begin)
	require.True(t, end.Before(first(t, kubetest.Of(entries, kubetest.Open)).At))
	s.podResources.Await(t, begin, "it has its device during the pull", func(l kubetest.Listed) bool {
		return l.Has(pod) && l.At.Before(end)
	})
	// The kubelet's message has the time of the pull.
	message := s.eventMessage(t, pod, "Pulled")
	took, err := pullTime(message)
	require.NoError(t, err, message)
	require.InDelta(t, end.Sub(begin).Seconds(), took.Seconds(), 1.5, message)
}

func pullTime(message string) (time.Duration, error) {
	var image, text string
	if _, err := fmt.Sscanf(message, "Successfully pulled image %q in %s", &image, &text); err != nil {
		return 0, err
	}
	return time.ParseDuration(text)
}

// eventMessage returns what the first event of a pod with a reason says.
func (s *stage) eventMessage(t *testing.T, pod *corev1.Pod, reason string) string {
	t.Helper()
	var message string
	require.Eventually(t, func() bool {
		list, err := s.Client.CoreV1().Events(pod.Namespace).List(t.Context(), metav1.ListOptions{
			FieldSelector: "involvedObject.uid=" + string(pod.UID) + ",reason=" + reason,
		})
		if err != nil || len(list.Items) == 0 {
			return false
		}
		message = list.Items[0].Message
		return true
	}, patience, pollInterval, "no event %s of %s", reason, pod.Name)
	return message
}
