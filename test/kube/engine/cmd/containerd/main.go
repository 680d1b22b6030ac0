// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Command containerd is containerd, with one command more:
//
//	containerd import SOCKET FILE…  give archives of images to the one that listens there
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	_ "github.com/containerd/containerd/v2/cmd/containerd/builtins"
	"github.com/containerd/containerd/v2/cmd/containerd/command"
)

func main() {
	if err := run(context.Background(), os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "containerd:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) < 2 || args[1] != "import" {
		return command.App().Run(ctx, args)
	}
	if len(args) < 4 {
		return errors.New("usage: containerd import SOCKET FILE [FILE]")
	}
	return importImages(ctx, args[2], args[3:])
}
