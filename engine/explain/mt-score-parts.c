/* mt-score-parts.c — a score as the sum of pairs of parts.
 *
 *     s_ij = 1/sqrt(d_head) sum_a sum_b (W_Q u_a) . (W_K v_b)
 *
 * with u the parts of what the query's token gives to W_Q, v those of the key's to W_K.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "explain/mt-parts.h"
#include "model/mt-model.h"

#include <math.h>
#include <stdlib.h>

static int
compare(const void *a, const void *b)
{
  const double x = fabs(((const mt_score_part *) a)->score);
  const double y = fabs(((const mt_score_part *) b)->score);
  return x < y ? 1 : x > y ? -1 : 0;
}

/* Parts of both sides, and as the head's maps see them. */
typedef struct {
  mt_parts *query, *key;
  double *q, *k; /* [n][d_head] */
} sides;

static void
sides_clear(sides *s)
{
  mt_parts_free(s->query);
  mt_parts_free(s->key);
  mt_free(s->q);
  mt_free(s->k);
}

static bool
sides_fill(sides *s, const mt_model *model, const mt_trace *trace, mt_attention_kind kind,
           size_t layer, size_t head, size_t query, size_t key, mt_error *error)
{
  s->query = mt_parts_of_query(model, trace, kind, layer, query, error);
  s->key = s->query ? mt_parts_of_key(model, trace, kind, layer, key, error) : NULL;
  if (!s->key)
    return false;
  s->q = mt_parts_project(s->query, mt_model_head_map(model, kind, layer, head, MT_MAP_QUERY),
                          mt_model_head_bias(model, kind, layer, head, MT_MAP_QUERY));
  s->k = mt_parts_project(s->key, mt_model_head_map(model, kind, layer, head, MT_MAP_KEY),
                          mt_model_head_bias(model, kind, layer, head, MT_MAP_KEY));
  return (s->q && s->k) || mt_fail_no_memory(error);
}

static bool
multiply(const sides *s, size_t d_head, double divisor, mt_score_parts *out, mt_error *error)
{
  const size_t n_query = mt_parts_count(s->query), n_key = mt_parts_count(s->key);
  mt_score_part *parts = mt_alloc(n_query * n_key, sizeof *parts);
  if (!parts)
    return mt_fail_no_memory(error);
  *out = (mt_score_parts){.parts = parts};
  for (size_t a = 0; a < n_query; a++)
    for (size_t b = 0; b < n_key; b++) {
      double score = 0;
      for (size_t i = 0; i < d_head; i++)
        score += s->q[a * d_head + i] * s->k[b * d_head + i];
      score /= divisor;
      out->score += score;
      /* Where there are no biases there is no pair with one; token and position are always there,
       * though their product may be 0. */
      const mt_part u = mt_parts_get(s->query, a), v = mt_parts_get(s->key, b);
      if (score != 0 || (u.type <= MT_PART_POSITION && v.type <= MT_PART_POSITION))
        parts[out->n++] = (mt_score_part){u, v, score};
    }
  qsort(parts, out->n, sizeof *parts, compare);
  return true;
}

bool
mt_score_explain(const mt_model *model, const mt_trace *trace, mt_attention_kind kind, size_t layer,
                 size_t head, size_t query, size_t key, mt_score_parts *out, mt_error *error)
{
  const mt_stack stack = mt_kind_stack(kind);
  const mt_config *config = &model->config;
  sides s = {NULL, NULL, NULL, NULL};
  if (layer >= config->n_layers[stack] || head >= config->n_heads[stack])
    return mt_fail(error, MT_ERROR_INPUT, "The model does not have this head.");
  bool ok = sides_fill(&s, model, trace, kind, layer, head, query, key, error) &&
            multiply(&s, config->d_head[stack], config->score_divisor[stack], out, error);
  sides_clear(&s);
  return ok;
}

void
mt_score_parts_clear(mt_score_parts *parts)
{
  mt_free(parts->parts);
  *parts = (mt_score_parts){0};
}
