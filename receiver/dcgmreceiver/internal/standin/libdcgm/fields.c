// Copyright The otelcol-gpu Authors
// SPDX-License-Identifier: Apache-2.0

// Which fields there are, their types, and at which level each is measured:
// as DCGM 4.6 has them, of those that a receiver reads.

#include <stdio.h>
#include <string.h>

#include "standin.h"

static const struct {
	unsigned short first, last;
	char type;
	dcgm_field_entity_group_t level;
} ranges[] = {
	{1, 1, DCGM_FT_STRING, DCGM_FE_NONE},
	{50, 51, DCGM_FT_STRING, DCGM_FE_GPU},
	{52, 52, DCGM_FT_INT64, DCGM_FE_GPU},
	{53, 54, DCGM_FT_STRING, DCGM_FE_GPU},
	{55, 55, DCGM_FT_INT64, DCGM_FE_GPU},
	{57, 57, DCGM_FT_STRING, DCGM_FE_GPU},
	{66, 67, DCGM_FT_INT64, DCGM_FE_GPU},
	{69, 69, DCGM_FT_INT64, DCGM_FE_GPU},
	{92, 93, DCGM_FT_INT64, DCGM_FE_GPU},
	{100, 101, DCGM_FT_INT64, DCGM_FE_GPU},
	{140, 150, DCGM_FT_INT64, DCGM_FE_GPU},
	{155, 155, DCGM_FT_DOUBLE, DCGM_FE_GPU},
	{156, 156, DCGM_FT_INT64, DCGM_FE_GPU},
	{157, 157, DCGM_FT_DOUBLE, DCGM_FE_GPU},
	{158, 159, DCGM_FT_INT64, DCGM_FE_GPU},
	{160, 164, DCGM_FT_DOUBLE, DCGM_FE_GPU},
	{200, 207, DCGM_FT_INT64, DCGM_FE_GPU},
	{230, 247, DCGM_FT_INT64, DCGM_FE_GPU},
	{250, 253, DCGM_FT_INT64, DCGM_FE_GPU_I},
	{254, 254, DCGM_FT_DOUBLE, DCGM_FE_GPU_I},
	{310, 319, DCGM_FT_INT64, DCGM_FE_GPU},
	{393, 395, DCGM_FT_INT64, DCGM_FE_GPU},
	{409, 409, DCGM_FT_INT64, DCGM_FE_GPU},
	{419, 419, DCGM_FT_INT64, DCGM_FE_GPU},
	{429, 429, DCGM_FT_INT64, DCGM_FE_GPU},
	{439, 439, DCGM_FT_INT64, DCGM_FE_GPU},
	{449, 449, DCGM_FT_INT64, DCGM_FE_GPU},
	{526, 526, DCGM_FT_INT64, DCGM_FE_GPU},
	{1001, 1004, DCGM_FT_DOUBLE, DCGM_FE_GPU_CI},
	{1005, 1005, DCGM_FT_DOUBLE, DCGM_FE_GPU_I},
	{1006, 1008, DCGM_FT_DOUBLE, DCGM_FE_GPU_CI},
	{1009, 1012, DCGM_FT_DOUBLE, DCGM_FE_GPU},
	{1084, 1096, DCGM_FT_INT64, DCGM_FE_GPU},
	{1200, 1203, DCGM_FT_INT64, DCGM_FE_GPU},
};

bool field_is_profiling(unsigned short field) { return 1001 <= field && field <= 1075; }

const dcgm_field_meta_t *field_meta(unsigned short field)
{
	static dcgm_field_meta_t metas[MAX_FIELD];
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
		if (field < ranges[i].first || ranges[i].last < field)
			continue;
		dcgm_field_meta_t *m = &metas[field];
		m->fieldId = field;
		m->fieldType = ranges[i].type;
		m->size = ranges[i].type == DCGM_FT_STRING ? 0 : 8;
		snprintf(m->tag, sizeof m->tag, "field_%d", field);
		m->scope = ranges[i].level == DCGM_FE_NONE ? DCGM_FS_GLOBAL : DCGM_FS_ENTITY;
		m->entityLevel = ranges[i].level;
		return m;
	}
	return NULL;
}

dcgm_field_meta_p DcgmFieldGetById(unsigned short field) { return field_meta(field); }
