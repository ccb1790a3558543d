/* mt-change-window.c — restricted self-attention, the paper, section 4: nothing further away than
 * the window is seen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-window.h"
#include "paper/mt-changes.h"

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
               .apply = mt_change_hide_keys}},
    .n_forms = 1,
    .hides = hides,
};
