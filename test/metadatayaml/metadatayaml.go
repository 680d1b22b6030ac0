// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package metadatayaml reads a component's metadata.yaml, which is written in
// the schema of the OpenTelemetry metadata generator. Tests compare what it
// says with what the code does.
package metadatayaml

import (
	"fmt"
	"os"

	"go.opentelemetry.io/collector/confmap"
)

// File is a metadata.yaml, as far as tests read it.
type File struct {
	Type               string               `mapstructure:"type"`
	Status             Status               `mapstructure:"status"`
	Attributes         map[string]Attribute `mapstructure:"attributes"`
	ResourceAttributes map[string]Attribute `mapstructure:"resource_attributes"`
	Metrics            map[string]Metric    `mapstructure:"metrics"`
	Telemetry          struct {
		Metrics map[string]Metric `mapstructure:"metrics"`
	} `mapstructure:"telemetry"`
}

// Status says what kind of component it is and how stable, by signal:
// {"alpha": ["metrics"]}.
type Status struct {
	Class     string              `mapstructure:"class"`
	Stability map[string][]string `mapstructure:"stability"`
}

// Attribute is an attribute of points. Enum holds its values if they are few.
type Attribute struct {
	NameOverride string   `mapstructure:"name_override"`
	Description  string   `mapstructure:"description"`
	Type         string   `mapstructure:"type"`
	Enum         []string `mapstructure:"enum"`
}

// Metric is a metric that the component sends or, under telemetry, has about
// itself. Exactly one of Sum, Gauge and Histogram is set.
type Metric struct {
	Enabled     bool     `mapstructure:"enabled"`
	Description string   `mapstructure:"description"`
	Unit        string   `mapstructure:"unit"`
	Stability   string   `mapstructure:"stability"`
	Attributes  []string `mapstructure:"attributes"`
	Sum         *Data    `mapstructure:"sum"`
	Gauge       *Data    `mapstructure:"gauge"`
	Histogram   *Data    `mapstructure:"histogram"`
}

// Data is the form of a metric's points. ValueType is "int" or "double";
// Temporality is "cumulative" or "delta".
type Data struct {
	ValueType   string `mapstructure:"value_type"`
	Monotonic   bool   `mapstructure:"monotonic"`
	Temporality string `mapstructure:"aggregation_temporality"`
	Async       bool   `mapstructure:"async"`
}

// Form returns "sum", "gauge" or "histogram" and the data; "" if not exactly
// one is set.
func (m Metric) Form() (string, Data) {
	form, data, set := "", Data{}, 0
	for name, d := range map[string]*Data{"sum": m.Sum, "gauge": m.Gauge, "histogram": m.Histogram} {
		if d != nil {
			form, data = name, *d
			set++
		}
	}
	if set != 1 {
		return "", Data{}
	}
	return form, data
}

// Load reads the file at path. Keys that File doesn't have are ignored.
func Load(path string) (File, error) {
	var file File
	text, err := os.ReadFile(path)
	if err != nil {
		return file, err
	}
	retrieved, err := confmap.NewRetrievedFromYAML(text)
	if err != nil {
		return file, fmt.Errorf("%s: %w", path, err)
	}
	conf, err := retrieved.AsConf()
	if err != nil {
		return file, fmt.Errorf("%s: %w", path, err)
	}
	if err := conf.Unmarshal(&file, confmap.WithIgnoreUnused()); err != nil {
		return file, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// Problems returns what the file itself lacks: a metric without a unit, an
// attribute that nobody declared, and the like.
func (f File) Problems() []string {
	var problems []string
	report := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if f.Type == "" {
		report("no type")
	}
	if f.Status.Class == "" || len(f.Status.Stability) == 0 {
		report("no status.class or no status.stability")
	}
	for name, attribute := range f.Attributes {
		if attribute.Description == "" || attribute.Type == "" {
			report("attribute %s: no description or no type", name)
		}
	}
	for kind, metrics := range map[string]map[string]Metric{"metric": f.Metrics, "telemetry metric": f.Telemetry.Metrics} {
		for name, metric := range metrics {
			if metric.Description == "" || metric.Unit == "" || metric.Stability == "" {
				report("%s %s: no description, no unit or no stability", kind, name)
			}
			if form, _ := metric.Form(); form == "" {
				report("%s %s: not exactly one of sum, gauge and histogram", kind, name)
			}
			for _, attribute := range metric.Attributes {
				if _, ok := f.Attributes[attribute]; !ok {
					report("%s %s: attribute %s isn't declared", kind, name, attribute)
				}
			}
		}
	}
	return problems
}
