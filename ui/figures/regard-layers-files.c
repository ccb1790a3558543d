/* regard-layers-files.c — the numbers of the layers as matrices: tokens × points.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-layers-private.h"

#include <math.h>

/* A number of one token at one point. */
typedef double (*Read)(const RegardLayersStack *s, guint point, guint token);

static const mt_stream_numbers *
numbers_at(const RegardLayersStack *s, guint point, guint token)
{
  return &s->numbers[(gsize) point * s->n_tokens + token];
}

#define NUMBER(name)                                                      \
  static double read_##name(const RegardLayersStack *s, guint p, guint t) \
  {                                                                       \
    return numbers_at(s, p, t)->name;                                     \
  }
NUMBER(norm)
NUMBER(added_norm)
NUMBER(cosine)
NUMBER(mean)
NUMBER(sigma)

#define LENS(name)                                                        \
  static double read_##name(const RegardLayersStack *s, guint p, guint t) \
  {                                                                       \
    return s->lens ? mt_lens_get(s->lens, p, t)->name : NAN;              \
  }
LENS(best)
LENS(probability)
LENS(entropy)
LENS(divergence)
LENS(final_probability)
LENS(final_rank)

static double
read_active(const RegardLayersStack *s, guint p, guint t)
{
  return s->active[(gsize) p * s->n_tokens + t];
}

/* The same for every token: a row would do, but then rows of a table would differ. */
static double
read_collapse(const RegardLayersStack *s, guint p, guint t)
{
  return s->collapse[p];
}

static const struct {
  const char *ids[MT_N_STACKS];
  Read read;
  gboolean is_lens;
} tables[] = {
    {{"encoder_best", "decoder_best"}, read_best, TRUE},
    {{"encoder_probability", "decoder_probability"}, read_probability, TRUE},
    {{"encoder_entropy", "decoder_entropy"}, read_entropy, TRUE},
    {{"encoder_divergence", "decoder_divergence"}, read_divergence, TRUE},
    {{"encoder_final_probability", "decoder_final_probability"}, read_final_probability, TRUE},
    {{"encoder_final_rank", "decoder_final_rank"}, read_final_rank, TRUE},
    {{"encoder_norm", "decoder_norm"}, read_norm, FALSE},
    {{"encoder_added", "decoder_added"}, read_added_norm, FALSE},
    {{"encoder_cosine", "decoder_cosine"}, read_cosine, FALSE},
    {{"encoder_mean", "decoder_mean"}, read_mean, FALSE},
    {{"encoder_sigma", "decoder_sigma"}, read_sigma, FALSE},
    {{"encoder_active", "decoder_active"}, read_active, FALSE},
    {{"encoder_collapse", "decoder_collapse"}, read_collapse, FALSE},
};

/* ---- What is drawn --------------------------------------------------------------------------- */

double
layers_value(const RegardLayers *layers, const RegardLayersLook *look, mt_stack stack, guint point,
             guint token)
{
  const RegardLayersStack *s = &layers->stacks[stack];
  switch (look->show) {
  case REGARD_LAYERS_NORM:
    return read_norm(s, point, token);
  case REGARD_LAYERS_ADDED:
    return read_added_norm(s, point, token);
  case REGARD_LAYERS_COSINE:
    return read_cosine(s, point, token);
  case REGARD_LAYERS_ACTIVE:
    return read_active(s, point, token);
  case REGARD_LAYERS_COLLAPSE:
    return read_collapse(s, point, token);
  default:
    break;
  }
  switch (look->color) {
  case REGARD_LENS_ENTROPY:
    return read_entropy(s, point, token);
  case REGARD_LENS_DIVERGENCE:
    return read_divergence(s, point, token);
  case REGARD_LENS_RANK:
    return log10(read_final_rank(s, point, token));
  default:
    return read_probability(s, point, token);
  }
}

const char *
layers_value_name(const RegardLayersLook *look)
{
  static const char *const names[] = {"",
                                      "norm of the stream",
                                      "norm of what is added",
                                      "cosine of what is added to the stream",
                                      "share of active neurons",
                                      "mean cosine between tokens"};
  static const char *const lens[] = {"probability of the piece", "entropy in bits",
                                     "divergence from the last point, bits",
                                     "log10 of the rank of the final piece"};
  return look->show == REGARD_LAYERS_LENS ? lens[look->color] : names[look->show];
}

