// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgmreceiver

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/catalog"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/dcgm"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/metadata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/session"
)

// Config is the configuration of the receiver. README.md describes each key.
type Config struct {
	Node        string `mapstructure:"node"`
	ClusterName string `mapstructure:"cluster_name"`

	Mode        string `mapstructure:"mode"`
	Endpoint    string `mapstructure:"endpoint"`
	LibraryPath string `mapstructure:"library_path"`

	CollectionInterval time.Duration `mapstructure:"collection_interval"`
	SampleInterval     time.Duration `mapstructure:"sample_interval"`

	// Metrics, by name, of which something else than the default is wanted.
	Metrics map[string]MetricConfig `mapstructure:"metrics"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// MetricConfig says whether a metric is sent; nil leaves it at the default.
type MetricConfig struct {
	Enabled *bool `mapstructure:"enabled"`

	_ struct{}
}

var (
	_ component.Config  = (*Config)(nil)
	_ confmap.Validator = (*Config)(nil)
)

// Validate checks all keys.
func (c *Config) Validate() error {
	return errors.Join(
		accept("node", c.Node, c.Node != "", "the name of this node, as ${env:K8S_NODE_NAME}"),
		within("collection_interval", c.CollectionInterval, time.Second, time.Hour),
		// DCGM takes no samples more often; rarer ones than the collections would
		// leave collections without any.
		within("sample_interval", c.SampleInterval, 100*time.Millisecond, c.CollectionInterval),
		c.engine().Validate(),
		c.validateMetrics(),
	)
}

func (c *Config) validateMetrics() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(c.Metrics)) {
		if _, known := metadata.Metrics[name]; !known {
			all := strings.Join(slices.Sorted(maps.Keys(metadata.Metrics)), ", ")
			errs = append(errs, fmt.Errorf("metrics: %q is not accepted: set %s", name, all))
		}
	}
	return errors.Join(errs...)
}

// disabled returns the metrics that aren't sent.
func (c *Config) disabled() map[string]bool {
	out := map[string]bool{}
	for name, enabled := range metadata.Metrics {
		if wish := c.Metrics[name].Enabled; wish != nil {
			enabled = *wish
		}
		if !enabled {
			out[name] = true
		}
	}
	return out
}

// engine says how DCGM is reached.
func (c *Config) engine() dcgm.Config {
	out := dcgm.Config{Mode: dcgm.Mode(c.Mode), Endpoint: c.Endpoint, LibraryPath: c.LibraryPath}
	if out.Endpoint == "" && out.Mode != dcgm.Embedded {
		out.Endpoint = dcgm.DefaultEndpoint
	}
	return out
}

// session says how the connection is kept.
func (c *Config) session() session.Config {
	out := session.DefaultConfig(nil, c.SampleInterval)
	// A collection has new samples, and sees devices that came or went.
	out.Slowest = min(out.Slowest, max(c.CollectionInterval/2, c.SampleInterval))
	out.Look = min(out.Look, c.CollectionInterval)
	disabled := c.disabled()
	out.Fields = catalog.Fields(func(metric string) bool { return catalog.Needed(metric) || !disabled[metric] })
	return out
}

// accept returns an error that names key, value and what is accepted.
func accept(key string, value any, ok bool, accepted string) error {
	if ok {
		return nil
	}
	if text, isText := value.(string); isText {
		value = fmt.Sprintf("%q", text)
	}
	return fmt.Errorf("%s: %v is not accepted: set %s", key, value, accepted)
}

func within(key string, value, least, most time.Duration) error {
	return accept(key, value, value >= least && value <= most, fmt.Sprintf("%v to %v", least, most))
}
