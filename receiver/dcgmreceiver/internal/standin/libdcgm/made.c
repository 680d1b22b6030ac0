// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// What clients make up for tests of their own, GPUs and samples, and what they
// are told of a GPU in one piece.

#include <stdio.h>
#include <string.h>

#include "standin.h"

#include "dcgm_structs_internal.h"
#include "dcgm_test_apis.h"

// free_id is the first id that no GPU has.
static unsigned free_id(void)
{
	unsigned id = 0;
	while (entity_find(DCGM_FE_GPU, id) >= 0)
		id++;
	return id;
}

// dcgmCreateFakeEntities makes GPUs only. They are gone when the engine is.
dcgmReturn_t dcgmCreateFakeEntities(dcgmHandle_t handle, dcgmCreateFakeEntities_t *wish)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	for (unsigned i = 0; r == DCGM_ST_OK && i < wish->numToCreate; i++) {
		entity_t *e = NULL;
		if (wish->entityList[i].entity.entityGroupId != DCGM_FE_GPU)
			r = DCGM_ST_NOT_SUPPORTED;
		else if ((e = entity_new(DCGM_FE_GPU, free_id(), -1)) == NULL)
			r = DCGM_ST_MAX_LIMIT;
		if (e == NULL)
			break;
		e->made = true;
		e->status = DcgmEntityStatusFake;
		wish->entityList[i].entity.entityId = e->id;
	}
	return call_end(r);
}

// dcgmInjectFieldValue adds a sample, whoever watches.
dcgmReturn_t dcgmInjectFieldValue(dcgmHandle_t handle, unsigned gpu, dcgmInjectFieldValue_t *given)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	int at = entity_find(DCGM_FE_GPU, gpu);
	if (r == DCGM_ST_OK && (at < 0 || field_meta(given->fieldId) == NULL))
		r = DCGM_ST_BADPARAM;
	if (r != DCGM_ST_OK)
		return call_end(r);
	value_t v = {.type = (char)given->fieldType};
	if (v.type == DCGM_FT_DOUBLE)
		v.dbl = given->value.dbl;
	else
		v.i64 = given->value.i64;
	series_push(series_of(engine.entities[at], given->fieldId), given->ts, given->status, &v);
	return call_end(DCGM_ST_OK);
}

// dcgmGetDeviceAttributes says what isn't known by the numbers that stand for
// none, as the fields do.
dcgmReturn_t dcgmGetDeviceAttributes(dcgmHandle_t handle, unsigned gpu, dcgmDeviceAttributes_t *to)
{
	dcgmReturn_t r = call_begin(__func__, handle);
	int at = entity_find(DCGM_FE_GPU, gpu);
	if (r == DCGM_ST_OK && at < 0)
		r = DCGM_ST_BADPARAM;
	if (r != DCGM_ST_OK)
		return call_end(r);
	const entity_t *e = engine.entities[at];
	bool lost = engine.detached || e->status == DcgmEntityStatusLost;
	snprintf(to->identifiers.uuid, sizeof to->identifiers.uuid, "%s", lost ? DCGM_STR_BLANK : e->uuid);
	snprintf(to->identifiers.deviceName, sizeof to->identifiers.deviceName, "%s", lost ? DCGM_STR_BLANK : e->name);
	to->powerLimits.defaultPowerLimit = DCGM_INT32_BLANK;
	to->memoryUsage.bar1Total = DCGM_INT32_BLANK;
	to->memoryUsage.fbTotal = DCGM_INT32_BLANK;
	return call_end(DCGM_ST_OK);
}
