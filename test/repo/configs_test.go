// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package repo

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Every YAML block of a Markdown file and every YAML file of examples/ and
// distribution/ is one of these. None is skipped: a block of another kind fails.
type kind int

const (
	unknown  kind = iota
	complete      // a configuration of the collector
	fragment      // a part of one, without `service`
	builder       // builder-config.yaml or a part of it
)

var sections = []string{"receivers", "processors", "exporters", "connectors", "extensions"}

func kindOf(parsed map[string]any) kind {
	maps, lists := 0, 0
	for _, section := range append(sections, "providers") {
		switch parsed[section].(type) {
		case map[string]any:
			maps++
		case []any:
			lists++
		}
	}
	switch {
	case lists > 0 && maps == 0:
		return builder
	case parsed["service"] != nil:
		return complete
	case maps > 0 && lists == 0:
		return fragment
	default:
		return unknown
	}
}

// signals are the pipelines in which a fragment is tried: a connector has one
// signal on each side, everything else is in the first.
var signals = [][2]string{{"metrics", "metrics"}, {"metrics", "traces"}, {"traces", "metrics"}, {"traces", "traces"}}

// completion is what a fragment lacks: a service with one pipeline through all
// that it has, from otlp to debug where it names no receiver or exporter.
//
//	receivers (or otlp) → processors → exporters (or debug), connectors
//	connectors → debug
func completion(parsed map[string]any, signal [2]string) map[string]any {
	names := func(section string) []string {
		components, _ := parsed[section].(map[string]any)
		return slices.Sorted(maps.Keys(components))
	}
	added := map[string]any{"exporters": map[string]any{"debug": map[string]any{}}}
	receivers := names("receivers")
	if len(receivers) == 0 {
		receivers = []string{"otlp"}
		added["receivers"] = map[string]any{"otlp": map[string]any{"protocols": map[string]any{"grpc": map[string]any{}}}}
	}
	exporters := names("exporters")
	if len(exporters) == 0 {
		exporters = []string{"debug"}
	}
	connectors := names("connectors")
	pipelines := map[string]any{
		signal[0]: map[string]any{
			"receivers":  receivers,
			"processors": names("processors"),
			"exporters":  append(exporters, connectors...),
		},
	}
	if len(connectors) > 0 {
		pipelines[signal[1]+"/connected"] = map[string]any{"receivers": connectors, "exporters": []string{"debug"}}
	}
	added["service"] = map[string]any{"extensions": names("extensions"), "pipelines": pipelines}
	return added
}

// storageElsewhere moves the folders of file_storage to dir: validation wants
// them to exist, and a test makes none in /var.
func storageElsewhere(parsed map[string]any, dir string) map[string]any {
	moved := map[string]any{}
	extensions, _ := parsed["extensions"].(map[string]any)
	for name := range extensions {
		if id, _, _ := strings.Cut(name, "/"); id == "file_storage" {
			moved[name] = map[string]any{"directory": dir, "compaction": map[string]any{"directory": dir}}
		}
	}
	return map[string]any{"extensions": moved}
}

var environment = regexp.MustCompile(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)

// placeholder is the value of an environment variable that a block uses
// without a default. The ending of its name says what it holds.
func placeholder(name string) string {
	switch {
	case strings.HasSuffix(name, "URL"):
		return "http://example:4317"
	case strings.HasSuffix(name, "ENDPOINT"):
		return "example:4317"
	default:
		return "example"
	}
}

// validator runs `otelcol-gpu validate`.
type validator struct {
	binary string
}

// check returns what is wrong with the text of a block.
func (v validator) check(dir, text string, versions map[string]string) error {
	parsed, err := parseYAML([]byte(text))
	if err != nil {
		return err
	}
	overlays := []map[string]any{storageElsewhere(parsed, dir)}
	switch kindOf(parsed) {
	case builder:
		if wrong := manifestErrors(parsed, versions); len(wrong) > 0 {
			return errors.New(strings.Join(wrong, "\n"))
		}
		return nil
	case complete:
		return v.validate(dir, text, overlays)
	case fragment:
		var first error
		for _, signal := range signals {
			err := v.validate(dir, text, append(overlays, completion(parsed, signal)))
			if err == nil {
				return nil
			}
			first = cmp.Or(first, err)
		}
		return first
	default:
		return errors.New("neither a configuration of the collector nor a part of one: " +
			"in Markdown, give the block another language or teach this test to check it")
	}
}

// validate hands the text as it stands to the collector, which merges the
// overlays over it.
func (v validator) validate(dir, text string, overlays []map[string]any) error {
	args := []string{"validate"}
	write := func(content []byte) error {
		path := filepath.Join(dir, fmt.Sprintf("%d.yaml", len(args)))
		args = append(args, "--config="+path)
		return os.WriteFile(path, content, 0o600)
	}
	if err := write([]byte(text)); err != nil {
		return err
	}
	for _, overlay := range overlays {
		content, err := json.Marshal(overlay) // JSON is YAML
		if err != nil {
			return err
		}
		if err := write(content); err != nil {
			return err
		}
	}
	cmd := exec.Command(v.binary, args...)
	cmd.Env = os.Environ()
	for _, m := range environment.FindAllStringSubmatch(text, -1) {
		cmd.Env = append(cmd.Env, m[1]+"="+placeholder(m[1]))
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

var (
	built     sync.Once
	binary    string
	errBinary error
)

// collectorUnderTest returns the collector named by OTELCOL_GPU or builds it,
// as `make build` does. A build from nothing takes minutes.
func collectorUnderTest(t *testing.T) validator {
	t.Helper()
	built.Do(func() {
		if binary = os.Getenv("OTELCOL_GPU"); binary != "" {
			_, errBinary = os.Stat(binary)
			return
		}
		name := "otelcol-gpu"
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		binary = filepath.Join(buildDir, name)
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-buildvcs=false",
			"-tags=remove_all_sd,enable_kubernetes_sd,grpcnotrace", "-o", binary, module+"/distribution")
		if out, err := cmd.CombinedOutput(); err != nil {
			errBinary = fmt.Errorf("%w: %s", err, out)
		}
	})
	if errBinary != nil {
		t.Fatal(errBinary)
	}
	return validator{binary: binary}
}

// buildDir outlives the test that builds: others use the binary as well.
var buildDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "otelcol-gpu")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	buildDir = dir
	status := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(status)
}

