/* mt-config-bounds.c — what all who make a configuration share.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-config-bounds.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

bool
mt_config_set_source(mt_config *c, int32_t begin, int32_t end, mt_error *error)
{
  mt_id_list *const lists[] = {&c->source_begin, &c->source_end};
  const int32_t ids[] = {begin, end};
  for (size_t i = 0; i < 2; i++) {
    int32_t *copy = mt_alloc(1, sizeof *copy);
    if (!copy)
      return mt_fail_no_memory(error);
    *copy = ids[i];
    mt_free((void *) lists[i]->ids);
    *lists[i] = (mt_id_list){copy, ids[i] >= 0};
  }
  return true;
}

bool
mt_config_check_positions(const mt_config *c, const char *label, mt_error *error)
{
  if (c->d_model % 2 != 0)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected an even d_model for sinusoidal positions, found %zu.", label,
                   c->d_model);
  if (c->max_positions + c->position_offset > MT_CONFIG_MAX_TABLE / c->d_model)
    return mt_fail(error, MT_ERROR_UNSUPPORTED,
                   "%s: expected max_position_embeddings of at most %zu for d_model %zu, found "
                   "%zu.",
                   label, MT_CONFIG_MAX_TABLE / c->d_model, c->d_model, c->max_positions);
  return true;
}
