/* mt-backward.c — the gradient of one word, back through the trace of a pass.
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
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-backward.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct mt_backward {
  const mt_model *model;
  const mt_ops *ops;
  const mt_trace *trace;
  size_t n_source, n_target, d;
  /* Of the stack that is gone through; rows of the longer one. */
  mt_stack stack;
  size_t n;                                /* rows */
  float *d_stream, *d_x, *d_f, *d_context; /* [n][d] */
  float *x;                                /* [n][d]: what a sub-layer read */
  float *d_q, *d_k, *d_v;                  /* [n][d]; keys of cross-attention: [n_source][d] */
  float *d_hidden, *z;                     /* [n][d_ffn] */
  float *a, *d_a, *turned;                 /* [queries][keys] */
  float *d_memory;                         /* [n_source][d]: by the encoder's output */
  float *logits;                           /* [V] */
  float *embedding[MT_N_STACKS];           /* [rows][d], the result */
  void (*on_head)(void *user, const mt_backward_head *head);
  void *user;
};

mt_backward *
mt_backward_new(const mt_attribution_work *work, mt_error *error)
{
  const mt_config *config = &work->model->config;
  const size_t s = work->n_source, t = work->n_target, d = work->d, n = s > t ? s : t;
  const size_t d_ffn = config->d_ffn[0] > config->d_ffn[1] ? config->d_ffn[0] : config->d_ffn[1];
  mt_backward *b = mt_alloc(1, sizeof *b);
  if (!b) {
    mt_fail_no_memory(error);
    return NULL;
  }
  *b = (mt_backward){
      .model = work->model, .ops = &work->session->ops, .n_source = s, .n_target = t, .d = d};
  float **rows[] = {&b->d_stream, &b->d_x, &b->d_f, &b->d_context,
                    &b->x,        &b->d_q, &b->d_k, &b->d_v};
  bool ok = true;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    ok = (*rows[i] = mt_alloc(n * d, sizeof(float))) && ok;
  b->d_hidden = mt_alloc(n * d_ffn, sizeof(float));
  b->z = mt_alloc(n * d_ffn, sizeof(float));
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
  mt_backward_free(b);
  mt_fail_no_memory(error);
  return NULL;
}

void
mt_backward_free(mt_backward *b)
{
  if (!b)
    return;
  float *all[] = {b->a,      b->d_stream, b->d_x,    b->d_f,          b->d_context,   b->x,
                  b->d_q,    b->d_k,      b->d_v,    b->d_hidden,     b->z,           b->d_a,
                  b->turned, b->d_memory, b->logits, b->embedding[0], b->embedding[1]};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    mt_free(all[i]);
  mt_free(b);
}

const float *
mt_backward_embedding(const mt_backward *b, mt_stack stack)
{
  return b->embedding[stack];
}

static void
norm_rows(const mt_backward *b, float *out, mt_matrix u, const float *d_y,
          const mt_norm_weights *norm, bool adds)
{
  for (size_t r = 0; r < b->n; r++)
    mt_norm_back(&b->model->config, out + r * b->d, u.data + r * u.stride, d_y + r * b->d,
                 norm->gain, adds);
}

/* ---- The feed-forward network -----------------------------------------------------------------
 */

/* d_x of d_f. */
static void
feed_forward(const mt_backward *b, mt_point point)
{
  const mt_ffn_weights *ffn = &b->model->stacks[point.stack].layers[point.layer].ffn;
  mt_matrix hidden = mt_trace_get(b->trace, MT_SITE_HIDDEN, mt_point_kind(point), point.layer, -1);
  const mt_config *config = &b->model->config;
  switch (config->feed_forward_kind) {
  case MT_FEED_FORWARD_PLAIN:
    mt_ops_linear_back(b->ops, b->d_hidden, b->d_f, b->n, &ffn->fc2, false);
    if (mt_activation_needs_input(config->activation))
      mt_ops_linear(b->ops, b->z, b->x, b->n, &ffn->fc1);
    mt_activate_back(config->activation, b->d_hidden, b->z, hidden.data, b->n * hidden.cols);
    mt_ops_linear_back(b->ops, b->d_x, b->d_hidden, b->n, &ffn->fc1, false);
    break;
  }
}

