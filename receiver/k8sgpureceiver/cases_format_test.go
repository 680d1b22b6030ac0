// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// script is one file of testdata/cases. Its README says what each key means.
type script struct {
	Case   int
	Title  string
	Config map[string]any
	Proc   map[string]board
	Pods   map[string]map[string]any
	Steps  []step
}

// board is one of the driver's devices, as the host's /proc tells.
type board struct {
	Minor int
	UUID  string
}

// step is what happens at one time. What it has is done in this order.
type step struct {
	At         string
	Kubelet    string           // stop, start
	Receiver   string           // restart
	WatchFails string           `yaml:"watch_fails"` // "CODE text", "never" to let watchers in again
	Tell       []map[string]any // one pod each: a patch of its object, or gone
	Offer      []string
	List       *list
	Lists      []list // in turn
	ListFails  string `yaml:"list_fails"` // "CODE text"
	Bytes      int    // how large a list is, at least
	Events     []event
	EventsFail *int `yaml:"events_fail"` // with this code of HTTP, 0 for no more
	Collect    *collect
}

// list has devices by pod and container.
type list map[string]map[string][]string

// event is one of the kubelet, about a container.
type event struct {
	Pod, Container, Reason, Message, First string
	// Name ends in the time in nanoseconds; made of At if it is empty.
	Name, At string
}

// collect is what a collection has to send. Holds, Ends and Set are compared
// always, what is nil of the others isn't.
type collect struct {
	Times   int    // that it is done, 10 s apart; the last counts
	Lookups int    // of events that it leads to, or that are over now
	Failed  int64  // lookups of events so far; at least
	Set     string // complete, or why there is none
	Holds   []string
	Ends    []string

	Marks      []string
	Available  []string
	Sources    []string
	Unresolved map[string]int64
	Refused    *int64
	Status     string
}

func readScript(path string) (s script, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// day is that of all cases: their files have times of day.
const day = "2026-11-30"

var timeOfDay = regexp.MustCompile(`^\d\d:\d\d:\d\d(\.\d+)?$`)

// timeOf reads a time of day.
func timeOf(text string) (gpu.Time, error) {
	at, err := time.Parse(time.RFC3339Nano, day+"T"+text+"Z")
	return gpu.Time(at.UnixNano()), err
}

// textOf writes a time of day; another day is written whole.
func textOf(at gpu.Time) string {
	text := time.Unix(0, int64(at)).UTC().Format("2006-01-02T15:04:05.999999999")
	return strings.TrimPrefix(text, day+"T")
}

// dated returns a value of a file with its times of day made whole.
func dated(value any) any {
	switch v := value.(type) {
	case string:
		if timeOfDay.MatchString(v) {
			return day + "T" + v + "Z"
		}
	case map[string]any:
		out := map[string]any{}
		for key, of := range v {
			out[key] = dated(of)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = dated(v[i])
		}
		return out
	}
	return value
}

// patched returns an object with the fields of a patch: maps are united, lists
// replaced, null deletes.
func patched(object, patch map[string]any) map[string]any {
	out := maps.Clone(object)
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range patch {
		inner, isMap := value.(map[string]any)
		before, wasMap := out[key].(map[string]any)
		switch {
		case value == nil:
			delete(out, key)
		case isMap && wasMap:
			out[key] = patched(before, inner)
		default:
			out[key] = value
		}
	}
	return out
}

// podOf makes a pod of an object. name is "namespace/name".
func podOf(name string, object map[string]any) (*corev1.Pod, error) {
	text, err := json.Marshal(dated(object))
	if err != nil {
		return nil, err
	}
	p := &corev1.Pod{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("pod %s: %w", name, err)
	}
	p.Namespace, p.Name, _ = strings.Cut(name, "/")
	return p, nil
}
