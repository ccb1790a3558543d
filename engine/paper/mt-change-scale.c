/* mt-change-scale.c — what a head found is made smaller or larger before the output projection
 * mixes it with that of the others: s · softmax(Q K^T / sqrt(d_k)) V in equation 1. Likewise what a
 * whole sub-layer adds to the residual stream.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

static void
apply(const mt_change *change, const mt_change_tensor *tensor)
{
  float s = (float) change->arguments[0];
  for (size_t r = 0; r < tensor->n; r++)
    for (size_t i = 0; i < tensor->cols; i++)
      tensor->data[r * tensor->stride + i] *= s;
}

const mt_change_kind mt_change_scale = {
    .name = "scale",
    .arguments = {{.least = -1000, .most = 1000}},
    .n_arguments = 1,
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD),
               .is_explained = true,
               .site = MT_SITE_CONTEXT,
               .apply = apply},
              {.places = MT_PLACES_SUB_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER),
               .site = MT_SITE_ATTENTION_OUTPUT,
               .apply = apply},
              {.places = MT_PLACES_FEED_FORWARD,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER),
               .site = MT_SITE_FEED_FORWARD,
               .apply = apply}},
    .n_forms = 3,
};
