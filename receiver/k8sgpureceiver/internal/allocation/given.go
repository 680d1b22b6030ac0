// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"cmp"
	"maps"
	"slices"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// given is what a pod got by claims. It only grows: what a claim gave is the
// pod's until its containers have ended, though lists and claims show it no
// longer.
type given struct {
	grants map[string]map[claim.Device]grant // by container
	read   map[claim.Key]bool                // claims of the pod that were read
	listed bool                              // a list had a device of them
	asked  int                               // times that claims were wanted
}

type grant struct {
	claim.Grant
	shared bool // its claim is reserved for several pods
	source string
}

// readClaims notes what the claims of a pod gave it, as far as they can be read:
// it needs no list.
func (b *Book) readClaims(l *life) {
	if b.cfg.Claims == nil {
		return
	}
	for i := range l.pod.Containers {
		c := &l.pod.Containers[i]
		for _, use := range c.Claims {
			known, ok := b.cfg.Claims.Get(claim.Key{Namespace: l.pod.Namespace, Name: use.Name})
			if !ok || !known.ReservedFor(l.pod.UID) || len(known.Grants) == 0 {
				continue
			}
			for _, g := range known.Grants {
				if g.Answers(use.Request) {
					l.given.add(c.Name, &known, g, SourceClaim)
				}
			}
			l.given.add("", &known, claim.Grant{}, "")
		}
	}
}

// add notes a grant, and that its claim was read.
func (g *given) add(container string, of *claim.Claim, one claim.Grant, source string) {
	if g.grants == nil {
		g.grants, g.read = map[string]map[claim.Device]grant{}, map[claim.Key]bool{}
	}
	g.read[of.Key] = true
	if container == "" {
		return
	}
	if g.grants[container] == nil {
		g.grants[container] = map[claim.Device]grant{}
	}
	if g.grants[container][one.Device].source == SourceList {
		source = SourceList
	}
	g.grants[container][one.Device] = grant{one, len(of.Pods) > 1, source}
}

// take notes the devices of claims that a list has for a container. The list
// has all devices of a claim; the pod may say that the container asks for some.
func (b *Book) take(l *life, entry *Listed) {
	for _, use := range entry.Claimed {
		known, ok := b.cfg.Claims.Get(use.Claim)
		if !ok {
			continue
		}
		g, ok := known.Find(use.Device)
		if !ok || !asks(l.pod.Container(entry.Container), use.Claim.Name, &g) {
			continue
		}
		l.given.add(entry.Container, &known, g, SourceList)
		l.given.listed = true
	}
}

// asks reports whether a container asks for a grant of a claim; one that says
// nothing of the claim does.
func asks(c *pod.Container, name string, g *claim.Grant) bool {
	named := false
	if c != nil {
		for _, use := range c.Claims {
			if use.Name == name {
				if g.Answers(use.Request) {
					return true
				}
				named = true
			}
		}
	}
	return !named
}

// joinClaimed gives the devices of claims in a list to the pod that lives.
func (b *Book) joinClaimed(entry *Listed) Doubt {
	if b.cfg.Claims == nil || !b.claimsGPU(entry.Claimed) {
		return Certain
	}
	l := b.named(entry.Pod)
	switch {
	case l == nil && b.lingers(*entry):
	case l == nil:
		return b.leaveClaimed(entry, PodUnknown)
	case l.admitted == gpu.NoTime, l.admitted > b.lists.asked:
		return b.leaveClaimed(entry, PodNewer)
	default:
		b.take(l, entry)
	}
	return Certain
}

// leaveClaimed leaves devices of claims to nobody. If that lasts, they are named.
func (b *Book) leaveClaimed(entry *Listed, d Doubt) Doubt {
	if !b.doubted(entry.Pod, d) {
		return d
	}
	for _, use := range entry.Claimed {
		if b.isOfferedGPU(use.ID) {
			b.left = append(b.left, Unresolved{entry.Pod.Namespace + "/" + entry.Pod.Name + " " + use.ID.String(), deviceid.Doubtful})
		}
	}
	return Certain
}

// claimsGPU reports whether devices of claims are GPUs, as far as their names
// or their slices tell.
func (b *Book) claimsGPU(uses []claim.Use) bool {
	return slices.ContainsFunc(uses, func(u claim.Use) bool { return b.isOfferedGPU(u.ID) })
}