// block is a YAML text and where it is.
type block struct{ where, text string }

// yamlBlocks returns the YAML blocks of a Markdown file. Their language is
// yaml and nothing else, so that no block can ask to be left out.
func yamlBlocks(name, text string) (blocks []block, err error) {
	_, fences := splitMarkdown(text)
	for _, f := range fences {
		language, rest, _ := strings.Cut(f.info, " ")
		language = strings.ToLower(language)
		if language != "yaml" && language != "yml" {
			continue
		}
		where := fmt.Sprintf("%s:%d", name, f.line)
		if rest != "" || language == "yml" {
			err = errors.Join(err, fmt.Errorf("%s: the language %q: write yaml and nothing else", where, f.info))
		}
		blocks = append(blocks, block{where, f.text})
	}
	return blocks, err
}

func TestConfigurations(t *testing.T) {
	var blocks []block
	walk(t, func(name string, text []byte) {
		if strings.HasSuffix(name, ".md") {
			found, err := yamlBlocks(name, string(text))
			if err != nil {
				t.Error(err)
			}
			blocks = append(blocks, found...)
		} else if within(name, "examples", "distribution") {
			blocks = append(blocks, block{name, string(text)})
		}
	}, ".md", ".yaml", ".yml")
	if len(blocks) == 0 {
		t.Fatal("no configuration was found")
	}
	versions := requirements(t, filepath.Join(root(t), "go.mod"))
	collector := collectorUnderTest(t)
	for _, b := range blocks {
		t.Run(b.where, func(t *testing.T) {
			t.Parallel()
			if err := collector.check(t.TempDir(), b.text, versions); err != nil {
				t.Error(err)
			}
		})
	}
}

// The control: what is wrong is found, and only that.
func TestConfigurationsFindsFaults(t *testing.T) {
	collector := collectorUnderTest(t)
	for name, test := range map[string]struct {
		text string
		want string // in the error; "" if there is none
	}{
		"complete": {`
receivers: {otlp: {protocols: {grpc: {endpoint: "${env:ADDRESS}:4317"}}}}
exporters: {debug: {}}
extensions: {file_storage/gpu: {directory: /nonexistent/folder}}
service: {extensions: [file_storage/gpu], pipelines: {metrics: {receivers: [otlp], exporters: [debug]}}}
`, ""},
		"wrong key": {`
receivers: {otlp: {protocols: {grpc: {end_point: "localhost:4317"}}}}
exporters: {debug: {}}
service: {pipelines: {metrics: {receivers: [otlp], exporters: [debug]}}}
`, "end_point"},
		"unknown component": {`
receivers: {otlp: {protocols: {grpc: {}}}}
exporters: {debug: {}}
service: {pipelines: {metrics: {receivers: [otlp], processors: [gpu_magic], exporters: [debug]}}}
`, "gpu_magic"},
		"processor":                     {"processors: {batch: {timeout: 1s}}", ""},
		"wrong key of a processor":      {"processors: {batch: {time_out: 1s}}", "time_out"},
		"exporter and extension":        {"exporters: {otlp_grpc: {endpoint: 'gateway:4317'}}\nextensions: {zpages: {}}", ""},
		"wrong key of an extension":     {"extensions: {zpages: {end_point: ''}}", "end_point"},
		"connector, the same signal":    {"connectors: {forward: {}}", ""},
		"connector, traces to metrics":  {"connectors: {span_metrics: {}}", ""},
		"wrong key of a connector":      {"connectors: {span_metrics: {dimension: []}}", "dimension"},
		"manifest":                      {"processors: [{gomod: example.com/a v1.0.0}]", ""},
		"manifest with another version": {"processors: [{gomod: example.com/a v1.0.1}]", "v1.0.0"},
		"something else":                {"hello: world", "neither"},
		"not YAML":                      {"a: b: c", "mapping values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := collector.check(t.TempDir(), test.text, map[string]string{"example.com/a": "v1.0.0"})
			switch {
			case err == nil && test.want != "":
				t.Errorf("accepted, want an error with %q", test.want)
			case err != nil && (test.want == "" || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got the error %v, want %q", err, test.want)
			}
		})
	}
}

func TestYAMLBlocksCantBeLeftOut(t *testing.T) {
	for _, info := range []string{"yaml ignore", "yml", "YAML title=\"x\""} {
		blocks, err := yamlBlocks("page.md", "```"+info+"\na: 1\n```\n")
		if err == nil || len(blocks) != 1 {
			t.Errorf("%s: %d blocks, error %v", info, len(blocks), err)
		}
	}
	blocks, err := yamlBlocks("page.md", "```yaml\na: 1\n```\n\n```sh\nls\n```\n")
	if err != nil || len(blocks) != 1 {
		t.Errorf("%d blocks, error %v", len(blocks), err)
	}
}
