// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// TestEmpties: a kubelet that lacks all its pods starts, for a minute at most.
// One that never had any doesn't.
func TestEmpties(t *testing.T) {
	of := func(source string) []pod.Pod {
		return []pod.Pod{{UID: "s", Annotations: map[string]string{annotationSource: "file"}}, {UID: "p", Annotations: map[string]string{annotationSource: source}}}
	}
	begin := time.Unix(1_800_000_000, 0)
	e := &empties{}
	for _, step := range []struct {
		after  time.Duration
		found  []pod.Pod
		starts bool
	}{
		{0, nil, false},
		{5, of("http"), false},
		{10, of("api"), false},
		{15, nil, true},
		{20, of("file"), true},
		{25, of(""), false},
		{30, nil, true},
		{89, nil, true},
		{90, nil, false},
		{95, nil, false},
		{100, of("api"), false},
		{105, nil, true},
	} {
		require.Equal(t, step.starts, e.starts(step.found, begin.Add(step.after*time.Second)), step.after)
	}
}

// answers is a sink that writes down what became of each request.
type answers struct {
	Sink
	told chan string
	pods string
}

func (a *answers) Resync()        { a.pods = "" }
func (a *answers) Pod(p *pod.Pod) { a.pods += p.UID }
func (a *answers) Synced()        { a.told <- "pods " + a.pods }
func (a *answers) Lost(err error) { a.told <- string(ReasonOf(err)) }

// TestKubeletThatStarts isn't believed that it has no pods.
func TestKubeletThatStarts(t *testing.T) {
	var body atomic.Value
	body.Store(`{"items": [{"metadata": {"uid": "u"}}]}`)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(body.Load().(string)))
	}))
	defer server.Close()
	h := newHTTPS(t, server, HTTPSConfig{InsecureSkipVerify: true, Interval: time.Millisecond})
	sink := &answers{told: make(chan string)}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.Run(ctx, sink)
	}()
	require.Equal(t, "pods u", <-sink.told)
	for _, c := range [][2]string{{`{"items": []}`, "not_ready"}, {`{"items": [{"metadata": {"uid": "v"}}]}`, "pods v"}} {
		body.Store(c[0])
		<-sink.told // may have been asked for before
		<-sink.told
		require.Equal(t, c[1], <-sink.told)
	}
	stop()
	for {
		select {
		case <-sink.told:
		case <-done:
			return
		}
	}
}