func (b *Book) isOfferedGPU(id claim.ID) bool {
	if b.cfg.Claims != nil {
		if o, ok := b.cfg.Claims.Offer(id); ok {
			return o.IsGPU()
		}
	}
	return id.IsGPU()
}

// unread holds a set back while a claim of a pod that lives isn't read, unless
// that lasts.
func (b *Book) unread() (doubt Doubt) {
	if b.cfg.Claims == nil {
		return Certain
	}
	for _, l := range b.lives {
		if !l.live() || !l.present {
			continue
		}
		b.readClaims(l)
		if len(b.missingClaims(l)) > 0 && !b.doubted(l.pod.Key(), ClaimUnread) {
			doubt = ClaimUnread
		}
	}
	return doubt
}

// missingClaims returns the claims of a pod that aren't read.
func (b *Book) missingClaims(l *life) []claim.Key {
	var out []claim.Key
	for i := range l.pod.Containers {
		for _, use := range l.pod.Containers[i].Claims {
			key := claim.Key{Namespace: l.pod.Namespace, Name: use.Name}
			if use.Name != "" && !l.given.read[key] && !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	for _, entry := range b.lists.newest {
		for _, use := range entry.Claimed {
			if entry.Pod == l.pod.Key() && b.isOfferedGPU(use.ID) && !l.given.read[use.Claim] && !slices.Contains(out, use.Claim) {
				out = append(out, use.Claim)
			}
		}
	}
	return out
}

// ClaimsWanted returns the claims that have to be read, and forgets those of
// which no pod is left. A claim that can't be read is wanted seldom.
func (b *Book) ClaimsWanted() []claim.Key {
	if b.cfg.Claims == nil {
		return nil
	}
	wanted, used := map[claim.Key]bool{}, map[claim.Key]bool{}
	for _, l := range b.lives {
		if !l.live() {
			continue
		}
		for key := range l.given.read {
			used[key] = true
		}
		missing := b.missingClaims(l)
		if len(missing) > 0 {
			l.given.asked++
		}
		for _, key := range missing {
			used[key] = true
			if l.given.asked < often || l.given.asked%often == 0 {
				wanted[key] = true
			}
		}
	}
	b.cfg.Claims.Keep(used)
	return slices.SortedFunc(maps.Keys(wanted), func(a, b claim.Key) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}

// often is how many times in a row a claim is wanted before it is seldom.
const often = 30

// mayGet reports whether a container asks a claim for a device, as far as is
// known.
func (b *Book) mayGet(l *life, c *pod.Container) bool {
	if b.cfg.Claims == nil {
		return false
	}
	for _, use := range c.Claims {
		if !l.given.read[claim.Key{Namespace: l.pod.Namespace, Name: use.Name}] {
			return true
		}
	}
	for device, g := range l.given.grants[c.Name] {
		if !g.Admin && b.isOfferedGPU(device.ID) {
			return true
		}
	}
	return false
}

// unclaimed returns the devices of claims that aren't accounted, each once.
func (b *Book) unclaimed() []Unresolved {
	var out []Unresolved
	for i := range b.lists.newest {
		entry := &b.lists.newest[i]
		for _, use := range entry.Claimed {
			u := Unresolved{use.ID.String(), deviceid.Claim}
			if l := b.named(entry.Pod); l != nil && b.cfg.Claims != nil {
				switch g, ok := l.given.grants[entry.Container][use.Device]; {
				case ok && g.Admin:
					u.Why = deviceid.AdminAccess
				case ok || l.given.read[use.Claim]:
					continue
				}
			}
			if b.isOfferedGPU(use.ID) && !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
	}
	return out
}

// around returns what the node and the claims of a pod say of its scheduling.
func (b *Book) around(l *life) (a pod.Around) {
	if b.cfg.Around != nil {
		a = b.cfg.Around(&l.pod)
	}
	if b.cfg.Claims == nil || len(b.missingClaims(l)) > 0 {
		return a
	}
	for key := range l.given.read {
		if c, ok := b.cfg.Claims.Get(key); ok {
			a.Claims = append(a.Claims, pod.ClaimTime{Allocated: c.Allocated})
		}
	}
	return a
}
