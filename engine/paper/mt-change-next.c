/* mt-change-next.c — a query sees the key after that of its own number only. The decoder's mask
 * (the paper, section 3.2.3) never allows it for its own tokens.
 * Its score stays what it is, and all others become -infinity before the softmax, so that its
 * weight is 1. Where there is no such key, or none that the mask allows, nothing is attended to.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

static bool
hides(const mt_change *change, size_t query, size_t key)
{
  return mt_change_is_in(change->ranges[MT_AXIS_QUERY], query) && key != query + 1;
}

const mt_change_kind mt_change_next = {
    .name = "next",
    .forms = {{.places = MT_PLACE_BIT(MT_PLACE_ENCODER) | MT_PLACE_BIT(MT_PLACE_CROSS),
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD) |
                       MT_AXIS_BIT(MT_AXIS_QUERY),
               .site = MT_SITE_SCORES,
               .apply = mt_change_hide_keys}},
    .n_forms = 1,
    .hides = hides,
};
