// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Connections, and what the engine says of its devices.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "standin.h"

enum { EMBEDDED = 1 << 15 }; // in a handle, below the engine's generation

static void pause_us(int64_t us)
{
	struct timespec t = {us / 1000000, us % 1000000 * 1000};
	nanosleep(&t, NULL);
}

// hang blocks until the script lets go, or the call times out.
static bool hang(void)
{
	for (int64_t waited = 0; engine.hang > 0; waited += 1000) {
		if (waited >= engine.hang)
			return true;
		pause_us(1000);
		script_read();
	}
	return false;
}

dcgmReturn_t call_begin(const char *name, dcgmHandle_t handle)
{
	pthread_mutex_lock(&engine_lock);
	script_read();
	for (int i = 0; i < engine.latencies; i++)
		if (strcmp(engine.latency[i].name, name) == 0 || strcmp(engine.latency[i].name, "*") == 0)
			pause_us(engine.latency[i].delay);
	if (hang())
		return DCGM_ST_TIMEOUT;
	if (!engine.up || (handle >> 16) != (dcgmHandle_t)engine.generation)
		return DCGM_ST_CONNECTION_NOT_VALID;
	return DCGM_ST_OK;
}

dcgmReturn_t call_end(dcgmReturn_t result)
{
	pthread_mutex_unlock(&engine_lock);
	return result;
}

dcgmReturn_t dcgmInit(void)
{
	const char *path = getenv("DCGM_STANDIN_SCRIPT");
	pthread_mutex_lock(&engine_lock);
	if (path == NULL)
		path = "";
	if (strcmp(engine.path, path) != 0)
		script_reset(path);
	script_read();
	return call_end(DCGM_ST_OK);
}

dcgmReturn_t dcgmShutdown(void) { return DCGM_ST_OK; }

static dcgmHandle_t new_handle(int flags)
{
	static unsigned count;
	return (dcgmHandle_t)engine.generation << 16 | (count++ % EMBEDDED) | (dcgmHandle_t)flags;
}

static dcgmReturn_t connect_engine(dcgmHandle_t *handle)
{
	pthread_mutex_lock(&engine_lock);
	script_read();
	if (hang())
		return call_end(DCGM_ST_TIMEOUT);
	if (!engine.up) {
		pause_us(engine.refuse);
		return call_end(DCGM_ST_CONNECTION_NOT_VALID);
	}
	*handle = new_handle(0);
	return call_end(DCGM_ST_OK);
}

dcgmReturn_t dcgmConnect_v2(const char *address, dcgmConnectV2Params_t *params, dcgmHandle_t *handle)
{
	if (address == NULL || params->version != dcgmConnectV2Params_version2)
		return DCGM_ST_BADPARAM;
	return connect_engine(handle);
}

dcgmReturn_t dcgmConnect_v3(const char *address, dcgmConnectV3Params_t *params, dcgmHandle_t *handle)
{
	if (address == NULL || params->version != dcgmConnectV3Params_version1)
		return DCGM_ST_BADPARAM;
	return connect_engine(handle);
}

dcgmReturn_t dcgmDisconnect(dcgmHandle_t handle)
{
	pthread_mutex_lock(&engine_lock);
	owner_forget(handle);
	return call_end(DCGM_ST_OK);
}

dcgmReturn_t dcgmStartEmbedded(dcgmOperationMode_t mode, dcgmHandle_t *handle)
{
	(void)mode;
	pthread_mutex_lock(&engine_lock);
	script_read();
	engine.up = true;
	engine.generation++;
	engine_forget();
	*handle = new_handle(EMBEDDED);
	return call_end(DCGM_ST_OK);
}

dcgmReturn_t dcgmStopEmbedded(dcgmHandle_t handle)
{
	pthread_mutex_lock(&engine_lock);
	if ((handle & EMBEDDED) == 0)
		return call_end(DCGM_ST_UNINITIALIZED);
	engine.up = false;
	return call_end(DCGM_ST_OK);
}

// An engine dies of what the script or a call does to it: with the process,
// if it is embedded.
void engine_crash(dcgmHandle_t handle)
{
	if ((handle & EMBEDDED) != 0)
		abort();
	engine.up = false;
}

static DcgmEntityStatus_t status_of(const entity_t *e)
{
	return engine.detached ? DcgmEntityStatusDetached : e->status;
}

static int list_gpus(unsigned ids[DCGM_MAX_NUM_DEVICES], bool supported)
{
	int n = 0;
	for (int i = 0; i < engine.count && !engine.no_nvml; i++) {
		const entity_t *e = engine.entities[i];
		if (e->kind == DCGM_FE_GPU && (!supported || status_of(e) == DcgmEntityStatusOk))
			ids[n++] = e->id;
	}
	return n;
}

