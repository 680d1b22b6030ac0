// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Groups, field groups, watches, and reads of what is watched.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

void engine_crash(dcgmHandle_t handle);

static group_t *group_find(uintptr_t id)
{
	for (int i = 0; i < DCGM_MAX_NUM_GROUPS; i++)
		if (engine.groups[i].id == id)
			return &engine.groups[i];
	return NULL;
}

static field_group_t *fields_find(uintptr_t id)
{
	for (int i = 0; i < DCGM_MAX_NUM_FIELD_GROUPS; i++)
		if (engine.fields[i].id == id)
			return &engine.fields[i];
	return NULL;
}

static entity_t *entity_at(dcgmGroupEntityPair_t p)
{
	int at = entity_find(p.entityGroupId, p.entityId);
	return at < 0 ? NULL : engine.entities[at];
}

static watch_t *watch_find(uintptr_t group, uintptr_t fields)
{
	for (size_t i = 0; i < sizeof engine.watches / sizeof *engine.watches; i++) {
		watch_t *w = &engine.watches[i];
		if (w->used && w->group == group && w->fields == fields)
			return w;
	}
	return NULL;
}

static void watch_end(watch_t *w)
{
	group_t *g = group_find(w->group);
	field_group_t *f = fields_find(w->fields);
	w->used = false;
	for (int i = 0; g != NULL && i < g->count; i++)
		for (int j = 0; f != NULL && entity_at(g->entities[i]) != NULL && j < f->count; j++)
			series_unwatch(entity_at(g->entities[i]), f->ids[j]);
}

void owner_forget(dcgmHandle_t owner)
{
	for (size_t i = 0; i < sizeof engine.watches / sizeof *engine.watches; i++)
		if (engine.watches[i].used && engine.watches[i].owner == owner)
			watch_end(&engine.watches[i]);
	for (int i = 0; i < DCGM_MAX_NUM_GROUPS; i++)
		if (engine.groups[i].owner == owner)
			memset(&engine.groups[i], 0, sizeof engine.groups[i]);
	for (int i = 0; i < DCGM_MAX_NUM_FIELD_GROUPS; i++)
		if (engine.fields[i].owner == owner)
			memset(&engine.fields[i], 0, sizeof engine.fields[i]);
}

dcgmReturn_t dcgmGroupCreate(dcgmHandle_t handle, dcgmGroupType_t type, const char *name, dcgmGpuGrp_t *id)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	if (r != DCGM_ST_OK)
		return call_end(r);
	group_t *g = group_find(0);
	if (g == NULL)
		return call_end(DCGM_ST_MAX_LIMIT);
	g->id = *id = engine.next_group++;
	g->owner = handle;
	snprintf(g->name, sizeof g->name, "%s", name);
	for (int i = 0; type == DCGM_GROUP_DEFAULT && i < engine.count; i++)
		if (engine.entities[i]->kind == DCGM_FE_GPU)
			g->entities[g->count++] = (dcgmGroupEntityPair_t){DCGM_FE_GPU, engine.entities[i]->id};
	return call_end(DCGM_ST_OK);
}

dcgmReturn_t dcgmGroupDestroy(dcgmHandle_t handle, dcgmGpuGrp_t id)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	group_t *g = group_find(id);
	if (r == DCGM_ST_OK && (id == 0 || g == NULL))
		r = DCGM_ST_NOT_CONFIGURED;
	if (r != DCGM_ST_OK)
		return call_end(r);
	for (size_t i = 0; i < sizeof engine.watches / sizeof *engine.watches; i++)
		if (engine.watches[i].used && engine.watches[i].group == id)
			watch_end(&engine.watches[i]);
	memset(g, 0, sizeof *g);
	return call_end(DCGM_ST_OK);
}

