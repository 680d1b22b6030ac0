// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// The file as it is written.
type fileWords struct {
	Profiles []profileWords `yaml:"profiles"`
}

type profileWords struct {
	Name       string        `yaml:"name"`
	Docs       string        `yaml:"docs"`
	ByNameOnly bool          `yaml:"by_name_only"`
	Only       gateWords     `yaml:"only"` // of each of its metrics
	Metrics    []metricWords `yaml:"metrics"`
}

type metricWords struct {
	Metric     string        `yaml:"metric"`
	Kind       string        `yaml:"kind"`
	Unit       string        `yaml:"unit"`
	Window     time.Duration `yaml:"window"`
	Histogram  string        `yaml:"histogram"`
	Only       gateWords     `yaml:"only"`
	RepeatedBy []string      `yaml:"repeated_by"`
}

type gateWords struct {
	Jobs       []string            `yaml:"jobs"`
	Ports      []string            `yaml:"ports"`
	Attributes map[string][]string `yaml:"attributes"`
	Without    []string            `yaml:"without"`
}

var (
	profileName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	unitName    = regexp.MustCompile(`^\{[a-z_]+\}$`)
)

// parse reads a file of profiles. It accepts no key that it doesn't know.
func parse(data []byte) ([]Profile, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	var words fileWords
	if err := decoder.Decode(&words); err != nil {
		return nil, fmt.Errorf("profiles: %w", err)
	}
	var errs error
	profiles := make([]Profile, 0, len(words.Profiles))
	owner := map[string]string{} // of a name of a profile or metric
	for _, w := range words.Profiles {
		p, err := w.profile()
		for _, name := range p.named() {
			if other, taken := owner[name]; taken {
				err = errors.Join(err, fmt.Errorf("%q is in profile %q as well: name it once", name, other))
			}
			owner[name] = p.Name
		}
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("profile %q: %w", w.Name, err))
		}
		profiles = append(profiles, p)
	}
	return profiles, errs
}

// named returns the names that no other profile may have.
func (p *Profile) named() []string {
	names := []string{p.Name}
	for _, m := range p.Metrics {
		names = append(names, m.Metric)
	}
	return names
}

func (w *profileWords) profile() (Profile, error) {
	p := Profile{Name: w.Name, Docs: w.Docs, ByNameOnly: w.ByNameOnly}
	errs := errors.Join(
		problem(!profileName.MatchString(w.Name), "name: set lower case letters, digits and _"),
		problem(!strings.HasPrefix(w.Docs, "https://"), "docs: %q is no https URL", w.Docs),
		problem(len(w.Metrics) == 0, "metrics: there are none"),
		problem(len(w.Only.Attributes)+len(w.Only.Without) > 0, "only: attributes are a matter of one metric"),
	)
	for _, m := range w.Metrics {
		metric, err := m.metric()
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("metric %q: %w", m.Metric, err))
		}
		metric.Only.Jobs = slices.Concat(w.Only.Jobs, metric.Only.Jobs)
		metric.Only.Ports = slices.Concat(w.Only.Ports, metric.Only.Ports)
		p.Metrics = append(p.Metrics, metric)
	}
	return p, errs
}

func (w *metricWords) metric() (Metric, error) {
	kind, ok := gpu.ParseOutputKind(w.Kind)
	part := slices.Index(partNames[:], w.Histogram)
	output := kind == gpu.OutputCounter
	errs := errors.Join(
		problem(w.Metric == "", "metric: it has no name"),
		problem(!ok, "kind: %q is none: set output, demand or sleep", w.Kind),
		problem(output && !unitName.MatchString(w.Unit), "unit: %q is none: set one in braces, as {token}", w.Unit),
		problem(!output && w.Unit != "", "unit: only an output has one"),
		problem(w.Window < 0 || w.Window > 0 && !output, "window: %v: only an output has one, above 0", w.Window),
		problem(w.Histogram != "" && (part < 0 || !output), "histogram: %q: only of an output, count or sum", w.Histogram),
	)
	for key, values := range w.Only.Attributes {
		errs = errors.Join(errs, problem(len(values) == 0, "only: attribute %q has no values", key))
	}
	return Metric{
		OutputProfile: gpu.OutputProfile{Metric: w.Metric, Kind: kind, Unit: w.Unit, Window: w.Window},
		Histogram:     Part(max(part, 0)),
		Only:          Gate(w.Only),
		RepeatedBy:    w.RepeatedBy,
	}, errs
}

// problem returns an error if there is one.
func problem(is bool, format string, args ...any) error {
	if !is {
		return nil
	}
	return fmt.Errorf(format, args...)
}
