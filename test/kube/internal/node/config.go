// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package node makes a place for a kubelet: a machine within the machine, with
// mounts, processes, cgroups and a name of its own, on the machine's network.
// What a kubelet changes of a machine it changes in there, and it's gone with
// the last process.
//
// A node has three processes of its own: the outer one makes cgroups and the
// bridge and takes them away (Outside), process 1 makes the mounts and reaps
// orphans (Inside), and a runner starts what it's asked to.
package node

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Config says how a node is made. It's a file in the node's folder.
type Config struct {
	Dir      string `json:"dir"`      // the node's folder
	Programs string `json:"programs"` // the folder of the programs; Dir/bin within the node
	Hostname string `json:"hostname"`
	Mark     string `json:"mark"`    // the name of its cgroups and of its bridge
	Address  string `json:"address"` // of the bridge, with the prefix of the pods' network
}

const configFile = "node.json"

// Program is the name of the program that makes nodes.
const Program = "kubenode"

// Write puts the configuration where Read looks for it.
func (c Config) Write() error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.Dir, configFile), text, 0o644)
}

// Read returns the configuration of a node's folder.
func Read(dir string) (Config, error) {
	var c Config
	text, err := os.ReadFile(filepath.Join(dir, configFile))
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("reading the configuration of the node in %s: %w", dir, err)
	}
	return c, nil
}

// Folders of a node, within its own.
const (
	Programs      = "bin"
	Kubelet       = "kubelet"    // /var/lib/kubelet
	Containerd    = "containerd" // root of containerd
	Runtime       = "runtime"    // what containerd calls runc
	Holders       = "holders"    // given to containers with a device
	CNIPrograms   = "cni/bin"
	CNIConfig     = "cni/conf"
	CNIAddresses  = "cni/addresses"
	PodLogs       = "pod-logs"
	sysctls       = "sysctls"
	VolumePlugins = "volume-plugins"
	Logs          = "log"
	KubeletCerts  = "kubelet-pki"
	Images        = "images"
)

// Folders are all that have to be there before a node starts.
var Folders = []string{
	Programs, Kubelet, Containerd, Runtime, Holders, CNIPrograms, CNIConfig, CNIAddresses,
	PodLogs, sysctls, VolumePlugins, Logs, KubeletCerts, Images,
}
