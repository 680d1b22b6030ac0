// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package repo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// goFile is what the rules look at: every Go file, whatever its build tags.
type goFile struct {
	path    string // relative to the root
	imports []string
	clock   []string // what it calls of package time's clock
}

func (f goFile) dir() string  { return path.Dir(f.path) }
func (f goFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// importRule forbids imports to files.
type importRule struct {
	name    string
	governs func(goFile) bool
	allows  func(f goFile, imported string) bool
}

var importRules = []importRule{
	{
		name:    "internal/gpu imports the standard library only",
		governs: func(f goFile) bool { return within(f.dir(), "internal/gpu") && !f.isTest() },
		allows: func(_ goFile, imported string) bool {
			return isStandard(imported) || ownWithin(imported, "internal/gpu")
		},
	},
	{
		name: "internal/ledger, internal/startup and internal/audit import the standard library and internal/gpu only",
		governs: func(f goFile) bool {
			return within(f.dir(), "internal/ledger", "internal/startup", "internal/audit") && !f.isTest()
		},
		allows: func(_ goFile, imported string) bool {
			return isStandard(imported) || ownWithin(imported, "internal/gpu", "internal/ledger", "internal/startup")
		},
	},
	{
		name:    "the pure packages have no logger and touch nothing outside themselves",
		governs: isPure,
		allows: func(_ goFile, imported string) bool {
			return !within(imported, "log", "os", "net", "syscall", "unsafe", "C")
		},
	},
	{
		name: "pdata lives in internal/gpupdata, the components, cmd/gpusim and test only",
		governs: func(f goFile) bool {
			return componentOf(f.dir()) == "" && !within(f.dir(), "internal/gpupdata", "cmd/gpusim", "test")
		},
		allows: func(_ goFile, imported string) bool {
			return !within(imported, "go.opentelemetry.io/collector/pdata")
		},
	},
	{
		name:    "components never import each other",
		governs: func(f goFile) bool { return componentOf(f.dir()) != "" },
		allows: func(f goFile, imported string) bool {
			other := componentOf(own(imported))
			return other == "" || other == componentOf(f.dir())
		},
	},
	{
		name:    "internal packages know no component",
		governs: func(f goFile) bool { return within(f.dir(), "internal") },
		allows:  func(_ goFile, imported string) bool { return componentOf(own(imported)) == "" },
	},
	{
		name:    "DCGM is in receiver/dcgmreceiver/internal/dcgm only",
		governs: func(f goFile) bool { return !within(f.dir(), "receiver/dcgmreceiver/internal/dcgm") },
		allows:  func(_ goFile, imported string) bool { return !within(imported, "github.com/NVIDIA/go-dcgm") },
	},
	{
		name:    "Kubernetes is in receiver/k8sgpureceiver and test only",
		governs: func(f goFile) bool { return !within(f.dir(), "receiver/k8sgpureceiver", "test") },
		allows: func(_ goFile, imported string) bool {
			return !strings.HasPrefix(imported, "k8s.io/") && !strings.HasPrefix(imported, "sigs.k8s.io/")
		},
	},
	{
		name:    "gpusim's truth owes nothing to the ledger",
		governs: func(f goFile) bool { return within(f.dir(), "cmd/gpusim") && !f.isTest() },
		allows:  func(_ goFile, imported string) bool { return !ownWithin(imported, "internal/ledger") },
	},
	{
		name:    "internal/price imports the standard library, internal/gpu and a YAML parser only",
		governs: func(f goFile) bool { return within(f.dir(), "internal/price") && !f.isTest() },
		allows: func(_ goFile, imported string) bool {
			return isStandard(imported) || ownWithin(imported, "internal/gpu") || imported == "go.yaml.in/yaml/v3"
		},
	},
}

const clockRule = "the pure packages read no clock"

// violations returns "file: import: rule" for each.
func violations(files []goFile) []string {
	var found []string
	for _, f := range files {
		for _, rule := range importRules {
			if !rule.governs(f) {
				continue
			}
			for _, imported := range f.imports {
				if !rule.allows(f, imported) {
					found = append(found, f.path+": "+imported+": "+rule.name)
				}
			}
		}
		if isPure(f) {
			for _, call := range f.clock {
				found = append(found, f.path+": "+call+": "+clockRule)
			}
		}
	}
	return found
}

func isPure(f goFile) bool {
	const k8s, dcgm = "receiver/k8sgpureceiver/internal/", "receiver/dcgmreceiver/internal/"
	return within(f.dir(), "internal/gpu", "internal/ledger", "internal/startup", "internal/audit", "internal/price", "internal/profile",
		k8s+"allocation", k8s+"deviceid", k8s+"pod", k8s+"workload",
		dcgm+"sample", dcgm+"activity", dcgm+"topology", dcgm+"points") && !f.isTest()
}

// within reports whether p is one of the folders or below one.
func within(p string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		return p == folder || strings.HasPrefix(p, folder+"/")
	})
}

