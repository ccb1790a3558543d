/* mt-lens.c — what the states of a pass would already say: the output matrix at every point.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "kernels/mt-ops.h"
#include "model/mt-model.h"

#include <math.h>
#include <string.h>

/* Tokens at a time: their logits are [BLOCK][vocabulary]. */
#define BLOCK 16

struct mt_lens {
  size_t n_points, n_tokens;
  mt_lens_cell *cells; /* [n_points][n_tokens] */
};

/* ---- The output matrix ----------------------------------------------------------------------- */

/* What makes logits of a state. */
typedef struct {
  const mt_model *model;
  mt_linear map;                     /* [vocabulary][d] */
  const mt_norm_weights *final_norm; /* gain NULL: none */
  mt_ops ops;
} reader;

static void
reader_init(reader *r, const mt_model *model, mt_stack stack)
{
  *r = (reader){.model = model, .final_norm = &model->stacks[stack].final_norm};
  /* Exact weights only, as traces are. */
  if (stack == MT_STACK_DECODER)
    r->map = (mt_linear){.weight = model->output.weight,
                         .bias = model->output.bias,
                         .n_out = model->output.n_out,
                         .n_in = model->output.n_in};
  else
    r->map = (mt_linear){.weight = model->stacks[stack].embedding,
                         .n_out = model->config.vocab_size[stack],
                         .n_in = model->config.d_model};
  mt_ops_init(&r->ops, 0);
}

/* logits [rows][vocabulary] of rows of a stream; states [rows][d] is room. */
static void
read_rows(reader *r, mt_matrix stream, size_t first, size_t rows, float *states, float *logits)
{
  const size_t d = stream.cols;
  for (size_t i = 0; i < rows; i++) {
    const float *x = stream.data + (first + i) * stream.stride;
    if (r->final_norm->gain)
      r->ops.kernels->layer_norm(states + i * d, x, r->final_norm->gain, r->final_norm->bias, d,
                                 1e-5f);
    else
      memcpy(states + i * d, x, d * sizeof *states);
  }
  mt_ops_linear(&r->ops, logits, states, rows, &r->map);
}

/* ---- A row of logits ---------------------------------------------------------------------------
 */

/* Its log-sum-exp, and the sum of each probability times its logit. */
static double
measure_row(const float *logits, size_t n, size_t *best, double *mean)
{
  double sum = 0, weighted = 0;
  *best = 0;
  for (size_t i = 1; i < n; i++)
    if (logits[i] > logits[*best])
      *best = i;
  const float top = logits[*best];
  for (size_t i = 0; i < n; i++) {
    const float e = expf(logits[i] - top);
    if (e > 0) { /* a piece that is never to be said has -inf */
      sum += e;
      weighted += (double) e * logits[i];
    }
  }
  *mean = weighted / sum;
  return top + log(sum);
}

/* Some rows of a point against what the last point says. */
typedef struct {
  const float *logits, *last; /* [rows][n] */
  size_t n, rows;
  mt_lens_cell *cells; /* of these rows */
} row_work;

static void
fill_cell(const row_work *w, size_t row)
{
  const double bit = log(2);
  const float *logits = w->logits + row * w->n, *last = w->last + row * w->n;
  size_t best, final;
  double mean, last_mean;
  const double lse = measure_row(logits, w->n, &best, &mean);
  const double last_lse = measure_row(last, w->n, &final, &last_mean);
  double cross = 0; /* logits here, by the probabilities there */
  uint32_t rank = 1;
  for (size_t i = 0; i < w->n; i++) {
    const double p = exp(last[i] - last_lse);
    if (p > 0)
      cross += p * logits[i];
    rank += logits[i] > logits[final];
  }
  w->cells[row] = (mt_lens_cell){
      .best = (int32_t) best,
      .probability = (float) exp(logits[best] - lse),
      .entropy = (float) ((lse - mean) / bit),
      .divergence = (float) fmax((last_mean - last_lse - cross + lse) / bit, 0),
      .final = (int32_t) final,
      .final_probability = (float) exp(logits[final] - lse),
      .final_rank = rank,
  };
}

static void
fill_part(void *user, size_t i, size_t n_parts)
{
  const row_work *w = user;
  const size_t end = mt_ops_part_begin(i + 1, n_parts, w->rows, 1);
  for (size_t row = mt_ops_part_begin(i, n_parts, w->rows, 1); row < end; row++)
    fill_cell(w, row);
}

/* ---- All points --------------------------------------------------------------------------------
 */

typedef struct {
  reader reader;
  float *states, *last, *logits; /* [BLOCK][d], [BLOCK][vocabulary] twice */
} lens_work;

static bool
fill_block(lens_work *w, mt_lens *lens, const mt_trace *trace, mt_stack stack, size_t first,
           bool (*should_stop)(void *user), void *user)
{
  const mt_config *config = &w->reader.model->config;
  const size_t rows = lens->n_tokens - first < BLOCK ? lens->n_tokens - first : BLOCK;
  read_rows(&w->reader, mt_stream_at(trace, mt_point_at(config, stack, lens->n_points - 1)), first,
            rows, w->states, w->last);
  for (size_t p = 0; p < lens->n_points; p++) {
    if (should_stop && should_stop(user))
      return false;
    read_rows(&w->reader, mt_stream_at(trace, mt_point_at(config, stack, p)), first, rows,
              w->states, w->logits);
    row_work row = {w->logits, w->last, w->reader.map.n_out, rows,
                    lens->cells + p * lens->n_tokens + first};
    mt_pool_run(w->reader.ops.pool, rows < 4 ? 1 : 4, fill_part, &row);
  }
  return true;
}

