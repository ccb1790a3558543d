/* mt-change-swap.c — two layers of a stack change places, or two tokens their position encodings.
 *
 * Layers are counted by their places in all other changes and in all that is shown: layer 2 is what
 * is computed second, with whatever weights.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

static void
encode(const mt_change *change, mt_change_position *position)
{
  size_t a = change->ranges[MT_AXIS_KEY].first, b = (size_t) change->arguments[0] - 1;
  position->token = position->token == a ? b : position->token == b ? a : position->token;
}

const mt_change_kind mt_change_swap = {
    .name = "swap",
    .arguments = {{.is_whole = true, .least = 1, .most = UINT32_MAX}},
    .n_arguments = 1,
    .forms = {{.places = MT_PLACES_LAYER,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER),
               .single = MT_AXIS_BIT(MT_AXIS_LAYER),
               .counts = MT_COUNTS_LAYERS,
               .site = MT_SITE_LAYER_OUTPUT},
              {.places = MT_PLACES_POSITION,
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .single = MT_AXIS_BIT(MT_AXIS_KEY),
               .counts = MT_COUNTS_TOKENS,
               .site = MT_SITE_POSITION,
               .encode = encode}},
    .n_forms = 2,
};
