/* mt-config-bounds.h — how large the numbers of a configuration may be, and what all who make one
 * share. Private to the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CONFIG_BOUNDS_H
#define MT_CONFIG_BOUNDS_H

#include "mt.h"

/* Bounds that keep every later product far from overflow; no published model comes near them. */
#define MT_CONFIG_MAX_D         65536
#define MT_CONFIG_MAX_FFN       1048576
#define MT_CONFIG_MAX_LAYERS    1024
#define MT_CONFIG_MAX_VOCAB     16777216
#define MT_CONFIG_MAX_POSITIONS 1048576
#define MT_CONFIG_MAX_BUCKETS   65536              /* of relative positions */
#define MT_CONFIG_MAX_TABLE     (64 * 1024 * 1024) /* numbers in a computed position table */

/* What stands before and after a source text, an id each or -1 for none. */
bool mt_config_set_source(mt_config *config, int32_t begin, int32_t end, mt_error *error);

/* Whether sinusoids can be computed for d_model and max_positions; label names the file that said
 * them. Errors: MT_ERROR_UNSUPPORTED. */
bool mt_config_check_positions(const mt_config *config, const char *label, mt_error *error);

#endif
