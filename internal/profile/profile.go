// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package profile knows which metrics of serving engines and training frameworks
// are evidence of what a GPU produced. What it knows is in profiles.yaml.
package profile

import (
	_ "embed"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Profile is what one program exposes.
type Profile struct {
	Name string
	Docs string // the URL of the program or its documentation
	// ByNameOnly: it isn't among the profiles that are read by default.
	ByNameOnly bool
	Metrics    []Metric
}

// Metric says how to read one metric of a program.
type Metric struct {
	// OutputProfile has a Window of 0 if the default one applies.
	gpu.OutputProfile
	// Histogram is what of a histogram is read.
	Histogram Part
	// Only says which of the metric's points are read.
	Only Gate
	// RepeatedBy are the labels of ranks that each tell the value of all: their
	// series are one, with the largest value.
	RepeatedBy []string
}

// Part is a number of a histogram's point.
type Part uint8

// The parts of a histogram.
const (
	Count Part = iota // how many values there were
	Sum               // what they add up to
	parts
)

var partNames = [parts]string{"count", "sum"}

// String returns the part as it is written in profiles.yaml.
func (p Part) String() string { return partNames[p] }

// Gate tells the points of a program from those of others that use the same
// name. One without conditions is open.
type Gate struct {
	// Jobs and Ports: the target has one of these jobs or one of these ports. A
	// job is one of them if it has it as a word: nim is in ml/nim-llama.
	Jobs, Ports []string
	// Attributes: for each key the point has one of the values.
	Attributes map[string][]string
	// Without: the point has none of these attributes.
	Without []string
}

// ByTarget reports whether job and port matter.
func (g *Gate) ByTarget() bool { return len(g.Jobs)+len(g.Ports) > 0 }

// Admits reports whether points of a target with this job and port are read.
func (g *Gate) Admits(job, port string) bool {
	if !g.ByTarget() || slices.Contains(g.Ports, port) {
		return true
	}
	words := strings.FieldsFunc(job, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(g.Jobs, w) })
}

//go:embed profiles.yaml
var file []byte

var known = mustParse(file)

func mustParse(data []byte) []Profile {
	profiles, err := parse(data)
	if err != nil {
		panic(err) // the tests of this package parse the same file
	}
	return profiles
}

// Known returns all profiles, in the order of the file.
func Known() []Profile { return slices.Clone(known) }

// Defaults returns the names of the profiles that are read if none is chosen.
func Defaults() (names []string) {
	for _, p := range known {
		if !p.ByNameOnly {
			names = append(names, p.Name)
		}
	}
	return names
}

// Names returns the names of all profiles.
func Names() (names []string) {
	for _, p := range known {
		names = append(names, p.Name)
	}
	return names
}

// Metrics returns the metrics of the profiles of these names, with window where
// a metric has none of its own.
func Metrics(names []string, window time.Duration) (metrics []Metric) {
	for _, p := range known {
		if !slices.Contains(names, p.Name) {
			continue
		}
		for _, m := range p.Metrics {
			if m.Window == 0 {
				m.Window = window
			}
			metrics = append(metrics, m)
		}
	}
	return metrics
}
