// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Command kubenode makes a node, and runs what belongs to a cluster:
//
//	kubenode outside DIR  make the node that is described in DIR, until the input ends
//	kubenode inside DIR   the node's process 1
//	kubenode run          start what the input asks for, until it ends
//
// Called by containerd, it is a CNI plugin; called by the name of runc, it
// stands before runc.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/cni"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/node"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/runner"
	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/unconfined"
)

func main() {
	if os.Getenv("CNI_COMMAND") != "" {
		if err := cni.Main(filepath.Base(os.Args[0]), os.Stdin, os.Stdout); err != nil {
			// How an error is told to containerd.
			_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"cniVersion": cni.Version, "code": 100, "msg": err.Error()})
			os.Exit(1)
		}
		return
	}
	command := func() error { return run(os.Args[1:]) }
	if filepath.Base(os.Args[0]) == unconfined.Runc {
		command = func() error { return unconfined.Main(os.Args) }
	}
	if err := command(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "run":
		return runner.Serve(os.Stdin, os.Stdout)
	case len(args) == 2 && (args[0] == "outside" || args[0] == "inside"):
		config, err := node.Read(args[1])
		if err != nil {
			return err
		}
		if args[0] == "outside" {
			return node.Outside(config)
		}
		return node.Inside(config)
	default:
		return errors.New("usage: kubenode outside DIR | inside DIR | run")
	}
}