void
layers_range(const RegardLayers *layers, const RegardLayersLook *look, double *lo, double *hi)
{
  const gboolean is_share =
      look->show == REGARD_LAYERS_ACTIVE || look->show == REGARD_LAYERS_COLLAPSE ||
      (look->show == REGARD_LAYERS_LENS && look->color == REGARD_LENS_PROBABILITY);
  *lo = look->show == REGARD_LAYERS_COSINE ? -1 : 0;
  *hi = is_share || *lo < 0 ? 1 : 1e-6;
  for (guint stack = 0; stack < MT_N_STACKS && !is_share && *lo == 0; stack++)
    for (guint p = 0; p < layers->stacks[stack].n_points; p++)
      for (guint t = 0; t < layers->stacks[stack].n_tokens; t++) {
        const double value = layers_value(layers, look, (mt_stack) stack, p, t);
        if (isfinite(value) && (look->stacks & REGARD_STACK_BIT(stack)))
          *hi = MAX(*hi, value);
      }
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static RegardMatrix *
new_matrix(const RegardLayers *layers, mt_stack stack, const char *id, const char *value_name,
           float *values)
{
  const RegardLayersStack *s = &layers->stacks[stack];
  g_autofree char *badge = layers->changes ? g_strdup_printf("changed: %s", layers->changes) : NULL;
  const char *const badges[] = {badge, NULL};
  return regard_matrix_new_from(&(RegardMatrixSource){
      .id = id,
      .title = stack == MT_STACK_ENCODER ? "Layers · encoder" : "Layers · decoder",
      .value_name = value_name,
      .model_name = mt_model_name(layers->model),
      .badges = badges,
      .rows = regard_axis_texts((const char *const *) s->token_texts, s->n_tokens, "tokens"),
      .cols = regard_axis_texts((const char *const *) s->point_names, s->n_points, "sub-layers"),
      .values = values,
      .range = REGARD_RANGE_VALUES,
  });
}

static RegardMatrix *
table_matrix(const RegardLayers *layers, mt_stack stack, guint i)
{
  const RegardLayersStack *s = &layers->stacks[stack];
  float *values = g_new(float, MAX((gsize) s->n_points * s->n_tokens, 1));
  for (guint t = 0; t < s->n_tokens; t++)
    for (guint p = 0; p < s->n_points; p++)
      values[(gsize) t * s->n_points + p] = (float) tables[i].read(s, p, t);
  return new_matrix(layers, stack, tables[i].ids[stack], tables[i].ids[stack], values);
}

static mt_stack
first_stack(const RegardLayersLook *look)
{
  return look->stacks & REGARD_STACK_BIT(MT_STACK_ENCODER) ? MT_STACK_ENCODER : MT_STACK_DECODER;
}

/* As it is coloured, with the range of all stacks that are shown. */
static RegardMatrix *
shown_matrix(const RegardLayers *layers, const RegardLayersLook *look, mt_stack stack)
{
  const RegardLayersStack *s = &layers->stacks[stack];
  float *values = g_new(float, MAX((gsize) s->n_points * s->n_tokens, 1));
  double lo, hi;
  for (guint t = 0; t < s->n_tokens; t++)
    for (guint p = 0; p < s->n_points; p++)
      values[(gsize) t * s->n_points + p] = (float) layers_value(layers, look, stack, p, t);
  RegardMatrix *m =
      new_matrix(layers, stack, stack == first_stack(look) ? "shown" : "shown_decoder",
                 layers_value_name(look), values);
  layers_range(layers, look, &lo, &hi);
  m->lo = (float) lo;
  m->hi = (float) hi;
  m->diverging = lo < 0;
  return m;
}

static guint
n_tables(const RegardLayers *layers)
{
  guint n = 0;
  for (guint i = 0; i < G_N_ELEMENTS(tables); i++)
    n += !tables[i].is_lens || layers->stacks[0].lens;
  return n;
}

guint
layers_n_matrices(const RegardLayers *layers, const RegardLayersLook *look)
{
  const guint n_stacks = look->stacks == REGARD_BOTH_STACKS ? 2 : 1;
  return n_stacks * (1 + n_tables(layers));
}

RegardMatrix *
layers_matrix(const RegardLayers *layers, const RegardLayersLook *look, guint i)
{
  const guint n = n_tables(layers), skipped = G_N_ELEMENTS(tables) - n; /* those of the lens */
  const mt_stack stack = i <= n ? first_stack(look) : MT_STACK_DECODER;
  i %= n + 1;
  return i == 0 ? shown_matrix(layers, look, stack) : table_matrix(layers, stack, skipped + i - 1);
}
