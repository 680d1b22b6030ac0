// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package helm renders the chart with the real helm. The collector that runs
// with what it makes is the built one.
package helm

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

const (
	chart = "../../deploy/helm/otelcol-gpu"
	// kubernetes is the version that the goldens are made for.
	kubernetes = "1.37.2"
)

// program returns the path of a program that make has built.
func program(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	require.NotEmpty(t, path, "%s is not set: run make helm", variable)
	return path
}

// template runs helm template.
func template(t *testing.T, args ...string) (string, error) {
	t.Helper()
	args = append([]string{"template", "gpu", chart, "--namespace=monitoring", "--kube-version=" + kubernetes}, args...)
	command := exec.CommandContext(t.Context(), program(t, "HELM"), args...)
	home := t.TempDir()
	command.Env = append(os.Environ(), "HOME="+home, "HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("helm %s: %w: %s", strings.Join(args, " "), err, errs.String())
	}
	return out.String(), nil
}

// object is one of Kubernetes, as its YAML has it.
type object map[string]any

func (o object) kind() string { return o["kind"].(string) }

// at returns what is at a path.
func (o object) at(path ...string) any {
	var found any = map[string]any(o)
	for _, key := range path {
		m, ok := found.(map[string]any)
		if !ok {
			return nil
		}
		found = m[key]
	}
	return found
}

// render returns the objects that the chart makes of values.
func render(t *testing.T, args ...string) []object {
	t.Helper()
	text, err := template(t, args...)
	require.NoError(t, err)
	var objects []object
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var o map[string]any
		if err := decoder.Decode(&o); err != nil {
			require.EqualError(t, err, "EOF")
			return objects
		}
		if o != nil {
			objects = append(objects, o)
		}
	}
}

// find returns the objects of a kind.
func find(objects []object, kind string) (found []object) {
	return slices.DeleteFunc(slices.Clone(objects), func(o object) bool { return o.kind() != kind })
}

// cases returns the folders of testdata, each a set of values.
func cases(t *testing.T) []string {
	t.Helper()
	folders, err := filepath.Glob("testdata/*/values.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for i := range folders {
		folders[i] = filepath.Dir(folders[i])
	}
	return folders
}
