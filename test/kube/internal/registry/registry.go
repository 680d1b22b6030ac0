// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Package registry is an image registry on the loopback interface that can be
// slow: the part of the distribution API that a pull needs.
package registry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/test/kube/internal/image"
)

// Registry serves images by name. Its images have one tag, latest.
type Registry struct {
	listener net.Listener
	server   *http.Server
	done     chan error

	mu     sync.Mutex // guards what follows
	images map[string]served
	sent   []Transfer
}

type served struct {
	image *image.Image
	rate  int // bytes a second; 0: as fast as it can
}

// Transfer is one blob that was sent whole.
type Transfer struct {
	Name       string
	Bytes      int
	Begin, End time.Time
}

// Start listens on a free port.
func Start() (*Registry, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for pulls: %w", err)
	}
	r := &Registry{listener: listener, images: map[string]served{}, done: make(chan error, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v2/{$}", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /v2/{name}/manifests/{reference}", r.manifest)
	mux.HandleFunc("GET /v2/{name}/blobs/{digest}", r.blob)
	r.server = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { r.done <- r.server.Serve(listener) }()
	return r, nil
}

// Close ends all transfers.
func (r *Registry) Close() error {
	err := r.server.Close()
	if ended := <-r.done; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

// Add offers an image at a rate in bytes a second, 0 for any, and returns what
// a pod has to ask for.
func (r *Registry) Add(name string, img *image.Image, rate int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.images[name] = served{image: img, rate: rate}
	return r.listener.Addr().String() + "/" + name + ":latest"
}

// Sent returns the blobs of an image that were sent whole.
func (r *Registry) Sent(name string) []Transfer {
	r.mu.Lock()
	defer r.mu.Unlock()
	var of []Transfer
	for _, t := range r.sent {
		if t.Name == name {
			of = append(of, t)
		}
	}
	return of
}

func (r *Registry) find(name string) (served, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, found := r.images[name]
	return s, found
}

func (r *Registry) manifest(w http.ResponseWriter, req *http.Request) {
	s, found := r.find(req.PathValue("name"))
	reference := req.PathValue("reference")
	if !found || reference != "latest" && reference != s.image.Manifest {
		http.NotFound(w, req)
		return
	}
	content := s.image.Blobs[s.image.Manifest]
	w.Header().Set("Content-Type", image.MediaTypeManifest)
	w.Header().Set("Docker-Content-Digest", s.image.Manifest)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content) // the client has gone
}

func (r *Registry) blob(w http.ResponseWriter, req *http.Request) {
	name := req.PathValue("name")
	s, found := r.find(name)
	content := s.content(req.PathValue("digest"))
	if !found || content == nil {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	if req.Method == http.MethodHead {
		return
	}
	begin := time.Now()
	if err := send(req.Context(), w, content, s.rate); err != nil {
		return // the client has gone
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, Transfer{Name: name, Bytes: len(content), Begin: begin, End: time.Now()})
}

func (s served) content(digest string) []byte {
	if s.image == nil || !strings.HasPrefix(digest, "sha256:") {
		return nil
	}
	return s.image.Blobs[digest]
}

// beat is how often a part of a throttled blob is sent.
const beat = 50 * time.Millisecond

// send writes content at a rate.
func send(ctx context.Context, w http.ResponseWriter, content []byte, rate int) error {
	if rate == 0 {
		_, err := w.Write(content)
		return err
	}
	tick := time.NewTicker(beat)
	defer tick.Stop()
	part := max(1, int(int64(rate)*int64(beat)/int64(time.Second)))
	for {
		n := min(part, len(content))
		if _, err := w.Write(content[:n]); err != nil {
			return err
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			return err
		}
		if content = content[n:]; len(content) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
