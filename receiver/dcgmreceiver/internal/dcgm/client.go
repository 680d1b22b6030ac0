// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

//go:build cgo && linux

package dcgm

import (
	"errors"
	"fmt"
	"strings"
	"time"

	nv "github.com/NVIDIA/go-dcgm/pkg/dcgm"

	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/engine"
	"github.com/otelcol-gpu/otelcol-gpu/receiver/dcgmreceiver/internal/sample"
)

// client is the connection of this process.
type client struct {
	groups map[engine.Watch]string // what it has in the engine
	closed bool
}

var _ engine.Client = (*client)(nil)

var kinds = map[sample.Kind]nv.Field_Entity_Group{
	sample.Board: nv.FE_GPU, sample.GPUInstance: nv.FE_GPU_I, sample.ComputeInstance: nv.FE_GPU_CI,
}

func kindOf(group nv.Field_Entity_Group) (sample.Kind, bool) {
	for kind, g := range kinds {
		if g == group {
			return kind, true
		}
	}
	return 0, false
}

func (c *client) GPUs() ([]engine.GPU, error) {
	ids, err := nv.GetEntityGroupEntities(nv.FE_GPU)
	if err != nil {
		return nil, c.fail("list the GPUs", err)
	}
	gpus := make([]engine.GPU, 0, len(ids))
	for _, id := range ids {
		status := nv.GetGPUStatus(id)
		if status == nv.EntityStatusUnknown { // also what the binding says if the call failed
			if err := ask(); codeOf(err) == codeGone || codeOf(err) == codeTimeout {
				return nil, c.fail("ask for the status of GPUs", err)
			}
		}
		gpus = append(gpus, engine.GPU{ID: id, Status: engine.Status(status)})
	}
	return gpus, nil
}

func (c *client) Instances() ([]engine.Instance, error) {
	h, err := nv.GetGPUInstanceHierarchy()
	if err != nil {
		return nil, c.fail("list the MIG instances", err)
	}
	var instances []engine.Instance
	for _, e := range h.EntityList[:h.Count] {
		kind, ok := kindOf(e.Entity.EntityGroupId)
		above, known := kindOf(e.Parent.EntityGroupId)
		if !ok || !known {
			continue
		}
		instances = append(instances, engine.Instance{
			Entity:          sample.Entity{Kind: kind, ID: e.Entity.EntityId},
			Parent:          sample.Entity{Kind: above, ID: e.Parent.EntityId},
			BoardUUID:       e.Info.GpuUuid,
			NVMLIndex:       e.Info.NvmlGpuIndex,
			GPUInstance:     e.Info.NvmlInstanceId,
			ComputeInstance: e.Info.NvmlComputeInstanceId,
			Slices:          e.Info.NvmlProfileSlices,
		})
	}
	return instances, nil
}

func (c *client) Latest(e sample.Entity, fields []sample.Field) ([]sample.Raw, error) {
	if len(fields) == 0 {
		return nil, nil
	}
	values, err := nv.EntityGetLatestValues(kinds[e.Kind], e.ID, shorts(fields))
	if err != nil {
		return nil, c.fail(fmt.Sprintf("read %v %d", e.Kind, e.ID), err)
	}
	raws := make([]sample.Raw, 0, len(values))
	for i := range values {
		v := &values[i]
		raws = append(raws, raw(e, v.FieldID, v.FieldType, v.Status, v.TS, &v.Value))
	}
	return raws, nil
}

func (c *client) Watch(entities []sample.Entity, fields []sample.Field, every, keep time.Duration) (engine.Watch, error) {
	name := uniqueName()
	group, err := nv.CreateGroup(name)
	if err != nil {
		return engine.Watch{}, c.fail("make a group", err)
	}
	for _, e := range entities {
		if err = nv.AddEntityToGroup(group, kinds[e.Kind], e.ID); err != nil {
			err = c.refused(fmt.Sprintf("add %v %d to a group", e.Kind, e.ID), err)
			return engine.Watch{}, errors.Join(err, ignoreGone(nv.DestroyGroup(group)))
		}
	}
	ids, err := nv.FieldGroupCreate(name, shorts(fields)) // an older engine doesn't know them all
	if err != nil {
		return engine.Watch{}, errors.Join(c.refused("make a field group", err), ignoreGone(nv.DestroyGroup(group)))
	}
	w := engine.Watch{Group: group.GetHandle(), Fields: ids.GetHandle()}
	c.groups[w] = name
	if err = nv.WatchFieldsWithGroupEx(ids, group, every.Microseconds(), keep.Seconds(), 0); err != nil {
		if err = c.refused("watch", err); errors.Is(err, engine.ErrNotServed) {
			err = errors.Join(err, c.drop(w))
		}
		return engine.Watch{}, err
	}
	return w, nil
}

