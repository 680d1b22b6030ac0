// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package repo

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/confmap"
)

// module is the path of the repository's own module.
const module = "github.com/otelcol-gpu/otelcol-gpu"

// root returns the folder of the repository.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "builder-config.yaml")); err != nil {
		t.Fatalf("%s isn't the root of the repository: %v", dir, err)
	}
	return dir
}

// walk calls visit for every file of the repository whose name ends in one of
// suffixes; path is relative to the root, with slashes.
func walk(t *testing.T, visit func(path string, text []byte), suffixes ...string) {
	t.Helper()
	dir := root(t)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != dir && (strings.HasPrefix(name, ".") || name == "bin" || name == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		for _, suffix := range suffixes {
			if !strings.HasSuffix(name, suffix) {
				continue
			}
			text, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				return nil // an editor's temporary file
			}
			if err != nil {
				return err
			}
			relative, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			visit(filepath.ToSlash(relative), text)
			return nil
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// parseYAML reads YAML with the collector's own parser.
func parseYAML(text []byte) (map[string]any, error) {
	retrieved, err := confmap.NewRetrievedFromYAML(text)
	if err != nil {
		return nil, err
	}
	conf, err := retrieved.AsConf()
	if err != nil {
		return nil, err
	}
	return conf.ToStringMap(), nil
}
