// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpupdata"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/allocation"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelet"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/metadata"
)

// remedies say once what to do about a source that gives no answer.
var remedies = map[kubelet.Reason]string{
	kubelet.Away:        "is the kubelet (the API server) running, and is the folder of its socket mounted (the folder, not the socket)?",
	kubelet.Denied:      "the sockets need root; the APIs need the permissions in the README of the receiver",
	kubelet.Unsupported: "set `pods` to a source that this kubelet has",
	kubelet.RateLimited: "the limit is shared by all clients of the kubelet's socket: raise collection_interval, here or in another exporter",
	kubelet.TooLarge:    "the node has more pods than fit into a message of 16 MiB: please report it",
	kubelet.TooSlow:     "raise timeout",
	kubelet.Undecodable: "please report it, with the version of the kubelet",
}

// telemetry is what the component says of itself.
type telemetry struct {
	set      component.TelemetrySettings
	callback metric.Registration
	more     func(*metadata.Telemetry) // adds to a reading; nil for nothing

	mu         sync.Mutex // guards what follows
	host       component.Host
	base       []string                  // the sources that there always are
	chosen     string                    // the source of pods
	others     []string                  // further sources of evidence
	state      map[string]kubelet.Reason // of each source that was tried
	failures   map[[2]string]int64
	sets       map[string]int64
	unresolved map[string]int64
	named      map[string]bool // unresolved devices that were told
	refused    int64
	changes    int64 // of the source of pods
	steps      int64 // of the wall clock, back
	away       int   // collections in a row without a source
	unhealthy  bool  // as was reported
	reported   bool
}

func newTelemetry(set component.TelemetrySettings) *telemetry {
	return &telemetry{
		set: set, state: map[string]kubelet.Reason{}, failures: map[[2]string]int64{}, sets: map[string]int64{},
		unresolved: map[string]int64{}, named: map[string]bool{}, base: []string{sourceDevices},
	}
}

func (t *telemetry) start(host component.Host, pods func() int) (err error) {
	t.host = host
	t.callback, err = metadata.Register(t.set, func() metadata.Telemetry { return t.read(pods()) })
	return err
}

func (t *telemetry) stop() error { return t.callback.Unregister() }

// choose says which source of pods is tried now.
func (t *telemetry) choose(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.chosen != "" && t.chosen != name {
		delete(t.state, t.chosen)
		t.changes++
		t.set.Logger.Info("another source of pods is tried", zap.String("before", t.chosen), zap.String("now", name))
	}
	t.chosen = name
}

// uses says that there are further sources of evidence.
func (t *telemetry) uses(names ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.others = append(t.others, names...)
}

// answered says that a source answers.
func (t *telemetry) answered(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if before, known := t.state[name]; known && before != kubelet.Connected {
		t.set.Logger.Info("the source answers again", zap.String("source", name))
	}
	t.state[name] = kubelet.Connected
}

// outcome takes what became of a request to a source.
func (t *telemetry) outcome(name string, err error) {
	if err == nil {
		t.answered(name)
	} else {
		t.failed(name, err)
	}
}

// failed counts that a source gave no answer, and says once why not.
func (t *telemetry) failed(name string, err error) {
	reason := kubelet.ReasonOf(err)
	t.mu.Lock()
	defer t.mu.Unlock()
	key := [2]string{name, string(reason)}
	t.failures[key]++
	before, known := t.state[name]
	t.state[name] = reason
	// Of several kinds of objects, one may be denied again and again.
	if known && before == reason || reason == kubelet.Denied && t.failures[key] > 1 {
		return
	}
	t.set.Logger.Warn("a source gives no answer", zap.String("source", name), zap.String("reason", string(reason)),
		zap.Error(err), zap.String("remedy", remedies[reason]))
}

func (t *telemetry) refuse() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused++
}

// steppedBack counts that the wall clock was set back, and says what that means.
func (t *telemetry) steppedBack(by time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps++
	t.set.Logger.Warn("the wall clock was set back: batches are dated ahead of it until it has caught up, at half its speed",
		zap.Duration("by", by), zap.String("remedy", "let the node's clock be corrected in small steps; one of more than 4 minutes makes the account wait"))
}

// complete is the outcome of a collection that has a set.
const complete = "complete"