// refused is fail for what an engine that lives doesn't serve.
func (c *client) refused(what string, err error) error {
	err = c.fail(what, err)
	if errors.Is(err, engine.ErrGone) || errors.Is(err, engine.ErrTimeout) {
		return err
	}
	return fmt.Errorf("%w: %w", engine.ErrNotServed, err)
}

func (c *client) Since(w engine.Watch, since int64) ([]sample.Raw, int64, error) {
	group, fields := handles(w)
	values, next, err := nv.GetValuesSince(group, fields, time.UnixMicro(since))
	if err != nil {
		return nil, since, c.fail("read samples", err)
	}
	raws := make([]sample.Raw, 0, len(values))
	for i := range values {
		v := &values[i]
		if kind, ok := kindOf(v.EntityGroupId); ok {
			e := sample.Entity{Kind: kind, ID: v.EntityID}
			raws = append(raws, raw(e, v.FieldID, v.FieldType, v.Status, v.TS, &v.Value))
		}
	}
	return raws, max(next.UnixMicro(), since), nil
}

func (c *client) Unwatch(w engine.Watch) error {
	if _, ok := c.groups[w]; !ok {
		return fmt.Errorf("end a watch of DCGM: %+v isn't one", w)
	}
	group, fields := handles(w)
	err := nv.UnwatchFields(fields, group)
	if err != nil {
		err = c.fail("end a watch", err)
	}
	return errors.Join(err, c.drop(w))
}

// drop gives the groups of a watch back.
func (c *client) drop(w engine.Watch) error {
	delete(c.groups, w)
	group, fields := handles(w)
	return errors.Join(ignoreGone(nv.FieldGroupDestroy(fields)), ignoreGone(nv.DestroyGroup(group)))
}

func (c *client) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	// The engine ends the watches of a connection with it.
	clear(c.groups)
	err := nv.Shutdown()
	inUse.Store(false)
	if err != nil {
		return fmt.Errorf("disconnect from DCGM: %w", err)
	}
	return nil
}

func handles(w engine.Watch) (group nv.GroupHandle, fields nv.FieldHandle) {
	group.SetHandle(w.Group)
	fields.SetHandle(w.Fields)
	return group, fields
}

func shorts(fields []sample.Field) []nv.Short {
	out := make([]nv.Short, len(fields))
	for i, f := range fields {
		out[i] = nv.Short(f)
	}
	return out
}

// The codes of DCGM that say something of the connection.
const (
	codeTimeout = -11
	codeGone    = -21
)

// fail wraps an error of the binding, and tells by which of engine's errors the
// connection is affected. Most calls give a text without a code, so the
// engine is asked once more: an engine that died answers at once.
func (c *client) fail(what string, err error) error {
	err = fmt.Errorf("%s: %w", what, err)
	code := codeOf(err)
	if code == 0 && strings.Contains(err.Error(), "imeout") {
		code = codeTimeout // asking would block as long again
	}
	if code == 0 {
		code = codeOf(ask())
	}
	switch code {
	case codeTimeout:
		return fmt.Errorf("%w: %w", engine.ErrTimeout, err)
	case codeGone:
		return fmt.Errorf("%w: %w", engine.ErrGone, err)
	}
	return err
}

// ask calls the engine for nothing but the code of the error.
func ask() error {
	_, err := nv.EntityGetLatestValues(nv.FE_GPU, 0, []nv.Short{1})
	return err
}

// codeOf returns the code of DCGM in an error of the binding, or 0.
func codeOf(err error) int {
	if withCode, ok := errors.AsType[*nv.Error](err); ok {
		return int(withCode.Code)
	}
	if err == nil {
		return 0
	}
	var code int
	if _, number, ok := strings.Cut(err.Error(), "failed with error code "); ok {
		if _, scanErr := fmt.Sscanf(number, "%d", &code); scanErr != nil {
			return 0
		}
	}
	return code
}

// ignoreGone: an engine that is gone has taken with it what is given back.
func ignoreGone(err error) error {
	if err == nil || codeOf(err) == codeGone || strings.Contains(err.Error(), "onnection") {
		return nil
	}
	return err
}
