// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// TestNamespaceLabels become attributes of the pods of the namespace. While they
// can't be read, the set is sent without.
func TestNamespaceLabels(t *testing.T) {
	labelled := corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: "ml-team", Labels: map[string]string{"example.com/cost-centre": "17", "other": "x"}},
	}
	for source, denied := range map[string]bool{"up": false, "denied": true} {
		t.Run(source, func(t *testing.T) {
			startAPI(t, &apiServer{denied: denied, objects: map[string]any{"/api/v1/namespaces/ml-team": labelled}})
			r := newRig(t, func(c *Config) {
				c.NamespaceLabels, c.AuthType = []string{"example.com/cost-centre", "absent"}, "kubeConfig"
			})
			r.kubelet.Known(recorded(t, "train-0", corev1.PodRunning))
			r.kubelet.Answer(listOf("train-0", "trainer", recordedGPU), nil)
			r.kubelet.Start(t)
			r.synced()
			var b gpu.Batch
			var md pmetric.Metrics
			require.Eventually(t, func() bool {
				b, md = r.batch()
				require.Len(t, b.Allocations, 1, "no set waits for labels")
				return sources(md)[sourceNamespaces] == source && notesOf(md)["k8s.namespace.label.example.com/cost-centre=17"] != denied
			}, wait, tick)
			require.NotContains(t, notesOf(md), "k8s.namespace.label.other=x")
			want := int64(0)
			if denied {
				want = 1
			}
			require.Equal(t, want, r.own.read(0).SourceFailures[[2]string{sourceNamespaces, "denied"}], "asked once")
		})
	}
}
