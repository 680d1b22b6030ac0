// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import "context"

// turn is a lock that is waited for as long as a context lasts.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// take waits for the turn.
func (t turn) take(ctx context.Context) error {
	if t.try() {
		return nil
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// try takes the turn if it is free.
func (t turn) try() bool {
	select {
	case t <- struct{}{}:
		return true
	default:
		return false
	}
}

func (t turn) leave() { <-t }
