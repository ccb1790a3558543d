/* mt-lens.c — vectors read as pieces: the logit lens, what neurons write, and which embeddings are
 * near.
 *
 * The logit lens takes every state of the stream through the output matrix.
 *
 * Logits are large: a row of them for each point of each token would be a hundred megabytes. So
 * they are made in blocks of rows, and each block has the last points of its tokens, with which the
 * others are compared.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "kernels/mt-ops.h"
#include "model/mt-model.h"

#include <math.h>
#include <mt/explain.h>
#include <stddef.h>
#include <string.h>

typedef struct {
  size_t index;
  float score;
} mt_ranked;

/* ---- The best few of many -------------------------------------------------------------------- */

/* The best few of many, by insertion: nearly all are below the last one. */

/* Add one to a list of at most `most`, largest score first; of equal ones, those that came first
 * stay first. Returns how many there are now. NaN is not added. */
static size_t
ranking_add(mt_ranked *list, size_t n, size_t most, size_t index, float score)
{
  if (score != score || most == 0 || (n == most && !(score > list[n - 1].score)))
    return n;
  size_t i = n < most ? n++ : n - 1;
  for (; i > 0 && list[i - 1].score < score; i--)
    list[i] = list[i - 1];
  list[i] = (mt_ranked){index, score};
  return n;
}

/* ---- The logit lens -------------------------------------------------------------------------- */

#define BLOCK_ROWS 64

/* ---- States and their logits ----------------------------------------------------------------- */

/* What makes logits of states. */
typedef struct {
  mt_ops ops;
  mt_linear map; /* [vocabulary][d] */
  const mt_config *config;
  const mt_norm_weights *norm; /* gain NULL: none */
  float scale;                 /* of what the matrix reads */
  const mt_model *leaves_out;  /* whose words without a probability have none; NULL: all have one */
  size_t d, vocab;
  size_t max_rows;
  float *states; /* [max_rows][d] */
  float *logits; /* [max_rows][vocab] */
} unembedding;

static void
unembedding_clear(unembedding *m)
{
  mt_ops_clear(&m->ops);
  mt_free(m->states);
  mt_free(m->ops.packed);
  mt_free(m->logits);
}

static bool
unembedding_init(unembedding *m, const mt_model *model, mt_stack stack, size_t max_rows,
                 unsigned n_threads)
{
  *m = (unembedding){.config = &model->config,
                     .norm = &model->stacks[stack].final_norm,
                     .d = model->config.d_model,
                     .vocab = model->config.vocab_size[stack],
                     .max_rows = max_rows};
  m->map = model->output;
  m->scale = model->config.output_scale;
  m->leaves_out = model;
  if (stack == MT_STACK_ENCODER) {
    m->leaves_out = NULL;
    m->scale = 1;
    m->map = (mt_linear){.weight = model->stacks[stack].embedding,
                         .halves = model->stacks[stack].embedding_halves,
                         .n_out = m->vocab,
                         .n_in = m->d};
  }
  m->vocab = m->map.n_out;
  mt_ops_init(&m->ops, n_threads);
  m->states = mt_alloc_aligned(max_rows * m->d, sizeof *m->states);
  m->ops.packed = mt_alloc_aligned(MT_PANEL_ROWS(max_rows) * m->d, sizeof *m->ops.packed);
  m->logits = mt_alloc_aligned(max_rows * m->vocab, sizeof *m->logits);
  return m->states && m->ops.packed && m->logits;
}

/* A state becomes row `row` of the next block. */
static void
unembedding_take(unembedding *m, size_t row, const float *state)
{
  float *out = m->states + row * m->d;
  if (m->norm->gain)
    mt_norm_row(m->config, m->ops.kernels, out, state, m->norm->gain, m->norm->bias);
  else
    memcpy(out, state, m->d * sizeof *out);
  for (size_t i = 0; m->scale != 1 && i < m->d; i++)
    out[i] *= m->scale;
}

