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
  for (size_t r = 0; r < tensor->n; r++) {
    size_t at = mt_group_position(tensor->group, tensor->first + r);
    float *row = tensor->data + r * tensor->stride;
    for (size_t i = 0; i < tensor->cols; i++)
      if (mt_is_beyond_window(change->number, at, i))
        row[i] = -INFINITY;
  }
}

const mt_change_kind mt_change_window = {
    .name = "window",
    .site = MT_SITE_SCORES,
    .wheres = MT_KIND_BIT(MT_ENCODER_SELF) | MT_KIND_BIT(MT_DECODER_SELF),
    .most = UINT32_MAX,
    .apply = apply,
};
