// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package repo

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The release of OpenTelemetry that everything here is of: the collector's
// stable and beta modules, and those of contrib. A patch release may differ.
const (
	collector = "go.opentelemetry.io/collector"
	contrib   = "github.com/open-telemetry/opentelemetry-collector-contrib"
	stable    = "v1.71."
	beta      = "v0.165."
)

// trainErrors returns what is of another release.
func trainErrors(versions map[string]string) []string {
	var found []string
	for _, path := range slices.Sorted(maps.Keys(versions)) {
		version := versions[path]
		ofBeta, ofStable := strings.HasPrefix(version, beta), strings.HasPrefix(version, stable)
		if within(path, collector) && !ofBeta && !ofStable || within(path, contrib) && !ofBeta {
			found = append(found, path+" "+version+" is of another release")
		}
	}
	return found
}

// manifestErrors returns the components of a manifest that the module graph
// doesn't have at the same version. The builder would build with the graph's.
func manifestErrors(manifest map[string]any, versions map[string]string) []string {
	var found []string
	for _, kind := range slices.Sorted(maps.Keys(manifest)) {
		entries, ok := manifest[kind].([]any)
		if !ok {
			continue
		}
		for _, entry := range entries {
			gomod := gomodOf(entry)
			path, version, _ := strings.Cut(gomod, " ")
			if path == module && version == "v0.0.0" {
				continue
			}
			if versions[path] != version || version == "" {
				found = append(found, fmt.Sprintf("%s: %q, but go.mod has %q", kind, gomod, versions[path]))
			}
		}
	}
	return found
}

func gomodOf(entry any) string {
	fields, _ := entry.(map[string]any)
	gomod, _ := fields["gomod"].(string)
	return gomod
}

// requirements returns the versions that a go.mod asks for.
func requirements(t *testing.T, file string) map[string]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json", file).Output()
	if err != nil {
		t.Fatalf("go mod edit -json %s: %v", file, err)
	}
	var gomod struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(out, &gomod); err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, required := range gomod.Require {
		versions[required.Path] = required.Version
	}
	return versions
}

func manifest(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "builder-config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parseYAML(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestModulesAreOfOneRelease(t *testing.T) {
	for _, file := range []string{"go.mod", "tools/go.mod"} {
		versions := requirements(t, filepath.Join(root(t), file))
		if len(versions) == 0 {
			t.Errorf("%s requires nothing", file)
		}
		for _, found := range trainErrors(versions) {
			t.Errorf("%s: %s", file, found)
		}
	}
}

func TestManifestHasTheVersionsOfGoMod(t *testing.T) {
	for _, found := range manifestErrors(manifest(t), requirements(t, filepath.Join(root(t), "go.mod"))) {
		t.Error(found)
	}
}

// Our own components share the root module: each is named by its import path.
func TestManifestHasEveryComponent(t *testing.T) {
	listed := map[string]bool{}
	for _, entries := range manifest(t) {
		list, _ := entries.([]any)
		for _, entry := range list {
			if fields, _ := entry.(map[string]any); fields != nil {
				if folder, ok := fields["import"].(string); ok {
					listed[own(folder)] = true
				}
			}
		}
	}
	walk(t, func(name string, _ []byte) {
		if component := componentOf(filepath.ToSlash(filepath.Dir(name))); component != "" && !listed[component] {
			t.Errorf("%s isn't in builder-config.yaml", component)
		}
	}, "factory.go")
}

// The controls.
func TestTrainFindsPlantedVersions(t *testing.T) {
	got := trainErrors(map[string]string{
		collector + "/component":                   "v1.71.0",
		collector + "/service":                     "v0.165.3",
		collector + "/pdata":                       "v1.70.0",
		collector + "/receiver/otlpreceiver":       "v0.164.0",
		contrib + "/exporter/kafkaexporter":        "v0.165.1",
		contrib + "/receiver/prometheusreceiver":   "v0.1650.0",
		contrib + "/processor/k8sattributes":       "v1.71.0",
		"go.opentelemetry.io/collectors/different": "v9.0.0",
	})
	want := []string{
		contrib + "/processor/k8sattributes v1.71.0 is of another release",
		contrib + "/receiver/prometheusreceiver v0.1650.0 is of another release",
		collector + "/pdata v1.70.0 is of another release",
		collector + "/receiver/otlpreceiver v0.164.0 is of another release",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestManifestFindsPlantedVersions(t *testing.T) {
	parsed, err := parseYAML([]byte(`
dist: {name: x}
receivers:
  - gomod: example.com/same v1.0.0
  - gomod: example.com/other v1.0.1
exporters:
  - gomod: example.com/absent v1.0.0
  - gomod: example.com/unversioned
processors:
  - gomod: ` + module + ` v0.0.0
`))
	if err != nil {
		t.Fatal(err)
	}
	got := manifestErrors(parsed, map[string]string{"example.com/same": "v1.0.0", "example.com/other": "v1.0.0"})
	want := []string{
		`exporters: "example.com/absent v1.0.0", but go.mod has ""`,
		`exporters: "example.com/unversioned", but go.mod has ""`,
		`receivers: "example.com/other v1.0.1", but go.mod has "v1.0.0"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
