// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// The engine's cache: who is watched, the samples that were taken, and what a
// read of them gives.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "standin.h"

engine_t engine;
pthread_mutex_t engine_lock = PTHREAD_MUTEX_INITIALIZER;

int64_t engine_now(void)
{
	if (engine.manual)
		return engine.now;
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int entity_find(dcgm_field_entity_group_t kind, dcgm_field_eid_t id)
{
	for (int i = 0; i < engine.count; i++)
		if (engine.entities[i]->kind == kind && engine.entities[i]->id == id)
			return i;
	return -1;
}

series_t *series_of(entity_t *e, unsigned short field)
{
	if (e->series[field] == NULL) {
		e->series[field] = calloc(1, sizeof(series_t));
		e->used[e->used_count++] = field;
	}
	return e->series[field];
}

value_t blank_of(char type)
{
	value_t v = {.type = type, .i64 = DCGM_INT64_BLANK, .dbl = DCGM_FP64_BLANK, .str = DCGM_STR_BLANK};
	return v;
}

static char type_of(unsigned short field)
{
	const dcgm_field_meta_t *m = field_meta(field);
	return m == NULL ? DCGM_FT_INT64 : m->fieldType;
}

// series_at is the k-th of the samples that are kept, the oldest first.
sample_t *series_at(const series_t *s, int k) { return &s->samples[(s->head + k) % s->capacity]; }

static void series_grow(series_t *s)
{
	int capacity = s->capacity == 0 ? 8 : 2 * s->capacity;
	sample_t *more = malloc((size_t)capacity * sizeof *more);
	for (int k = 0; k < s->count; k++)
		more[k] = *series_at(s, k);
	free(s->samples);
	s->samples = more;
	s->capacity = capacity;
	s->head = 0;
}

void series_push(series_t *s, int64_t ts, int status, const value_t *v)
{
	while (s->count > 0 && (series_at(s, 0)->ts < ts - s->keep || s->count >= MAX_SAMPLES)) {
		s->head = (s->head + 1) % s->capacity;
		s->count--;
	}
	if (s->count == s->capacity)
		series_grow(s);
	*series_at(s, s->count++) = (sample_t){ts, status, *v};
	s->first = false;
}

// source finds the series that a field of an entity is measured by: a field
// of the board is the board's on its instances too.
static series_t *source(entity_t *e, unsigned short field)
{
	const dcgm_field_meta_t *m = field_meta(field);
	series_t *own = e->series[field];
	if (own != NULL && own->known)
		return own;
	if (e->kind == DCGM_FE_GPU || m == NULL || m->entityLevel != DCGM_FE_GPU)
		return NULL;
	return engine.entities[e->gpu]->series[field];
}

// series_sample is one poll of the hardware.
void series_sample(entity_t *e, unsigned short field, int64_t ts)
{
	series_t *s = series_of(e, field), *from = source(e, field);
	const dcgm_field_meta_t *m = field_meta(field);
	value_t blank = blank_of(type_of(field));
	if (field == DCGM_FI_DEV_XID_ERROR)
		return; // only an event makes a sample
	bool unreachable = engine.detached || engine.entities[e->gpu]->status == DcgmEntityStatusLost;
	bool too_low = e->kind == DCGM_FE_GPU_CI && m != NULL && m->entityLevel == DCGM_FE_GPU_I;
	bool first = s->first && engine.entities[e->gpu]->gpm && field_is_profiling(field);
	if (unreachable || too_low || first)
		series_push(s, ts, DCGM_ST_OK, &blank);
	else if (from != NULL && from->known) {
		value_t v = from->value;
		if (from->rate != 0) // in 128 bits: cycles of hours
			v.i64 += (int64_t)((__int128)from->rate * (ts - from->rated) / 1000000);
		series_push(s, ts, DCGM_ST_OK, &v);
	}
}

void engine_advance(void)
{
	int64_t now = engine_now();
	if (now == engine.advanced)
		return; // nothing is due
	engine.advanced = now;
	for (int i = 0; i < engine.count; i++) {
		entity_t *e = engine.entities[i];
		for (int f = 0; f < e->used_count; f++) {
			series_t *s = e->series[e->used[f]];
			if (s->watchers == 0)
				continue;
			for (; s->next <= now; s->next += s->period)
				series_sample(e, e->used[f], s->next);
		}
	}
}

dcgmReturn_t series_watch(entity_t *e, unsigned short field, int64_t period, int64_t keep)
{
	series_t *s = series_of(e, field);
	if (s->watchers == 0) {
		s->period = period;
		s->keep = keep;
		s->next = engine_now();
		s->first = true;
	}
	s->period = period < s->period ? period : s->period;
	s->keep = keep > s->keep ? keep : s->keep;
	s->watchers++;
	engine.advanced = -1; // its first sample is due now
	return DCGM_ST_OK;
}

void series_unwatch(entity_t *e, unsigned short field)
{
	series_t *s = e->series[field];
	if (s != NULL && s->watchers > 0)
		s->watchers--;
}

void value_into(dcgmFieldValue_v1 *to, unsigned short field, int64_t ts, int status, const value_t *v)
{
	memset(to, 0, sizeof *to);
	to->version = dcgmFieldValue_version1;
	to->fieldId = field;
	to->fieldType = (unsigned short)v->type;
	to->status = status;
	to->ts = ts;
	if (v->type == DCGM_FT_STRING)
		snprintf(to->value.str, sizeof to->value.str, "%s", v->str);
	else if (v->type == DCGM_FT_DOUBLE)
		to->value.dbl = v->dbl;
	else
		to->value.i64 = v->i64;
}

void value_latest(entity_t *e, unsigned short field, dcgmFieldValue_v1 *to)
{
	value_t blank = blank_of(type_of(field));
	series_t *s = e == NULL ? NULL : e->series[field];
	if (s != NULL && s->count > 0) {
		const sample_t *last = series_at(s, s->count - 1);
		value_into(to, field, last->ts, last->status, &last->value);
		return;
	}
	int status = s != NULL && s->watchers > 0 ? DCGM_ST_NO_DATA : DCGM_ST_NOT_WATCHED;
	value_into(to, field, 0, status, &blank);
}

void engine_forget(void)
{
	for (int i = 0; i < engine.count; i++) {
		for (int f = 0; f < MAX_FIELD; f++) {
			series_t *s = engine.entities[i]->series[f];
			if (s == NULL)
				continue;
			s->watchers = s->count = 0;
		}
	}
	memset(engine.groups, 0, sizeof engine.groups);
	memset(engine.fields, 0, sizeof engine.fields);
	memset(engine.watches, 0, sizeof engine.watches);
	engine.next_group = engine.next_fields = 2;
}
