/* mt-change-uniform.c — a head that does not choose: all keys that a query sees have the same
 * weight. Scores become 0 before the softmax (the paper, equation 1), but for those that a mask
 * made -infinity. What lies behind the last key of a query is read by nobody, whatever becomes of
 * it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

#include <math.h>

static void
apply(const mt_change *change, const mt_change_tensor *tensor)
{
  for (size_t r = 0; r < tensor->n; r++) {
    size_t at = mt_group_position(tensor->group, tensor->first + r);
    float *row = tensor->data + r * tensor->stride;
    if (mt_change_is_in(change->ranges[MT_AXIS_QUERY], at))
      for (size_t i = 0; i < tensor->cols; i++)
        if (row[i] != -INFINITY)
          row[i] = 0;
  }
}

const mt_change_kind mt_change_uniform = {
    .name = "uniform",
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD) |
                       MT_AXIS_BIT(MT_AXIS_QUERY),
               .is_explained = true,
               .site = MT_SITE_SCORES,
               .apply = apply}},
    .n_forms = 1,
};
