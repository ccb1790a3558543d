/* mt-change-shift.c — tokens get the encoding of the position so much further on (the paper,
 * section 3.5). Sines and cosines go on in both directions; a table that was learned has to have
 * it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

static void
encode(const mt_change *change, mt_change_position *position)
{
  if (!position->is_fixed && mt_change_is_in(change->ranges[MT_AXIS_KEY], position->token))
    position->position += (long) change->arguments[0];
}

const mt_change_kind mt_change_shift = {
    .name = "shift",
    .arguments = {{.is_whole = true, .least = -100000, .most = 100000}},
    .n_arguments = 1,
    .forms = {{.places = MT_PLACES_POSITION,
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .site = MT_SITE_POSITION,
               .encode = encode}},
    .n_forms = 1,
};
