// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package profiles

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/prometheusreceiver"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

// pod is a pod with an endpoint that is scraped.
type pod struct {
	uid, job, file string
	rises          float64 // of $count, by scrape
	fails          int     // from this scrape on, 0: never
	labels         string  // of the target, how it names its pod

	scrapes int // guarded by endpoints.mu
}

// endpoints serves the metrics of pods.
type endpoints struct {
	mu   sync.Mutex
	pods map[string]*pod
	text map[string]string // by file
}

func serve(t *testing.T, pods []*pod) *httptest.Server {
	t.Helper()
	e := &endpoints{pods: map[string]*pod{}, text: map[string]string{}}
	for _, p := range pods {
		text, err := os.ReadFile(filepath.Join("testdata", p.file))
		require.NoError(t, err)
		e.pods["/"+p.uid], e.text[p.file] = p, string(text)
	}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	return server
}

func (e *endpoints) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.pods[r.URL.Path]
	p.scrapes++
	if p.fails > 0 && p.scrapes >= p.fails {
		http.Error(w, "the engine is restarting", http.StatusServiceUnavailable)
		return
	}
	format := "text/plain; version=0.0.4"
	if p.file == "openmetrics.txt" {
		format = "application/openmetrics-text; version=1.0.0"
	}
	w.Header().Set("Content-Type", format)
	count := fmt.Sprintf("%.1f", 1000+p.rises*float64(p.scrapes))
	_, _ = w.Write([]byte(strings.ReplaceAll(e.text[p.file], "$count", count)))
}

// scrape has the collector's own receiver scrape all pods every 2 s.
func scrape(t *testing.T, server *httptest.Server, pods []*pod, next consumer.Metrics) {
	t.Helper()
	factory := prometheusreceiver.NewFactory()
	cfg := factory.CreateDefaultConfig()
	var yaml strings.Builder
	yaml.WriteString("config:\n  scrape_configs:\n")
	for _, p := range pods {
		fmt.Fprintf(&yaml, `
    - job_name: %s
      scrape_interval: 2s
      scrape_timeout: 2s
      metrics_path: /%s
      static_configs: [{targets: [%q], labels: {%s}}]
`, p.job, p.uid, strings.TrimPrefix(server.URL, "http://"), p.labels)
	}
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(yaml.String()))
	require.NoError(t, err)
	conf, err := retrieved.AsConf()
	require.NoError(t, err)
	require.NoError(t, conf.Unmarshal(cfg))
	require.NoError(t, confmap.Validate(cfg))
	r, err := factory.CreateMetrics(t.Context(), receivertest.NewNopSettings(factory.Type()), cfg, next)
	require.NoError(t, err)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context()))) })
}

// upPoint returns the job of a scrape, and the point that tells of it.
func upPoint(md pmetric.Metrics) (job string, up pmetric.NumberDataPoint, found bool) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				if m.Name() == "up" {
					name, _ := rm.Resource().Attributes().Get("service.name")
					return name.Str(), m.Gauge().DataPoints().At(0), true
				}
			}
		}
	}
	return "", up, false
}
