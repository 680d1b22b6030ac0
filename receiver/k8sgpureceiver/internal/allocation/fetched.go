// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// lacks takes that a source, which told of all pods anew, has a pod no more. A
// kubelet that starts lists some of its pods only, for a moment: where pods are
// fetched one by one, a second answer has to lack it too. Its name is given to
// another only once it is gone.
func (b *Book) lacks(l *life, at gpu.Time) {
	if l.live() && !b.cfg.Local && l.lacked == gpu.NoTime && b.named(l.pod.Key()) == l {
		l.lacked = at
		return
	}
	l.present = false
	switch {
	case !l.live():
	case b.cfg.Local || len(l.last) == 0: // nobody knows when it ended
		delete(b.lives, l.pod.UID)
	default:
		b.endFetched(l, at)
	}
}

// endFetched ends a life at the newest answer that had it, of pods or of devices.
// Sets may have had it since: it was believed on. The uncertainty is the time to
// the first answer that lacks it.
func (b *Book) endFetched(l *life, at gpu.Time) {
	held := max(l.news, l.listed, l.began.At)
	lacked := at
	if l.lacked != gpu.NoTime {
		lacked = l.lacked
	}
	b.close(l, pod.Mark{At: held, Source: SourceList, Uncertainty: max(lacked.Sub(held), pod.Resolution)}, at)
}
