// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Reason says why a source gave no answer.
type Reason string

// The reasons.
const (
	Connected    Reason = ""
	Away         Reason = "away"         // nobody listens: no socket, or the kubelet starts
	NotReady     Reason = "not_ready"    // the kubelet has no pods yet
	Denied       Reason = "denied"       // no permission
	Unsupported  Reason = "unsupported"  // the kubelet doesn't have this API
	RateLimited  Reason = "rate_limited" // shared by all clients of the node
	TooLarge     Reason = "too_large"    // the answer is beyond MaxMessage
	TooSlow      Reason = "too_slow"     // no answer in time, or we didn't read in time
	Undecodable  Reason = "undecodable"  // not what the API promises
	Disconnected Reason = "disconnected" // anything else
)

// Reasons returns why a source can give no answer.
func Reasons() []Reason {
	return []Reason{
		Away, NotReady, Denied, Unsupported, RateLimited, TooLarge, TooSlow, Undecodable, Disconnected,
	}
}

// ReasonOf returns why there was no answer. Two things are ResourceExhausted:
// a later call may be let in, a message that is too large never is.
func ReasonOf(err error) Reason {
	if err == nil {
		return Connected
	}
	if errors.Is(err, errUndecodable) {
		return Undecodable
	}
	if errors.Is(err, errStarting) {
		return NotReady
	}
	if http, ok := errors.AsType[*httpError](err); ok {
		return http.reason()
	}
	var api apierrors.APIStatus
	if errors.As(err, &api) {
		return (&httpError{code: int(api.Status().Code)}).reason()
	}
	s, ok := status.FromError(err)
	if !ok {
		return reasonOfIO(err)
	}
	text := s.Message()
	switch s.Code() {
	case codes.ResourceExhausted:
		switch {
		case strings.Contains(text, "larger than max"):
			return TooLarge
		case strings.Contains(text, "rate limit"):
			return RateLimited
		}
		return TooSlow // a watch that wasn't read in time is closed so
	case codes.Unavailable:
		if strings.Contains(text, "permission denied") {
			return Denied
		}
		return Away
	case codes.FailedPrecondition:
		return NotReady
	case codes.PermissionDenied, codes.Unauthenticated:
		return Denied
	case codes.Unimplemented:
		return Unsupported
	case codes.DeadlineExceeded:
		return TooSlow
	}
	return Disconnected
}

func reasonOfIO(err error) Reason {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return Denied
	case errors.Is(err, context.DeadlineExceeded):
		return TooSlow
	}
	if network, ok := errors.AsType[*net.OpError](err); ok {
		if network.Timeout() {
			return TooSlow
		}
		return Away
	}
	return Disconnected
}

// errUndecodable is of an answer that isn't what the API promises.
var errUndecodable = errors.New("undecodable")
