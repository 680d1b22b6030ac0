// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// bare counts for how long pods are listed without devices, claimed ones too.
func (b *Book) bare(listed map[pod.Key]bool) {
	for _, l := range b.lives {
		key := l.pod.Key()
		if b.lists.unsure(key) {
			continue
		}
		if with, is := listed[key]; is && !with {
			l.bare++
		} else {
			l.bare = 0
		}
	}
}

// missing looks at pods that hold devices and aren't listed with them: not at
// all, or with others. They have ended once that lasts, from enough lists. Of
// those that aren't listed the kubelet's own source tells when they end; the API
// server's doesn't if it is away, and a kubelet that starts lists nothing for a
// moment: that takes a time as well.
func (b *Book) missing(listed map[pod.Key]bool) (doubt Doubt) {
	for _, l := range b.lives {
		disagrees := l.disagrees
		l.disagrees = false
		if !l.live() || b.lists.unsure(l.pod.Key()) || len(b.claims(l)) == 0 || l.onlyPromised() {
			continue
		}
		with, is := listed[l.pod.Key()]
		switch {
		case disagrees:
		case with || is && len(l.devices) == 0:
			l.unlisted, l.misses = gpu.NoTime, 0
			if l.lacked == gpu.NoTime { // else another may have its name
				l.listed = b.lists.newestAt
			}
			continue
		case b.cfg.Local:
			continue
		}
		if l.unlisted == gpu.NoTime {
			l.unlisted = b.lists.newestAt
		}
		l.misses++
		lasts := disagrees || b.doubted(l.pod.Key(), PodUnlisted)
		switch {
		case l.misses > patience && (disagrees || b.lists.newestAt.Sub(l.unlisted) >= missingFor):
			b.endListed(l)
		case !lasts: // else it comes and goes: it has been there again each time
			doubt = PodUnlisted
		}
	}
	return doubt
}

// endListed ends a life because lists say so: at the newest that had it, as a
// kubelet lists a pod for a second or two after its end; of one that no list had
// at the first that lacks it. The uncertainty is the time between the two.
func (b *Book) endListed(l *life) {
	held, lacked := max(l.listed, l.began.At), max(l.unlisted, l.began.At)
	at := held
	if l.listed == gpu.NoTime {
		at = lacked
	}
	b.close(l, pod.Mark{At: at, Source: SourceList, Uncertainty: max(lacked.Sub(held), pod.Resolution)}, b.lists.newestAt)
	if w := b.worries[subject{l.pod.Key(), true}]; w != nil {
		other := *w
		b.worries[subject{l.pod.Key(), false}] = &other // what is listed in its place has been doubtful for as long
	}
}

// onlyPromised reports whether claims alone say that a pod has something, and no
// list did yet: it may not be on the node.
func (l *life) onlyPromised() bool {
	return len(l.devices) == 0 && len(l.given.grants) > 0 && !l.given.listed
}
