// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package repo holds the tests of the repository as a whole: who may import
// whom, that all modules are of one release, that every configuration in the
// documentation and the examples is accepted by the real collector, and that
// links lead somewhere. Each check has a control: a planted fault that it has
// to find.
package repo
