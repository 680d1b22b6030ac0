// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// explain says what to do about an error of a request.
func (s *Sender) explain(err error) error {
	switch status.Code(err) {
	case codes.Unavailable:
		return fmt.Errorf("no collector at %s: %w; start one with an otlp receiver there (examples/recording/run does), or name another --endpoint",
			s.endpoint, err)
	case codes.Unimplemented:
		return fmt.Errorf("%s takes no OTLP metrics: %w; its pipeline metrics needs the otlp receiver", s.endpoint, err)
	case codes.Canceled:
		return fmt.Errorf("interrupted: %w", err)
	case codes.DeadlineExceeded:
		return fmt.Errorf("the collector at %s didn't answer within %s: %w", s.endpoint, requestTimeout, err)
	default:
		return fmt.Errorf("the collector at %s refused the batch: %w", s.endpoint, err)
	}
}
