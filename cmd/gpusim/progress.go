// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress is a bar on a terminal, and nothing anywhere else.
type progress struct{ bar *progressbar.ProgressBar }

func newProgress(out io.Writer, steps int) progress {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return progress{}
	}
	return progress{progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(out),
		progressbar.OptionSetDescription("replaying"),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(50),
		progressbar.OptionSetTheme(progressbar.ThemeDefault),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

func (p progress) step() {
	if p.bar != nil {
		_ = p.bar.Add(1) // fails only past the last step
	}
}

// at moves the bar to a step; those past the last are the last.
func (p progress) at(step int) {
	if p.bar != nil {
		_ = p.bar.Set(min(step, p.bar.GetMax()))
	}
}

// says changes the words before the bar.
func (p progress) says(words string) {
	if p.bar != nil {
		p.bar.Describe(words)
	}
}

func (p progress) stop() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
