/* mt-change-mean.c — a head that says what it says on average: its context is replaced by its mean
 * over a text (means.h), before W^O, the same for every query.
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
    memcpy(tensor->data + r * tensor->stride, tensor->mean, tensor->cols * sizeof *tensor->data);
}

const mt_change_kind mt_change_mean = {
    .name = "mean",
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD),
               .site = MT_SITE_CONTEXT,
               .apply = apply}},
    .n_forms = 1,
    .needs_means = true,
};
