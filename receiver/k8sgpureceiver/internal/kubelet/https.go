// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/k8sgpureceiver/internal/pod"
)

// HTTPS fetches the pods of the node from the kubelet's /pods.
type HTTPS struct {
	client    *http.Client
	url       string
	tokenFile string
	interval  time.Duration
}

// HTTPSConfig says how to reach the kubelet.
type HTTPSConfig struct {
	Endpoint           string // https://host:10250
	TokenFile          string // read at each request: it is renewed
	CAFile             string
	CertFile, KeyFile  string // a client's certificate, read at each connection; "" for none
	InsecureSkipVerify bool
	Interval           time.Duration // between two requests
}

// NewHTTPS returns a client of the kubelet's HTTPS endpoint.
func NewHTTPS(cfg HTTPSConfig) (*HTTPS, error) {
	secure := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: cfg.InsecureSkipVerify} //nolint:gosec // the user's choice: many kubelets sign their own certificate
	if cfg.CAFile != "" {
		text, err := os.ReadFile(cfg.CAFile)
		if err != nil {
			return nil, fmt.Errorf("certificates of the kubelet's authority: %w", err)
		}
		secure.RootCAs = x509.NewCertPool()
		if !secure.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("certificates of the kubelet's authority: %s has none", cfg.CAFile)
		}
	}
	if cfg.CertFile != "" {
		secure.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(cfg.CertFile, cfg.KeyFile)
			if err != nil {
				return nil, fmt.Errorf("our certificate for the kubelet: %w", err)
			}
			return &pair, nil
		}
	}
	return &HTTPS{
		client:    &http.Client{Timeout: requestTimeout, Transport: &http.Transport{TLSClientConfig: secure, MaxIdleConns: 1, IdleConnTimeout: time.Minute}},
		url:       strings.TrimSuffix(cfg.Endpoint, "/") + "/pods",
		tokenFile: cfg.TokenFile, interval: cfg.Interval,
	}, nil
}

// Close ends idle connections.
func (h *HTTPS) Close() error {
	h.client.CloseIdleConnections()
	return nil
}

// Run fetches all pods again and again until ctx ends.
func (h *HTTPS) Run(ctx context.Context, sink Sink) {
	var before empties
	for {
		found, err := h.Fetch(ctx)
		if err == nil && before.starts(found, time.Now()) {
			err = errStarting
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			sink.Lost(err)
		default:
			sink.Resync()
			for i := range found {
				sink.Pod(&found[i])
			}
			sink.Synced()
		}
		if !sleep(ctx, h.interval) {
			return
		}
	}
}

// requestTimeout is how long one request may take.
const requestTimeout = 10 * time.Second

// maxBody is more than the pods of a node take.
const maxBody = 64 << 20

// Fetch returns all pods of the node.
func (h *HTTPS) Fetch(ctx context.Context) ([]pod.Pod, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("fetch pods: %w", err)
	}
	if h.tokenFile != "" {
		token, err := os.ReadFile(h.tokenFile)
		if err != nil {
			return nil, fmt.Errorf("fetch pods: token: %w", err)
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	answer, err := h.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("fetch pods: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetch pods: %w", &httpError{h.url, answer.StatusCode})
	}
	return decodePods(io.LimitReader(answer.Body, maxBody))
}

func decodePods(body io.Reader) ([]pod.Pod, error) {
	var list corev1.PodList
	if err := json.NewDecoder(body).Decode(&list); err != nil {
		return nil, fmt.Errorf("fetch pods: %w", errors.Join(errUndecodable, err))
	}
	found := make([]pod.Pod, 0, len(list.Items))
	for i := range list.Items {
		found = append(found, pod.Read(&list.Items[i]))
	}
	return found, nil
}

// httpError is an answer that isn't one.
type httpError struct {
	url  string
	code int
}

// Error names the address and what it said.
func (e *httpError) Error() string { return fmt.Sprintf("%s answered %d", e.url, e.code) }

func (e *httpError) reason() Reason {
	switch e.code {
	case http.StatusUnauthorized, http.StatusForbidden:
		return Denied
	case http.StatusNotFound:
		return Unsupported
	case http.StatusTooManyRequests:
		return RateLimited
	}
	return Disconnected
}
