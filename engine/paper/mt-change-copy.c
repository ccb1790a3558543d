/* mt-change-copy.c — a head attends as another of its layer does: its queries and keys are those of
 * the other, its values stay its own.
 *
 * That is done where queries and keys are projected, before any head attends, so that heads which
 * threads compute at once never wait for each other.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

#include <string.h>

static void
copy(const mt_change *change, float *data, size_t n, size_t d, size_t d_head)
{
  size_t from = (size_t) change->arguments[0] - 1;
  for (size_t head = 0; head < d / d_head; head++)
    if (head != from && mt_change_is_in(change->ranges[MT_AXIS_HEAD], head))
      for (size_t r = 0; r < n; r++)
        memcpy(data + r * d + head * d_head, data + r * d + from * d_head, d_head * sizeof *data);
}

const mt_change_kind mt_change_copy = {
    .name = "copy",
    .arguments = {{.is_whole = true, .least = 1, .most = UINT32_MAX}},
    .n_arguments = 1,
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD),
               .counts = MT_COUNTS_HEADS,
               .site = MT_SITE_QUERY}},
    .n_forms = 1,
    .copy = copy,
};
