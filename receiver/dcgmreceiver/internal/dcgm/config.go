// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package dcgm

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
)

// Mode says which engine is used.
type Mode string

// The modes. Auto is a host engine that runs already, or none: an engine of
// one's own would take the profiling of older GPUs from dcgm-exporter.
const (
	Auto       Mode = "auto"
	Standalone Mode = "standalone"
	Embedded   Mode = "embedded"
)

// Config says how DCGM is reached.
type Config struct {
	Mode        Mode
	Endpoint    string // "host:port", "tcp://host:port" or "unix:///path"; not of an embedded engine
	LibraryPath string // of libdcgm.so.4; "" leaves the search to the dynamic linker
}

// DefaultEndpoint is where a host engine listens if nobody says otherwise.
const DefaultEndpoint = "localhost:5555"

// Validate says what isn't accepted, and what would be.
func (c Config) Validate() error {
	var errs []error
	switch c.Mode {
	case Auto, Standalone:
		if _, err := parseEndpoint(c.Endpoint); err != nil {
			errs = append(errs, err)
		}
	case Embedded:
		if c.Endpoint != "" {
			errs = append(errs, fmt.Errorf("endpoint: %q is set, but mode embedded connects to none: leave it out, or use mode standalone", c.Endpoint))
		}
	default:
		errs = append(errs, fmt.Errorf("mode: %q: want auto, standalone or embedded", c.Mode))
	}
	if c.LibraryPath != "" && !filepath.IsAbs(c.LibraryPath) {
		errs = append(errs, fmt.Errorf("library_path: %q isn't absolute: want the path of libdcgm.so.4", c.LibraryPath))
	}
	return errors.Join(errs...)
}

// endpoint is an address as DCGM takes it.
type endpoint struct {
	address string
	unix    bool
}

func parseEndpoint(text string) (endpoint, error) {
	const want = "want host:port, tcp://host:port or unix:///path"
	if path, ok := strings.CutPrefix(text, "unix://"); ok {
		if !filepath.IsAbs(path) {
			return endpoint{}, fmt.Errorf("endpoint: %q has no absolute path: %s", text, want)
		}
		return endpoint{path, true}, nil
	}
	host, port, err := net.SplitHostPort(strings.TrimPrefix(text, "tcp://"))
	if err != nil || host == "" || port == "" || strings.Contains(host, "/") {
		return endpoint{}, fmt.Errorf("endpoint: %q: %s", text, want)
	}
	return endpoint{address: net.JoinHostPort(host, port)}, nil
}
