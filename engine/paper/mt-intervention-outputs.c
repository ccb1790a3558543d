/* mt-intervention-outputs.c — interventions in what is said: the contexts of heads, what sub-layers
 * add to the stream, and the stream itself.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "model/mt-activations.h"
#include "paper/mt-interventions.h"

#include <string.h>

/* A head that says nothing: its context is 0 (the paper, section 3.2.2: one of the parts that are
 * concatenated before W^O). What it attends to stays to be seen. And source tokens that say
 * nothing, or tokens that do not say where they stand: their embedding, or their position
 * encoding, is 0 (sections 3.4 and 3.5); each leaves the other. */
static void
clear(const mt_intervention *change, const mt_intervention_tensor *tensor)
{
  for (size_t r = 0; r < tensor->n; r++)
    memset(tensor->data + r * tensor->stride, 0, tensor->cols * sizeof *tensor->data);
}

static void
clear_tokens(const mt_intervention *change, const mt_intervention_tensor *tensor)
{
  for (size_t r = 0; r < tensor->n; r++)
    if (mt_intervention_is_in(change->ranges[MT_AXIS_KEY],
                              mt_group_position(tensor->group, tensor->first + r)))
      memset(tensor->data + r * tensor->stride, 0, tensor->cols * sizeof *tensor->data);
}

static void
take_away(const mt_intervention *change, mt_intervention_position *position)
{
  if (!position->is_fixed && mt_intervention_is_in(change->ranges[MT_AXIS_KEY], position->token))
    position->is_fixed = position->is_zero = true;
}

const mt_intervention_kind mt_intervention_zero = {
    .name = "zero",
    .forms = {{.family = MT_INTERVENTIONS_HEADS,
               .places = MT_PLACES_ATTENTION,
               .axes = MT_AXES_HEAD,
               .is_explained = true,
               .hook_point = MT_HOOK_CONTEXT,
               .apply = clear},
              {.family = MT_INTERVENTIONS_SOURCE,
               .places = MT_PLACE_BIT(MT_PLACE_SOURCE),
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .needed = MT_AXIS_BIT(MT_AXIS_KEY),
               .hook_point = MT_HOOK_EMBEDDING,
               .apply = clear_tokens},
              {.places = MT_PLACES_POSITION,
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .hook_point = MT_HOOK_POSITION,
               .encode = take_away}},
    .n_forms = 3,
};

/* What a head found is made smaller or larger before the output projection mixes it with that of
 * the others: s · softmax(Q K^T / sqrt(d_k)) V in equation 1. Likewise what a whole sub-layer
 * adds to the residual stream. */
static void
multiply(const mt_intervention *change, const mt_intervention_tensor *tensor)
{
  float s = (float) change->arguments[0];
  for (size_t r = 0; r < tensor->n; r++)
    for (size_t i = 0; i < tensor->cols; i++)
      tensor->data[r * tensor->stride + i] *= s;
}

const mt_intervention_kind mt_intervention_scale = {
    .name = "scale",
    .arguments = {{.least = -1000, .most = 1000}},
    .n_arguments = 1,
    .forms = {{.family = MT_INTERVENTIONS_HEADS,
               .places = MT_PLACES_ATTENTION,
               .axes = MT_AXES_HEAD,
               .is_explained = true,
               .hook_point = MT_HOOK_CONTEXT,
               .apply = multiply},
              {.places = MT_PLACES_SUB_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER),
               .hook_point = MT_HOOK_ATTENTION_OUTPUT,
               .apply = multiply},
              {.places = MT_PLACES_FEED_FORWARD,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER),
               .hook_point = MT_HOOK_FEED_FORWARD,
               .apply = multiply}},
    .n_forms = 3,
};

/* A head that says what it says on average: its context is replaced by its mean over a text
 * (means.h), before W^O, the same for every query. */
static void
take_mean(const mt_intervention *change, const mt_intervention_tensor *tensor)
{
  for (size_t r = 0; r < tensor->n; r++)
    memcpy(tensor->data + r * tensor->stride, tensor->mean, tensor->cols * sizeof *tensor->data);
}

const mt_intervention_kind mt_intervention_mean = {
    .name = "mean",
    .forms = {{.family = MT_INTERVENTIONS_HEADS,
               .places = MT_PLACES_ATTENTION,
               .axes = MT_AXES_HEAD,
               .hook_point = MT_HOOK_CONTEXT,
               .apply = take_mean}},
    .n_forms = 1,
    .needs_means = true,
};

