// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// freePorts returns ports of the loopback interface that nobody listens on.
func freePorts(n int) (ports []int, err error) {
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("looking for a free port: %w", err)
		}
		// All together at the end: each is another one.
		defer listener.Close()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// podNetworks are those that a cluster takes a free one of, 256 addresses
// each. The range is for tests and has no route anywhere.
var podNetworks = netip.MustParsePrefix("198.18.0.0/16")

// freeNetwork returns the first address of a network that no interface of the
// machine is in, with the network's prefix.
func freeNetwork() (netip.Prefix, error) {
	used, err := net.InterfaceAddrs()
	if err != nil {
		return netip.Prefix{}, err
	}
	base := podNetworks.Addr().As4()
	for third := range 256 {
		base[2], base[3] = byte(third), 1
		candidate := netip.PrefixFrom(netip.AddrFrom4(base), 24)
		if !overlaps(candidate, used) {
			return candidate, nil
		}
	}
	return netip.Prefix{}, errors.New("every network for pods is in use: stop other clusters")
}

func overlaps(candidate netip.Prefix, used []net.Addr) bool {
	for _, a := range used {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Overlaps(candidate) {
			return true
		}
	}
	return false
}
