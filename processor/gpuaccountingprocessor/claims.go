// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package gpuaccountingprocessor

import (
	"fmt"
	"sync"

	"go.opentelemetry.io/collector/component"
)

// claims says which checkpoints are in use. The collector makes one component
// for each pipeline that names it, all with one id: they would overwrite each
// other's checkpoint. The factory has one, so that all of a collector's
// processors share it.
type claims struct {
	mu    sync.Mutex
	taken map[claim]bool
}

// claim is a checkpoint: that of a component in a storage.
type claim struct{ storage, component component.ID }

func (c *claims) take(k claim) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.taken[k] {
		return fmt.Errorf("%s is in two pipelines with one storage (%s): %s", k.component, k.storage, onePipeline)
	}
	if c.taken == nil {
		c.taken = map[claim]bool{}
	}
	c.taken[k] = true
	return nil
}

func (c *claims) release(k claim) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.taken, k)
}

// onePipeline says what to change if two use one checkpoint.
const onePipeline = "keep it in one pipeline, or give each its own name (gpu_accounting/a, gpu_accounting/b)"
