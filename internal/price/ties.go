// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package price

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// maxTies is how many ties are told: one that is mended often mends others.
const maxTies = 10

// ties refuses entries of which it isn't clear which one is in force: two with
// the same keys from the same instant, and two that can be about one device
// while neither names all that the other does, nor alone names its node. The latter is fine if a third
// entry names what both do, from the instant on at which both are valid.
func ties(entries []entry) error {
	first := map[match]*entry{}
	var keys []match
	for i := range entries {
		e := &entries[i]
		if f, known := first[e.match]; !known {
			keys = append(keys, e.match)
			first[e.match] = e
		} else if e.from < f.from {
			first[e.match] = e
		}
	}
	errs := twice(entries)
	for i, a := range keys {
		for _, b := range keys[i+1:] {
			if err := tie(first, first[a], first[b]); err != nil && len(errs) < maxTies {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// twice refuses entries with the same keys from the same instant.
func twice(entries []entry) (errs []error) {
	type dated struct {
		match
		from gpu.Time
	}
	seen := map[dated]int{}
	for i := range entries {
		e := &entries[i]
		key := dated{e.match, e.from}
		if line, is := seen[key]; is && len(errs) < maxTies {
			errs = append(errs, fmt.Errorf(
				"line %d: the same keys and valid_from as in line %d (%s): keep one of them", e.line, line, e.match))
		}
		seen[key] = e.line
	}
	return errs
}

// tie refuses a and b, each the first with its keys, if there is no telling which
// of them is in force for some device.
func tie(first map[match]*entry, a, b *entry) error {
	both, meet := a.match.meets(b.match)
	if !meet || both == a.match || both == b.match || a.match[byNode] != b.match[byNode] {
		return nil
	}
	if c, is := first[both]; is && c.from <= max(a.from, b.from) {
		return nil
	}
	lines := []int{a.line, b.line}
	slices.Sort(lines)
	return fmt.Errorf("lines %d and %d: both are about %s, and neither is more specific: "+
		"add an entry with all of these keys, valid from the later of the two on, or name more keys in one of them",
		lines[0], lines[1], strings.ReplaceAll(both.String(), ": ", " "))
}
