// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Build-standin compiles the stand-in for NVIDIA's libdcgm.so.4 into a folder
// and prints the path of the library.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/standin"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: build-standin FOLDER")
		os.Exit(2)
	}
	library, err := standin.Build(context.Background(), os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(library)
}
