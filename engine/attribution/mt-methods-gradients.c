/* mt-methods-gradients.c — methods of attribution by derivatives: the gradient of one word, back
 * through the trace of a pass, and what gradient times input, integrated gradients and Chefer's
 * relevance make of it.
 *
 * The trainer's backward (engine/train) is for weights: of a network of its own shape, which has
 * them once more. Here only states change, so the pass that the engine has just made is gone
 * through from its end, whatever the model is like. Letters as in engine/README.md; a derivative by
 * x is called d_x.
 *
 *     y = W x + b              d_x = d_y W
 *     norm, activation         kernels/mt-kinds.h
 *     A = softmax(s)           d_s = A (d_A - sum_j A_j d_A_j)
 *     context = A v            d_A = d_context v^T,  d_v = A^T d_context
 *     s = q k^T / r            d_q = d_s k / r,  d_k = d_s^T q / r,  r = sqrt(d_head)
 *
 * Changes that mt_interventions_check_explained allows are part of the pass: a head that is off or
 * scaled (context' = c context, d_context = c d_context'), scores that are level (d_s = 0), keys
 * that are hidden (A = 0, and so d_s = 0).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution.h"
#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Room for passes back through one trace after the other. */
typedef struct mt_backward mt_backward;

/* Of what the derivative is. */
typedef enum { MT_OF_LOGPROB, MT_OF_LOGIT } mt_backward_of;

/* Weights of one head, [rows][keys], and their derivatives; both are contiguous. */
typedef struct {
  mt_attention_kind kind;
  size_t layer, head, rows, keys;
  const float *weights, *derivatives;
} mt_backward_head;

struct mt_backward {
  const mt_model *model;
  const mt_ops *ops;
  const mt_trace *trace;
  const mt_interventions *interventions; /* that it was made with */
  size_t n_source, n_target, d;
  /* Of the stack that is gone through; rows of the longer one. */
  mt_stack stack;
  size_t n;                           /* rows */
  float *d_stream, *d_x, *d_f;        /* [n][d] */
  float *x;                           /* [n][d]: what a sub-layer read */
  float *d_context, *d_q, *d_k, *d_v; /* [n][inner]; keys of cross-attention: [n_source][inner] */
  float *d_hidden, *z;                /* [n][d_ffn] */
  float *f_z, *gate;                  /* [n][d_ffn] of gated networks; else NULL */
  float *a, *d_a, *turned;            /* [queries][keys] */
  float *d_memory;                    /* [n_source][d]: by the encoder's output */
  float *logits;                      /* [V] */
  float *embedding[MT_N_STACKS];      /* [n_source][d], [t + 1][d] of the newest run, the result */
  void (*on_head)(void *user, const mt_backward_head *head);
  void *user;
};

static void
backward_free(mt_backward *b)
{
  if (!b)
    return;
  float *all[] = {
      b->a,      b->d_stream,     b->d_x,          b->d_f, b->d_context, b->x,      b->d_q,
      b->d_k,    b->d_v,          b->d_hidden,     b->z,   b->d_a,       b->turned, b->d_memory,
      b->logits, b->embedding[0], b->embedding[1], b->f_z, b->gate};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    mt_free(all[i]);
  mt_free(b);
}

