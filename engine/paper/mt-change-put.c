/* mt-change-put.c — weights set by hand, while the rest of the row stays as it is: it need not sum
 * to 1 then.
 * A key that the query does not see stays without any. No scores say such a row, and so the
 * log-sum-exp of its scores is said to be unknown.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

#include <math.h>

size_t
mt_change_put_row(const mt_change *change, const mt_change_tensor *tensor, size_t r)
{
  mt_change_range keys = change->ranges[MT_AXIS_KEY];
  size_t at = mt_group_position(tensor->group, tensor->first + r), n_set = 0;
  float *row = tensor->data + r * tensor->stride;
  if (!mt_change_is_in(change->ranges[MT_AXIS_QUERY], at))
    return 0;
  for (size_t i = keys.first; i < tensor->cols && i <= keys.last; i++)
    if (!mt_change_is_hidden(tensor, at, i)) {
      row[i] = (float) change->arguments[0];
      n_set++;
    }
  if (n_set > 0 && tensor->row_lse)
    tensor->row_lse[r] = NAN;
  return n_set;
}

static void
apply(const mt_change *change, const mt_change_tensor *tensor)
{
  for (size_t r = 0; r < tensor->n; r++)
    mt_change_put_row(change, tensor, r);
}

const mt_change_kind mt_change_put = {
    .name = "put",
    .arguments = {{.least = 0, .most = 1}},
    .n_arguments = 1,
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD) |
                       MT_AXIS_BIT(MT_AXIS_QUERY) | MT_AXIS_BIT(MT_AXIS_KEY),
               .needed = MT_AXIS_BIT(MT_AXIS_KEY),
               .site = MT_SITE_WEIGHTS,
               .apply = apply}},
    .n_forms = 1,
};
