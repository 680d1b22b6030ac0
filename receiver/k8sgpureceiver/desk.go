// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package k8sgpureceiver

import (
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/allocation"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/claim"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/kubelet"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// desk is where the sources' news arrive: it stamps them and writes them into
// the book. Its methods return at once.
type desk struct {
	own *telemetry
	now func() gpu.Time

	mu     sync.Mutex // guards what follows
	book   *allocation.Book
	synced bool
	// readClaim asks the API server for a claim, nil if nobody asks.
	readClaim func(claim.Key)
}

// events takes the events of a pod.
func (d *desk) events(uid string, events []pod.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.book.Events(uid, events)
}

// source is the desk as one source of pods sees it.
type source struct {
	*desk
	name string
	// settled is closed when the source has synced.
	settled chan struct{}
	once    sync.Once
	lost    time.Time // since when it gives no answer, zero while it does
}

// away returns for how long the source has given no answer.
func (s *source) away() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost.IsZero() {
		return 0
	}
	return time.Since(s.lost)
}

var _ kubelet.Sink = (*source)(nil)

// Resync begins to tell of all pods anew.
func (s *source) Resync() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.synced = false
	s.book.Resync()
}

// Pod takes a pod's state.
func (s *source) Pod(p *pod.Pod) {
	at := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.book.Pod(p, at, s.synced)
	s.askForClaims()
}

// Gone takes the end of a pod.
func (s *source) Gone(uid string) {
	at := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.book.Gone(uid, at)
}

// Missed takes that a pod has gone unseen.
func (s *source) Missed(uid string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.book.Missed(uid)
}

// Synced says that all pods are known.
func (s *source) Synced() {
	at := s.now()
	s.own.answered(s.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.synced, s.lost = true, time.Time{}
	s.book.Synced(at)
	s.once.Do(func() { close(s.settled) })
}

// Lost says that the source is away.
func (s *source) Lost(err error) {
	s.own.failed(s.name, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.book.Lost()
	if s.lost.IsZero() {
		s.lost = time.Now()
	}
	s.synced = s.synced && !s.book.Local()
}

// Refused counts a message that couldn't be read.
func (s *source) Refused(err error) {
	s.own.refuse()
	s.own.set.Logger.Debug("a message about a pod counts for nothing", zap.String("source", s.name), zap.Error(err))
}
