/* mt-change-patch.c — the model goes on with what another run of it computed at that place
 * (states.h): a head's context, or the residual stream of tokens. Which state carries what, is
 * shown by what comes back with it: activation patching (Vig et al. 2020, Meng et al. 2022).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-states.h"
#include "paper/mt-changes.h"

#include <string.h>

/* Rows of the tensor become those of from [n_tokens][d], columns from `column` on. */
static void
copy_rows(const mt_change *change, const mt_change_tensor *tensor, const float *from, size_t column,
          mt_axis axis)
{
  const mt_states *states = tensor->states;
  size_t n = states->n_tokens[mt_kind_stack(tensor->kind)];
  for (size_t r = 0; r < tensor->n; r++) {
    size_t at = mt_group_position(tensor->group, tensor->first + r);
    if (at < n && mt_change_is_in(change->ranges[axis], at))
      memcpy(tensor->data + r * tensor->stride, from + at * states->d_model + column,
             tensor->cols * sizeof *from);
  }
}

/* Of a layer. */
static const float *
rows_of(const mt_change_tensor *tensor, float *const of_kinds[MT_N_KINDS])
{
  const mt_states *states = tensor->states;
  return of_kinds[tensor->kind] +
         (size_t) tensor->layer * states->n_tokens[mt_kind_stack(tensor->kind)] * states->d_model;
}

static void
copy_context(const mt_change *change, const mt_change_tensor *tensor)
{
  copy_rows(change, tensor, rows_of(tensor, tensor->states->contexts),
            (size_t) tensor->head * tensor->cols, MT_AXIS_QUERY);
}

static void
copy_residual(const mt_change *change, const mt_change_tensor *tensor)
{
  copy_rows(change, tensor, rows_of(tensor, tensor->states->residuals), 0, MT_AXIS_TOKEN);
}

/* Layer -1 is the stream that the first layer reads. */
static void
copy_stream(const mt_change *change, const mt_change_tensor *tensor)
{
  const float *from =
      mt_states_stream(tensor->states, mt_kind_stack(tensor->kind), (size_t) (tensor->layer + 1));
  copy_rows(change, tensor, from, 0, MT_AXIS_TOKEN);
}

const mt_change_kind mt_change_patch = {
    .name = "patch",
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_HEAD) |
                       MT_AXIS_BIT(MT_AXIS_QUERY),
               .site = MT_SITE_CONTEXT,
               .apply = copy_context},
              {.places = MT_PLACES_SUB_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_TOKEN),
               .site = MT_SITE_RESIDUAL,
               .apply = copy_residual},
              {.places = MT_PLACES_STREAM,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_TOKEN),
               .site = MT_SITE_LAYER_OUTPUT,
               .apply = copy_stream},
              {.places = MT_PLACES_INPUT,
               .axes = MT_AXIS_BIT(MT_AXIS_TOKEN),
               .site = MT_SITE_STREAM,
               .apply = copy_stream}},
    .n_forms = 4,
    .needs_states = true,
};
