// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// Doubt says why the holders aren't known well enough for a set. A node without
// a set keeps its holders; one with a wrong set would end them.
type Doubt string

// The doubts.
const (
	Certain        Doubt = ""
	PodsAway       Doubt = "pods_away"       // the source of pods isn't connected or not synced
	ListAway       Doubt = "list_away"       // the devices couldn't be listed
	ListUnsettled  Doubt = "list_unsettled"  // two lists differ: a pod is listed before its devices
	PodUnknown     Doubt = "pod_unknown"     // a pod is listed that the source of pods hasn't told of
	PodNewer       Doubt = "pod_newer"       // the list may be of another pod of this name
	DevicesChanged Doubt = "devices_changed" // a pod's devices never change: is it another pod?
	PodUnlisted    Doubt = "pod_unlisted"    // a running pod isn't listed
	ClaimUnread    Doubt = "claim_unread"    // a claim of a pod couldn't be read yet
)

// Doubts returns all of them.
func Doubts() []Doubt {
	return []Doubt{PodsAway, ListAway, ListUnsettled, PodUnknown, PodNewer, DevicesChanged, PodUnlisted, ClaimUnread}
}

// recent is how long before the first sync a pod may have ended for its end to
// be told: as far as the ledger can look back.
const recent = 10 * time.Minute

// Config says how the sources are read.
type Config struct {
	Node, Cluster string
	Catalog       *deviceid.Catalog
	// Claims is what is known of claims and of what they can give, nil if nobody
	// asks. Whoever calls the book may write into it.
	Claims *claim.Store
	// Local: the pods come from the kubelet, which tells of a pod until its
	// containers are gone. The API server's object may go first.
	Local bool
	// Describe returns what is to be said of a holder; the container is added.
	Describe func(*pod.Pod) gpu.Holder
	// Around returns what other objects say of a pod's scheduling; nil if nobody
	// reads them.
	Around func(*pod.Pod) pod.Around
	// ImageSize returns the size of an image of the node in bytes, 0 if it isn't
	// known; nil if nobody knows of images.
	ImageSize func(reference string) int64
}

// Listed is a container with devices in a list of PodResources, as it came: in
// any order, a device once per NUMA node.
type Listed struct {
	Pod       pod.Key
	Container string
	Devices   []deviceid.Name
	Claimed   []claim.Use // devices of DRA claims
}

// Book is who holds what. It isn't safe for concurrent use.
type Book struct {
	cfg   Config
	lives map[string]*life // by UID
	// closed are the lives that are over and told, and when they were last
	// heard of: a source may tell of them again.
	closed map[string]gpu.Time

	synced    bool
	lost      bool // the source is away, though what it told is believed on
	firstSync gpu.Time
	lists     lists
	slots     slots
	health    health
	worries   map[subject]*worry
	left      []Unresolved    // listed devices that lastingly are nobody's
	learned   map[string]bool // resources that turned out to be GPUs
	counts    Counts
	// lastEnd is when the last holder of a device that isn't shared let go.
	lastEnd map[string]pod.Mark
}

// New returns an empty book.
func New(cfg Config) *Book {
	return &Book{
		cfg: cfg, lives: map[string]*life{}, closed: map[string]gpu.Time{}, slots: slots{}, lastEnd: map[string]pod.Mark{},
		worries: map[subject]*worry{}, learned: map[string]bool{},
		health: health{known: map[gpu.DeviceID]*condition{}, since: map[string]gpu.Time{}},
	}
}

// life is one pod.
type life struct {
	pod     pod.Pod
	marks   pod.Milestones
	stage   int      // of its start, when events were wanted last
	again   bool     // they were wanted twice at stage 1
	arrived gpu.Time // the first news of it
	// admitted is the first news that the kubelet has it: then no other pod of
	// its name is there any more.
	admitted gpu.Time
	news     gpu.Time // the newest of it
	streamed bool     // that came on a stream
	// present: the source of pods has it. stale: not since it synced anew.
	present, stale bool
	lacked         gpu.Time                   // the first answer that lacks it, since one that had it
	devices        map[string][]deviceid.Name // by container, from lists
	given          given                      // by claims
	listedAs       map[string]Listed          // not given to it yet
	disagrees      bool                       // the newest list has others for it
	listed         gpu.Time                   // the newest list that had it with them
	unlisted       gpu.Time                   // since when lists lack it with them
	misses         int                        // settled lists since then, all without it
	began          pod.Mark
	ended          *pod.Mark // nil while it lives
	heard          gpu.Time  // when that became known
	bare           int       // settled lists in a row that have it without devices
	last           []held    // what it held at the last set
	reported       bool      // a set had it
	offered        gpu.Time  // the set that told its end
	told           bool      // that set was accepted
}

func (l *life) live() bool { return l.ended == nil }

// From says that the pods come from another source from now on: the kubelet
// (local), or the API server.
func (b *Book) From(local bool) {
	b.cfg.Local, b.lost = local, false
	b.Unsync()
	b.missNone()
}

// Len returns how many pods are followed.
func (b *Book) Len() int { return len(b.lives) }

// Local reports whether the pods come from the kubelet.
func (b *Book) Local() bool { return b.cfg.Local }

// Unsync says that the source of pods is away: pods may come and go unseen.
func (b *Book) Unsync() { b.synced = false }

// Lost says that the source of pods is away. What the API server told stays true
// enough: lists tell which of its pods still run, but none of a new one.
func (b *Book) Lost() {
	b.lost = true
	if b.cfg.Local {
		b.Unsync()
	}
}

// Resync says that the source of pods begins to tell of all pods anew.
func (b *Book) Resync() {
	b.synced = false
	for _, l := range b.lives {
		l.stale = true
	}
}