static mt_backward *
backward_new(const mt_attribution_work *work, mt_error *error)
{
  const mt_config *config = &work->model->config;
  const size_t s = work->n_source, t = work->n_target, d = work->d, n = s > t ? s : t;
  const size_t d_ffn = config->d_ffn[0] > config->d_ffn[1] ? config->d_ffn[0] : config->d_ffn[1];
  mt_backward *b = mt_alloc(1, sizeof *b);
  if (!b)
    return mt_fail_no_memory(error), NULL;

  *b = (mt_backward){.model = work->model,
                     .ops = &work->session->ops,
                     .interventions = work->hooks.interventions,
                     .n_source = s,
                     .n_target = t,
                     .d = d};
  float **rows[] = {&b->d_stream, &b->d_x, &b->d_f, &b->x};
  float **of_heads[] = {&b->d_context, &b->d_q, &b->d_k, &b->d_v};
  bool ok = true;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ok = (*rows[i] = mt_alloc(n * d, sizeof(float))) && ok;
    ok = (*of_heads[i] = mt_alloc(n * mt_most_inner(config), sizeof(float))) && ok;
  }
  b->d_hidden = mt_alloc(n * d_ffn, sizeof(float));
  b->z = mt_alloc(n * d_ffn, sizeof(float));
  if (config->feed_forward_kind == MT_FEED_FORWARD_GATED) {
    b->f_z = mt_alloc(n * d_ffn, sizeof(float));
    b->gate = mt_alloc(n * d_ffn, sizeof(float));
    ok = ok && b->f_z && b->gate;
  }
  b->a = mt_alloc(n * n, sizeof(float));
  b->d_a = mt_alloc(n * n, sizeof(float));
  b->turned = mt_alloc(n * n, sizeof(float));
  b->d_memory = mt_alloc(s * d, sizeof(float));
  b->logits = mt_alloc(work->model->output.n_out, sizeof(float));
  b->embedding[MT_STACK_ENCODER] = mt_alloc(s * d, sizeof(float));
  b->embedding[MT_STACK_DECODER] = mt_alloc(t * d, sizeof(float));
  if (ok && b->d_hidden && b->z && b->a && b->d_a && b->turned && b->d_memory && b->logits &&
      b->embedding[0] && b->embedding[1])
    return b;
  backward_free(b);
  mt_fail_no_memory(error);
  return NULL;
}

static void
norm_rows(const mt_backward *b, float *out, mt_matrix u, const float *d_y,
          const mt_norm_weights *norm, bool adds)
{
  for (size_t r = 0; r < b->n; r++)
    mt_norm_back(&b->model->config, out + r * b->d, u.data + r * u.stride, d_y + r * b->d,
                 norm->gain, adds);
}

/* ---- The feed-forward network ---------------------------------------------------------------- */

/* d_x of d_f, of a gated network: hidden = f(z) gate, and so d_z = d_hidden gate f'(z) and
 * d_gate = d_hidden f(z). */
static void
gated_feed_forward(const mt_backward *b, const mt_ffn_weights *ffn)
{
  const size_t n = b->n * ffn->fc1.n_out;
  const mt_activation activation = b->model->config.activation;
  mt_ops_linear_back(b->ops, b->d_hidden, b->d_f, b->n, &ffn->fc2, false);
  mt_ops_linears(b->ops, (float *const[]){b->z, b->gate}, b->x, b->n,
                 (const mt_linear *const[]){&ffn->fc1, &ffn->gate}, 2);
  memcpy(b->f_z, b->z, n * sizeof *b->f_z);
  mt_ops_activate_rows(b->ops, b->f_z, b->n, ffn->fc1.n_out, activation);
  for (size_t i = 0; i < n; i++) {
    const float d_hidden = b->d_hidden[i];
    b->d_hidden[i] = d_hidden * b->gate[i];
    b->gate[i] = d_hidden * b->f_z[i];
  }
  mt_activate_back(activation, b->d_hidden, b->z, b->f_z, n);
  mt_ops_linear_back(b->ops, b->d_x, b->d_hidden, b->n, &ffn->fc1, false);
  mt_ops_linear_back(b->ops, b->d_x, b->gate, b->n, &ffn->gate, true);
}

/* d_x of d_f. */
static void
feed_forward(const mt_backward *b, mt_point point)
{
  const mt_ffn_weights *ffn = &b->model->stacks[point.stack].layers[point.layer].ffn;
  mt_matrix hidden = mt_trace_get(b->trace, MT_HOOK_HIDDEN, mt_point_kind(point), point.layer, -1);
  const mt_config *config = &b->model->config;
  switch (config->feed_forward_kind) {
  case MT_FEED_FORWARD_PLAIN:
    mt_ops_linear_back(b->ops, b->d_hidden, b->d_f, b->n, &ffn->fc2, false);
    if (mt_activation_needs_input(config->activation))
      mt_ops_linear(b->ops, b->z, b->x, b->n, &ffn->fc1);
    mt_activate_back(config->activation, b->d_hidden, b->z, hidden.data, b->n * hidden.cols);
    mt_ops_linear_back(b->ops, b->d_x, b->d_hidden, b->n, &ffn->fc1, false);
    break;
  case MT_FEED_FORWARD_GATED:
    gated_feed_forward(b, ffn);
    break;
  }
}

/* ---- Attention ------------------------------------------------------------------------------- */

