/* mt-change-skip.c — a sub-layer adds nothing: only the residual connection around it is left, and
 * its layer norm (the paper, section 3.1).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

#include <string.h>

static void
apply(const mt_change *change, const mt_change_tensor *tensor)
{
  (void) change;
  for (size_t r = 0; r < tensor->n; r++)
    memset(tensor->data + r * tensor->stride, 0, tensor->cols * sizeof *tensor->data);
}

const mt_change_kind mt_change_skip = {
    .name = "skip",
    .forms = {{.places = MT_PLACES_SUB_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER),
               .site = MT_SITE_ATTENTION_OUTPUT,
               .apply = apply},
              {.places = MT_PLACES_FEED_FORWARD,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER),
               .site = MT_SITE_FEED_FORWARD,
               .apply = apply}},
    .n_forms = 2,
};
