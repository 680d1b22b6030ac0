// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

// gpusim runs a command line.
func gpusim(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return gpusimWith(t.Context(), args...)
}

func gpusimWith(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(ctx, args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{2, nil, "gpusim COMMAND"},
		{0, []string{"--help"}, "replay the GenTD26 recording"},
		{2, []string{"gentd27"}, `there is no command "gentd27"`},
		{0, []string{"--help"}, "compare what a collector exported"},
		{0, []string{"demo", "--help"}, "-sink"},
		{0, []string{"check", "--help"}, "-scenario"},
		{0, []string{"gentd26", "--help"}, "-per-container"},
		{2, []string{"gentd26"}, "--data is missing"},
		{2, []string{"gentd26", "--data", "x", "y"}, `"y" isn't a flag`},
		{2, []string{"gentd26", "--data", "x", "--dta"}, "flag provided but not defined: -dta"},
		{2, []string{"gentd26", "--data", "x", "--from", "soon"}, `invalid value "soon" for flag -from: want seconds`},
		{2, []string{"gentd26", "--data", "x", "--price", "free"}, `--price "free": want the cost of one GPU-hour`},
		{2, []string{"gentd26", "--data", "x", "--price", "1.74", "--currency", "euro"}, `currency "euro": want a code`},
		{2, []string{"gentd26", "--data", "x", "--settle", "-1s"}, "--settle is -1s: want"},
		{2, []string{"gentd26", "--data", "x", "--top", "-1"}, "--top is -1: want"},
	} {
		code, stdout, stderr := gpusim(t, c.args...)
		assert.Equal(t, c.code, code, c.args)
		assert.Contains(t, stderr, c.want)
		assert.Empty(t, stdout)
	}
}
