/* mt-intervention-weights.c — interventions in weights, after the softmax: they are set by hand.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-interventions.h"

#include <math.h>

/* Cells of a head's matrix, named by their keys. */
#define FORM_OF_CELLS(function)                                              \
  {                                                                          \
    .family = MT_INTERVENTIONS_CELLS, .places = MT_PLACES_ATTENTION,         \
    .axes = MT_AXES_HEAD | MT_AXES_CELL, .needed = MT_AXIS_BIT(MT_AXIS_KEY), \
    .hook_point = MT_HOOK_WEIGHTS, .apply = (function),                      \
  }

/* Of row r: the named keys that are seen have the first argument as weight; a key that the query
 * does not see stays without any. No scores say such a row, and so the log-sum-exp of its scores is
 * said to be unknown. Returns how many keys were set. */
static size_t
put_row(const mt_intervention *change, const mt_intervention_tensor *tensor, size_t r)
{
  mt_intervention_range keys = change->ranges[MT_AXIS_KEY];
  size_t at = mt_group_position(tensor->group, tensor->first + r), n_set = 0;
  float *row = tensor->data + r * tensor->stride;
  if (!mt_intervention_is_in(change->ranges[MT_AXIS_QUERY], at))
    return 0;
  for (size_t i = keys.first; i < tensor->cols && i <= keys.last; i++)
    if (!mt_intervention_is_hidden(tensor, at, i)) {
      row[i] = (float) change->arguments[0];
      n_set++;
    }
  if (n_set > 0 && tensor->row_lse)
    tensor->row_lse[r] = NAN;
  return n_set;
}

/* Weights set by hand, while the rest of the row stays as it is: it need not sum to 1 then. */
static void
put(const mt_intervention *change, const mt_intervention_tensor *tensor)
{
  for (size_t r = 0; r < tensor->n; r++)
    put_row(change, tensor, r);
}

const mt_intervention_kind mt_intervention_put = {
    .name = "put",
    .arguments = {{.least = 0, .most = 1}},
    .n_arguments = 1,
    .forms = {FORM_OF_CELLS(put)},
    .n_forms = 1,
};

/* Weights of the keys beside those that were set sum to `rest`. */
static void
rescale(const mt_intervention_tensor *tensor, float *row, size_t at, mt_intervention_range keys,
        double rest)
{
  /* What lies behind the last key of a query is nobody's. */
  size_t n = tensor->kind == MT_DECODER_SELF && at + 1 < tensor->cols ? at + 1 : tensor->cols;
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    if (!mt_intervention_is_in(keys, i))
      sum += (double) row[i];
  double factor = sum > 0 ? fmax(rest, 0) / sum : 0;
  for (size_t i = 0; i < n; i++)
    if (!mt_intervention_is_in(keys, i))
      row[i] = (float) ((double) row[i] * factor);
}

/* Weights set by hand, the rest of the row being rescaled so that it sums to 1 again. A row that
 * has no other weights cannot be, and sums to what was set. */
static void
set(const mt_intervention *change, const mt_intervention_tensor *tensor)
{
  for (size_t r = 0; r < tensor->n; r++) {
    size_t n_set = put_row(change, tensor, r);
    if (n_set > 0)
      rescale(tensor, tensor->data + r * tensor->stride,
              mt_group_position(tensor->group, tensor->first + r), change->ranges[MT_AXIS_KEY],
              1 - (double) n_set * change->arguments[0]);
  }
}

static const char *
expects(const mt_intervention *change)
{
  mt_intervention_range keys = change->ranges[MT_AXIS_KEY];
  double n = (double) (keys.last - keys.first) + 1;
  return n * change->arguments[0] > 1 + 1e-9 ? "a weight that the keys can have, 1 in all" : NULL;
}

const mt_intervention_kind mt_intervention_set = {
    .name = "set",
    .arguments = {{.least = 0, .most = 1}},
    .n_arguments = 1,
    .forms = {FORM_OF_CELLS(set)},
    .n_forms = 1,
    .expects = expects,
};
