// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package cni connects pods to the bridge of their node: the plugin that
// containerd calls, with an environment and a configuration on its standard
// input. Pods reach each other and the node; the node forwards nothing, and so
// nothing else is reached.
package cni

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

// Config is the network's configuration, as the plugin gets it.
type Config struct {
	Version   string `json:"cniVersion"`
	Name      string `json:"name"`
	Type      string `json:"type"`
	Bridge    string `json:"bridge,omitempty"`
	Gateway   string `json:"gateway,omitempty"`   // the bridge's address, with the network's prefix
	Addresses string `json:"addresses,omitempty"` // a folder: one file per address in use
}

// Version is the newest of the interface that this speaks.
const Version = "1.0.0"

type result struct {
	Version    string          `json:"cniVersion"`
	Interfaces []linkResult    `json:"interfaces"`
	IPs        []addressResult `json:"ips"`
}

type linkResult struct {
	Name    string `json:"name"`
	Mac     string `json:"mac,omitempty"`
	Sandbox string `json:"sandbox,omitempty"`
}

type addressResult struct {
	Address   string `json:"address"`
	Gateway   string `json:"gateway,omitempty"`
	Interface int    `json:"interface"`
}

// Main does what the environment asks for. name is that of the plugin:
// loopback is the other one that containerd calls.
func Main(name string, in io.Reader, out io.Writer) error {
	if os.Getenv("CNI_COMMAND") == "VERSION" {
		return json.NewEncoder(out).Encode(map[string]any{
			"cniVersion": Version, "supportedVersions": []string{"0.3.1", "0.4.0", Version},
		})
	}
	var c Config
	if err := json.NewDecoder(in).Decode(&c); err != nil {
		return fmt.Errorf("reading the network's configuration: %w", err)
	}
	id, link, sandbox := os.Getenv("CNI_CONTAINERID"), os.Getenv("CNI_IFNAME"), os.Getenv("CNI_NETNS")
	switch os.Getenv("CNI_COMMAND") {
	case "ADD":
		r := result{Version: c.Version}
		var err error
		if name == "loopback" {
			err = r.addLoopback(sandbox)
		} else {
			err = r.addPod(c, id, link, sandbox)
		}
		if err != nil {
			return fmt.Errorf("connecting %s: %w", id, err)
		}
		return json.NewEncoder(out).Encode(r)
	case "DEL":
		if name == "loopback" {
			return nil
		}
		return remove(c, id)
	default: // CHECK
		return nil
	}
}

func (r *result) addLoopback(sandbox string) error {
	inside, err := open(sandbox)
	if err != nil {
		return err
	}
	defer inside.Close()
	lo, err := inside.LinkByName("lo")
	if err != nil {
		return err
	}
	r.Interfaces = []linkResult{{Name: "lo", Sandbox: sandbox}}
	r.IPs = []addressResult{{Address: "127.0.0.1/8"}}
	return inside.LinkSetUp(lo)
}

func (r *result) addPod(c Config, id, name, sandbox string) error {
	gateway, err := netip.ParsePrefix(c.Gateway)
	if err != nil {
		return err
	}
	address, err := take(c.Addresses, gateway, id)
	if err != nil {
		return err
	}
	if err := plug(c.Bridge, id, name, sandbox); err != nil {
		return err
	}
	inside, err := open(sandbox)
	if err != nil {
		return err
	}
	defer inside.Close()
	link, err := inside.LinkByName(name)
	if err != nil {
		return err
	}
	parsed, err := netlink.ParseAddr(address.String())
	if err != nil {
		return err
	}
	if err := errors.Join(inside.AddrAdd(link, parsed), inside.LinkSetUp(link)); err != nil {
		return err
	}
	r.Interfaces = []linkResult{{Name: name, Mac: link.Attrs().HardwareAddr.String(), Sandbox: sandbox}}
	r.IPs = []addressResult{{Address: address.String(), Gateway: gateway.Addr().String()}}
	return inside.RouteAdd(&netlink.Route{LinkIndex: link.Attrs().Index, Gw: gateway.Addr().AsSlice()})
}

// plug lays a cable between a pod and the bridge.
func plug(bridge, id, name, sandbox string) error {
	b, err := netlink.LinkByName(bridge)
	if err != nil {
		return fmt.Errorf("looking for the bridge %s: %w", bridge, err)
	}
	ns, err := netns.GetFromPath(sandbox)
	if err != nil {
		return err
	}
	defer ns.Close()
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MasterIndex = outer(id), b.Attrs().Index
	veth := &netlink.Veth{LinkAttrs: attrs, PeerName: name, PeerNamespace: netlink.NsFd(ns)}
	if err := netlink.LinkAdd(veth); err != nil {
		return fmt.Errorf("making %s: %w", attrs.Name, err)
	}
	return netlink.LinkSetUp(veth)
}

// outer is the name of a pod's cable on the node.
func outer(id string) string {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(id)) // never fails
	return fmt.Sprintf("kveth%08x", hash.Sum32())
}

func open(sandbox string) (*netlink.Handle, error) {
	ns, err := netns.GetFromPath(sandbox)
	if err != nil {
		return nil, fmt.Errorf("opening the network of %s: %w", sandbox, err)
	}
	defer ns.Close()
	return netlink.NewHandleAt(ns)
}

// take finds an address that no pod has: a file with its name can be made.
func take(dir string, gateway netip.Prefix, id string) (netip.Prefix, error) {
	for a := gateway.Addr().Next(); gateway.Contains(a.Next()); a = a.Next() {
		file, err := os.OpenFile(filepath.Join(dir, a.String()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return netip.Prefix{}, err
		}
		_, err = file.WriteString(id)
		return netip.PrefixFrom(a, gateway.Bits()), errors.Join(err, file.Close())
	}
	return netip.Prefix{}, fmt.Errorf("all addresses of %s are in use", gateway.Masked())
}

// remove gives the address of a container back. It may be called again.
func remove(c Config, id string) error {
	if link, err := netlink.LinkByName(outer(id)); err == nil {
		_ = netlink.LinkDel(link) // the kernel may have been faster
	}
	entries, err := os.ReadDir(c.Addresses)
	if err != nil {
		return err
	}
	for _, e := range entries {
		file := filepath.Join(c.Addresses, e.Name())
		if holder, err := os.ReadFile(file); err == nil && string(holder) == id {
			return os.Remove(file)
		}
	}
	return nil
}
