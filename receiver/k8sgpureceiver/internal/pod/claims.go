// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod

import (
	corev1 "k8s.io/api/core/v1"
)

// Claim is a ResourceClaim that a container uses, or one request of it.
type Claim struct {
	Name    string // of the object, in the pod's namespace; "" if it isn't told yet
	Request string // "" for all that the claim has
}

// readClaims says which claims the containers use. A claim that is made from a
// template has its name in the status only; so has the one that the scheduler
// makes for extended resources that are served by claims. The kubelet's own
// status may lack both.
func readClaims(to *Pod, p *corev1.Pod) {
	names := make(map[string]string, len(p.Spec.ResourceClaims))
	for i := range p.Spec.ResourceClaims {
		c := &p.Spec.ResourceClaims[i]
		names[c.Name] = ""
		if c.ResourceClaimName != nil {
			names[c.Name] = *c.ResourceClaimName
		}
	}
	for i := range p.Status.ResourceClaimStatuses {
		s := &p.Status.ResourceClaimStatuses[i]
		if s.ResourceClaimName == nil {
			delete(names, s.Name) // none is needed
			continue
		}
		names[s.Name] = *s.ResourceClaimName
	}
	for _, containers := range [][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		for i := range containers {
			for _, use := range containers[i].Resources.Claims {
				if name, needed := names[use.Name]; needed {
					to.use(containers[i].Name, Claim{name, use.Request})
				}
			}
		}
	}
	if extended := p.Status.ExtendedResourceClaimStatus; extended != nil {
		to.Extended = extended.ResourceClaimName
		for _, m := range extended.RequestMappings {
			to.use(m.ContainerName, Claim{extended.ResourceClaimName, m.RequestName})
		}
	}
}

func (p *Pod) use(container string, claim Claim) {
	if c := p.Container(container); c != nil {
		c.Claims = append(c.Claims, claim)
	}
}