// own returns the folder of a package of this module, or "".
func own(imported string) string {
	folder, ok := strings.CutPrefix(imported, module+"/")
	if !ok {
		return ""
	}
	return folder
}

func ownWithin(imported string, folders ...string) bool { return within(own(imported), folders...) }

// isStandard reports whether a package is of the standard library: only there
// has the first element of a path no dot.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".") && imported != "C"
}

// componentOf returns the component's folder that dir is in, or "".
func componentOf(dir string) string {
	kind, rest, _ := strings.Cut(dir, "/")
	if rest == "" || !slices.Contains([]string{"receiver", "processor", "exporter", "connector", "extension"}, kind) {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return kind + "/" + name
}

// parseGo reads what the rules need of a Go file.
func parseGo(name string, text []byte) (goFile, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return goFile{}, err
	}
	f := goFile{path: name}
	timeName := ""
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return goFile{}, err
		}
		f.imports = append(f.imports, imported)
		if imported == "time" {
			timeName = "time"
			if spec.Name != nil {
				timeName = spec.Name.Name
			}
		}
	}
	clock := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
	ast.Inspect(parsed, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := selector.X.(*ast.Ident); ok && x.Name == timeName && slices.Contains(clock, selector.Sel.Name) {
			f.clock = append(f.clock, "time."+selector.Sel.Name)
		}
		return true
	})
	return f, nil
}

func TestImports(t *testing.T) {
	var files []goFile
	pure := 0
	walk(t, func(name string, text []byte) {
		f, err := parseGo(name, text)
		if err != nil {
			t.Error(err)
			return
		}
		files = append(files, f)
		if isPure(f) {
			pure++
		}
	}, ".go")
	if pure == 0 {
		t.Error("no file of the pure packages was looked at")
	}
	for _, violation := range violations(files) {
		t.Error(violation)
	}
}

