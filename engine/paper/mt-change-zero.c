/* mt-change-zero.c — a head that says nothing: its context is 0 (the paper, section 3.2.2: one of
 * the parts that are concatenated before W^O). What it attends to stays to be seen. And source
 * tokens that say nothing, or tokens that do not say where they stand: their embedding, or their
 * position encoding, is 0 (sections 3.4 and 3.5); each leaves the other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

#include <string.h>

static void
apply(const mt_change *change, const mt_change_tensor *tensor)
{
  for (size_t r = 0; r < tensor->n; r++)
    memset(tensor->data + r * tensor->stride, 0, tensor->cols * sizeof *tensor->data);
}

static void
apply_to_tokens(const mt_change *change, const mt_change_tensor *tensor)
{
  for (size_t r = 0; r < tensor->n; r++)
    if (mt_change_is_in(change->ranges[MT_AXIS_KEY],
                        mt_group_position(tensor->group, tensor->first + r)))
      memset(tensor->data + r * tensor->stride, 0, tensor->cols * sizeof *tensor->data);
}

static void
encode(const mt_change *change, mt_change_position *position)
{
  if (!position->is_fixed && mt_change_is_in(change->ranges[MT_AXIS_KEY], position->token))
    position->is_fixed = position->is_zero = true;
}

const mt_change_kind mt_change_zero = {
    .name = "zero",
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD),
               .is_explained = true,
               .site = MT_SITE_CONTEXT,
               .apply = apply},
              {.places = MT_PLACE_BIT(MT_PLACE_SOURCE),
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .needed = MT_AXIS_BIT(MT_AXIS_KEY),
               .site = MT_SITE_EMBEDDING,
               .apply = apply_to_tokens},
              {.places = MT_PLACES_POSITION,
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .site = MT_SITE_POSITION,
               .encode = encode}},
    .n_forms = 3,
};
