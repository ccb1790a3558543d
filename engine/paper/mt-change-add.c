/* mt-change-add.c — a number added to scores before the softmax, behind the mask: what is not seen
 * stays so, -infinity and any number being -infinity.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

static void
apply(const mt_change *change, const mt_change_tensor *tensor)
{
  float b = (float) change->arguments[0];
  mt_change_range keys = change->ranges[MT_AXIS_KEY];
  for (size_t r = 0; r < tensor->n; r++) {
    size_t at = mt_group_position(tensor->group, tensor->first + r);
    float *row = tensor->data + r * tensor->stride;
    if (mt_change_is_in(change->ranges[MT_AXIS_QUERY], at))
      for (size_t i = keys.first; i < tensor->cols && i <= keys.last; i++)
        row[i] += b;
  }
}

/* The same to all keys would be nothing. */
const mt_change_kind mt_change_add = {
    .name = "add",
    .arguments = {{.least = -1000, .most = 1000}},
    .n_arguments = 1,
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD) |
                       MT_AXIS_BIT(MT_AXIS_QUERY) | MT_AXIS_BIT(MT_AXIS_KEY),
               .needed = MT_AXIS_BIT(MT_AXIS_KEY),
               .site = MT_SITE_SCORES,
               .apply = apply}},
    .n_forms = 1,
};