/* ---- Attention --------------------------------------------------------------------------------
 */

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

/* One head's columns of d_q, d_k and d_v. */
static void
head(const mt_backward *b, mt_attention_kind kind, size_t layer, size_t h, size_t n_keys)
{
  const int l = (int) layer, i_head = (int) h;
  mt_matrix a = mt_trace_get(b->trace, MT_SITE_WEIGHTS, kind, l, i_head);
  mt_matrix q = mt_trace_get(b->trace, MT_SITE_QUERY, kind, l, i_head);
  mt_matrix k = mt_trace_get(b->trace, MT_SITE_KEY, kind, l, i_head);
  mt_matrix v = mt_trace_get(b->trace, MT_SITE_VALUE, kind, l, i_head);
  const size_t d_head = q.cols, at = h * d_head, n = b->n, d = b->d;
  for (size_t i = 0; i < n; i++)
    memcpy(b->a + i * n_keys, a.data + i * a.stride, n_keys * sizeof *b->a);
  mt_ops_query_key(b->ops, b->d_a, b->d_context + at, d, v.data, v.stride, n, n_keys, d_head, 1);
  show(b, kind, layer, h, n_keys);
  turn(b, b->a, n, n_keys);
  mt_ops_weights_value(b->ops, b->d_v + at, d, b->turned, b->d_context + at, d, n_keys, n, d_head);
  softmax(b, n_keys, 1 / (float) b->model->config.score_divisor[mt_kind_stack(kind)]);
  mt_ops_weights_value(b->ops, b->d_q + at, d, b->d_a, k.data, k.stride, n, n_keys, d_head);
  turn(b, b->d_a, n, n_keys);
  mt_ops_weights_value(b->ops, b->d_k + at, d, b->turned, q.data, q.stride, n_keys, n, d_head);
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

/* ---- Stacks -----------------------------------------------------------------------------------
 */

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

/* The norm behind the embedding, which read token and position. */
static void
embedding_norm(const mt_backward *b, const mt_norm_weights *norm)
{
  const mt_attention_kind kind = mt_stack_kind(b->stack);
  mt_matrix token = mt_trace_get(b->trace, MT_SITE_EMBEDDING, kind, -1, -1);
  mt_matrix position = mt_trace_get(b->trace, MT_SITE_POSITION, kind, -1, -1);
  for (size_t r = 0; r < b->n; r++)
    for (size_t i = 0; i < b->d; i++)
      b->x[r * b->d + i] = mt_matrix_at(&token, r, i) + mt_matrix_at(&position, r, i);
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

/* ---- The word ---------------------------------------------------------------------------------
 */

/* d_stream [d] of its row: of the logit the row of the output matrix; of log p that less the mean
 * of all rows by their probabilities. */
static void
begin(mt_backward *b, size_t t, mt_backward_of of)
{
  const mt_linear *output = &b->model->output;
  const size_t word = (size_t) mt_tokens_get(mt_trace_output(b->trace), t)->id;
  float *d_row = b->d_stream + t * b->d;
  mt_matrix h = mt_trace_get(b->trace, MT_SITE_STACK_OUTPUT, MT_DECODER_SELF, -1, -1);
  memset(b->d_stream, 0, (t + 1) * b->d * sizeof *b->d_stream);
  if (of == MT_OF_LOGPROB) {
    mt_ops_linear(b->ops, b->logits, h.data + t * h.stride, 1, output);
    mt_model_leave_out(b->model, b->logits);
    b->ops->kernels->softmax(b->logits, output->n_out);
    for (size_t i = 0; i < output->n_out; i++)
      b->logits[i] = -b->logits[i];
    b->logits[word] += 1;
    mt_ops_linear_back(b->ops, d_row, b->logits, 1, output, false);
  } else {
    memcpy(d_row, output->weight + word * b->d, b->d * sizeof *d_row);
  }
}

void
mt_backward_run(mt_backward *b, const mt_trace *trace, size_t t, mt_backward_of of,
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
