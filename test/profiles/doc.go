// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package profiles tests that what serving engines expose, scraped by the
// collector's own receiver, is the evidence that it should be.
package profiles