/* turned [cols][rows] = m^T */
static void
turn(const mt_backward *b, const float *m, size_t rows, size_t cols)
{
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++)
      b->turned[j * rows + i] = m[i * cols + j];
}

static void
show(const mt_backward *b, mt_attention_kind kind, size_t layer, size_t h, size_t n_keys)
{
  const mt_backward_head head = {.kind = kind,
                                 .layer = layer,
                                 .head = h,
                                 .rows = b->n,
                                 .keys = n_keys,
                                 .weights = b->a,
                                 .derivatives = b->d_a};
  if (b->on_head)
    b->on_head(b->user, &head);
}

/* d_a becomes d_s: derivatives by scores, with their scale. */
static void
softmax(const mt_backward *b, size_t n_keys, float scale)
{
  for (size_t i = 0; i < b->n; i++) {
    const float *a = b->a + i * n_keys;
    float *d_a = b->d_a + i * n_keys;
    double sum = 0;
    for (size_t j = 0; j < n_keys; j++)
      sum += (double) a[j] * d_a[j];
    for (size_t j = 0; j < n_keys; j++)
      d_a[j] = scale * a[j] * (float) (d_a[j] - sum);
  }
}

/* A context that is 0, or a multiple, has a derivative that is so: both are their own transpose. */
static void
change_context(const mt_backward *b, mt_attention_kind kind, size_t layer, size_t h,
               float *d_context, size_t d_head, size_t inner)
{
  mt_attribution_change(b->model, b->interventions, MT_HOOK_CONTEXT, kind, layer, h, 0, d_context,
                        b->n, d_head, inner);
}

/* Scores that were made 0 do not come from queries and keys any more, and so the same makes their
 * derivatives 0. Those of hidden keys, which have no weight, were 0 and are so again. */
static void
change_scores(const mt_backward *b, mt_attention_kind kind, size_t layer, size_t h, size_t n_keys)
{
  mt_attribution_change(b->model, b->interventions, MT_HOOK_SCORES, kind, layer, h, 0, b->d_a, b->n,
                        n_keys, n_keys);
  for (size_t i = 0; i < b->n * n_keys; i++)
    if (b->d_a[i] == -INFINITY)
      b->d_a[i] = 0;
}

/* One head's columns of d_q, d_k and d_v. */
static void
head(const mt_backward *b, mt_attention_kind kind, size_t layer, size_t h, size_t n_keys)
{
  const int l = (int) layer, i_head = (int) h;
  mt_matrix a = mt_trace_get(b->trace, MT_HOOK_WEIGHTS, kind, l, i_head);
  mt_matrix q = mt_trace_get(b->trace, MT_HOOK_QUERY, kind, l, i_head);
  mt_matrix k = mt_trace_get(b->trace, MT_HOOK_KEY, kind, l, i_head);
  mt_matrix v = mt_trace_get(b->trace, MT_HOOK_VALUE, kind, l, i_head);
  const size_t d_head = q.cols, at = h * d_head, n = b->n;
  const size_t inner = mt_inner(&b->model->config, mt_kind_stack(kind));
  for (size_t i = 0; i < n; i++)
    memcpy(b->a + i * n_keys, a.data + i * a.stride, n_keys * sizeof *b->a);
  change_context(b, kind, layer, h, b->d_context + at, d_head, inner);
  mt_ops_query_key(b->ops, b->d_a, b->d_context + at, inner, v.data, v.stride, n, n_keys, d_head,
                   1);
  show(b, kind, layer, h, n_keys);
  turn(b, b->a, n, n_keys);
  mt_ops_weights_value(b->ops, b->d_v + at, inner, b->turned, b->d_context + at, inner, n_keys, n,
                       d_head);
  softmax(b, n_keys, 1 / (float) b->model->config.score_divisor[mt_kind_stack(kind)]);
  change_scores(b, kind, layer, h, n_keys);
  mt_ops_weights_value(b->ops, b->d_q + at, inner, b->d_a, k.data, k.stride, n, n_keys, d_head);
  turn(b, b->d_a, n, n_keys);
  mt_ops_weights_value(b->ops, b->d_k + at, inner, b->turned, q.data, q.stride, n_keys, n, d_head);
}