dcgmReturn_t dcgmGroupAddEntity(dcgmHandle_t handle, dcgmGpuGrp_t id, dcgm_field_entity_group_t kind,
				dcgm_field_eid_t entity)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	group_t *g = group_find(id);
	if (r == DCGM_ST_OK && (id == 0 || g == NULL))
		r = DCGM_ST_NOT_CONFIGURED;
	if (r == DCGM_ST_OK && (entity_find(kind, entity) < 0 || engine.no_nvml))
		r = DCGM_ST_BADPARAM;
	for (int i = 0; r == DCGM_ST_OK && i < g->count; i++)
		if (g->entities[i].entityGroupId == kind && g->entities[i].entityId == entity)
			r = DCGM_ST_BADPARAM;
	if (r == DCGM_ST_OK && g->count == DCGM_GROUP_MAX_ENTITIES_V2)
		r = DCGM_ST_MAX_LIMIT;
	if (r == DCGM_ST_OK)
		g->entities[g->count++] = (dcgmGroupEntityPair_t){kind, entity};
	return call_end(r);
}

dcgmReturn_t dcgmGroupAddDevice(dcgmHandle_t handle, dcgmGpuGrp_t id, unsigned gpu)
{
	return dcgmGroupAddEntity(handle, id, DCGM_FE_GPU, gpu);
}

dcgmReturn_t dcgmGroupGetInfo(dcgmHandle_t handle, dcgmGpuGrp_t id, dcgmGroupInfo_t *info)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	group_t *g = group_find(id);
	if (r == DCGM_ST_OK && (id == 0 || g == NULL))
		r = DCGM_ST_NOT_CONFIGURED;
	if (r != DCGM_ST_OK)
		return call_end(r);
	info->count = (unsigned)g->count;
	memcpy(info->groupName, g->name, sizeof info->groupName);
	memcpy(info->entityList, g->entities, (size_t)g->count * sizeof *g->entities);
	return call_end(DCGM_ST_OK);
}

dcgmReturn_t dcgmFieldGroupCreate(dcgmHandle_t handle, int count, const unsigned short *ids, const char *name,
				  dcgmFieldGrp_t *id)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	if (r == DCGM_ST_OK && (count < 1 || count >= DCGM_MAX_FIELD_IDS_PER_FIELD_GROUP))
		r = DCGM_ST_BADPARAM;
	for (int i = 0; r == DCGM_ST_OK && i < count; i++)
		if (field_meta(ids[i]) == NULL)
			r = DCGM_ST_UNKNOWN_FIELD;
	for (int i = 0; r == DCGM_ST_OK && i < DCGM_MAX_NUM_FIELD_GROUPS; i++)
		if (engine.fields[i].id != 0 && strcmp(engine.fields[i].name, name) == 0)
			r = DCGM_ST_DUPLICATE_KEY;
	field_group_t *f = fields_find(0);
	if (r == DCGM_ST_OK && f == NULL)
		r = DCGM_ST_MAX_LIMIT;
	if (r != DCGM_ST_OK)
		return call_end(r);
	f->id = *id = engine.next_fields++;
	f->owner = handle;
	f->count = count;
	snprintf(f->name, sizeof f->name, "%s", name);
	memcpy(f->ids, ids, (size_t)count * sizeof *ids);
	return call_end(DCGM_ST_OK);
}

dcgmReturn_t dcgmFieldGroupDestroy(dcgmHandle_t handle, dcgmFieldGrp_t id)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	field_group_t *f = fields_find(id);
	if (r == DCGM_ST_OK && (id == 0 || f == NULL))
		r = DCGM_ST_NO_DATA;
	if (r != DCGM_ST_OK)
		return call_end(r);
	for (size_t i = 0; i < sizeof engine.watches / sizeof *engine.watches; i++)
		if (engine.watches[i].used && engine.watches[i].fields == id)
			watch_end(&engine.watches[i]);
	memset(f, 0, sizeof *f);
	return call_end(DCGM_ST_OK);
}

// resolve finds the entities of a group, the one of all GPUs among them.
static const group_t *resolve(dcgmGpuGrp_t id)
{
	static group_t all;
	if (id != DCGM_GROUP_ALL_GPUS)
		return id == 0 ? NULL : group_find(id);
	all.count = 0;
	for (int i = 0; i < engine.count; i++)
		if (engine.entities[i]->kind == DCGM_FE_GPU)
			all.entities[all.count++] = (dcgmGroupEntityPair_t){DCGM_FE_GPU, engine.entities[i]->id};
	return &all;
}

