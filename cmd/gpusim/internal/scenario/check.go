// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import "fmt"

// check says what is wrong between the keys of a scenario, apart from who has
// room where, which building the world shows.
func (s *spec) check() error {
	if err := s.checkSize(); err != nil {
		return err
	}
	if err := s.Collection.check(); err != nil {
		return err
	}
	for i := range s.Nodes {
		for k := range s.Nodes[i].Foreign {
			at := fmt.Sprintf("nodes[%d].foreign[%d].activity", i, k)
			if err := s.Nodes[i].Foreign[k].Activity.check(at); err != nil {
				return err
			}
		}
	}
	for i := range s.Pods {
		if err := s.Pods[i].check(entry("pods", i)); err != nil {
			return err
		}
	}
	return nil
}

func (p *podSpec) check(path string) error {
	if err := p.Activity.check(path + ".activity"); err != nil {
		return err
	}
	for i := range p.Places {
		if err := p.Places[i].Activity.check(entry(path+".places", i) + ".activity"); err != nil {
			return err
		}
	}
	for i := range p.Restarts {
		if err := p.Restarts[i].Activity.check(entry(path+".restarts", i) + ".activity"); err != nil {
			return err
		}
	}
	for i := range p.Metrics {
		if err := p.Metrics[i].check(p.Workload.Group, entry(path+".metrics", i)); err != nil {
			return err
		}
	}
	return nil
}

// check says what is wrong with a pattern; nil is one at rest.
func (p *pattern) check(path string) error {
	if p == nil {
		return nil
	}
	if n := p.count(); n != 1 {
		return mistake(path, fmt.Sprintf("%d patterns", n), "exactly one of idle, steady, bursts, steps, trickle, phases, cycle")
	}
	if b := p.Bursts; b != nil && b.Length+b.Jitter > b.Every {
		return mistake(path+".bursts.length", b.Length, "at most every, %s, together with jitter, %s", b.Every, b.Jitter)
	}
	if t := p.Trickle; t != nil {
		if err := t.check(path + ".trickle"); err != nil {
			return err
		}
	}
	if err := checkPhases(p.Phases, true, path+".phases"); err != nil {
		return err
	}
	return checkPhases(p.Cycle, false, path+".cycle")
}

func (p *pattern) count() (n int) {
	for _, has := range []bool{
		p.Idle != nil, p.Steady != nil, p.Bursts != nil, p.Steps != nil,
		p.Trickle != nil, p.Phases != nil, p.Cycle != nil,
	} {
		if has {
			n++
		}
	}
	return n
}

func checkPhases(phases []phasePattern, ends bool, path string) error {
	for i := range phases {
		at := entry(path, i)
		if phases[i].For == 0 && (!ends || i+1 < len(phases)) {
			return mistake(at+".for", "missing", "a time: only the last of phases goes on for good")
		}
		if err := phases[i].check(at); err != nil {
			return err
		}
	}
	return nil
}

func (p *tricklePattern) check(path string) error {
	most := 0
	for i, percent := range p.Day {
		if percent < 0 || percent > 1000 {
			return mistake(entry(path+".day", i), percent, "0 to 1000, in percent of per_hour")
		}
		most = max(most, percent)
	}
	if p.Day != nil && most == 0 {
		return mistake(path+".day", "all 0", "an hour in which requests come")
	}
	return nil
}