/* d_x of d_f; of cross-attention, d_memory too. */
static void
attention(const mt_backward *b, mt_point point)
{
  const mt_attention_kind kind = mt_point_kind(point);
  const mt_layer_weights *layer = &b->model->stacks[point.stack].layers[point.layer];
  const bool crosses = kind == MT_CROSS;
  const mt_attention_weights *w = mt_layer_attention(layer, kind);
  const size_t n_keys = crosses ? b->n_source : b->n;
  mt_ops_linear_back(b->ops, b->d_context, b->d_f, b->n, &w->out, false);
  for (size_t h = 0; h < b->model->config.n_heads[point.stack]; h++)
    head(b, kind, (size_t) point.layer, h, n_keys);
  mt_ops_linear_back(b->ops, b->d_x, b->d_q, b->n, &w->q, false);
  float *d_keys = crosses ? b->d_memory : b->d_x;
  mt_ops_linear_back(b->ops, d_keys, b->d_k, n_keys, &w->k, true);
  mt_ops_linear_back(b->ops, d_keys, b->d_v, n_keys, &w->v, true);
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

/* What the network of a feed-forward sub-layer read. */
static void
read_again(const mt_backward *b, mt_point point, const mt_norm_weights *norm)
{
  mt_matrix before = mt_stream_before(b->model, b->trace, point);
  for (size_t r = 0; r < b->n; r++) {
    const float *row = before.data + r * before.stride;
    if (b->model->config.normalize_before)
      mt_norm_row(&b->model->config, b->ops->kernels, b->x + r * b->d, row, norm->gain, norm->bias);
    else
      memcpy(b->x + r * b->d, row, b->d * sizeof *row);
  }
}

/* d_stream behind the sub-layer becomes that before it. */
static void
sub_layer(const mt_backward *b, mt_point point)
{
  mt_norm_weights norm = {0};
  const bool is_pre = b->model->config.normalize_before;
  const bool is_network = point.sub_layer == MT_SUB_LAYER_FEED_FORWARD;
  const size_t size = b->n * b->d;
  mt_matrix u = mt_stream_norm_input(b->trace, point);
  mt_point_norm(b->model, point, &norm.gain, &norm.bias);
  if (!is_pre)
    norm_rows(b, b->d_stream, u, b->d_stream, &norm, false);
  memcpy(b->d_f, b->d_stream, size * sizeof *b->d_f);
  if (is_network) {
    read_again(b, point, &norm);
    feed_forward(b, point);
  } else {
    attention(b, point);
  }
  if (is_pre)
    norm_rows(b, b->d_stream, u, b->d_x, &norm, true);
  else
    mt_ops_add(b->d_stream, b->d_x, size);
}

/* The norm behind the embedding, which read token and position, if that is added. */
static void
embedding_norm(const mt_backward *b, const mt_norm_weights *norm)
{
  const mt_attention_kind kind = mt_stack_kind(b->stack);
  mt_matrix token = mt_trace_get(b->trace, MT_HOOK_EMBEDDING, kind, -1, -1);
  mt_matrix position = mt_trace_get(b->trace, MT_HOOK_POSITION, kind, -1, -1);
  for (size_t r = 0; r < b->n; r++)
    for (size_t i = 0; i < b->d; i++)
      b->x[r * b->d + i] =
          mt_matrix_at(&token, r, i) + (position.data ? mt_matrix_at(&position, r, i) : 0);
  norm_rows(b, b->d_stream, (mt_matrix){b->x, b->n, b->d, b->d}, b->d_stream, norm, false);
}

/* d_stream at the end of a stack of n rows becomes d_embedding. */
static void
run_stack(mt_backward *b, mt_stack stack, size_t n)
{
  const mt_stack_weights *weights = &b->model->stacks[stack];
  const mt_config *config = &b->model->config;
  const size_t last = mt_point_count(config, stack) - 1;
  b->stack = stack;
  b->n = n;
  if (weights->final_norm.gain)
    norm_rows(b, b->d_stream, mt_stream_at(b->trace, mt_point_at(config, stack, last)), b->d_stream,
              &weights->final_norm, false);
  for (size_t i = last; i > 0; i--)
    sub_layer(b, mt_point_at(config, stack, i));
  if (weights->embedding_norm.gain)
    embedding_norm(b, &weights->embedding_norm);
  memcpy(b->embedding[stack], b->d_stream, n * b->d * sizeof *b->d_stream);
}

/* ---- The word -------------------------------------------------------------------------------- */

/* d_stream [d] of its row: of the logit the row of the output matrix; of log p that less the mean
 * of all rows by their probabilities. */
static void
begin(mt_backward *b, size_t t, mt_backward_of of)
{
  const mt_linear *output = &b->model->output;
  const size_t word = (size_t) mt_tokens_get(mt_trace_output(b->trace), t)->id;
  float *d_row = b->d_stream + t * b->d;
  mt_matrix h = mt_trace_get(b->trace, MT_HOOK_STACK_OUTPUT, MT_DECODER_SELF, -1, -1);
  const float scale = b->model->config.output_scale;
  memset(b->d_stream, 0, (t + 1) * b->d * sizeof *b->d_stream);
  if (of == MT_OF_LOGPROB) {
    for (size_t i = 0; i < b->d; i++)
      b->x[i] = scale * mt_matrix_at(&h, t, i);
    mt_ops_linear(b->ops, b->logits, b->x, 1, output);
    mt_model_leave_out(b->model, b->logits);
    b->ops->kernels->softmax(b->logits, output->n_out);
    for (size_t i = 0; i < output->n_out; i++)
      b->logits[i] = -b->logits[i];
    b->logits[word] += 1;
    mt_ops_linear_back(b->ops, d_row, b->logits, 1, output, false);
  } else {
    if (output->halves)
      mt_halves_read(output->halves, word * b->d, b->d, d_row);
    else
      memcpy(d_row, output->weight + word * b->d, b->d * sizeof *d_row);
  }
  for (size_t i = 0; i < b->d; i++)
    d_row[i] *= scale;
}

/* Of output token t, in the pass of `trace`. The derivatives by the embeddings, as they are scaled,
 * are in b->embedding then. on_head, unless it is NULL, is called for each head, the last
 * layers first; decoder rows behind t, on which the word does not depend, are not among the rows.
 */
static void
backward_run(mt_backward *b, const mt_trace *trace, size_t t, mt_backward_of of,
             void (*on_head)(void *user, const mt_backward_head *head), void *user)
{
  assert(t < b->n_target);
  b->trace = trace;
  b->on_head = on_head;
  b->user = user;
  memset(b->d_memory, 0, b->n_source * b->d * sizeof *b->d_memory);
  begin(b, t, of);
  run_stack(b, MT_STACK_DECODER, t + 1);
  memcpy(b->d_stream, b->d_memory, b->n_source * b->d * sizeof *b->d_stream);
  run_stack(b, MT_STACK_ENCODER, b->n_source);
}

/* ---- Gradient times input -------------------------------------------------------------------- */

/* Gradient times input: the derivative of log p of the word by the
 * embedding of a token, times the embedding (Denil et al. 2014; Shrikumar et al. 2017). What log p
 * would lose without the token if it were linear. */

/* out [n] += weight * x_j · gradient_j. x is that of the whole sentence. */
static void
add(const mt_attribution_work *work, const mt_backward *b, mt_stack stack, size_t n, double weight,
    double *out)
{
  const mt_attention_kind kind = mt_stack_kind(stack);
  mt_matrix x = mt_trace_get(work->trace, MT_HOOK_EMBEDDING, kind, -1, -1);
  const float *gradient = b->embedding[stack];
  for (size_t j = 0; j < n; j++) {
    double sum = 0;
    for (size_t i = 0; i < work->d; i++)
      sum += (double) gradient[j * work->d + i] * mt_matrix_at(&x, j, i);
    out[j] += weight * sum;
  }
}

/* Numbers of a row, summed over the points of a path. */
typedef struct {
  double *source, *prefix; /* [rows][n_source], [rows][n_target] */
  size_t point, n_points;
} path;

/* Every word, in the pass of a trace at one point of the path. */
static bool
add_words(mt_attribution_work *work, mt_backward *b, const mt_trace *trace, const path *to,
          double weight, mt_error *error)
{
  for (size_t r = 0; r < work->rows; r++) {
    const size_t t = work->first + r;
    const double share = (double) to->point + (double) r / (double) work->rows;
    if (!mt_attribution_goes_on(work, share / (double) to->n_points, error))
      return false;
    backward_run(b, trace, t, MT_OF_LOGPROB, NULL, NULL);
    add(work, b, MT_STACK_ENCODER, work->n_source, weight, to->source + r * work->n_source);
    add(work, b, MT_STACK_DECODER, t + 1, weight, to->prefix + r * work->n_target);
  }
  return true;
}

/* Adds what there is at the point that the path has come to. */
typedef bool (*add_point)(mt_attribution_work *work, mt_backward *b, const path *to,
                          mt_error *error);

static bool
run_path(mt_attribution_work *work, const mt_attribution_rows *out, size_t n_points,
         add_point add_here, mt_error *error)
{
  const size_t n_source = work->rows * work->n_source, n_prefix = work->rows * work->n_target;
  double *sums = mt_alloc(n_source + n_prefix, sizeof *sums);
  mt_backward *b = backward_new(work, error);
  path to = {.source = sums, .prefix = sums + n_source, .n_points = n_points};
  bool ok = b && (sums || mt_fail_no_memory(error));
  for (; ok && to.point < n_points; to.point++)
    ok = add_here(work, b, &to, error);
  for (size_t i = 0; ok && i < n_source; i++)
    out->source[i] = (float) to.source[i];
  for (size_t i = 0; ok && i < n_prefix; i++)
    out->prefix[i] = (float) to.prefix[i];
  backward_free(b);
  mt_free(sums);
  return ok;
}

static bool
add_sentence(mt_attribution_work *work, mt_backward *b, const path *to, mt_error *error)
{
  return add_words(work, b, work->trace, to, 1, error);
}

static bool
run(mt_attribution_work *work, const mt_attribution_rows *out, mt_error *error)
{
  return run_path(work, out, 1, add_sentence, error);
}

const mt_method mt_method_gradient_input = {
    .about = {.id = "gradient-input",
              .name = "Gradient × input",
              .source = "Denil et al. 2014; Shrikumar et al. 2017",
              .gives =
                  "derivative of log p of the word by the token's embedding, times it, in nats",
              .needs_gradient = true,
              .is_signed = true,
              .sum = MT_ATTRIBUTION_FREE},
    .needs_all = true,
    .run = run,
};

/* ---- Integrated gradients -------------------------------------------------------------------- */

/* Gradients along a path from nothing to the sentence:
 *
 *     x_j · integral over a in 0..1 of d log p(y_t; a x) / d (a x_j)
 *
 * (Sundararajan et al. 2017, equation 1). All embeddings, of source and prefix, are 0 at the
 * beginning of the path and what they are at its end; positions stay. The integral is a sum over
 * points of Gauss and Legendre. Numbers of a row add up to log p less that at the beginning
 * ("completeness", proposition 1), but for what lies between the points. */

#define STEPS 50

/* Point i of n on 0..1 and its weight: a zero of the Legendre polynomial P_n by Newton's method. */
static void
legendre(size_t i, size_t n, double *point, double *weight)
{
  double x = cos(acos(-1.0) * ((double) i + 0.75) / ((double) n + 0.5)), slope = 1;
  for (int step = 0; step < 100; step++) {
    double p = 1, before = 0;
    for (size_t k = 0; k < n; k++) {
      const double next = ((2 * (double) k + 1) * x * p - (double) k * before) / ((double) k + 1);
      before = p;
      p = next;
    }
    slope = (double) n * (x * p - before) / (x * x - 1);
    const double move = p / slope;
    x -= move;
    if (fabs(move) < 1e-15)
      break;
  }
  *point = (1 + x) / 2;
  *weight = 1 / ((1 - x * x) * slope * slope);
}

static bool
add_shrunk(mt_attribution_work *work, mt_backward *b, const path *to, mt_error *error)
{
  double point, weight;
  legendre(to->point, to->n_points, &point, &weight);
  const mt_embedding_scale scale = {(float) point, 0, MT_STACK_ENCODER, SIZE_MAX};
  mt_trace *trace = mt_attribution_trace(work, &scale, error);
  bool ok = trace && add_words(work, b, trace, to, weight, error);
  mt_trace_unref(trace);
  return ok;
}

static bool
fill_differences(mt_attribution_work *work, float *out, mt_error *error)
{
  const mt_embedding_scale whole = {1, 1, MT_STACK_ENCODER, SIZE_MAX};
  const mt_embedding_scale nothing = {0, 0, MT_STACK_ENCODER, SIZE_MAX};
  float *one = mt_alloc(work->n_target, sizeof *one), *zero = mt_alloc(work->n_target, sizeof *one);
  bool ok = ((one && zero) || mt_fail_no_memory(error)) &&
            mt_attribution_score(work, &whole, one, error) &&
            mt_attribution_score(work, &nothing, zero, error);
  for (size_t r = 0; ok && r < work->rows; r++)
    out[r] = one[work->first + r] - zero[work->first + r];
  mt_free(one);
  mt_free(zero);
  return ok;
}

static bool
run_integrated(mt_attribution_work *work, const mt_attribution_rows *out, mt_error *error)
{
  return run_path(work, out, work->params.n_steps ? work->params.n_steps : STEPS, add_shrunk,
                  error) &&
         fill_differences(work, out->differences, error);
}

const mt_method mt_method_integrated_gradients = {
    .about = {.id = "integrated-gradients",
              .name = "Integrated gradients",
              .source = "Sundararajan et al. 2017, equation 1",
              .gives = "the token's part in log p of the word less that with all embeddings at 0, "
                       "in nats",
              .needs_gradient = true,
              .is_signed = true,
              .sum = MT_ATTRIBUTION_DIFFERENCE},
    .needs_all = true,
    .run = run_integrated,
};

/* ---- Relevance by weights and gradients ------------------------------------------------------ */

/* Relevance by weights and their gradients, for models with two stacks:
 *
 *     A' = mean_h (dA ⊙ A)+                    dA: derivative of the word's logit by A
 *     encoder          R_ii += A' R_ii
 *     decoder, self    R_qq += A' R_qq,  R_qi += A' R_qi
 *     cross            R_qi += N(R_qq)^T A' N(R_ii)
 *     N(R) = (R - I) / row sum + I
 *
 * from R_ii = I, R_qq = I, R_qi = 0 (Chefer, Gur & Wolf 2021, arXiv 2103.15679, equations 5 to 11).
 * The row of R_qi, and of R_qq - I, that predicts the word. For every word it is another pass back.
 */

typedef struct {
  size_t n_source, n; /* n: decoder rows, up to the word's */
  const size_t *n_layers, *n_heads;
  size_t most;
  float *a[MT_N_KINDS]; /* [layers][queries][keys] A' of each kind */
  double *ii, *qq, *qi, *room, *scaled;
} relevance;

static size_t
queries(const relevance *r, mt_attention_kind kind)
{
  return kind == MT_ENCODER_SELF ? r->n_source : r->n;
}

static size_t
keys(const relevance *r, mt_attention_kind kind)
{
  return kind == MT_DECODER_SELF ? r->n : r->n_source;
}

static float *
layer_of(const relevance *r, mt_attention_kind kind, size_t layer)
{
  return r->a[kind] + layer * queries(r, kind) * keys(r, kind);
}

static void
add_head(void *user, const mt_backward_head *head)
{
  const relevance *r = user;
  const float n_heads = (float) r->n_heads[mt_kind_stack(head->kind)];
  float *out = layer_of(r, head->kind, head->layer);
  for (size_t i = 0; i < head->rows * head->keys; i++) {
    const float product = head->weights[i] * head->derivatives[i];
    out[i] += product > 0 ? product / n_heads : 0;
  }
}

/* room [rows][cols] = a [rows][inner] b [inner][cols]; then to += room. */
static void
add_product(const relevance *r, double *to, const float *a, const double *b, size_t rows,
            size_t inner, size_t cols)
{
  memset(r->room, 0, rows * cols * sizeof *r->room);
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < inner; k++)
      for (size_t j = 0; a[i * inner + k] != 0 && j < cols; j++)
        r->room[i * cols + j] += a[i * inner + k] * b[k * cols + j];
  for (size_t i = 0; i < rows * cols; i++)
    to[i] += r->room[i];
}