// Synced says that the source of pods has told of all pods. Those that it
// doesn't have any more ended while it was away.
func (b *Book) Synced(at gpu.Time) {
	b.synced, b.lost = true, false
	if b.firstSync == gpu.NoTime {
		b.firstSync = at
	}
	for _, l := range b.lives {
		if l.stale && l.present {
			b.lacks(l, at)
		}
	}
}

// Pod takes a pod's state, which arrived at a time: streamed, while the source
// was in sync, or listed, when it happened before.
func (b *Book) Pod(p *pod.Pod, at gpu.Time, streamed bool) {
	if p.UID == "" {
		return
	}
	if _, over := b.closed[p.UID]; over {
		b.closed[p.UID] = at
		return
	}
	l := b.lives[p.UID]
	if l == nil {
		l = &life{arrived: at}
		b.lives[p.UID] = l
	}
	l.present, l.stale, l.lacked = true, false, gpu.NoTime
	if l.ended != nil {
		return // once ended, it stays so
	}
	l.pod, l.news, l.streamed = *p, at, streamed
	b.readClaims(l)
	if l.admitted == gpu.NoTime && (b.cfg.Local || p.Started != gpu.NoTime || p.Ran()) {
		l.admitted = at
	}
	b.observe(l)
	// What was told of its begin stays.
	if began := admission(p, at, streamed); began.At != gpu.NoTime && l.last == nil && (l.began.At == gpu.NoTime || began.Uncertainty < l.began.Uncertainty) {
		l.began = began
	}
	if p.Over() {
		b.end(l, at, streamed)
	}
}

// admission returns when a pod was given its devices. Of a binding that only a
// whole second is told of, the first news is closer.
func admission(p *pod.Pod, at gpu.Time, streamed bool) pod.Mark {
	mark := p.Admission()
	if mark.Source == pod.SourceStatus {
		return pod.Narrow(mark.At, at, streamed)
	}
	return mark
}

// observe takes the milestones of the newest news of a pod that may hold a GPU.
func (b *Book) observe(l *life) {
	if !b.mayHold(&l.pod, l) {
		return
	}
	before := l.marks.Conflicts
	l.marks.Observe(&l.pod, l.news, l.streamed, func(container string) bool { return b.holds(l, container) })
	b.counts.Conflicts += l.marks.Conflicts - before
}

// learn takes that a resource is one of GPUs: its plugin was renamed, and its
// ids show it. Pods that ask for it may have been told of before.
func (b *Book) learn(resource string) {
	if b.isGPU(resource) || len(b.learned) >= mostLearned {
		return
	}
	b.learned[resource] = true
	for _, l := range b.lives {
		if l.live() {
			b.observe(l)
		}
	}
}

// mostLearned is more resources than a node has.
const mostLearned = 256

// isGPU reports whether devices of a resource are GPUs.
func (b *Book) isGPU(resource string) bool {
	return b.learned[resource] || b.cfg.Catalog.IsGPU(resource)
}

// Events takes events about a pod.
func (b *Book) Events(uid string, events []pod.Event) {
	l := b.lives[uid]
	if l == nil || l.told {
		return
	}
	before := l.marks.Conflicts
	for i := range events {
		l.marks.ObserveEvent(&events[i])
	}
	b.counts.Conflicts += l.marks.Conflicts - before
}

// EventsWanted returns the pods whose start has come further since the last
// call: their events may tell more of it. A start has three such moments; after
// the first there is a second call, since a pull begins a moment later.
func (b *Book) EventsWanted() []pod.Ref {
	var refs []pod.Ref
	for uid, l := range b.lives {
		stage := l.marks.Stage()
		again := stage == 1 && !l.again && l.stage == 1
		if l.live() && (stage > l.stage || again) {
			l.stage, l.again = stage, again
			refs = append(refs, pod.Ref{Key: l.pod.Key(), UID: uid})
		}
	}
	return refs
}

// Gone says that the source has no such pod any more.
func (b *Book) Gone(uid string, at gpu.Time) {
	l := b.lives[uid]
	if l == nil {
		return
	}
	l.present = false
	if l.live() {
		b.end(l, at, true)
	}
}

// end closes a life: at its last container's end, else at the news of it.
func (b *Book) end(l *life, at gpu.Time, streamed bool) {
	mark := pod.Mark{At: at, Source: pod.SourceWatch, Uncertainty: pod.Resolution}
	if finished := l.pod.Released(); finished != gpu.NoTime {
		mark = pod.Narrow(finished, at, streamed)
		if mark.At <= l.began.At { // it ended in the second in which it began
			mark.At = min(at, mark.At.Add(mark.Uncertainty))
		}
	} else if len(l.last) == 0 && (!streamed || l.pod.Phase == pod.Failed && !l.pod.Ran()) {
		// Rejected: it never held anything. Or over since nobody knows when: nothing is told of it.
		mark.At = l.began.At
	}
	mark.At = max(mark.At, l.began.At)
	b.close(l, mark, at)
}

// close ends a life at a mark that became known at a time.
func (b *Book) close(l *life, mark pod.Mark, at gpu.Time) {
	l.ended, l.heard = &mark, at
	held := l.last
	if len(held) == 0 {
		held = b.claims(l)
		b.settleBegin(l, held, mark.At)
	}
	l.last = held
	for _, h := range held {
		if !isShared(h.device.Sharing) {
			key := h.device.Key()
			if b.lastEnd[key].At < mark.At {
				b.lastEnd[key] = mark
			}
		}
	}
}

func isShared(s gpu.Sharing) bool { return s != gpu.Exclusive && s != gpu.MIG }
