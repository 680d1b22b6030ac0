// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// explain says what to do about an error of a request. Its own context is one
// of ctx that ends after the sender's timeout.
func (s *Sender) explain(ctx, own context.Context, err error) error {
	switch code := status.Code(err); {
	case code == codes.Unavailable:
		return fmt.Errorf("no collector at %s: %w; start one with an otlp receiver there (as in examples/check/collector.yaml), or name another --endpoint",
			s.endpoint, err)
	case code == codes.Unimplemented:
		return fmt.Errorf("%s takes no OTLP metrics: %w; its pipeline metrics needs the otlp receiver", s.endpoint, err)
	case code == codes.Canceled, ctx.Err() != nil:
		return fmt.Errorf("interrupted: %w", err)
	case code == codes.DeadlineExceeded && s.isOurs(own):
		return fmt.Errorf("the collector at %s didn't answer within %s: %w", s.endpoint, s.timeout, err)
	case code == codes.DeadlineExceeded:
		return fmt.Errorf("the collector at %s gave up: %w; is there a server where its exporters send to?", s.endpoint, err)
	default:
		return fmt.Errorf("the collector at %s refused the batch: %w", s.endpoint, err)
	}
}

// isOurs reports whether the deadline that passed is that of the request. The
// collector knows it too, and may say so before it has passed here: other
// deadlines are far shorter.
func (s *Sender) isOurs(own context.Context) bool {
	deadline, _ := own.Deadline()
	return time.Until(deadline) < s.timeout/2
}
