// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package scenarios holds the scenarios that gpusim has built in.
package scenarios

import "embed"

// Files are the scenarios, as NAME.yaml and accuracy/NAME.yaml.
//
//go:embed *.yaml accuracy/*.yaml
var Files embed.FS
