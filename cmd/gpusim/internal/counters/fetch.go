// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package counters

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// fetchTimeout bounds one scrape; a page of a few thousand series takes
// milliseconds.
const fetchTimeout = 30 * time.Second

// Fetch reads what a collector exported from the endpoint of its Prometheus
// exporter.
func Fetch(ctx context.Context, url string) (Export, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return Export{}, fmt.Errorf("--counters: %w", err)
	}
	request.Header.Set("Accept", "text/plain;version=0.0.4")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return Export{}, fmt.Errorf("can't read the collector's counters: %w; does it run, with a prometheus exporter there? --counters says where", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return Export{}, fmt.Errorf("can't read the collector's counters: %s answers %s; --counters says where they are", url, response.Status)
	}
	export, err := Parse(response.Body)
	if err != nil {
		return Export{}, fmt.Errorf("%s: %w", url, err)
	}
	return export, nil
}
