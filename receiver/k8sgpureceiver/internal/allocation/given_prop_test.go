// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package allocation

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// claimant is the true life of a pod with a claim, in collections of 10 s.
type claimant struct {
	uid, claim     string
	device         string
	admin          bool
	from, to       int
	read, prepared int // collections after from: the claim can be read, is listed
	emptied        int // collections before to: the list has no devices any more
}

func drawClaimants(t *rapid.T) []claimant {
	var out []claimant
	for i := range rapid.IntRange(1, 6).Draw(t, "pods") {
		device := rapid.IntRange(0, 3).Draw(t, "device")
		c := claimant{
			uid: fmt.Sprintf("u%d", i), claim: fmt.Sprintf("c%d", device), device: fmt.Sprintf("gpu-%d", device),
			from: rapid.IntRange(0, 10).Draw(t, "from"), read: rapid.IntRange(0, 6).Draw(t, "read"),
			prepared: rapid.IntRange(0, 3).Draw(t, "prepared"), emptied: rapid.IntRange(0, 2).Draw(t, "emptied"),
		}
		if c.admin = rapid.IntRange(0, 4).Draw(t, "admin") == 0; c.admin {
			c.claim += "-watch"
		}
		c.to = c.from + rapid.IntRange(1, 10).Draw(t, "for")
		out = append(out, c)
	}
	return out
}

// TestPropClaims: a complete set has each device once, divided between those
// who have it; who has an administrator's access has none; each holder that a
// set had is closed once.
func TestPropClaims(t *testing.T) {
	shared := 0
	rapid.Check(t, func(rt *rapid.T) {
		all := drawClaimants(rt)
		n := withClaims(t, rapid.Bool().Draw(rt, "local"))
		had, ended := map[string]bool{}, map[string]int{}
		for step := range 24 {
			playClaims(n, all, step)
			s := n.Set(at(float64(10*step + 9)))
			parts := map[string]float64{}
			for _, a := range s.Allocations {
				had[a.Holder.PodUID] = true
				parts[string(a.Device)+a.Ref] += a.Share
				if a.Share < 1 {
					shared++
				}
			}
			for device, sum := range parts {
				if sum > 1+1e-9 || sum < 1-1e-9 {
					rt.Fatalf("at %d: %v of %s is held: %v", step, sum, device, texts(&s))
				}
			}
			for _, a := range s.Ends {
				ended[a.Holder.PodUID]++
			}
			checkClaimants(rt, all, step, &s)
			n.Sent(&s)
			n.ClaimsWanted()
		}
		for uid := range had {
			if ended[uid] != 1 {
				rt.Fatalf("%s is closed %d times", uid, ended[uid])
			}
		}
	})
	if shared == 0 {
		t.Error("no device was shared")
	}
}

// playClaims tells the book what happens in one collection.
func playClaims(n *node, all []claimant, step int) {
	var lists []Listed
	reserved := map[string][]string{}
	for _, c := range all {
		if step >= c.from && step < c.to {
			reserved[c.claim] = append(reserved[c.claim], c.uid)
		}
	}
	for _, c := range all {
		start := float64(10*c.from) + 1
		if step == c.from {
			n.pod(user(c.uid, c.claim, start), start+0.1)
		}
		if step == c.to {
			n.pod(finished(user(c.uid, c.claim, start), float64(10*step)+1, pod.Succeeded), float64(10*step)+1.1)
		}
		if step < c.from || step >= c.to {
			continue
		}
		if step >= c.from+c.read {
			g := granted(c.device)
			g.Admin = c.admin
			n.claimed(c.claim, reserved[c.claim], g)
		}
		l := uses(user(c.uid, c.claim, start))
		if step >= c.from+c.prepared && step < c.to-c.emptied {
			l.Claimed = []claim.Use{use(c.claim, c.device)}
		}
		lists = append(lists, l)
	}
	n.list(float64(10*step+8), lists...)
}

// checkClaimants: a set that is complete has all who hold, once their claims
// can be read, and nobody else.
func checkClaimants(t *rapid.T, all []claimant, step int, s *Set) {
	if s.Doubt != Certain {
		return
	}
	got := map[string]bool{}
	for _, a := range s.Allocations {
		got[a.Holder.PodUID] = true
	}
	for _, c := range all {
		holds := !c.admin && step >= c.from && step < c.to
		if got[c.uid] && !holds || holds && step >= c.from+c.read && !got[c.uid] {
			t.Fatalf("at %d: %+v, and the set has %v", step, c, texts(s))
		}
	}
}
