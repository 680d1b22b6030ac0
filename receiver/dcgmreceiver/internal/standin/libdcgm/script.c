// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// The script: a file that grows. Every call reads the lines that were
// appended since the last one; ../doc.go lists them.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

static void refuse_line(const char *line, const char *why)
{
	fprintf(stderr, "DCGM stand-in: %s: %s: %s\n", engine.path, why, line);
	abort();
}

static dcgm_field_entity_group_t kind_of(const char *word)
{
	if (strcmp(word, "gpu") == 0)
		return DCGM_FE_GPU;
	if (strcmp(word, "gi") == 0)
		return DCGM_FE_GPU_I;
	return strcmp(word, "ci") == 0 ? DCGM_FE_GPU_CI : DCGM_FE_NONE;
}

static void entity_free(entity_t *e)
{
	for (int f = 0; f < MAX_FIELD; f++) {
		if (e->series[f] != NULL)
			free(e->series[f]->samples);
		free(e->series[f]);
	}
	free(e);
}

entity_t *entity_new(dcgm_field_entity_group_t kind, unsigned id, int parent)
{
	if (engine.count == MAX_ENTITIES || entity_find(kind, id) >= 0)
		return NULL;
	entity_t *e = calloc(1, sizeof *e);
	e->kind = kind;
	e->id = id;
	e->parent = parent;
	e->gpu = parent < 0 ? engine.count : engine.entities[parent]->gpu;
	e->status = DcgmEntityStatusOk;
	if (parent >= 0)
		e->info = engine.entities[parent]->info;
	engine.entities[engine.count++] = e;
	return e;
}

// "gpu 0 <uuid> <nvml index> <model …>"
static bool add_gpu(const char *rest)
{
	unsigned id, index;
	char uuid[MAX_STRING], name[MAX_STRING];
	if (sscanf(rest, "%u %127s %u %127[^\n]", &id, uuid, &index, name) != 4)
		return false;
	entity_t *e = entity_new(DCGM_FE_GPU, id, -1);
	if (e == NULL)
		return false;
	snprintf(e->uuid, sizeof e->uuid, "%s", uuid);
	snprintf(e->name, sizeof e->name, "%s", name);
	snprintf(e->info.gpuUuid, sizeof e->info.gpuUuid, "%s", uuid);
	e->info.nvmlGpuIndex = index;
	e->info.nvmlInstanceId = e->info.nvmlComputeInstanceId = e->info.nvmlMigProfileId = (unsigned)-1;
	value_t v = {.type = DCGM_FT_STRING};
	snprintf(v.str, sizeof v.str, "%s", uuid);
	series_t *s = series_of(e, DCGM_FI_DEV_GPU_UUID);
	s->known = true;
	s->value = v;
	snprintf(v.str, sizeof v.str, "%s", name);
	s = series_of(e, DCGM_FI_DEV_GPU_NAME);
	s->known = true;
	s->value = v;
	return true;
}

static void set_string(entity_t *e, unsigned short field, const char *text)
{
	series_t *s = series_of(e, field);
	if (s->known)
		return;
	s->known = true;
	s->value.type = DCGM_FT_STRING;
	snprintf(s->value.str, sizeof s->value.str, "%s", text);
}

// "gi <id> <gpu> <nvml id> <profile id> <slices> <profile name>"
// "ci <id> <gi> <nvml id> <profile id> <slices> <profile name> <uuid>"
static bool add_instance(dcgm_field_entity_group_t kind, const char *rest)
{
	unsigned id, parent, nvml, profile, slices;
	char name[MAX_STRING], uuid[MAX_STRING] = "";
	int n = sscanf(rest, "%u %u %u %u %u %127s %127s", &id, &parent, &nvml, &profile, &slices, name, uuid);
	bool compute = kind == DCGM_FE_GPU_CI;
	if (n != (compute ? 7 : 6))
		return false;
	int above = entity_find(compute ? DCGM_FE_GPU_I : DCGM_FE_GPU, parent);
	if (above < 0)
		return false;
	entity_t *e = entity_new(kind, id, above);
	if (e == NULL)
		return false;
	*(compute ? &e->info.nvmlComputeInstanceId : &e->info.nvmlInstanceId) = nvml;
	e->info.nvmlMigProfileId = profile;
	e->info.nvmlProfileSlices = slices;
	snprintf(e->uuid, sizeof e->uuid, "%s", uuid);
	snprintf(e->name, sizeof e->name, "%s", name);
	set_string(e, DCGM_FI_DEV_GPU_NAME, name); // the profile, not the model
	if (compute) {
		set_string(e, DCGM_FI_DEV_GPU_UUID, uuid);
		set_string(engine.entities[above], DCGM_FI_DEV_GPU_UUID, uuid); // the first one's
	}
	return true;
}

