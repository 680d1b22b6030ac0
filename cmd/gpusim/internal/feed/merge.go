// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"container/heap"
	"time"
)

// Merge returns a walk over all of walks in order of real time.
func Merge(walks ...Walk) Walk {
	var queue mergeQueue
	begun := false
	return func() (Delivery, bool) {
		if !begun {
			begun = true
			for i, w := range walks {
				queue.add(i, w)
			}
			heap.Init(&queue)
		}
		if len(queue) == 0 {
			return Delivery{}, false
		}
		first := queue[0]
		d := first.next
		var ok bool
		if first.next, ok = first.walk(); ok {
			heap.Fix(&queue, 0)
		} else {
			heap.Pop(&queue)
		}
		return d, true
	}
}

// merged is a walk with the delivery that comes next.
type merged struct {
	place int // among the walks: decides between deliveries of one time
	walk  Walk
	next  Delivery
}

type mergeQueue []*merged

func (q *mergeQueue) add(place int, w Walk) {
	if d, ok := w(); ok {
		*q = append(*q, &merged{place, w, d})
	}
}

func (q mergeQueue) Len() int { return len(q) }

func (q mergeQueue) Less(i, j int) bool {
	a, b := q[i], q[j]
	return a.next.Real < b.next.Real || a.next.Real == b.next.Real && a.place < b.place
}

func (q mergeQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push is never used: all walks are there from the beginning.
func (q *mergeQueue) Push(x any) { *q = append(*q, x.(*merged)) }

func (q *mergeQueue) Pop() any {
	last := len(*q) - 1
	m := (*q)[last]
	*q = (*q)[:last]
	return m
}

// Bundle returns a walk that delivers what walk does within a time after the
// first of it as one batch, at the time of the last, but at most so many: what
// a gateway that batches hands on.
func Bundle(walk Walk, within time.Duration, most int) Walk {
	next, more := Delivery{}, false
	begun := false
	return func() (Delivery, bool) {
		if !begun {
			begun = true
			next, more = walk()
		}
		if !more {
			return Delivery{}, false
		}
		bundle := Delivery{}
		until := next.Real.Add(within)
		for n := 0; more && next.Real <= until && n < most; n++ {
			bundle = Delivery{next.Real, joined(bundle.Batch, next.Batch)}
			next, more = walk()
		}
		return bundle, true
	}
}