/* N(R); a row that has nothing but itself stays so. */
static void
normalise(const double *in, double *out, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    double sum = -1;
    for (size_t j = 0; j < n; j++)
      sum += in[i * n + j];
    for (size_t j = 0; j < n; j++)
      out[i * n + j] = (sum > 0 ? (in[i * n + j] - (i == j)) / sum : 0) + (i == j);
  }
}

/* R_qi += N(R_qq)^T A' N(R_ii) */
static void
add_cross(const relevance *r, const float *a)
{
  const size_t n = r->n, s = r->n_source;
  double *right = r->scaled, *left = right + s * s, *product = left + n * n;
  normalise(r->ii, right, s);
  normalise(r->qq, left, n);
  memset(product, 0, n * s * sizeof *product);
  add_product(r, product, a, right, n, s, s);
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; left[k * n + i] != 0 && j < s; j++)
        r->qi[i * s + j] += left[k * n + i] * product[k * s + j];
}

static void
compose(relevance *r)
{
  const size_t n = r->n, s = r->n_source;
  memset(r->ii, 0, s * s * sizeof *r->ii);
  memset(r->qq, 0, n * n * sizeof *r->qq);
  memset(r->qi, 0, n * s * sizeof *r->qi);
  for (size_t i = 0; i < s; i++)
    r->ii[i * s + i] = 1;
  for (size_t i = 0; i < n; i++)
    r->qq[i * n + i] = 1;
  for (size_t l = 0; l < r->n_layers[MT_STACK_ENCODER]; l++)
    add_product(r, r->ii, layer_of(r, MT_ENCODER_SELF, l), r->ii, s, s, s);
  for (size_t l = 0; l < r->n_layers[MT_STACK_DECODER]; l++) {
    const float *self = layer_of(r, MT_DECODER_SELF, l);
    add_product(r, r->qq, self, r->qq, n, n, n);
    add_product(r, r->qi, self, r->qi, n, n, s);
    add_cross(r, layer_of(r, MT_CROSS, l));
  }
}