// try_watch: with one field that can't be served the watch fails whole, but
// the others were sampled once.
static dcgmReturn_t try_watch(const group_t *g, const field_group_t *f, int64_t period, int64_t keep)
{
	bool servable = true;
	for (int i = 0; i < g->count; i++)
		for (int j = 0; j < f->count; j++)
			servable = servable && !series_of(entity_at(g->entities[i]), f->ids[j])->unservable;
	for (int i = 0; i < g->count; i++) {
		entity_t *e = entity_at(g->entities[i]);
		for (int j = 0; j < f->count; j++) {
			if (servable)
				series_watch(e, f->ids[j], period, keep);
			else if (!series_of(e, f->ids[j])->unservable)
				series_sample(e, f->ids[j], engine_now());
		}
	}
	return servable ? DCGM_ST_OK : DCGM_ST_MODULE_NOT_LOADED;
}

dcgmReturn_t dcgmWatchFields(dcgmHandle_t handle, dcgmGpuGrp_t group, dcgmFieldGrp_t fields, long long period,
			     double keep_age, int keep_samples)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	if (r != DCGM_ST_OK)
		return call_end(r);
	const group_t *g = resolve(group);
	field_group_t *f = fields == 0 ? NULL : fields_find(fields);
	if (g == NULL || f == NULL || period <= 0)
		return call_end(DCGM_ST_BADPARAM);
	if (engine.no_nvml)
		return call_end(DCGM_ST_NVML_NOT_LOADED);
	if (g->count == 0)
		return call_end(DCGM_ST_GROUP_IS_EMPTY);
	for (int i = 0; i < g->count; i++)
		if (entity_at(g->entities[i]) == NULL)
			return call_end(DCGM_ST_BADPARAM);
	int64_t keep = (int64_t)(keep_age * 1e6);
	keep = keep_samples * period > keep ? keep_samples * period : keep;
	if (keep == 0)
		keep = INT64_MAX / 2; // no limit
	watch_t *w = engine.watches;
	while (w->used)
		if (++w == engine.watches + sizeof engine.watches / sizeof *engine.watches)
			return call_end(DCGM_ST_MAX_LIMIT);
	r = try_watch(g, f, period, keep);
	if (r == DCGM_ST_OK)
		*w = (watch_t){true, handle, group, fields};
	engine_advance();
	return call_end(r);
}

dcgmReturn_t dcgmUnwatchFields(dcgmHandle_t handle, dcgmGpuGrp_t group, dcgmFieldGrp_t fields)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	watch_t *w = watch_find(group, fields);
	if (r == DCGM_ST_OK && w != NULL)
		watch_end(w);
	return call_end(r);
}

dcgmReturn_t dcgmUpdateAllFields(dcgmHandle_t handle, int wait)
{
	(void)wait;
	return call_end(call_begin(__func__, handle));
}

// room_for returns memory for n values, which the next call hands out again: each
// thread of a client would keep some of its own.
static dcgmFieldValue_v1 *room_for(int n)
{
	static dcgmFieldValue_v1 *values;
	static int capacity;
	if (n > capacity) {
		free(values);
		capacity = 2 * n;
		values = malloc((size_t)capacity * sizeof *values);
	}
	return values;
}

// values_since hands the samples of one entity to the caller.
static long long values_since(entity_t *e, const field_group_t *f, long long since,
			      dcgmFieldValueEntityEnumeration_f enumerate, void *data)
{
	int n = 0;
	long long newest = since - 1;
	for (int j = 0; j < f->count; j++)
		n += series_of(e, f->ids[j])->count;
	dcgmFieldValue_v1 *values = room_for(n);
	n = 0;
	for (int j = 0; j < f->count; j++) {
		const series_t *s = e->series[f->ids[j]];
		for (int k = 0; k < s->count; k++) {
			const sample_t *p = series_at(s, k);
			if (p->ts < since)
				continue;
			newest = p->ts > newest ? p->ts : newest;
			value_into(&values[n++], f->ids[j], p->ts, p->status, &p->value);
		}
	}
	if (n > 0)
		enumerate(e->kind, e->id, values, n, data);
	return newest;
}