// sweep frees the entities that are gone, and moves the others up.
static void sweep(void)
{
	int kept = 0, moved[MAX_ENTITIES];
	for (int i = 0; i < engine.count; i++) {
		entity_t *e = engine.entities[i];
		moved[i] = e->gone ? -1 : kept;
		if (e->gone)
			entity_free(e);
		else
			engine.entities[kept++] = e;
	}
	engine.count = kept;
	for (int i = 0; i < kept; i++) {
		entity_t *e = engine.entities[i];
		e->gpu = moved[e->gpu];
		e->parent = e->parent < 0 ? -1 : moved[e->parent];
	}
}

// "remove <gpu>": the board and all on it. "remove-mig <gpu>": its instances.
static bool remove_entities(const char *rest, bool board)
{
	int gpu = entity_find(DCGM_FE_GPU, (unsigned)strtoul(rest, NULL, 10));
	if (gpu < 0)
		return false;
	for (int i = 0; i < engine.count; i++) {
		entity_t *e = engine.entities[i];
		e->gone = e->gpu == gpu && (board || e->kind != DCGM_FE_GPU);
	}
	sweep();
	return true;
}

static bool parse_value(const char *rest, value_t *v)
{
	int skip = 0;
	memset(v, 0, sizeof *v);
	if (sscanf(rest, " %c %n", &v->type, &skip) != 1)
		return false;
	rest += skip;
	char *end = NULL;
	if (v->type == DCGM_FT_STRING) {
		snprintf(v->str, sizeof v->str, "%s", rest);
		return true;
	}
	if (v->type == DCGM_FT_DOUBLE)
		v->dbl = strtod(rest, &end);
	else
		v->i64 = strtoll(rest, &end, 10);
	return (v->type == DCGM_FT_DOUBLE || v->type == DCGM_FT_INT64) && end != rest;
}

// The lines that begin with an entity and a field.
static bool of_field(const char *verb, const char *rest)
{
	char kind[8];
	unsigned id, field;
	int skip = 0;
	if (sscanf(rest, "%7s %u %u %n", kind, &id, &field, &skip) != 3 || field >= MAX_FIELD)
		return false;
	int at = entity_find(kind_of(kind), id);
	if (at < 0)
		return false;
	rest += skip;
	series_t *s = series_of(engine.entities[at], (unsigned short)field);
	if (strcmp(verb, "unservable") == 0) {
		s->unservable = true;
		return true;
	}
	if (strcmp(verb, "unset") == 0) {
		s->known = false;
		return true;
	}
	if (strcmp(verb, "set") == 0) {
		s->rate = 0;
		s->known = parse_value(rest, &s->value);
		return s->known;
	}
	if (strcmp(verb, "rate") == 0) {
		s->value.i64 += (int64_t)((__int128)s->rate * (engine_now() - s->rated) / 1000000);
		s->rated = engine_now();
		s->rate = strtoll(rest, NULL, 10);
		return s->known && s->value.type == DCGM_FT_INT64;
	}
	long long ts; // "sample": one that the engine took, whatever is set
	int status;
	value_t v;
	if (sscanf(rest, "%lld %d %n", &ts, &status, &skip) != 2 || !parse_value(rest + skip, &v))
		return false;
	if (s->watchers > 0)
		series_push(s, ts, status, &v);
	return true;
}

static bool of_gpu(const char *verb, const char *rest)
{
	unsigned id;
	int status = 0;
	int n = sscanf(rest, "%u %d", &id, &status);
	int at = n < 1 ? -1 : entity_find(DCGM_FE_GPU, id);
	if (at < 0)
		return false;
	if (strcmp(verb, "gpm") == 0)
		engine.entities[at]->gpm = true;
	else if (n == 2)
		engine.entities[at]->status = (DcgmEntityStatus_t)status;
	return strcmp(verb, "gpm") == 0 || n == 2;
}

