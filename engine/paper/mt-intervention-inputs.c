/* mt-intervention-inputs.c — interventions in what is read: embeddings and positions of tokens; and
 * which layer stands where.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "kernels/mt-kinds.h"
#include "model/mt-model.h"
#include "paper/mt-interventions.h"

#include <math.h>

/* Another piece of the vocabulary in the place of a source token: its embedding (the paper,
 * section 3.4). The position, and what the token is called, stay. */
static void
replace(const mt_intervention *change, const mt_intervention_tensor *tensor)
{
  const mt_config *config = &tensor->model->config;
  const mt_stack_weights *weights = &tensor->model->stacks[MT_STACK_ENCODER];
  const size_t piece = (size_t) change->arguments[0] * config->d_model;
  float scale = config->scale_embedding ? sqrtf((float) config->d_model) : 1;
  for (size_t r = 0; r < tensor->n; r++) {
    size_t at = mt_group_position(tensor->group, tensor->first + r);
    if (!mt_intervention_is_in(change->ranges[MT_AXIS_KEY], at))
      continue;
    float *row = tensor->data + r * tensor->stride;
    mt_embedding_read(weights, piece, tensor->cols, row);
    for (size_t i = 0; i < tensor->cols; i++)
      row[i] *= scale;
  }
}

const mt_intervention_kind mt_intervention_piece = {
    .name = "piece",
    .arguments = {{.is_whole = true, .least = 0, .most = INT32_MAX}},
    .n_arguments = 1,
    .forms = {{.family = MT_INTERVENTIONS_SOURCE,
               .places = MT_PLACE_BIT(MT_PLACE_SOURCE),
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .needed = MT_AXIS_BIT(MT_AXIS_KEY),
               .counts = MT_COUNTS_PIECES,
               .hook_point = MT_HOOK_EMBEDDING,
               .apply = replace}},
    .n_forms = 1,
};

/* Tokens get the encoding of another position (the paper, section 3.5), as if they stood there. */
static void
encode_as(const mt_intervention *change, mt_intervention_position *position)
{
  if (position->is_fixed || !mt_intervention_is_in(change->ranges[MT_AXIS_KEY], position->token))
    return;
  position->is_fixed = true;
  position->position += (long) change->arguments[0] - 1;
}

const mt_intervention_kind mt_intervention_as = {
    .name = "as",
    .arguments = {{.is_whole = true, .least = 1, .most = UINT32_MAX}},
    .n_arguments = 1,
    .forms = {{.places = MT_PLACES_POSITION,
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .hook_point = MT_HOOK_POSITION,
               .counts = MT_COUNTS_POSITIONS,
               .encode = encode_as}},
    .n_forms = 1,
};

/* Tokens get the encoding of the position so much further on (the paper, section 3.5). Sines and
 * cosines go on in both directions; a table that was learned has to have it. */
static void
encode_shifted(const mt_intervention *change, mt_intervention_position *position)
{
  if (!position->is_fixed && mt_intervention_is_in(change->ranges[MT_AXIS_KEY], position->token))
    position->position += (long) change->arguments[0];
}

const mt_intervention_kind mt_intervention_shift = {
    .name = "shift",
    .arguments = {{.is_whole = true, .least = -100000, .most = 100000}},
    .n_arguments = 1,
    .forms = {{.places = MT_PLACES_POSITION,
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .hook_point = MT_HOOK_POSITION,
               .encode = encode_shifted}},
    .n_forms = 1,
};

/* Two layers of a stack change places, or two tokens their position encodings.
 *
 * Layers are counted by their places in all other changes and in all that is shown: layer 2 is
 * what is computed second, with whatever weights. */
static void
encode_swapped(const mt_intervention *change, mt_intervention_position *position)
{
  size_t a = change->ranges[MT_AXIS_KEY].first, b = (size_t) change->arguments[0] - 1;
  position->token = position->token == a ? b : position->token == b ? a : position->token;
}

const mt_intervention_kind mt_intervention_swap = {
    .name = "swap",
    .arguments = {{.is_whole = true, .least = 1, .most = UINT32_MAX}},
    .n_arguments = 1,
    .forms = {{.places = MT_PLACES_LAYER,
               .axes = MT_AXIS_BIT(MT_AXIS_LAYER),
               .single = MT_AXIS_BIT(MT_AXIS_LAYER),
               .counts = MT_COUNTS_LAYERS,
               .hook_point = MT_HOOK_LAYER_OUTPUT},
              {.places = MT_PLACES_POSITION,
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .single = MT_AXIS_BIT(MT_AXIS_KEY),
               .counts = MT_COUNTS_TOKENS,
               .hook_point = MT_HOOK_POSITION,
               .encode = encode_swapped}},
    .n_forms = 2,
};

/* The other layout of the same sines and cosines: in turns, as the paper has them (section 3.5),
 * instead of all sines first, as Marian does. In a model that has them in turns it changes
 * nothing. */
static void
encode_interleaved(const mt_intervention *change, mt_intervention_position *position)
{
  if (mt_intervention_is_in(change->ranges[MT_AXIS_KEY], position->token))
    position->interleaves = true;
}

static bool
fits(const mt_intervention *change, const mt_config *config, const char **why)
{
  *why = mt_positions_are_added(config->position_kind)
             ? "is for sines and cosines; the positions of this model are learned"
             : "is for sines and cosines; the positions of this model are relative";
  return mt_positions_are_computed(config->position_kind);
}

const mt_intervention_kind mt_intervention_interleave = {
    .name = "interleave",
    .forms = {{.places = MT_PLACES_POSITION,
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .hook_point = MT_HOOK_POSITION,
               .encode = encode_interleaved,
               .fits = fits}},
    .n_forms = 1,
};