dcgmReturn_t dcgmGetValuesSince_v2(dcgmHandle_t handle, dcgmGpuGrp_t group, dcgmFieldGrp_t fields, long long since,
				   long long *next, dcgmFieldValueEntityEnumeration_f enumerate, void *data)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	if (r != DCGM_ST_OK)
		return call_end(r);
	const group_t *g = resolve(group);
	field_group_t *f = fields == 0 ? NULL : fields_find(fields);
	if (g == NULL || f == NULL)
		return call_end(DCGM_ST_BADPARAM);
	if (watch_find(group, fields) == NULL)
		return call_end(DCGM_ST_NOT_WATCHED);
	*next = since;
	for (int i = 0; i < g->count; i++) {
		entity_t *e = entity_at(g->entities[i]);
		if (e == NULL)
			continue;
		long long newest = values_since(e, f, since, enumerate, data);
		*next = newest + 1 > *next ? newest + 1 : *next;
	}
	return call_end(DCGM_ST_OK);
}

dcgmReturn_t dcgmEntityGetLatestValues(dcgmHandle_t handle, dcgm_field_entity_group_t kind, int id,
				       unsigned short ids[], unsigned count, dcgmFieldValue_v1 values[])
{
	dcgmReturn_t r = call_begin(__func__, handle);
	entity_t *e = entity_at((dcgmGroupEntityPair_t){kind, (unsigned)id});
	for (unsigned i = 0; r == DCGM_ST_OK && i < count; i++)
		value_latest(e, ids[i], &values[i]);
	return call_end(r);
}

dcgmReturn_t dcgmGetLatestValuesForFields(dcgmHandle_t handle, int gpu, unsigned short ids[], unsigned count,
					  dcgmFieldValue_v1 values[])
{
	return dcgmEntityGetLatestValues(handle, DCGM_FE_GPU, gpu, ids, count, values);
}

static void to_v2(dcgmFieldValue_v2 *to, const dcgmFieldValue_v1 *from, dcgmGroupEntityPair_t p)
{
	memset(to, 0, sizeof *to);
	to->version = dcgmFieldValue_version2;
	to->entityGroupId = p.entityGroupId;
	to->entityId = p.entityId;
	to->fieldId = from->fieldId;
	to->fieldType = from->fieldType;
	to->status = from->status;
	to->ts = from->ts;
	memcpy(&to->value, &from->value, sizeof to->value);
}

dcgmReturn_t dcgmEntitiesGetLatestValues(dcgmHandle_t handle, dcgmGroupEntityPair_t entities[], unsigned entity_count,
					 unsigned short ids[], unsigned count, unsigned flags, dcgmFieldValue_v2 values[])
{
	dcgmReturn_t r = call_begin(__func__, handle);
	bool live = (flags & DCGM_FV_FLAG_LIVE_DATA) != 0;
	for (unsigned j = 0; r == DCGM_ST_OK && j < count; j++) {
		if (field_meta(ids[j]) == NULL)
			r = DCGM_ST_GENERIC_ERROR; // spoils the whole call
		if (live && field_is_profiling(ids[j])) {
			engine_crash(handle);
			r = DCGM_ST_CONNECTION_NOT_VALID;
		}
	}
	unsigned total = entity_count * count;
	for (unsigned i = 0; r == DCGM_ST_OK && i < total; i++) {
		dcgmFieldValue_v1 v;
		entity_t *e = entity_at(entities[i / count]);
		if (live && e != NULL)
			series_sample(e, ids[i % count], engine_now());
		value_latest(e, ids[i % count], &v);
		if (v.fieldType == DCGM_FT_STRING && v.value.str[0] == 0)
			r = DCGM_ST_GENERIC_ERROR;
		to_v2(&values[live ? total - 1 - i : i], &v, entities[i / count]);
	}
	return call_end(r);
}
