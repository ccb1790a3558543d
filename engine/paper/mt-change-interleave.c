/* mt-change-interleave.c — the other layout of the same sines and cosines: in turns, as the paper
 * has them (section 3.5), instead of all sines first, as Marian does. In a model that has them in
 * turns it changes nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

static void
encode(const mt_change *change, mt_change_position *position)
{
  if (mt_change_is_in(change->ranges[MT_AXIS_KEY], position->token))
    position->interleaves = true;
}

static bool
fits(const mt_change *change, const mt_config *config, const char **why)
{
  (void) change;
  *why = "is for sines and cosines; the positions of this model are learned";
  return config->position_kind != MT_POSITIONS_LEARNED;
}

const mt_change_kind mt_change_interleave = {
    .name = "interleave",
    .forms = {{.places = MT_PLACES_POSITION,
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .site = MT_SITE_POSITION,
               .encode = encode,
               .fits = fits}},
    .n_forms = 1,
};
