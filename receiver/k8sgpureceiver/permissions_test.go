// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// permission is one of what a role permits: "watch resource.k8s.io/resourceslices".
type permission string

// documentedFor returns what the README's role permits for a feature: the rules
// whose comment begins with it. A rule without a comment belongs to the one before.
func documentedFor(t *testing.T, role, feature string) (all []permission) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, block, found := strings.Cut(string(text), "metadata: {name: "+role+"}")
	require.True(t, found, role)
	block, _, _ = strings.Cut(block, "---")
	block, _, _ = strings.Cut(block, "```")
	of := ""
	for line := range strings.Lines(block) {
		item, comment, commented := strings.Cut(line, "#")
		if commented {
			of = strings.TrimSpace(comment)
		}
		item, isRule := strings.CutPrefix(strings.TrimSpace(item), "- ")
		if !isRule || !strings.HasPrefix(of, feature) {
			continue
		}
		var rule struct {
			Groups    []string `yaml:"apiGroups"`
			Resources []string `yaml:"resources"`
			Verbs     []string `yaml:"verbs"`
		}
		require.NoError(t, yaml.Unmarshal([]byte(item), &rule))
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				all = append(all, permission(verb+" "+rule.Groups[0]+"/"+resource))
			}
		}
	}
	require.NotEmpty(t, all, "the README has no rule for %s", feature)
	return all
}

// guarded is an API server that lets in what is permitted.
type guarded struct {
	*apiServer
	permitted []permission

	mu    sync.Mutex
	asked map[permission]bool
}

// wanted returns what a request needs.
func wanted(r *http.Request) permission {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	group, parts := "", parts[2:] // api/v1
	if strings.HasPrefix(r.URL.Path, "/apis/") {
		group, parts = strings.Split(r.URL.Path, "/")[2], parts[1:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	verb := "list"
	switch {
	case len(parts) > 1:
		verb = "get"
	case r.URL.Query().Get("watch") != "":
		verb = "watch"
	}
	return permission(verb + " " + group + "/" + parts[0])
}

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	want := wanted(r)
	g.mu.Lock()
	g.asked[want] = true
	g.mu.Unlock()
	if !slices.Contains(g.permitted, want) {
		w.Header().Set("Content-Type", "application/json")
		refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden)
		return
	}
	g.apiServer.ServeHTTP(w, r)
}

// all returns everything that was asked for.
func (g *guarded) all() []permission {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Sorted(maps.Keys(g.asked))
}

// feature is what needs permissions, and the sources that it asks.
type feature struct {
	role, name string
	sources    []string
	batch      func(t *testing.T) func() pmetric.Metrics
}

func nodeFeature(name string, change func(*Config), sources ...string) feature {
	return feature{"otelcol-gpu-node", name, sources, func(t *testing.T) func() pmetric.Metrics {
		r := newRig(t, func(c *Config) {
			c.AuthType = "kubeConfig"
			change(c)
		})
		known, listed := claimant(t)
		list := listOf("train-0", "trainer", recordedGPU)
		list.PodResources = append(list.PodResources, listed)
		r.kubelet.Known(recorded(t, "train-0", corev1.PodRunning), known)
		r.kubelet.Answer(list, nil)
		r.kubelet.Start(t)
		return func() pmetric.Metrics {
			_, md := r.batch()
			return md
		}
	}}
}

var features = []feature{
	nodeFeature("pods: api_server", func(c *Config) { c.Pods = podsAPIServer }, sourceAPIServer),
	nodeFeature("node_lookup", func(c *Config) { c.NodeLookup = true }, sourceNodes),
	nodeFeature("namespace_labels", func(c *Config) { c.NamespaceLabels = []string{"team"} }, sourceNamespaces),
	nodeFeature("claim_lookup", func(c *Config) { c.ClaimLookup = true }, sourceClaims, sourceSlices, sourceRules),
	nodeFeature("event_lookup", func(c *Config) { c.EventLookup = true }, sourceEvents),
	{"otelcol-gpu-cluster", "", []string{sourceNodes, sourcePending, sourceSlices, sourceRules, sourceClaims}, func(t *testing.T) func() pmetric.Metrics {
		cfg := clusterConfig()
		cfg.ClaimLookup = true
		r := newClusterRig(t, cfg)
		return func() pmetric.Metrics {
			_, _, md := r.batch()
			return md
		}
	}},
}

func serveAll(t *testing.T, permitted []permission) *guarded {
	objects := tainted(t, "gpu-0")
	objects["/api/v1/nodes"] = nodeList(gpuNode("gpu-node-0", "1"))
	objects["/api/v1/pods"] = corev1.PodList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []corev1.Pod{tooBig("dra-template-gpu-m9qbx")},
	}
	objects["/api/v1/namespaces/ml-team"] = corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}}
	objects["/api/v1/namespaces/ml-team/events"] = corev1.EventList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "EventList"}}
	g := &guarded{apiServer: &apiServer{objects: objects}, permitted: permitted, asked: map[permission]bool{}}
	startAPI(t, g)
	return g
}

// TestPermissions: what the README permits is enough, all of it is used, and
// without any of it a source says that it is denied.
func TestPermissions(t *testing.T) {
	for _, f := range features {
		all := documentedFor(t, f.role, f.name)
		t.Run(f.role+" "+f.name, func(t *testing.T) {
			g := serveAll(t, all)
			batch := f.batch(t)
			require.Eventually(t, func() bool {
				up := sources(batch())
				return !slices.ContainsFunc(f.sources, func(name string) bool { return up[name] != "up" })
			}, wait, tick)
			require.Eventually(t, func() bool {
				batch()
				return fmt.Sprint(g.all()) == fmt.Sprint(slices.Sorted(slices.Values(all)))
			}, wait, tick, "asked for %v, permitted are %v", g.all(), all)
		})
		for i, left := range all {
			t.Run(f.role+" without "+string(left), func(t *testing.T) {
				serveAll(t, slices.Delete(slices.Clone(all), i, i+1))
				batch := f.batch(t)
				require.Eventually(t, func() bool {
					up := sources(batch())
					return slices.ContainsFunc(f.sources, func(name string) bool { return up[name] == "denied" })
				}, wait, tick)
			})
		}
	}
}