// collected counts a collection and reports the component's status on change.
func (t *telemetry) collected(set *allocation.Set) {
	outcome := string(set.Doubt)
	if set.Doubt == allocation.Certain {
		outcome = complete
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sets[outcome]++
	if set.Doubt == allocation.Certain {
		t.resolve(set.Unresolved)
	}
	t.judge(set.Doubt)
}

// judge says what isn't known for want of a source. The caller holds the lock.
func (t *telemetry) judge(doubt allocation.Doubt) {
	switch {
	case doubt == allocation.PodsAway || doubt == allocation.ListAway:
		t.lacks(fmt.Errorf("who holds the GPUs isn't known: %s (%s)", doubt, t.standing()))
	case t.silent():
		t.lacks(fmt.Errorf("a source gives no answer (%s)", t.standing()))
	default:
		t.lacks(nil)
	}
}

// report takes what a collection lacks for want of a source, nil for nothing.
func (t *telemetry) report(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lacks(why)
}

// lacks reports the component's status on change: a source is away for as long
// as a start of it, or of this component, doesn't take. The caller holds the lock.
func (t *telemetry) lacks(why error) {
	if why == nil {
		t.away = 0
	} else if t.away++; t.away < patience {
		return
	}
	t.reportLocked(why)
}

func (t *telemetry) reportLocked(why error) {
	unhealthy := why != nil
	if t.reported && unhealthy == t.unhealthy {
		return
	}
	t.reported, t.unhealthy = true, unhealthy
	event := componentstatus.NewEvent(componentstatus.StatusOK)
	if unhealthy {
		event = componentstatus.NewRecoverableErrorEvent(why)
	}
	componentstatus.ReportStatus(t.host, event)
}

// silent reports whether a source that is in use gave no answer when it was
// asked last. Owners aren't looked at: one kind may be denied while others answer.
func (t *telemetry) silent() bool {
	for _, name := range []string{sourceDevices, t.chosen, sourceEvents} {
		if t.state[name] != kubelet.Connected { // none, if it wasn't asked yet
			return true
		}
	}
	return false
}

// up reports whether a source answers.
func (t *telemetry) up(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	reason, known := t.state[name]
	return known && reason == kubelet.Connected
}

// standings returns how the sources stand, as text.
func (t *telemetry) standings() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.standing()
}

// resolve counts the devices of a set that aren't known well, and names each once.
func (t *telemetry) resolve(devices []allocation.Unresolved) {
	t.unresolved = map[string]int64{}
	for _, d := range devices {
		t.unresolved[string(d.Why)]++
		if !t.named[d.Name] && len(t.named) < mostNamed {
			t.named[d.Name] = true
			t.set.Logger.Info("a device isn't known well: without a UUID its time is accounted under its name, without a share in equal parts, that of a claim that can't be read or is an administrator's not at all",
				zap.String("device", d.Name), zap.String("reason", string(d.Why)))
		}
	}
}

// patience is how many collections in a row without a source are an error: a
// kubelet may start again.
const patience = 2

// mostNamed is how many devices are named in the log.
const mostNamed = 256

// standing returns how the sources stand, as text. The caller holds the lock.
func (t *telemetry) standing() string {
	var states []string
	for _, name := range slices.Sorted(maps.Keys(t.state)) {
		state := t.state[name]
		if state == kubelet.Connected {
			state = "up"
		}
		states = append(states, fmt.Sprintf("%s: %s", name, state))
	}
	if t.chosen != "" {
		states = append(states, "pods from "+t.chosen)
	}
	return strings.Join(states, "; ")
}

// sources returns how the sources in use stand, for the batch of a time.
func (t *telemetry) sources(node, cluster string, at gpu.Time) []gpupdata.Source {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []gpupdata.Source
	asked := append([]string{sourceOwners, sourceEvents, sourceNamespaces}, t.others...)
	for _, name := range slices.Concat(t.base, []string{t.chosen}, asked) {
		reason, known := t.state[name]
		if name == "" || !known && slices.Contains(asked, name) {
			continue // those that are asked for single pods only may not have been yet
		}
		if !known {
			reason = kubelet.NotReady
		}
		out = append(out, gpupdata.Source{
			Name: name, Node: node, Cluster: cluster, Time: at, Up: reason == kubelet.Connected, Reason: string(reason),
		})
	}
	return out
}

// read returns everything that the component says of itself.
func (t *telemetry) read(pods int) metadata.Telemetry {
	out := t.counted()
	out.Pods = int64(pods)
	if t.more != nil {
		t.more(&out)
	}
	return out
}

func (t *telemetry) counted() metadata.Telemetry {
	t.mu.Lock()
	defer t.mu.Unlock()
	up := map[string]bool{}
	for name, reason := range t.state {
		up[name] = reason == kubelet.Connected
	}
	return metadata.Telemetry{
		MessagesRefused: t.refused, SourceUp: up, SourceFailures: maps.Clone(t.failures),
		Sets: maps.Clone(t.sets), Unresolved: maps.Clone(t.unresolved), SourceChanges: t.changes, ClockSteps: t.steps,
	}
}
