// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package metadatayaml_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/otelcol-gpu/otelcol-gpu/test/metadatayaml"
)

const sound = `
type: gpu_example
display_name: ignored here
status:
  class: processor
  stability:
    alpha: [metrics]
attributes:
  gpu.state:
    description: What the time was.
    type: string
    enum: [idle, productive]
metrics:
  gpu.time:
    enabled: true
    description: GPU time.
    unit: s
    stability: alpha
    sum: {value_type: double, monotonic: true, aggregation_temporality: cumulative}
    attributes: [gpu.state]
telemetry:
  metrics:
    gpu_example_points:
      enabled: true
      description: Points.
      unit: "{point}"
      stability: alpha
      sum: {value_type: int, monotonic: true}
`

const faulty = `
attributes:
  gpu.state: {type: string}
metrics:
  gpu.time:
    description: GPU time.
    sum: {value_type: double}
    gauge: {value_type: double}
    attributes: [gpu.missing]
`

func load(t *testing.T, text string) metadatayaml.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "metadata.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := metadatayaml.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestLoad(t *testing.T) {
	file := load(t, sound)
	if problems := file.Problems(); len(problems) > 0 {
		t.Errorf("problems of a sound file: %q", problems)
	}
	if file.Type != "gpu_example" || !slices.Equal(file.Status.Stability["alpha"], []string{"metrics"}) {
		t.Errorf("got type %q, status %+v", file.Type, file.Status)
	}
	form, data := file.Metrics["gpu.time"].Form()
	want := metadatayaml.Data{ValueType: "double", Monotonic: true, Temporality: "cumulative"}
	if form != "sum" || data != want {
		t.Errorf("gpu.time is a %s, %+v", form, data)
	}
	if form, _ := file.Telemetry.Metrics["gpu_example_points"].Form(); form != "sum" {
		t.Errorf("gpu_example_points is a %q", form)
	}
}

func TestProblems(t *testing.T) {
	problems := load(t, faulty).Problems()
	slices.Sort(problems)
	want := []string{
		"attribute gpu.state: no description or no type",
		"metric gpu.time: attribute gpu.missing isn't declared",
		"metric gpu.time: no description, no unit or no stability",
		"metric gpu.time: not exactly one of sum, gauge and histogram",
		"no status.class or no status.stability",
		"no type",
	}
	if !slices.Equal(problems, want) {
		t.Errorf("got %q\nwant %q", problems, want)
	}
}

func TestLoadErrors(t *testing.T) {
	if _, err := metadatayaml.Load(filepath.Join(t.TempDir(), "none.yaml")); err == nil {
		t.Error("a missing file loads")
	}
	path := filepath.Join(t.TempDir(), "metadata.yaml")
	if err := os.WriteFile(path, []byte("metrics: [a]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := metadatayaml.Load(path); err == nil {
		t.Error("a list of metrics loads")
	}
}
