/* mt-change-temperature.c — scores divided by a temperature before the softmax: above 1 all keys
 * come nearer to each other, below 1 the largest takes more.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

static void
apply(const mt_change *change, const mt_change_tensor *tensor)
{
  float temperature = (float) change->arguments[0];
  for (size_t r = 0; r < tensor->n; r++) {
    size_t at = mt_group_position(tensor->group, tensor->first + r);
    float *row = tensor->data + r * tensor->stride;
    if (mt_change_is_in(change->ranges[MT_AXIS_QUERY], at))
      for (size_t i = 0; i < tensor->cols; i++)
        row[i] /= temperature;
  }
}

const mt_change_kind mt_change_temperature = {
    .name = "temperature",
    .arguments = {{.least = 0.01, .most = 1000}},
    .n_arguments = 1,
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD) |
                       MT_AXIS_BIT(MT_AXIS_QUERY),
               .site = MT_SITE_SCORES,
               .apply = apply}},
    .n_forms = 1,
};