static bool set_latency(const char *rest)
{
	char name[64];
	long long us;
	if (sscanf(rest, "%63s %lld", name, &us) != 2)
		return false;
	int i = 0;
	while (i < engine.latencies && strcmp(engine.latency[i].name, name) != 0)
		i++;
	if (i == MAX_CALLS)
		return false;
	if (i == engine.latencies)
		engine.latencies++;
	snprintf(engine.latency[i].name, sizeof engine.latency[i].name, "%s", name);
	engine.latency[i].delay = us;
	return true;
}

// "group <name> [<kind> <id> …]": a group that another client made.
static bool add_group(const char *rest)
{
	group_t *g = engine.groups;
	while (g->id != 0)
		if (++g == engine.groups + DCGM_MAX_NUM_GROUPS)
			return false;
	int skip = 0;
	if (sscanf(rest, "%127s %n", g->name, &skip) != 1)
		return false;
	g->id = engine.next_group++;
	char kind[8];
	unsigned id;
	for (rest += skip; sscanf(rest, "%7s %u %n", kind, &id, &skip) == 2; rest += skip)
		g->entities[g->count++] = (dcgmGroupEntityPair_t){kind_of(kind), id};
	return true;
}

static bool start(void)
{
	engine.up = true;
	engine.generation++;
	engine_forget();
	for (int i = 0; i < engine.count; i++)
		engine.entities[i]->gone = engine.entities[i]->made;
	sweep();
	return true;
}

// The lines that are of the engine as a whole. Returns -1 if it is none.
static int of_engine(const char *verb, const char *rest)
{
	long long us = strtoll(rest, NULL, 10);
	if (strcmp(verb, "clock") == 0)
		engine.manual = strcmp(rest, "manual") == 0;
	else if (strcmp(verb, "now") == 0)
		engine.now = us;
	else if (strcmp(verb, "start") == 0)
		return start();
	else if (strcmp(verb, "die") == 0)
		engine.up = false;
	else if (strcmp(verb, "hang") == 0)
		engine.hang = us;
	else if (strcmp(verb, "refuse") == 0)
		engine.refuse = us;
	else if (strcmp(verb, "nvml") == 0)
		engine.no_nvml = strcmp(rest, "absent") == 0;
	else if (strcmp(verb, "detach") == 0)
		engine.detached = true;
	else if (strcmp(verb, "attach") == 0)
		engine.detached = false;
	else if (strcmp(verb, "latency") == 0)
		return set_latency(rest);
	else if (strcmp(verb, "group") == 0)
		return add_group(rest);
	else
		return -1;
	return true;
}

static bool obey(const char *verb, const char *rest)
{
	int done = of_engine(verb, rest);
	if (done >= 0)
		return done;
	if (strcmp(verb, "gpu") == 0)
		return add_gpu(rest);
	if (kind_of(verb) != DCGM_FE_NONE)
		return add_instance(kind_of(verb), rest);
	if (strcmp(verb, "remove") == 0 || strcmp(verb, "remove-mig") == 0)
		return remove_entities(rest, strcmp(verb, "remove") == 0);
	if (strcmp(verb, "gpm") == 0 || strcmp(verb, "status") == 0)
		return of_gpu(verb, rest);
	return of_field(verb, rest);
}

void script_reset(const char *path)
{
	for (int i = 0; i < engine.count; i++)
		entity_free(engine.entities[i]);
	memset(&engine, 0, sizeof engine);
	snprintf(engine.path, sizeof engine.path, "%s", path);
}

void script_read(void)
{
	FILE *f = fopen(engine.path, "r");
	if (f == NULL)
		return;
	if (fseek(f, engine.offset, SEEK_SET) != 0) {
		fclose(f);
		return;
	}
	char line[1024], verb[32];
	while (fgets(line, sizeof line, f) != NULL) {
		size_t length = strlen(line);
		if (line[length - 1] != '\n')
			break; // is being written
		engine.offset += (long)length;
		line[length - 1] = 0;
		int skip = 0;
		if (sscanf(line, "%31s %n", verb, &skip) != 1 || verb[0] == '#')
			continue;
		engine_advance(); // what was due before, by what was in force
		if (!obey(verb, line + skip))
			refuse_line(line, "not understood");
	}
	fclose(f);
	engine_advance();
}