static bool
fill(mt_lens *lens, const mt_model *model, const mt_trace *trace, mt_stack stack,
     bool (*should_stop)(void *user), void *user, mt_error *error)
{
  lens_work w = {.states = mt_alloc(BLOCK * model->config.d_model, sizeof(float))};
  bool ok = true;
  reader_init(&w.reader, model, stack);
  w.last = mt_alloc(BLOCK * w.reader.map.n_out, sizeof(float));
  w.logits = mt_alloc(BLOCK * w.reader.map.n_out, sizeof(float));
  if (!w.states || !w.last || !w.logits)
    ok = mt_fail_no_memory(error);
  for (size_t first = 0; ok && first < lens->n_tokens; first += BLOCK)
    if (!fill_block(&w, lens, trace, stack, first, should_stop, user))
      ok = mt_fail(error, MT_ERROR_CANCELLED, "Cancelled.");
  mt_ops_clear(&w.reader.ops);
  mt_free(w.states);
  mt_free(w.last);
  mt_free(w.logits);
  return ok;
}

mt_lens *
mt_lens_new(const mt_model *model, const mt_trace *trace, mt_stack stack,
            bool (*should_stop)(void *user), void *user, mt_error *error)
{
  mt_lens *lens = mt_alloc(1, sizeof *lens);
  if (!lens) {
    mt_fail_no_memory(error);
    return NULL;
  }
  lens->n_points = mt_point_count(&model->config, stack);
  bool ok = true;
  for (size_t p = 0; ok && p < lens->n_points; p++) {
    mt_matrix stream = mt_stream_at(trace, mt_point_at(&model->config, stack, p));
    lens->n_tokens = stream.rows;
    ok = stream.data || mt_fail(error, MT_ERROR_INPUT, "The trace does not have the stream.");
  }
  if (ok) {
    lens->cells = mt_alloc(lens->n_points * lens->n_tokens, sizeof *lens->cells);
    ok = lens->cells ? fill(lens, model, trace, stack, should_stop, user, error)
                     : mt_fail_no_memory(error);
  }
  if (ok)
    return lens;
  mt_lens_free(lens);
  return NULL;
}

void
mt_lens_free(mt_lens *lens)
{
  if (!lens)
    return;
  mt_free(lens->cells);
  mt_free(lens);
}

size_t
mt_lens_points(const mt_lens *lens)
{
  return lens->n_points;
}

size_t
mt_lens_tokens(const mt_lens *lens)
{
  return lens->n_tokens;
}

const mt_lens_cell *
mt_lens_get(const mt_lens *lens, size_t point, size_t token)
{
  return &lens->cells[point * lens->n_tokens + token];
}

/* ---- The best -----------------------------------------------------------------------------------
 */

/* The n largest of values [count], largest first. */
static size_t
largest(const float *values, size_t count, size_t n, int32_t *out)
{
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    size_t at = found;
    while (at > 0 && values[i] > values[out[at - 1]])
      at--;
    if (at >= n)
      continue;
    found = found < n ? found + 1 : n;
    memmove(out + at + 1, out + at, (found - 1 - at) * sizeof *out);
    out[at] = (int32_t) i;
  }
  return found;
}

size_t
mt_lens_best(const mt_model *model, const mt_trace *trace, mt_point point, size_t token, size_t n,
             int32_t *pieces, float *probabilities)
{
  mt_matrix stream = mt_stream_at(trace, point);
  reader r;
  size_t found = 0, best;
  double mean;
  if (!stream.data || token >= stream.rows || n == 0)
    return 0;
  reader_init(&r, model, point.stack);
  float *states = mt_alloc(stream.cols, sizeof *states);
  float *logits = mt_alloc(r.map.n_out, sizeof *logits);
  if (states && logits) {
    read_rows(&r, stream, token, 1, states, logits);
    const double lse = measure_row(logits, r.map.n_out, &best, &mean);
    found = largest(logits, r.map.n_out, n, pieces);
    for (size_t i = 0; probabilities && i < found; i++)
      probabilities[i] = (float) exp(logits[pieces[i]] - lse);
  }
  mt_ops_clear(&r.ops);
  mt_free(states);
  mt_free(logits);
  return found;
}

size_t
mt_embedding_nearest(const mt_model *model, mt_stack stack, int32_t piece, size_t n,
                     mt_neighbour *out)
{
  mt_matrix table = mt_model_embedding(model, stack);
  float *cosines = mt_alloc(table.rows, sizeof *cosines);
  int32_t *pieces = mt_alloc(n + 1, sizeof *pieces);
  size_t found = 0;
  if (cosines && pieces && piece >= 0 && (size_t) piece < table.rows) {
    const float *x = table.data + (size_t) piece * table.stride;
    for (size_t i = 0; i < table.rows; i++) {
      const float *y = table.data + i * table.stride;
      double dot = 0, xx = 0, yy = 0;
      for (size_t c = 0; c < table.cols; c++) {
        dot += (double) x[c] * y[c];
        xx += (double) x[c] * x[c];
        yy += (double) y[c] * y[c];
      }
      cosines[i] = xx > 0 && yy > 0 ? (float) (dot / sqrt(xx * yy)) : -1;
    }
    cosines[piece] = -2; /* itself last */
    found = largest(cosines, table.rows, n < table.rows ? n : table.rows - 1, pieces);
    for (size_t i = 0; i < found; i++)
      out[i] = (mt_neighbour){pieces[i], cosines[pieces[i]]};
  }
  mt_free(cosines);
  mt_free(pieces);
  return found;
}
