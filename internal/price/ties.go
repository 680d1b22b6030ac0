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
	first, order := firsts(entries)
	errs := twice(entries)
	for i, a := range order { // pairs of thousands, while batches wait: nothing is looked up for one
		for _, b := range order[i+1:] {
			if !a.match.canMeet(&b.match) {
				continue
			}
			if err := tie(first, a, b); err != nil && len(errs) < maxTies {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// firsts returns of the entries with the same keys the one that begins first, by
// the keys and in the order in which these are first named.
func firsts(entries []entry) (first map[match]*entry, order []*entry) {
	first, place := map[match]*entry{}, map[match]int{}
	for i := range entries {
		e := &entries[i]
		f, known := first[e.match]
		switch {
		case !known:
			place[e.match] = len(order)
			order = append(order, e)
		case e.from < f.from:
			order[place[e.match]] = e
		default:
			continue
		}
		first[e.match] = e
	}
	return first, order
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

// tie refuses a and b, each the first with its keys, which can meet, if there is no telling which
// of them is in force for some device.
func tie(first map[match]*entry, a, b *entry) error {
	both := a.match.meets(b.match)
	if both == a.match || both == b.match || a.match[byNode] != b.match[byNode] {
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
