// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package repo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/otelcol-gpu/otelcol-gpu/test/metadatayaml"
)

// Every component describes itself. Whether the code does what its
// metadata.yaml says is tested next to the code.
func TestComponentsDescribeThemselves(t *testing.T) {
	walk(t, func(name string, _ []byte) {
		component := componentOf(filepath.ToSlash(filepath.Dir(name)))
		if component == "" {
			return
		}
		dir := filepath.Join(root(t), component)
		if _, err := os.Stat(filepath.Join(dir, "README.md")); err != nil {
			t.Error(err)
		}
		metadata, err := metadatayaml.Load(filepath.Join(dir, "metadata.yaml"))
		if err != nil {
			t.Error(err)
			return
		}
		for _, problem := range metadata.Problems() {
			t.Errorf("%s/metadata.yaml: %s", component, problem)
		}
		if kind, _, _ := strings.Cut(component, "/"); metadata.Status.Class != kind {
			t.Errorf("%s/metadata.yaml: the class is %q", component, metadata.Status.Class)
		}
	}, "factory.go")
}
