// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.uber.org/zap"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/allocation"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/apiserver"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelet"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/metadata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/node"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/procfs"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/workload"
)

// nodeReceiver sends what is known of a node's holders at every collection.
type nodeReceiver struct {
	cfg     *Config
	next    consumer.Metrics
	own     *telemetry
	desk    *desk
	clock   *clock
	obs     *receiverhelper.ObsReport
	devices *kubelet.Devices
	rules   workload.Rules
	known   *deviceid.Catalog // under the desk's lock
	node    *node.Node        // under the desk's lock; nil if it isn't known
	// owners finds what is above a pod's own controller, nil if nobody asks.
	owners workload.Owners
	// ofNamespace returns the chosen labels of a namespace, nil if nobody asks.
	ofNamespace func(name string) map[string]string
	events      *apiserver.Events // nil if nobody asks
	claims      *claim.Store      // under the desk's lock; nil if nobody asks
	// between is how long after one list of devices the next is asked for.
	between time.Duration
	// labels are those of the pods of the newest set, by UID; under the desk's lock.
	labels map[string]map[string]string

	cancel context.CancelFunc
	done   sync.WaitGroup
}

func newNodeReceiver(set receiver.Settings, cfg *Config, next consumer.Metrics) (*nodeReceiver, error) {
	obs, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{
		ReceiverID: set.ID, Transport: "unix", ReceiverCreateSettings: set,
	})
	if err != nil {
		return nil, err
	}
	r := &nodeReceiver{
		cfg: cfg, next: next, obs: obs, own: newTelemetry(set.TelemetrySettings),
		rules:   workload.Rules{ClassLabel: cfg.ClassLabel, GroupLabel: cfg.GroupLabel, StorageLabel: cfg.StorageLabel},
		between: settleTime, labels: map[string]map[string]string{},
	}
	r.known = r.catalog()
	if cfg.ClaimLookup {
		r.claims = &claim.Store{}
	}
	r.clock = &clock{read: wallClock(), stepped: r.own.steppedBack}
	r.own.more = r.more
	r.desk = &desk{own: r.own, now: r.clock.now, book: allocation.New(allocation.Config{
		Node: cfg.Node, Cluster: cfg.ClusterName, Catalog: r.known, Claims: r.claims, Local: true, Describe: r.describe,
		Around: r.around, ImageSize: r.imageSize,
	})}
	return r, nil
}

// catalog returns what is known of the node's devices. A node without NVIDIA's
// driver has none that has to be looked up.
func (r *nodeReceiver) catalog() *deviceid.Catalog {
	c := &deviceid.Catalog{Resources: r.cfg.Resources, Replicas: gpu.Sharing(r.cfg.Replicas)}
	r.lookUp(c)
	return c
}

func (r *nodeReceiver) lookUp(c *deviceid.Catalog) {
	if err := procfs.Read(os.DirFS(r.cfg.ProcPath), c); err != nil {
		r.own.set.Logger.Debug("devices can't be looked up by number", zap.Error(err))
	}
}

// lookUpAgain reads the devices anew if one of a set wasn't found: the driver
// may have been loaded since. The caller holds the desk's lock.
func (r *nodeReceiver) lookUpAgain(set *allocation.Set) {
	for _, d := range set.Unresolved {
		noBoards := d.Why == deviceid.UnknownMIG && len(r.known.Minors) == 0
		if d.Why == deviceid.UnknownMinor || d.Why == deviceid.UnknownIndex || noBoards {
			r.lookUp(r.known)
			return
		}
	}
}

// labelPrefix begins the attribute of a pod's label, namespaceLabelPrefix that of
// its namespace's.
const (
	labelPrefix          = "k8s.pod.label."
	namespaceLabelPrefix = "k8s.namespace.label."
)

// describe returns what is said of a holder.
func (r *nodeReceiver) describe(p *pod.Pod) gpu.Holder {
	for _, name := range r.cfg.PodLabels {
		r.note(p.UID, labelPrefix+name, p.Labels[name])
	}
	if r.ofNamespace != nil {
		for name, value := range r.ofNamespace(p.Namespace) {
			r.note(p.UID, namespaceLabelPrefix+name, value)
		}
	}
	r.note(p.UID, gpupdata.AttrModelStorage, string(r.rules.Storage(p)))
	return gpu.Holder{
		Namespace: p.Namespace, Pod: p.Name, PodUID: p.UID, PodIP: p.IP, Workload: r.rules.Identify(p, r.owners),
	}
}

// note adds an attribute to the resource of a pod, unless it is empty.
func (r *nodeReceiver) note(uid, key, value string) {
	if value == "" {
		return
	}
	if r.labels[uid] == nil {
		r.labels[uid] = map[string]string{}
	}
	r.labels[uid][key] = value
}

// Start begins to collect. Sources that are away are no reason not to.
func (r *nodeReceiver) Start(_ context.Context, host component.Host) error { //nolint:contextcheck // what runs outlives the context of the start
	ctx, err := r.open(host)
	if err != nil {
		return err
	}
	r.done.Go(func() { every(ctx, r.cfg.CollectionInterval, r.collect) })
	return nil
}

// open begins to follow the pods, and returns the context of all that runs.
func (r *nodeReceiver) open(host component.Host) (context.Context, error) {
	devices, err := kubelet.NewDevices(r.cfg.PodResourcesSocket)
	if err != nil {
		return nil, err
	}
	if err := r.own.start(host, r.desk.len); err != nil {
		return nil, errors.Join(err, devices.Close())
	}
	r.devices = devices
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	r.lookUpOwners(ctx)
	r.lookUpNamespaces(ctx)
	r.lookUpEvents(ctx)
	r.lookUpClaims(ctx)
	r.lookUpNode(ctx)
	r.done.Go(func() { r.follow(ctx, r.cfg.ladder(), settleWithin) })
	return ctx, nil
}

// Shutdown stops everything that Start began.
func (r *nodeReceiver) Shutdown(context.Context) error {
	if r.cancel == nil {
		return nil
	}
	r.cancel()
	r.done.Wait()
	r.cancel = nil
	return errors.Join(r.devices.Close(), r.own.stop())
}

// every collects at once, and at each interval until ctx ends.
func every(ctx context.Context, interval time.Duration, collect func(context.Context)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		collect(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// more adds what the component says of itself beside the sources.
func (r *nodeReceiver) more(to *metadata.Telemetry) {
	r.desk.mu.Lock()
	counts := r.desk.book.Counts()
	r.desk.mu.Unlock()
	to.EndsDropped, to.MilestonesConflicting = int64(counts.EndsDropped), int64(counts.Conflicts)
	to.ClockAhead = int64(r.clock.ahead().Round(time.Second) / time.Second)
}

func (d *desk) len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.book.Len()
}
