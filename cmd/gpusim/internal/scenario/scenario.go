// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"time"

	"github.com/otelcol-gpu/otelcol-gpu/cmd/gpusim/internal/world"
	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

// Scenario is a scenario that was read and checked.
type Scenario struct {
	Name        string
	Description string
	Cluster     string
	Start       gpu.Time
	Duration    time.Duration
	Collection  Collection

	spec  *spec
	nodes int // of a world
}

// Parse reads the text of a scenario. The file's name is only for errors.
func Parse(file string, text []byte) (*Scenario, error) {
	s := &spec{}
	if err := decode(text, s); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", file, err)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", file, err)
	}
	c := &Scenario{
		Name: s.Name, Description: s.Description, Cluster: s.Cluster,
		Start: gpu.Time(s.Start.UnixNano()), Duration: s.Duration, Collection: s.Collection,
		spec: s, nodes: s.size().nodes,
	}
	if _, err := c.build(); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", file, err)
	}
	return c, nil
}

// Nodes returns how many nodes the world has.
func (s *Scenario) Nodes() int { return s.nodes }

// World returns the scenario's world, the same each time.
func (s *Scenario) World() *world.World {
	w, err := s.build()
	if err != nil { // Parse built it already
		panic(fmt.Sprintf("scenario %s was checked, yet: %v", s.Name, err))
	}
	return w
}
