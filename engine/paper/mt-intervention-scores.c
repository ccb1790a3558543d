/* mt-intervention-scores.c — interventions in what attends to what: in scores before the softmax,
 * and in the queries and keys that they come from (the paper, equation 1).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-interventions.h"

#include <math.h>
#include <string.h>

/* The row of a query that the change names; NULL: it names others. */
static float *
named_row(const mt_intervention *change, const mt_intervention_tensor *tensor, size_t r)
{
  const size_t at = mt_group_position(tensor->group, tensor->first + r);
  return mt_intervention_is_in(change->ranges[MT_AXIS_QUERY], at)
             ? tensor->data + r * tensor->stride
             : NULL;
}

/* ---- Keys that are not seen --------------------------------------------------------------------
 *
 * Their scores are -infinity before the softmax, as the mask of the decoder makes them (section
 * 3.2.3). A source token that is hidden is a key of no query, in the encoder and for the
 * translation; its own row of the encoder goes on, but nobody reads it. */

static bool
hides_named(const mt_intervention *change, size_t query, size_t key)
{
  return mt_intervention_is_in(change->ranges[MT_AXIS_QUERY], query) &&
         mt_intervention_is_in(change->ranges[MT_AXIS_KEY], key);
}

const mt_intervention_kind mt_intervention_hide = {
    .name = "hide",
    .forms = {{.family = MT_INTERVENTIONS_CELLS,
               .places = MT_PLACES_ATTENTION,
               .axes = MT_AXES_HEAD | MT_AXES_CELL,
               .needed = MT_AXES_CELL,
               .is_explained = true,
               .hook_point = MT_HOOK_SCORES,
               .apply = mt_intervention_hide_keys},
              {.family = MT_INTERVENTIONS_SOURCE,
               .places = MT_PLACE_BIT(MT_PLACE_SOURCE),
               .axes = MT_AXIS_BIT(MT_AXIS_KEY),
               .needed = MT_AXIS_BIT(MT_AXIS_KEY),
               .is_explained = true,
               .hook_point = MT_HOOK_SCORES,
               .apply = mt_intervention_hide_keys}},
    .n_forms = 2,
    .hides = hides_named,
};

/* Restricted self-attention, section 4: nothing further away than the window is seen. */
static bool
hides_beyond(const mt_intervention *change, size_t query, size_t key)
{
  return mt_is_beyond_window((size_t) change->arguments[0], query, key);
}

const mt_intervention_kind mt_intervention_window = {
    .name = "window",
    .arguments = {{.is_whole = true, .least = 1, .most = UINT32_MAX}},
    .n_arguments = 1,
    .forms = {{.family = MT_INTERVENTIONS_WINDOW,
               .places = MT_PLACE_BIT(MT_PLACE_ENCODER) | MT_PLACE_BIT(MT_PLACE_DECODER),
               .axes = MT_AXES_HEAD,
               .is_explained = true,
               .hook_point = MT_HOOK_SCORES,
               .apply = mt_intervention_hide_keys}},
    .n_forms = 1,
    .hides = hides_beyond,
};

/* A query sees one key only: that of its own number, the one before it, or the one after it, which
 * the decoder's mask never allows for its own tokens. Its score stays what it is, and all others
 * become -infinity, so that its weight is 1. Where there is no such key, or none that the mask
 * allows, nothing is attended to. */
static bool
hides_others(const mt_intervention *change, size_t query, size_t key)
{
  return mt_intervention_is_in(change->ranges[MT_AXIS_QUERY], query) && key != query;
}

static bool
hides_all_but_previous(const mt_intervention *change, size_t query, size_t key)
{
  return mt_intervention_is_in(change->ranges[MT_AXIS_QUERY], query) && key + 1 != query;
}

static bool
hides_all_but_next(const mt_intervention *change, size_t query, size_t key)
{
  return mt_intervention_is_in(change->ranges[MT_AXIS_QUERY], query) && key != query + 1;
}

#define ONE_KEY(of)                                             \
  .forms = {{.family = MT_INTERVENTIONS_HEADS,                  \
             .places = (of),                                    \
             .axes = MT_AXES_HEAD | MT_AXIS_BIT(MT_AXIS_QUERY), \
             .hook_point = MT_HOOK_SCORES,                      \
             .apply = mt_intervention_hide_keys}},              \
  .n_forms = 1
const mt_intervention_kind mt_intervention_diagonal = {.name = "diagonal",
                                                       ONE_KEY(MT_PLACES_ATTENTION),
                                                       .hides = hides_others};
const mt_intervention_kind mt_intervention_previous = {.name = "previous",
                                                       ONE_KEY(MT_PLACES_ATTENTION),
                                                       .hides = hides_all_but_previous};
const mt_intervention_kind mt_intervention_next = {.name = "next",
                                                   ONE_KEY(MT_PLACE_BIT(MT_PLACE_ENCODER) |
                                                           MT_PLACE_BIT(MT_PLACE_CROSS)),
                                                   .hides = hides_all_but_next};

/* ---- Other scores ---------------------------------------------------------------------------- */

/* A head that does not choose: all keys that a query sees have the same weight. Scores become 0,
 * but for those that a mask made -infinity. What lies behind the last key of a query is read by
 * nobody, whatever becomes of it. */
static void
level(const mt_intervention *change, const mt_intervention_tensor *tensor)
{
  for (size_t r = 0; r < tensor->n; r++) {
    float *row = named_row(change, tensor, r);
    for (size_t i = 0; row && i < tensor->cols; i++)
      if (row[i] != -INFINITY)
        row[i] = 0;
  }
}

