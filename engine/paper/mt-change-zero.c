/* mt-change-zero.c — a head that says nothing: its context is 0 (the paper, section 3.2.2: one of
 * the parts that are concatenated before W^O). What it attends to stays to be seen.
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

const mt_change_kind mt_change_zero = {
    .name = "zero",
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD),
               .site = MT_SITE_CONTEXT,
               .apply = apply}},
    .n_forms = 1,
};