dcgmReturn_t dcgmGetAllDevices(dcgmHandle_t handle, unsigned ids[DCGM_MAX_NUM_DEVICES], int *count)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	if (r == DCGM_ST_OK)
		*count = list_gpus(ids, false);
	return call_end(r);
}

dcgmReturn_t dcgmGetAllSupportedDevices(dcgmHandle_t handle, unsigned ids[DCGM_MAX_NUM_DEVICES], int *count)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	if (r == DCGM_ST_OK)
		*count = list_gpus(ids, true);
	return call_end(r);
}

dcgmReturn_t dcgmGetGpuStatus(dcgmHandle_t handle, unsigned gpu, DcgmEntityStatus_t *status)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	if (r == DCGM_ST_OK) {
		int at = entity_find(DCGM_FE_GPU, gpu);
		*status = at < 0 ? DcgmEntityStatusUnknown : status_of(engine.entities[at]);
	}
	return call_end(r);
}

dcgmReturn_t dcgmGetEntityGroupEntities(dcgmHandle_t handle, dcgm_field_entity_group_t kind,
					dcgm_field_eid_t *ids, int *count, unsigned flags)
{
	(void)flags;
	dcgmReturn_t r = call_begin(__func__, handle);
	int n = 0;
	for (int i = 0; r == DCGM_ST_OK && i < engine.count && !engine.no_nvml; i++) {
		if (engine.entities[i]->kind != kind)
			continue;
		if (n == *count)
			return call_end(DCGM_ST_INSUFFICIENT_SIZE);
		ids[n++] = engine.entities[i]->id;
	}
	*count = n;
	return call_end(r);
}

dcgmReturn_t dcgmGetGpuInstanceHierarchy(dcgmHandle_t handle, dcgmMigHierarchy_v2 *h)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	if (r != DCGM_ST_OK)
		return call_end(r);
	if (h->version != dcgmMigHierarchy_version2)
		return call_end(DCGM_ST_VER_MISMATCH);
	if (engine.detached)
		return call_end(DCGM_ST_GPUS_DETACHED);
	h->count = 0;
	for (int i = 0; i < engine.count; i++) {
		const entity_t *e = engine.entities[i];
		if (e->parent < 0)
			continue;
		const entity_t *above = engine.entities[e->parent];
		dcgmMigHierarchyInfo_v2 *to = &h->entityList[h->count++];
		to->entity = (dcgmGroupEntityPair_t){e->kind, e->id};
		to->parent = (dcgmGroupEntityPair_t){above->kind, above->id};
		to->info = e->info;
	}
	return call_end(DCGM_ST_OK);
}

dcgmReturn_t dcgmDetachDriver(dcgmHandle_t handle)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	engine.detached = engine.detached || r == DCGM_ST_OK;
	return call_end(r);
}

dcgmReturn_t dcgmAttachDriver(dcgmHandle_t handle)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	engine.detached = engine.detached && r != DCGM_ST_OK;
	return call_end(r);
}

static dcgmReturn_t put_version(dcgmVersionInfo_t *to)
{
	snprintf(to->rawBuildInfoString, sizeof to->rawBuildInfoString, "version:4.6.1;stand-in");
	return DCGM_ST_OK;
}

dcgmReturn_t dcgmVersionInfo(dcgmVersionInfo_t *to) { return put_version(to); }

dcgmReturn_t dcgmHostengineVersionInfo(dcgmHandle_t handle, dcgmVersionInfo_t *to)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	return call_end(r == DCGM_ST_OK ? put_version(to) : r);
}

const char *errorString(dcgmReturn_t result)
{
	switch (result) {
	case DCGM_ST_OK:
		return "Success";
	case DCGM_ST_BADPARAM:
		return "Bad parameter passed to function";
	case DCGM_ST_GENERIC_ERROR:
		return "Generic unspecified error";
	case DCGM_ST_TIMEOUT:
		return "Timeout";
	case DCGM_ST_NOT_WATCHED:
		return "Requested value is not being watched for updates";
	case DCGM_ST_CONNECTION_NOT_VALID:
		return "Host engine connection invalid/disconnected";
	case DCGM_ST_MODULE_NOT_LOADED:
		return "This request is serviced by a module of DCGM that is not currently loaded";
	case DCGM_ST_GPUS_DETACHED:
		return "GPUs are detached";
	default: {
		static __thread char text[32];
		snprintf(text, sizeof text, "DCGM error %d", (int)result);
		return text;
	}
	}
}