static bool
reserve(relevance *r, const mt_attribution_work *work, mt_error *error)
{
  const size_t s = work->n_source, t = work->n_target, longest = s > t ? s : t;
  const mt_config *config = &work->model->config;
  r->n_layers = config->n_layers;
  r->n_heads = config->n_heads;
  r->n_source = s;
  r->a[MT_ENCODER_SELF] = mt_alloc(config->n_layers[0] * s * s, sizeof(float));
  r->a[MT_DECODER_SELF] = mt_alloc(config->n_layers[1] * t * t, sizeof(float));
  r->a[MT_CROSS] = mt_alloc(config->n_layers[1] * t * s, sizeof(float));
  r->ii = mt_alloc(2 * (s * s + t * t + t * s) + longest * longest, sizeof *r->ii);
  if (!r->a[0] || !r->a[1] || !r->a[2] || !r->ii)
    return mt_fail_no_memory(error);
  r->qq = r->ii + s * s;
  r->qi = r->qq + t * t;
  r->scaled = r->qi + t * s;
  r->room = r->scaled + s * s + t * t + t * s;
  return true;
}

/* One word. */
static void
run_word(relevance *r, const mt_attribution_work *work, mt_backward *b, size_t t)
{
  r->n = t + 1;
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    memset(r->a[kind], 0,
           r->n_layers[mt_kind_stack(kind)] * queries(r, kind) * keys(r, kind) * sizeof(float));
  backward_run(b, work->trace, t, MT_OF_LOGIT, add_head, r);
  compose(r);
}

