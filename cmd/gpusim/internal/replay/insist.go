// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/pmetric"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	// patience is how long a request is sent again and again that the
	// collector can't take now.
	patience = time.Minute
	// The first wait between two attempts, which doubles, and the longest.
	firstWait, longestWait = 50 * time.Millisecond, 5 * time.Second
)

// Insist sends one request like Send, again and again if the collector can't
// take it now (Unavailable, ResourceExhausted): nothing is lost in silence. A
// collector that never took one is an error at once. It returns how often it
// sent again.
func (s *Sender) Insist(ctx context.Context, metrics pmetric.Metrics) (retries int, err error) {
	pause, waited := firstWait, time.Duration(0)
	for {
		if err = s.Send(ctx, metrics); err == nil {
			s.taken = true
			return retries, nil
		}
		if !s.passes(err) {
			return retries, err
		}
		if waited >= patience {
			return retries, fmt.Errorf("gave up after %d more attempts in %s: %w", retries, waited.Round(time.Second), err)
		}
		if err := s.wait(ctx, pause); err != nil {
			return retries, fmt.Errorf("interrupted: %w", err)
		}
		waited += pause
		retries++
		pause = min(2*pause, longestWait)
	}
}

// passes reports whether a request that failed may succeed later.
func (s *Sender) passes(err error) bool {
	switch status.Code(err) {
	case codes.ResourceExhausted:
		return true
	case codes.Unavailable:
		return s.taken
	default:
		return false
	}
}

// wait waits for d, or until ctx is over.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
