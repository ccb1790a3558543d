/* mt-change-set.c — weights set by hand, the rest of the row being rescaled so that it sums to 1
 * again. A row that has no other weights cannot be, and sums to what was set.
 * A key that the query does not see stays without any. No scores say such a row, and so the
 * log-sum-exp of its scores is said to be unknown.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-changes.h"

#include <math.h>

/* Weights of the keys beside those that were set sum to `rest`. */
static void
rescale(const mt_change_tensor *tensor, float *row, size_t at, mt_change_range keys, double rest)
{
  /* What lies behind the last key of a query is nobody's. */
  size_t n = tensor->kind == MT_DECODER_SELF && at + 1 < tensor->cols ? at + 1 : tensor->cols;
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    if (!mt_change_is_in(keys, i))
      sum += (double) row[i];
  double factor = sum > 0 ? fmax(rest, 0) / sum : 0;
  for (size_t i = 0; i < n; i++)
    if (!mt_change_is_in(keys, i))
      row[i] = (float) ((double) row[i] * factor);
}

static void
apply(const mt_change *change, const mt_change_tensor *tensor)
{
  for (size_t r = 0; r < tensor->n; r++) {
    size_t n_set = mt_change_put_row(change, tensor, r);
    if (n_set > 0)
      rescale(tensor, tensor->data + r * tensor->stride,
              mt_group_position(tensor->group, tensor->first + r), change->ranges[MT_AXIS_KEY],
              1 - (double) n_set * change->arguments[0]);
  }
}

static const char *
expects(const mt_change *change)
{
  mt_change_range keys = change->ranges[MT_AXIS_KEY];
  double n = (double) (keys.last - keys.first) + 1;
  return n * change->arguments[0] > 1 + 1e-9 ? "a weight that the keys can have, 1 in all" : NULL;
}

const mt_change_kind mt_change_set = {
    .name = "set",
    .arguments = {{.least = 0, .most = 1}},
    .n_arguments = 1,
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD) |
                       MT_AXIS_BIT(MT_AXIS_QUERY) | MT_AXIS_BIT(MT_AXIS_KEY),
               .needed = MT_AXIS_BIT(MT_AXIS_KEY),
               .site = MT_SITE_WEIGHTS,
               .apply = apply}},
    .n_forms = 1,
    .expects = expects,
};