const mt_intervention_kind mt_intervention_uniform = {
    .name = "uniform",
    .forms = {{.family = MT_INTERVENTIONS_HEADS,
               .places = MT_PLACES_ATTENTION,
               .axes = MT_AXES_HEAD | MT_AXIS_BIT(MT_AXIS_QUERY),
               .is_explained = true,
               .hook_point = MT_HOOK_SCORES,
               .apply = level}},
    .n_forms = 1,
};

/* Divided by a temperature: above 1 all keys come nearer to each other, below 1 the largest takes
 * more. */
static void
divide(const mt_intervention *change, const mt_intervention_tensor *tensor)
{
  const float temperature = (float) change->arguments[0];
  for (size_t r = 0; r < tensor->n; r++) {
    float *row = named_row(change, tensor, r);
    for (size_t i = 0; row && i < tensor->cols; i++)
      row[i] /= temperature;
  }
}

const mt_intervention_kind mt_intervention_temperature = {
    .name = "temperature",
    .arguments = {{.least = 0.01, .most = 1000}},
    .n_arguments = 1,
    .forms = {{.family = MT_INTERVENTIONS_HEADS,
               .places = MT_PLACES_ATTENTION,
               .axes = MT_AXES_HEAD | MT_AXIS_BIT(MT_AXIS_QUERY),
               .hook_point = MT_HOOK_SCORES,
               .apply = divide}},
    .n_forms = 1,
};

/* A number is added, behind the mask: what is not seen stays so, -infinity and any number being
 * -infinity. The same to all keys would be nothing. */
static void
add(const mt_intervention *change, const mt_intervention_tensor *tensor)
{
  const mt_intervention_range keys = change->ranges[MT_AXIS_KEY];
  for (size_t r = 0; r < tensor->n; r++) {
    float *row = named_row(change, tensor, r);
    for (size_t i = keys.first; row && i < tensor->cols && i <= keys.last; i++)
      row[i] += (float) change->arguments[0];
  }
}

const mt_intervention_kind mt_intervention_add = {
    .name = "add",
    .arguments = {{.least = -1000, .most = 1000}},
    .n_arguments = 1,
    .forms = {{.family = MT_INTERVENTIONS_CELLS,
               .places = MT_PLACES_ATTENTION,
               .axes = MT_AXES_HEAD | MT_AXES_CELL,
               .needed = MT_AXIS_BIT(MT_AXIS_KEY),
               .hook_point = MT_HOOK_SCORES,
               .apply = add}},
    .n_forms = 1,
};

/* ---- How alike a query and a key are -----------------------------------------------------------
 *
 * Of several similarities of a head the last one holds (mt-pass.c computes them). Unscaled is
 * the dot product as it is: without the 1/sqrt(d_k) that section 3.2.1 has against scores so large
 * that the softmax hardly moves. Cosine is how alike they are in direction, whatever their lengths:
 * from -1 to 1; a vector that is 0 is like none, 0. */

#define SIMILAR(which, when)                \
  .forms = {{.places = MT_PLACES_ATTENTION, \
             .axes = MT_AXES_HEAD,          \
             .hook_point = MT_HOOK_SCORES,  \
             .similarity = (which),         \
             .fits = (when)}},              \
  .n_forms = 1
static bool
is_scaled(const mt_intervention *change, const mt_config *config, const char **why)
{
  *why = "is for scores that are divided; those of this model are not";
  return config->score_divisor[change->place->stack] != 1;
}
const mt_intervention_kind mt_intervention_unscaled = {.name = "unscaled",
                                                       SIMILAR(MT_SIMILARITY_UNSCALED, is_scaled)};
const mt_intervention_kind mt_intervention_cosine = {.name = "cosine",
                                                     SIMILAR(MT_SIMILARITY_COSINE, NULL)};

/* A head that does not know how far its keys are away: what relative positions add to its scores is
 * left out (mt-pass.c). */
static bool
has_biases(const mt_intervention *change, const mt_config *config, const char **why)
{
  const bool is_relative = config->position_kind == MT_POSITIONS_RELATIVE;
  *why = is_relative ? "is for self-attention; cross-attention has no positions"
                     : "is for relative positions, which this model does not have";
  return is_relative && !(change->place->kinds & MT_KIND_BIT(MT_CROSS));
}
const mt_intervention_kind mt_intervention_unbiased = {
    .name = "unbiased",
    .forms = {{.places = MT_PLACES_ATTENTION,
               .axes = MT_AXES_HEAD,
               .hook_point = MT_HOOK_SCORES,
               .is_unbiased = true,
               .fits = has_biases}},
    .n_forms = 1,
};

/* A head attends as another of its layer does: its queries and keys are those of the other, its
 * values stay its own. That is done where queries and keys are projected, before any head attends,
 * so that heads which threads compute at once never wait for each other. */
static void
copy_head(const mt_intervention *change, float *data, size_t n, size_t inner, size_t d_head)
{
  const size_t from = (size_t) change->arguments[0] - 1;
  for (size_t head = 0; head < inner / d_head; head++)
    if (head != from && mt_intervention_is_in(change->ranges[MT_AXIS_HEAD], head))
      for (size_t r = 0; r < n; r++)
        memcpy(data + r * inner + head * d_head, data + r * inner + from * d_head,
               d_head * sizeof *data);
}

const mt_intervention_kind mt_intervention_copy = {
    .name = "copy",
    .arguments = {{.is_whole = true, .least = 1, .most = UINT32_MAX}},
    .n_arguments = 1,
    .forms = {{.family = MT_INTERVENTIONS_HEADS,
               .places = MT_PLACES_ATTENTION,
               .axes = MT_AXES_HEAD,
               .counts = MT_COUNTS_HEADS,
               .hook_point = MT_HOOK_QUERY}},
    .n_forms = 1,
    .copy = copy_head,
};