/* A sub-layer adds nothing: only the residual connection around it is left, and its layer norm
 * (the paper, section 3.1). */
const mt_intervention_kind mt_intervention_skip = {
    .name = "skip",
    .forms = {{.places = MT_PLACES_SUB_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER),
               .hook_point = MT_HOOK_ATTENTION_OUTPUT,
               .apply = clear},
              {.places = MT_PLACES_FEED_FORWARD,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER),
               .hook_point = MT_HOOK_FEED_FORWARD,
               .apply = clear}},
    .n_forms = 2,
};

/* A sub-layer without the residual connection around it: the stream goes on as what the sub-layer
 * makes, x = Sublayer(x), and not as x + Sublayer(x) (the paper, section 3.1). In a post-norm model
 * the norm reads that instead of the sum; in a pre-norm model nothing of the stream before is left.
 */
const mt_intervention_kind mt_intervention_alone = {
    .name = "alone",
    .forms = {{.places = MT_PLACES_SUB_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER),
               .hook_point = MT_HOOK_ATTENTION_OUTPUT,
               .is_alone = true},
              {.places = MT_PLACES_FEED_FORWARD,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER),
               .hook_point = MT_HOOK_FEED_FORWARD,
               .is_alone = true}},
    .n_forms = 2,
};

/* The model goes on with what another run of it computed at that place (states.h): a head's
 * context, or the residual stream of tokens. Which state carries what, is shown by what comes
 * back with it: activation patching (Vig et al. 2020, Meng et al. 2022). */

/* Rows of the tensor become those of from [n_tokens][width], columns from `column` on. */
static void
copy_rows(const mt_intervention *change, const mt_intervention_tensor *tensor, const float *from,
          size_t width, size_t column, mt_axis axis)
{
  const mt_activations *states = tensor->states;
  size_t n = states->n_tokens[mt_kind_stack(tensor->kind)];
  for (size_t r = 0; r < tensor->n; r++) {
    size_t at = mt_group_position(tensor->group, tensor->first + r);
    if (at < n && mt_intervention_is_in(change->ranges[axis], at))
      memcpy(tensor->data + r * tensor->stride, from + at * width + column,
             tensor->cols * sizeof *from);
  }
}

/* Of a layer; width: of the rows. */
static const float *
rows_of(const mt_intervention_tensor *tensor, float *const of_kinds[MT_N_KINDS], size_t width)
{
  const mt_activations *states = tensor->states;
  return of_kinds[tensor->kind] +
         (size_t) tensor->layer * states->n_tokens[mt_kind_stack(tensor->kind)] * width;
}

static void
copy_context(const mt_intervention *change, const mt_intervention_tensor *tensor)
{
  const size_t inner = tensor->states->inner[tensor->kind];
  copy_rows(change, tensor, rows_of(tensor, tensor->states->contexts, inner), inner,
            (size_t) tensor->head * tensor->cols, MT_AXIS_QUERY);
}

static void
copy_residual(const mt_intervention *change, const mt_intervention_tensor *tensor)
{
  const size_t d = tensor->states->d_model;
  copy_rows(change, tensor, rows_of(tensor, tensor->states->residuals, d), d, 0, MT_AXIS_TOKEN);
}

/* Layer -1 is the stream that the first layer reads. */
static void
copy_stream(const mt_intervention *change, const mt_intervention_tensor *tensor)
{
  const float *from = mt_activations_stream(tensor->states, mt_kind_stack(tensor->kind),
                                            (size_t) (tensor->layer + 1));
  copy_rows(change, tensor, from, tensor->states->d_model, 0, MT_AXIS_TOKEN);
}

const mt_intervention_kind mt_intervention_patch = {
    .name = "patch",
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXES_HEAD | MT_AXIS_BIT(MT_AXIS_QUERY),
               .hook_point = MT_HOOK_CONTEXT,
               .apply = copy_context},
              {.places = MT_PLACES_SUB_ATTENTION,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_TOKEN),
               .hook_point = MT_HOOK_RESIDUAL,
               .apply = copy_residual},
              {.places = MT_PLACES_STREAM,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER) | MT_AXIS_BIT(MT_AXIS_TOKEN),
               .hook_point = MT_HOOK_LAYER_OUTPUT,
               .apply = copy_stream},
              {.places = MT_PLACES_INPUT,
               .axes = MT_AXIS_BIT(MT_AXIS_TOKEN),
               .hook_point = MT_HOOK_STREAM,
               .apply = copy_stream}},
    .n_forms = 4,
    .needs_states = true,
};
