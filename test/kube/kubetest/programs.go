// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/node"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/unconfined"
)

// programs is a folder of what is built here.
type programs string

const (
	kubebin    = "kubebin"
	app        = "app"
	containerd = "containerd"
	shim       = "containerd-shim-runc-v2"
)

func (p programs) path(name string) string { return filepath.Join(string(p), name) }

// requirements returns the folder of programs, or all that is missing.
func requirements() (programs, error) {
	var missing []error
	if os.Geteuid() != 0 {
		missing = append(missing, errors.New("a kubelet needs root: run the tests as root"))
	}
	dir := programs(os.Getenv("KUBE_BIN"))
	if dir == "" {
		return "", errors.Join(append(missing, errors.New("KUBE_BIN isn't set: run make e2e, or set it to the bin/kube that make kube-build has made"))...)
	}
	for _, name := range []string{kubebin, node.Program, app, containerd, shim, unconfined.Runc} {
		if _, err := os.Stat(dir.path(name)); err != nil {
			missing = append(missing, fmt.Errorf("%w: run make kube-build", err))
		}
	}
	return dir, errors.Join(missing...)
}
