// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
)

// Labels of NVIDIA's GPU feature discovery and of providers.
const (
	labelReplicas   = "nvidia.com/gpu.replicas" // slots of a device
	labelCount      = "nvidia.com/gpu.count"
	labelProduct    = "nvidia.com/gpu.product"
	labelSlices     = "nvidia.com/gpu.slices.gi" // of each MIG instance
	labelGKEClients = "cloud.google.com/gke-max-shared-clients-per-gpu"
	labelGKECount   = "cloud.google.com/gke-accelerator-count"
	labelKarpenter  = "karpenter.k8s.aws/instance-gpu-count"

	instanceInfix = "-MIG-" // in the product: all are MIG instances of one size
)

const (
	slicesOfABoard  = 7
	mostGPUsOfANode = 1024
)

var profile = regexp.MustCompile(`^nvidia\.com/mig-(?:\d+c\.)?(\d)g\.`)

// GPUs returns how many physical GPUs a node has, and how many of them can be
// given to pods. Resources of device plugins count slots and MIG instances:
// these are counted back to devices, as far as labels tell. Devices that a DRA
// driver publishes are counted by their UUIDs.
func (n *Node) GPUs(catalog *deviceid.Catalog, offers []claim.Offer) (capacity, allocatable int) {
	capacity, allocatable = n.physical(n.Capacity, catalog), n.physical(n.Allocatable, catalog)
	published, free := boards(offers)
	capacity, allocatable = max(capacity, published), max(allocatable, free)
	if told := n.told(); capacity < told {
		capacity = told // the plugin isn't there yet
	}
	return capacity, min(allocatable, capacity)
}

// physical counts the resources of device plugins as devices.
func (n *Node) physical(resources map[string]int64, catalog *deviceid.Catalog) int {
	var whole, slots, sevenths, others int64
	for name, count := range resources {
		switch m := profile.FindStringSubmatch(name); {
		case !catalog.IsGPU(name) || count <= 0 || count > mostGPUsOfANode*slicesOfABoard*100:
		case m != nil:
			slices, _ := strconv.ParseInt(m[1], 10, 64)
			sevenths += slices * count / n.replicas()
		case strings.HasPrefix(name, "nvidia.com/mig-"):
		case strings.HasSuffix(name, ".shared"):
			slots += count
		case strings.HasPrefix(name, "nvidia.com/"):
			whole += count
		default:
			others += count
		}
	}
	if strings.Contains(n.Labels[labelProduct], instanceInfix) { // all are instances of one size
		sevenths += (whole + slots) / n.replicas() * max(n.number(labelSlices), 1)
		whole, slots = 0, 0
	}
	nvidia := max(whole/n.replicas(), slots/n.replicas())
	return int(min(nvidia+others+(sevenths+slicesOfABoard-1)/slicesOfABoard, mostGPUsOfANode))
}

// replicas returns how many slots a device has.
func (n *Node) replicas() int64 { return max(n.number(labelReplicas), n.number(labelGKEClients), 1) }

// told returns how many devices labels tell of, also before a plugin runs.
func (n *Node) told() int {
	count := max(n.number(labelGKECount), n.number(labelKarpenter))
	if !strings.Contains(n.Labels[labelProduct], instanceInfix) { // else it counts instances
		count = max(count, n.number(labelCount))
	}
	return int(count)
}

func (n *Node) number(label string) int64 {
	v, err := strconv.ParseInt(n.Labels[label], 10, 32)
	if err != nil || v < 0 || v > mostGPUsOfANode {
		return 0
	}
	return v
}

// boards counts the physical devices that drivers publish, and those of them
// that no taint keeps pods away from.
func boards(offers []claim.Offer) (all, free int) {
	tainted, names := map[string]bool{}, map[string]bool{}
	for i := range offers {
		names[offers[i].Device] = true
	}
	for i := range offers {
		o := &offers[i]
		twin := strings.Replace(o.Device, "gpu-vfio-", "gpu-", 1) // the same device, for a virtual machine
		if !o.IsGPU() || twin != o.Device && names[twin] {
			continue
		}
		board := o.Board()
		tainted[board] = tainted[board] || len(o.Taints) > 0 && o.Parent == ""
	}
	for _, is := range tainted {
		if !is {
			free++
		}
	}
	return len(tainted), free
}
