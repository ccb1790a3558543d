/* mt-change-as.c — tokens get the encoding of another position (the paper, section 3.5), as if they
 * stood there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

static void
encode(const mt_change *change, mt_change_position *position)
{
  if (position->is_fixed || !mt_change_is_in(change->ranges[MT_AXIS_KEY], position->token))
    return;
  position->is_fixed = true;
  position->position += (long) change->arguments[0] - 1;
}

const mt_change_kind mt_change_as = {
    .name = "as",
    .arguments = {{.is_whole = true, .least = 1, .most = UINT32_MAX}},
    .n_arguments = 1,
    .forms = {{.places = MT_PLACES_POSITION,
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .site = MT_SITE_POSITION,
               .counts = MT_COUNTS_POSITIONS,
               .encode = encode}},
    .n_forms = 1,
};
