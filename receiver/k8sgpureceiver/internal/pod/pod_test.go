// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-gpu/otelcol-gpu/internal/gpu"
)

func TestReleased(t *testing.T) {
	initDone := Container{Name: "init", Init: true, Run: Run{Started: at(2), Finished: at(5)}}
	initFailed := Container{Name: "init", Init: true, Run: Run{Started: at(2), Finished: at(5), ExitCode: 1}}
	waiting := Container{Name: "main", Waiting: "ImagePullBackOff"}
	done := Container{Name: "done", Run: Run{Started: at(6), Finished: at(50)}}
	running := Container{Name: "runs", Run: Run{Started: at(6), Running: true}}
	for name, c := range map[string]struct {
		policy     RestartPolicy
		deleted    gpu.Time
		containers []Container
		want       gpu.Time
	}{
		"all finished":             {RestartNever, gpu.NoTime, []Container{initDone, done}, at(50)},
		"one runs":                 {RestartNever, at(40), []Container{done, running}, gpu.NoTime},
		"none ran":                 {RestartNever, at(40), []Container{waiting}, gpu.NoTime},
		"one waits":                {RestartNever, gpu.NoTime, []Container{initDone, waiting}, gpu.NoTime},
		"one waits, deleted":       {RestartNever, at(100), []Container{initDone, waiting}, at(100)},
		"one of two waits":         {RestartNever, gpu.NoTime, []Container{done, waiting}, gpu.NoTime},
		"one of two waits, 100 s":  {RestartNever, at(100), []Container{done, waiting}, at(100)},
		"one waits, other stopped": {RestartNever, at(40), []Container{done, waiting}, at(50)},
		"init failed":              {RestartNever, gpu.NoTime, []Container{initFailed, waiting}, at(5)},
		"init failed, deleted":     {RestartNever, at(100), []Container{initFailed, waiting}, at(5)},
		"init waits, deleted":      {RestartOnFailure, at(100), []Container{initFailed, waiting}, at(100)},
		"finished, then deleted":   {RestartNever, at(100), []Container{done}, at(50)},
		"backs off, then deleted":  {RestartAlways, at(100), []Container{done}, at(100)},
	} {
		p := Pod{RestartPolicy: c.policy, DeletionAsked: c.deleted, Containers: c.containers}
		require.Equal(t, c.want, p.Released(), name)
	}
}
