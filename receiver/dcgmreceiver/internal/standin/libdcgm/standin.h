// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// A stand-in for libdcgm.so.4: DCGM's ABI, and an engine that is a script.
// ../doc.go says what it is and what a script may say.

#ifndef STANDIN_H
#define STANDIN_H

#define DCGM_API_EXPORT
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "dcgm_agent.h"
#include "dcgm_fields.h"
#include "dcgm_structs.h"

enum {
	MAX_FIELD    = 2048, // field ids are below
	MAX_ENTITIES = 32 * (1 + DCGM_MAX_TOTAL_INSTANCES_PER_GPU),
	MAX_SAMPLES  = 4096, // kept of one series, at most
	MAX_STRING   = 128,
	MAX_CALLS    = 32,   // functions of which the script gives a latency
};

// A value of a field as DCGM types it: 'i', 'd' or 's'.
typedef struct {
	char type;
	int64_t i64;
	double dbl;
	char str[MAX_STRING];
} value_t;

typedef struct {
	int64_t ts; // µs since 1970
	int status; // DCGM_ST_…
	value_t value;
} sample_t;

// All that the engine knows of one field of one entity.
typedef struct {
	bool known;       // the script gives a value
	value_t value;    // in force
	int64_t rate;     // of a counter, per second since rated
	int64_t rated;    // µs
	bool unservable;  // a watch of it fails, as profiling fields do
	int watchers;     // 0: not sampled
	int64_t period;   // µs
	int64_t next;     // when the next sample is due, µs
	int64_t keep;     // µs
	bool first;       // no sample since the watch began
	sample_t *samples;
	int head, count, capacity; // a ring
} series_t;

typedef struct {
	dcgm_field_entity_group_t kind;
	dcgm_field_eid_t id;
	int parent; // index in engine.entities, -1 of a GPU
	int gpu;    // index of the board
	DcgmEntityStatus_t status;
	dcgmMigEntityInfo_t info;
	char uuid[MAX_STRING]; // of a GPU or a compute instance
	char name[MAX_STRING]; // model, or profile
	bool gpm;              // a profiling field's first sample is blank
	bool made;             // by a client, until the engine ends
	bool gone;
	series_t *series[MAX_FIELD];
	unsigned short used[MAX_FIELD]; // the fields that have a series
	int used_count;
} entity_t;

typedef struct {
	uintptr_t id; // 0: free
	dcgmHandle_t owner;
	char name[DCGM_MAX_STR_LENGTH];
	int count;
	dcgmGroupEntityPair_t entities[DCGM_GROUP_MAX_ENTITIES_V2];
} group_t;

typedef struct {
	uintptr_t id;
	dcgmHandle_t owner;
	char name[DCGM_MAX_STR_LENGTH];
	int count;
	unsigned short ids[DCGM_MAX_FIELD_IDS_PER_FIELD_GROUP];
} field_group_t;

// A watch belongs to its connection and goes with it.
typedef struct {
	bool used;
	dcgmHandle_t owner;
	uintptr_t group, fields;
} watch_t;

typedef struct {
	char path[4096];
	long offset; // of the script, up to which it was read
	bool up, manual, detached, no_nvml;
	int64_t now;       // µs, of the manual clock
	int64_t advanced;  // µs, up to which samples were taken
	int generation;    // counts starts of the engine
	int64_t hang;      // µs that a call blocks before it times out
	int64_t refuse;    // µs that a connect to a dead engine takes
	struct {
		char name[64];
		int64_t delay; // µs
	} latency[MAX_CALLS];
	int latencies;
	entity_t *entities[MAX_ENTITIES];
	int count;
	uintptr_t next_group, next_fields;
	group_t groups[DCGM_MAX_NUM_GROUPS];
	field_group_t fields[DCGM_MAX_NUM_FIELD_GROUPS];
	watch_t watches[256];
} engine_t;

extern engine_t engine;
extern pthread_mutex_t engine_lock;

// script.c
void script_reset(const char *path);
void script_read(void);
entity_t *entity_new(dcgm_field_entity_group_t kind, unsigned id, int parent);

// cache.c
int64_t engine_now(void);
void engine_advance(void);
void engine_forget(void); // everything that clients had made
int entity_find(dcgm_field_entity_group_t kind, dcgm_field_eid_t id);
series_t *series_of(entity_t *e, unsigned short field);
sample_t *series_at(const series_t *s, int k);
void series_push(series_t *s, int64_t ts, int status, const value_t *v);
value_t blank_of(char type);
dcgmReturn_t series_watch(entity_t *e, unsigned short field, int64_t period, int64_t keep);
void series_unwatch(entity_t *e, unsigned short field);
void series_sample(entity_t *e, unsigned short field, int64_t ts);
void value_into(dcgmFieldValue_v1 *to, unsigned short field, int64_t ts, int status, const value_t *v);
void value_latest(entity_t *e, unsigned short field, dcgmFieldValue_v1 *to);

// fields.c
const dcgm_field_meta_t *field_meta(unsigned short field);
bool field_is_profiling(unsigned short field);

// api.c: what each call begins and ends with
dcgmReturn_t call_begin(const char *name, dcgmHandle_t handle);
dcgmReturn_t call_end(dcgmReturn_t result);
void owner_forget(dcgmHandle_t owner);

#endif
