/* mt-change-hide.c — keys that are not seen: their scores are -infinity before the softmax, as the
 * mask of the decoder makes them (the paper, section 3.2.3).
 *
 * A source token that is hidden is a key of no query, in the encoder and for the translation; its
 * own row of the encoder goes on, but nobody reads it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

#include <math.h>

static bool
hides(const mt_change *change, size_t query, size_t key)
{
  return mt_change_is_in(change->ranges[MT_AXIS_QUERY], query) &&
         mt_change_is_in(change->ranges[MT_AXIS_KEY], key);
}

static void
apply(const mt_change *change, const mt_change_tensor *tensor)
{
  mt_change_range keys = change->ranges[MT_AXIS_KEY];
  for (size_t r = 0; r < tensor->n; r++) {
    size_t at = mt_group_position(tensor->group, tensor->first + r);
    float *row = tensor->data + r * tensor->stride;
    if (mt_change_is_in(change->ranges[MT_AXIS_QUERY], at))
      for (size_t i = keys.first; i < tensor->cols && i <= keys.last; i++)
        row[i] = -INFINITY;
  }
}

#define TOKENS (MT_AXIS_BIT(MT_AXIS_QUERY) | MT_AXIS_BIT(MT_AXIS_KEY))

const mt_change_kind mt_change_hide = {
    .name = "hide",
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD) | TOKENS,
               .needed = TOKENS,
               .is_explained = true,
               .site = MT_SITE_SCORES,
               .apply = apply},
              {.places = MT_PLACE_BIT(MT_PLACE_SOURCE),
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .needed = MT_AXIS_BIT(MT_AXIS_KEY),
               .is_explained = true,
               .site = MT_SITE_SCORES,
               .apply = apply}},
    .n_forms = 2,
    .hides = hides,
};