static bool
run_chefer(mt_attribution_work *work, const mt_attribution_rows *out, mt_error *error)
{
  relevance r = {0};
  mt_backward *b = backward_new(work, error);
  bool ok = b && reserve(&r, work, error);
  for (size_t row = 0; ok && row < work->rows; row++) {
    const size_t t = work->first + row, s = work->n_source;
    ok = mt_attribution_goes_on(work, (double) row / (double) work->rows, error);
    if (!ok)
      break;
    run_word(&r, work, b, t);
    for (size_t j = 0; j < s; j++)
      out->source[row * s + j] = (float) r.qi[t * s + j];
    for (size_t j = 0; j <= t; j++)
      out->prefix[row * work->n_target + j] = (float) (r.qq[t * (t + 1) + j] - (j == t));
  }
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    mt_free(r.a[kind]);
  mt_free(r.ii);
  backward_free(b);
  return ok;
}

const mt_method mt_method_chefer = {
    .about = {.id = "chefer",
              .name = "Chefer",
              .source = "Chefer, Gur & Wolf 2021, arXiv 2103.15679, equations 5 to 11",
              .gives = "relevance by weights times the gradient of the word's logit, of all layers",
              .needs_gradient = true,
              .sum = MT_ATTRIBUTION_FREE},
    .needs_all = true,
    .run = run_chefer,
};