// The control: each rule finds its violation, and only that one.
func TestImportsFindsPlantedViolations(t *testing.T) {
	const pdata = "go.opentelemetry.io/collector/pdata/pmetric"
	for _, test := range []struct {
		file, imported string
		rule           string // "" if allowed
	}{
		{"internal/gpu/time.go", "time", ""},
		{"internal/gpu/time.go", "golang.org/x/sys/unix", importRules[0].name},
		{"internal/gpu/time.go", module + "/internal/ledger", importRules[0].name},
		{"internal/gpu/time_test.go", "pgregory.net/rapid", ""},
		{"internal/ledger/ledger.go", module + "/internal/gpu", ""},
		{"internal/ledger/deep/er.go", "go.uber.org/zap", importRules[1].name},
		{"internal/ledger/ledger.go", module + "/internal/gpupdata", importRules[1].name},
		{"internal/ledger/ledger.go", "log/slog", importRules[2].name},
		{"internal/audit/audit.go", module + "/internal/gpupdata", importRules[1].name},
		{"internal/audit/audit.go", "os", importRules[2].name},
		{"internal/price/parse.go", "go.yaml.in/yaml/v3", ""},
		{"internal/price/parse.go", "go.yaml.in/yaml/v2", importRules[9].name},
		{"internal/price/parse.go", "os", importRules[2].name},
		{"internal/checkpoint/checkpoint.go", pdata, importRules[3].name},
		{"internal/ledger/ledger_test.go", pdata, importRules[3].name},
		{"internal/gpupdata/decode.go", pdata, ""},
		{"processor/gpuaccountingprocessor/processor.go", pdata, ""},
		{"cmd/gpusim/main.go", pdata, ""},
		{"test/restart/sink.go", pdata, ""},
		{"processor/gpuaccountingprocessor/a.go", module + "/connector/gpucoldstartconnector/internal/x", importRules[4].name},
		{"processor/gpuaccountingprocessor/a_test.go", module + "/exporter/gpureportexporter", importRules[4].name},
		{"processor/gpuaccountingprocessor/a.go", module + "/processor/gpuaccountingprocessor/internal/metadata", ""},
		{"internal/checkpoint/checkpoint.go", module + "/processor/gpuaccountingprocessor", importRules[5].name},
		{"distribution/components.go", module + "/processor/gpuaccountingprocessor", ""},
		{"receiver/dcgmreceiver/scraper.go", "github.com/NVIDIA/go-dcgm/pkg/dcgm", importRules[6].name},
		{"receiver/dcgmreceiver/internal/dcgm/client.go", "github.com/NVIDIA/go-dcgm/pkg/dcgm", ""},
		{"receiver/dcgmreceiver/internal/session/session.go", "github.com/NVIDIA/go-dcgm/pkg/dcgm", importRules[6].name},
		{"receiver/dcgmreceiver/internal/activity/meter.go", "os", importRules[2].name},
		{"receiver/dcgmreceiver/internal/standin/build.go", "os", ""},
		{"processor/gpuaccountingprocessor/a.go", "k8s.io/api/core/v1", importRules[7].name},
		{"receiver/k8sgpureceiver/watch.go", "k8s.io/api/core/v1", ""},
		{"cmd/gpusim/internal/truth/book.go", module + "/internal/ledger", importRules[8].name},
		{"cmd/gpusim/internal/truth/ledger_test.go", module + "/internal/ledger", ""},
		{"cmd/gpusim/internal/truth/book.go", module + "/internal/gpu", ""},
		{"receiver/k8sgpureceiver/internal/pod/read.go", "k8s.io/api/core/v1", ""},
		{"receiver/k8sgpureceiver/internal/pod/read.go", "net/http", importRules[2].name},
	} {
		var want []string
		if test.rule != "" {
			want = []string{test.file + ": " + test.imported + ": " + test.rule}
		}
		got := violations([]goFile{{path: test.file, imports: []string{test.imported}}})
		if !slices.Equal(got, want) {
			t.Errorf("%s imports %s: got %q, want %q", test.file, test.imported, got, want)
		}
	}
}

func TestImportsFindsClocks(t *testing.T) {
	const text = `package ledger

import clock "time"

var start = clock.Now()

const second = clock.Second
`
	for name, want := range map[string][]string{
		"internal/ledger/ledger.go":      {"internal/ledger/ledger.go: time.Now: " + clockRule},
		"internal/ledger/ledger_test.go": nil,
		"internal/gpupdata/decode.go":    nil,
		"receiver/dcgmreceiver/internal/sample/check.go": {
			"receiver/dcgmreceiver/internal/sample/check.go: time.Now: " + clockRule,
		},
		"receiver/dcgmreceiver/internal/session/session.go": nil,
	} {
		f, err := parseGo(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := violations([]goFile{f}); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