static void
unembedding_speak(unembedding *m, size_t rows)
{
  mt_ops_linear(&m->ops, m->logits, m->states, rows, &m->map);
  for (size_t r = 0; m->leaves_out && r < rows; r++)
    mt_model_leave_out(m->leaves_out, m->logits + r * m->vocab);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* A block: some tokens, and for each of them points first … first + n - 1, and the last of all,
 * whose rows come first. */
typedef struct {
  unembedding *unembedding;
  mt_lens *lens;
  size_t token, n_tokens;
  size_t first, n; /* points, the last of all not among them */
  size_t n_parts;
  float *last;       /* softmax of the last points: [n_tokens][vocab] */
  float *last_lse;   /* [n_tokens] */
  size_t *last_best; /* [n_tokens] the likeliest pieces of the last points */
  float *scratch;    /* [n_parts][vocab] */
} block;

/* The last point of token i of the block; row i of its logits. */
static void
last_part(void *user, size_t part, size_t n_parts)
{
  block *b = user;
  const mt_kernels *kernels = b->unembedding->ops.kernels;
  const size_t vocab = b->unembedding->vocab,
               end = mt_ops_part_begin(part + 1, n_parts, b->n_tokens, 1);
  for (size_t i = mt_ops_part_begin(part, n_parts, b->n_tokens, 1); i < end; i++) {
    const float *logits = b->unembedding->logits + i * vocab;
    float *p = b->last + i * vocab;
    b->last_best[i] = kernels->arg_max(logits, vocab);
    memcpy(p, logits, vocab * sizeof *p);
    b->last_lse[i] = kernels->softmax(p, vocab);
  }
}

/* One row of logits, of token i of the block. */
static mt_lens_cell
measure(const block *b, size_t row, size_t i, float *p)
{
  const mt_kernels *kernels = b->unembedding->ops.kernels;
  const size_t vocab = b->unembedding->vocab;
  const float *logits = b->unembedding->logits + row * vocab,
              *of_last = b->unembedding->logits + i * vocab;
  const float *last = b->last + i * vocab;
  const size_t final = b->last_best[i], best = row == i ? final : kernels->arg_max(logits, vocab);
  memcpy(p, logits, vocab * sizeof *p);
  const double lse = kernels->softmax(p, vocab);
  const double entropy = lse - kernels->expectation(p, logits, NULL, vocab);
  const double divergence =
      row == i ? 0 : kernels->expectation(last, of_last, logits, vocab) + lse - b->last_lse[i];
  return (mt_lens_cell){
      .best = (int32_t) best,
      .probability = p[best],
      /* Neither is negative but by rounding. */
      .entropy = (float) (fmax(entropy, 0) / M_LN2),
      .divergence = (float) (fmax(divergence, 0) / M_LN2),
      .final = (int32_t) final,
      .final_probability = p[final],
      .final_rank = 1 + (uint32_t) kernels->rank(logits, vocab, final),
  };
}

static void
cells_part(void *user, size_t part, size_t n_parts)
{
  block *b = user;
  mt_lens *lens = b->lens;
  const size_t rows = b->n_tokens * (b->n + 1);
  const size_t end = mt_ops_part_begin(part + 1, n_parts, rows, 1);
  float *scratch = b->scratch + part * b->unembedding->vocab;
  for (size_t r = mt_ops_part_begin(part, n_parts, rows, 1); r < end; r++) {
    const size_t i = r % b->n_tokens, number = r / b->n_tokens;
    const size_t point = number == 0 ? lens->n_points - 1 : b->first + number - 1;
    lens->cells[point * lens->n_tokens + b->token + i] = measure(b, r, i, scratch);
  }
}

static void
run_block(block *b, const mt_matrix *states)
{
  for (size_t number = 0; number <= b->n; number++) {
    const mt_matrix *m = &states[number == 0 ? b->lens->n_points - 1 : b->first + number - 1];
    for (size_t i = 0; i < b->n_tokens; i++)
      unembedding_take(b->unembedding, number * b->n_tokens + i,
                       m->data + (b->token + i) * m->stride);
  }
  unembedding_speak(b->unembedding, b->n_tokens * (b->n + 1));
  mt_pool_run(b->unembedding->ops.pool, b->n_parts, last_part, b);
  mt_pool_run(b->unembedding->ops.pool, b->n_parts, cells_part, b);
}

static size_t
at_most(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* All blocks: whole tokens, as many as there is room for, or a token in several. */
static bool
run_blocks(block *b, const mt_matrix *states, bool (*should_stop)(void *), void *user,
           mt_error *error)
{
  const size_t others = b->lens->n_points - 1, n_points = at_most(others, BLOCK_ROWS - 1);
  const size_t most = BLOCK_ROWS / (n_points + 1);
  for (b->token = 0; b->token < b->lens->n_tokens; b->token += b->n_tokens) {
    b->n_tokens = at_most(most, b->lens->n_tokens - b->token);
    b->first = 0;
    do {
      if (should_stop && should_stop(user))
        return mt_fail(error, MT_ERROR_CANCELLED, "Cancelled.");
      b->n = at_most(n_points, others - b->first);
      run_block(b, states);
      b->first += b->n;
    } while (b->first < others);
  }
  return true;
}

/* ---- The lens -------------------------------------------------------------------------------- */

/* The states of all points, which must have the same tokens. */
static bool
find_states(const mt_model *model, const mt_trace *trace, mt_stack stack, mt_matrix *states,
            size_t n, mt_error *error)
{
  for (size_t i = 0; i < n; i++) {
    states[i] = mt_stream_at(trace, mt_point_at(&model->config, stack, i));
    if (!states[i].data)
      return mt_fail(error, MT_ERROR_INPUT, "The trace does not have the stream at every point.");
    if (states[i].cols != model->config.d_model || states[i].rows != states[0].rows)
      return mt_fail(error, MT_ERROR_INPUT, "The trace is of another model.");
  }
  return true;
}

static bool
fill(mt_lens *lens, const mt_model *model, const mt_matrix *states, mt_stack stack,
     bool (*should_stop)(void *), void *user, mt_error *error)
{
  const size_t most = at_most(BLOCK_ROWS, lens->n_points * lens->n_tokens);
  unembedding m;
  block b = {.unembedding = &m, .lens = lens};
  bool ok = unembedding_init(&m, model, stack, most, 0);
  b.n_parts = mt_pool_n_threads(m.ops.pool);
  b.last = mt_alloc(BLOCK_ROWS / at_most(lens->n_points, BLOCK_ROWS) * m.vocab, sizeof *b.last);
  b.last_lse = mt_alloc(BLOCK_ROWS, sizeof *b.last_lse);
  b.last_best = mt_alloc(BLOCK_ROWS, sizeof *b.last_best);
  b.scratch = mt_alloc(b.n_parts * m.vocab, sizeof *b.scratch);
  lens->cells = mt_alloc(lens->n_points * lens->n_tokens, sizeof *lens->cells);
  if (!ok || !b.last || !b.last_lse || !b.last_best || !b.scratch || !lens->cells)
    ok = mt_fail_no_memory(error);
  else
    ok = run_blocks(&b, states, should_stop, user, error);
  mt_free(b.last);
  mt_free(b.last_lse);
  mt_free(b.last_best);
  mt_free(b.scratch);
  unembedding_clear(&m);
  return ok && mt_model_check_files(model, error);
}

mt_lens *
mt_lens_new(const mt_model *model, const mt_trace *trace, mt_stack stack,
            bool (*should_stop)(void *user), void *user, mt_error *error)
{
  const size_t n = mt_point_count(&model->config, stack);
  mt_lens *lens = mt_alloc(1, sizeof *lens);
  mt_matrix *states = mt_alloc(n, sizeof *states);
  bool ok = lens && states;
  if (!ok)
    mt_fail_no_memory(error);
  ok = ok && find_states(model, trace, stack, states, n, error);
  if (ok) {
    lens->n_points = n;
    lens->n_tokens = states[0].rows;
    ok = fill(lens, model, states, stack, should_stop, user, error);
  }
  mt_free(states);
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

const mt_lens_cell *
mt_lens_get(const mt_lens *lens, size_t point, size_t token)
{
  return &lens->cells[point * lens->n_tokens + token];
}

size_t
mt_lens_best(const mt_model *model, const mt_trace *trace, mt_point point, size_t token, size_t n,
             int32_t *pieces, float *probabilities)
{
  mt_matrix states = mt_stream_at(trace, point);
  size_t count = 0;
  unembedding m;
  if (!states.data || token >= states.rows || states.cols != model->config.d_model)
    return 0;
  bool ok = unembedding_init(&m, model, point.stack, 1, 1);
  n = at_most(n, m.vocab);
  mt_ranked *best = mt_alloc(n, sizeof *best);
  if (ok && best) {
    unembedding_take(&m, 0, states.data + token * states.stride);
    unembedding_speak(&m, 1);
    for (size_t i = 0; i < m.vocab; i++)
      count = ranking_add(best, count, n, i, m.logits[i]);
    m.ops.kernels->softmax(m.logits, m.vocab);
    for (size_t i = 0; i < count; i++) {
      pieces[i] = (int32_t) best[i].index;
      if (probabilities)
        probabilities[i] = m.logits[best[i].index];
    }
  }
  mt_free(best);
  unembedding_clear(&m);
  return count;
}

/* ---- Neurons --------------------------------------------------------------------------------- */

/* What the neurons of a feed-forward network do, and say.
 *
 * A neuron writes its column of the second map to the stream, as often as it is active; through the
 * output matrix that raises some pieces and lowers others (Geva 2022). */

static mt_matrix
hidden_of(const mt_trace *trace, mt_stack stack, size_t layer)
{
  return mt_trace_get(trace, MT_HOOK_HIDDEN, mt_stack_kind(stack), (int) layer, -1);
}

double
mt_neurons_active(const mt_trace *trace, mt_stack stack, size_t layer, size_t token)
{
  mt_matrix hidden = hidden_of(trace, stack, layer);
  size_t n = 0;
  if (!hidden.data || token >= hidden.rows)
    return NAN;
  for (size_t i = 0; i < hidden.cols; i++)
    n += fabsf(mt_matrix_at(&hidden, token, i)) > 1e-6f;
  return (double) n / (double) hidden.cols;
}

size_t
mt_neurons_strongest(const mt_trace *trace, mt_stack stack, size_t layer, size_t token, size_t n,
                     mt_neuron *out)
{
  mt_matrix hidden = hidden_of(trace, stack, layer);
  size_t found = 0;
  if (!hidden.data || token >= hidden.rows)
    return 0;
  for (size_t i = 0; i < hidden.cols; i++) {
    const float a = mt_matrix_at(&hidden, token, i);
    size_t at = found;
    while (at > 0 && fabsf(a) > fabsf(out[at - 1].activation))
      at--;
    if (at >= n)
      continue;
    found = found < n ? found + 1 : n;
    memmove(out + at + 1, out + at, (found - 1 - at) * sizeof *out);
    out[at] = (mt_neuron){i, a};
  }
  return found;
}

/* Puts a piece into a list of the n largest (of sign times logit). */
static size_t
insert(mt_neuron_piece *list, size_t found, size_t n, mt_neuron_piece piece, float sign)
{
  size_t at = found;
  while (at > 0 && sign * piece.logit > sign * list[at - 1].logit)
    at--;
  if (at >= n)
    return found;
  found = found < n ? found + 1 : n;
  memmove(list + at + 1, list + at, (found - 1 - at) * sizeof *list);
  list[at] = piece;
  return found;
}

size_t
mt_neuron_says(const mt_model *model, mt_stack stack, size_t layer, size_t neuron, size_t n,
               mt_neuron_piece *raised, mt_neuron_piece *lowered)
{
  const float *bias;
  if (layer >= model->config.n_layers[stack])
    return 0;
  mt_matrix back = mt_model_feed_forward_map(model, stack, layer, MT_MAP_BACK, &bias);
  mt_matrix out = stack == MT_STACK_DECODER ? mt_model_output_map(model, &bias)
                                            : mt_model_embedding(model, stack);
  const double scale = stack == MT_STACK_DECODER ? model->config.output_scale : 1;
  size_t found = 0, low = 0;
  if (neuron >= back.cols)
    return 0;
  for (size_t v = 0; v < out.rows; v++) {
    double logit = 0;
    for (size_t i = 0; i < out.cols; i++)
      logit += (double) mt_matrix_at(&out, v, i) * mt_matrix_at(&back, i, neuron);
    const mt_neuron_piece piece = {(int32_t) v, (float) (scale * logit)};
    found = insert(raised, found, n, piece, 1);
    low = insert(lowered, low, n, piece, -1);
  }
  return found;
}

/* ---- Neighbours ------------------------------------------------------------------------------ */

/* Which pieces have embeddings like that of a piece. */

size_t
mt_embedding_nearest(const mt_model *model, mt_stack stack, int32_t piece, size_t n,
                     mt_neighbour *out)
{
  mt_matrix table = mt_model_embedding(model, stack);
  size_t count = 0;
  if (piece < 0 || (size_t) piece >= table.rows)
    return 0;
  n = n < table.rows ? n : table.rows;
  mt_ranked *list = mt_alloc(n, sizeof *list);
  const float *own = table.data + (size_t) piece * table.stride;
  for (size_t v = 0; list && v < table.rows; v++) {
    const float *row = table.data + v * table.stride;
    double dot = 0, a = 0, b = 0;
    for (size_t i = 0; i < table.cols; i++) {
      dot += (double) own[i] * row[i];
      a += (double) own[i] * own[i];
      b += (double) row[i] * row[i];
    }
    if (v != (size_t) piece && a > 0 && b > 0)
      count = ranking_add(list, count, n, v, (float) (dot / sqrt(a * b)));
  }
  for (size_t i = 0; i < count; i++)
    out[i] = (mt_neighbour){(int32_t) list[i].index, list[i].score};
  mt_free(list);
  return count;
}
