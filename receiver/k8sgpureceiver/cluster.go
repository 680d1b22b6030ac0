// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"context"
	"errors"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"k8s.io/client-go/kubernetes"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/apiserver"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/deviceid"
)

// clusterReceiver sends the accounts of all GPU nodes, and what pods wait for,
// at every collection.
type clusterReceiver struct {
	cfg  *Config
	next consumer.Metrics
	own  *telemetry
	obs  *receiverhelper.ObsReport
	desk *clusterDesk

	cancel context.CancelFunc
	done   sync.WaitGroup
}

func newClusterReceiver(set receiver.Settings, cfg *Config, next consumer.Metrics) (*clusterReceiver, error) {
	obs, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{ReceiverID: set.ID, Transport: "http", ReceiverCreateSettings: set})
	if err != nil {
		return nil, err
	}
	own := newTelemetry(set.TelemetrySettings)
	own.base = []string{sourceNodes, sourcePending}
	now := (&clock{read: wallClock(), stepped: own.steppedBack}).now
	return &clusterReceiver{
		cfg: cfg, next: next, obs: obs, own: own,
		desk: newClusterDesk(own, now, &deviceid.Catalog{Resources: cfg.Resources}),
	}, nil
}

// Start begins to watch and to collect. An API server that is away is no reason
// not to.
func (r *clusterReceiver) Start(_ context.Context, host component.Host) error { //nolint:contextcheck // what runs outlives the context of the start
	ctx, err := r.open(host)
	if err != nil {
		return err
	}
	r.done.Go(func() { every(ctx, r.cfg.CollectionInterval, r.collect) })
	return nil
}

// open begins to watch, and returns the context of all that runs.
func (r *clusterReceiver) open(host component.Host) (context.Context, error) {
	if err := r.own.start(host, r.desk.pending); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	client, err := apiserver.New(r.cfg.api())
	if err != nil {
		r.own.failed(sourceNodes, err)
		r.own.failed(sourcePending, err)
		return ctx, nil
	}
	r.done.Go(func() { apiserver.WatchNodes(ctx, client, "", r.desk) })
	r.done.Go(func() { apiserver.WatchPending(ctx, client, r.desk) })
	if r.cfg.ClaimLookup {
		r.lookUpClaims(ctx, client)
	}
	return ctx, nil
}

func (r *clusterReceiver) lookUpClaims(ctx context.Context, client kubernetes.Interface) {
	r.own.uses(sourceClaims, sourceSlices, sourceRules)
	reader := apiserver.NewClaims(client, r.desk)
	r.desk.mu.Lock()
	r.desk.readClaim = reader.Ask
	r.desk.mu.Unlock()
	r.done.Go(func() { reader.Run(ctx) })
	r.done.Go(func() { apiserver.WatchSlices(ctx, client, "", r.desk) })
	r.done.Go(func() { apiserver.WatchRules(ctx, client, r.desk) })
}

// Shutdown stops everything that Start began.
func (r *clusterReceiver) Shutdown(context.Context) error {
	if r.cancel == nil {
		return nil
	}
	r.cancel()
	r.done.Wait()
	r.cancel = nil
	return r.own.stop()
}

// formatAPI is the name of the encoding, for the collector's own telemetry.
const formatAPI = "kubernetes"

// collect sends one batch. Whatever is away, there is one.
func (r *clusterReceiver) collect(ctx context.Context) {
	view := r.desk.view(r.cfg)
	if ctx.Err() != nil {
		return
	}
	r.own.report(r.unknown())
	md := pmetric.NewMetrics()
	gpupdata.EncodeNodes(view.nodes, md)
	gpupdata.EncodeDemand(view.demand, md)
	gpupdata.EncodeSources(r.own.sources("", r.cfg.ClusterName, view.at), gpu.Node{}, md)
	ctx = r.obs.StartMetricsOp(ctx)
	points := md.DataPointCount()
	err := r.next.ConsumeMetrics(ctx, md)
	r.obs.EndMetricsOp(ctx, formatAPI, points, err)
	if err == nil {
		r.desk.sent(&view)
	}
}

// unknown returns what isn't known for want of a source, nil if all is.
func (r *clusterReceiver) unknown() error {
	if r.own.up(sourceNodes) && r.own.up(sourcePending) {
		return nil
	}
	return errors.New("the nodes of the cluster, or what its pods wait for, aren't known: " + r.own.standings())
}

// clusterView is what a batch tells.
type clusterView struct {
	at     gpu.Time
	nodes  []gpu.Node
	demand []gpu.Demand
	known  bool // what pods wait for; else demand says nothing
}
