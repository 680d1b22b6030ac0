// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"time"
)

// Limits of a scenario, so that a slip of the pen doesn't take all memory.
const (
	// MaxNodes is the largest number of nodes of a world.
	MaxNodes = 20_000

	maxInstances = 2_000     // MIG instances of a node, over all layouts
	maxDevices   = 1_000_000 // with MIG instances
	maxStarts    = 1_000_000 // pods and restarts of their containers
	maxPods      = 100_000   // of a scenario that isn't scaled
)

// StartWanted is what CanStart takes, in words.
const StartWanted = "a time from 2020 to 2199, as 2026-01-05T00:00:00Z"

// CanStart reports whether a world can begin then: a collector takes nothing
// before, and later ones don't end in what nanoseconds can count.
func CanStart(t time.Time) bool {
	year := t.UTC().Year()
	return year >= 2020 && year < 2200
}

// CheckInterval says what is wrong with a time between two collections, which
// is called name.
func CheckInterval(name string, d time.Duration) error {
	field, _ := reflect.TypeFor[Collection]().FieldByName("Interval")
	if !accepted(reflect.ValueOf(d), field.Tag) {
		return mistake(name, d, "%s", wanted(field.Type, field.Tag))
	}
	return nil
}

// check says what is wrong between the keys of a collection.
func (c Collection) check() error {
	if c.Sample > c.Interval {
		return mistake("collection.sample", c.Sample, "at most the interval, %s", c.Interval)
	}
	return nil
}

// Watch returns the same scenario with another time between two collections
// and another kind of activity, if they aren't zero.
func (s *Scenario) Watch(interval time.Duration, kind string) (*Scenario, error) {
	watched := *s
	c := &watched.Collection
	c.Interval, c.Kind = cmp.Or(interval, c.Interval), cmp.Or(kind, c.Kind)
	if err := CheckInterval("the interval", c.Interval); err != nil {
		return nil, err
	}
	return &watched, c.check()
}

// size is how much a scenario makes.
type size struct{ nodes, devices, pods, starts int }

func (s *spec) size() (n size) {
	for i := range s.Nodes {
		node := &s.Nodes[i]
		n.nodes += node.Count
		n.devices += node.Count * (node.Devices + node.instances())
	}
	for i := range s.Pods {
		pod := &s.Pods[i]
		pods := len(pod.Places) * pod.Repeat.Times
		n.pods += pods
		n.starts += pods * (1 + len(pod.Restarts))
	}
	return n
}

func (n *nodeSpec) instances() (count int) {
	for i := range n.MIG {
		for k := range n.MIG[i].Layouts {
			count += len(n.MIG[i].Layouts[k].Instances)
		}
	}
	return count
}

// checkSize says what a scenario has too much of.
func (s *spec) checkSize() error {
	for i := range s.Nodes {
		if n := s.Nodes[i].instances(); n > maxInstances {
			return mistake(entry("nodes", i)+".mig", fmt.Sprintf("%d instances", n), "at most %d, over all layouts", maxInstances)
		}
	}
	switch n := s.size(); {
	case n.nodes > MaxNodes:
		return mistake("nodes", fmt.Sprintf("%d nodes", n.nodes), "at most %d", MaxNodes)
	case n.devices > maxDevices:
		return mistake("nodes", fmt.Sprintf("%d devices and MIG instances", n.devices), "at most %d", maxDevices)
	case n.pods > maxPods:
		return mistake("pods", fmt.Sprintf("%d pods", n.pods), "at most %d", maxPods)
	case n.starts > maxStarts:
		return mistake("pods", fmt.Sprintf("%d starts of containers", n.starts), "at most %d", maxStarts)
	}
	return nil
}

// Scale returns the same scenario with n nodes: its own again and again, each
// time with other names, ids and random numbers, and with the pods on them.
func (s *Scenario) Scale(n int) (*Scenario, error) {
	own := s.spec.size()
	copies := (n + own.nodes - 1) / own.nodes
	switch {
	case n < 1 || n > MaxNodes:
		return nil, mistake("the number of nodes", n, "1 to %d", MaxNodes)
	case copies > 1 && (copies*own.devices > maxDevices || copies*own.starts > maxStarts):
		most := min(maxDevices/own.devices, maxStarts/max(1, own.starts)) * own.nodes
		return nil, mistake("the number of nodes", n, "at most %d of scenario %s, which has many pods or devices", most, s.Name)
	}
	if err := s.spec.checkCopied(); err != nil && copies > 1 {
		return nil, err
	}
	scaled := *s
	scaled.nodes = n
	return &scaled, nil
}

// copied is what the names of copies end in; other names may not, so that all
// stay different.
var copied = regexp.MustCompile(`-r[0-9]+(-[0-9]+)*$`)

func (s *spec) checkCopied() error {
	for i := range s.Nodes {
		if name := s.Nodes[i].Name; copied.MatchString(name) {
			return mistake(entry("nodes", i)+".name", quote(name), "a name that ends in another way: this is how copies of nodes do")
		}
	}
	for i := range s.Pods {
		if name := s.Pods[i].Name; copied.MatchString(name) {
			return mistake(entry("pods", i)+".name", quote(name), "a name that ends in another way: this is how copies of pods do")
		}
	}
	return nil
}
