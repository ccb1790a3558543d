/* mt-change-window.c — restricted self-attention, the paper, section 4: nothing further away than
 * the window is seen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-window.h"
#include "paper/mt-changes.h"

#include <math.h>

static void
apply(const mt_change *change, const mt_change_tensor *tensor)
{
  size_t window = (size_t) change->arguments[0];
  for (size_t r = 0; r < tensor->n; r++) {
    size_t at = mt_group_position(tensor->group, tensor->first + r);
    float *row = tensor->data + r * tensor->stride;
    for (size_t i = 0; i < tensor->cols; i++)
      if (mt_is_beyond_window(window, at, i))
        row[i] = -INFINITY;
  }
}

static bool
hides(const mt_change *change, size_t query, size_t key)
{
  return mt_is_beyond_window((size_t) change->arguments[0], query, key);
}

const mt_change_kind mt_change_window = {
    .name = "window",
    .arguments = {{.is_whole = true, .least = 1, .most = UINT32_MAX}},
    .n_arguments = 1,
    .forms = {{.places = MT_PLACE_BIT(MT_PLACE_ENCODER) | MT_PLACE_BIT(MT_PLACE_DECODER),
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD),
               .is_explained = true,
               .site = MT_SITE_SCORES,
               .apply = apply}},
    .n_forms = 1,
    .hides = hides,
};
