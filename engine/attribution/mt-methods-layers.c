/* mt-methods-layers.c — methods of attribution that say something of each layer: attention weights,
 * norms, and, handed on from layer to layer, rollout, value zeroing and ALTI+.
 *
 * Attention weights are one head's or the mean over heads: where the model looks, which need not be
 * what it uses (Jain & Wallace 2019).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution.h"
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "explain/mt-contributions.h"

#include <math.h>
#include <string.h>

static bool
layer_weights(mt_attribution_work *work, mt_attention_kind kind, size_t layer, float *values,
              mt_error *error)
{
  const size_t n_heads = work->model->config.n_heads[mt_kind_stack(kind)];
  const size_t first = work->params.head >= 0 ? (size_t) work->params.head : 0;
  const size_t end = work->params.head >= 0 ? first + 1 : n_heads;
  for (size_t h = first; h < end; h++) {
    mt_matrix a = mt_trace_get(work->trace, MT_HOOK_WEIGHTS, kind, (int) layer, (int) h);
    for (size_t i = 0; i < a.rows; i++)
      for (size_t j = 0; j < a.cols; j++)
        values[i * a.cols + j] += mt_matrix_at(&a, i, j) / (float) (end - first);
  }
  return true;
}

const mt_method mt_method_weights = {
    .about = {.id = "weights",
              .name = "Weights",
              .source = "Bahdanau et al. 2015",
              .gives = "attention weight of cross-attention and of the decoder's, mean over heads",
              .has_layers = true,
              .has_heads = true,
              .has_encoder = true,
              .sum = MT_ATTRIBUTION_EACH_ONE},
    .each_layer = layer_weights,
};

/* ---- Norms ----------------------------------------------------------------------------------- */

/* How long the vector is that a token gives:
 *
 *     |sum_h A^h_ij f^h(x_j)|,   f^h(x) = W_O^h (W_V^h x + b_V^h)       Euclidean
 *
 * (Kobayashi et al. 2020, equation 3; of one head its own term). A token with much weight and a
 * small value gives little. */

static bool
layer_norms(mt_attribution_work *work, mt_attention_kind kind, size_t layer, float *out,
            mt_error *error)
{
  const mt_ops *ops = &work->session->ops;
  mt_values values;
  const bool ok = mt_values_begin(&values, ops, work->model, work->trace, kind, layer,
                                  work->params.head, error) &&
                  mt_values_norms(&values, out, error);
  mt_values_end(&values);
  return ok;
}

const mt_method mt_method_norms = {
    .about = {.id = "norms",
              .name = "Norms",
              .source = "Kobayashi et al. 2020, equation 3",
              .gives = "Euclidean length of what the token gave in cross-attention and in the "
                       "decoder's, all heads together",
              .has_layers = true,
              .has_heads = true,
              .has_encoder = true,
              .sum = MT_ATTRIBUTION_FREE},
    .each_layer = layer_norms,
};

/* ---- Layers handed on ------------------------------------------------------------------------ */

/* What each layer says of the one before becomes what the last one says of the
 * tokens.
 *
 *     E_l = C^enc_l E_(l-1)                                            E_0 = I
 *     D^src_l = S_l D^src_(l-1) + X_l,  D^tgt_l = S_l D^tgt_(l-1)      D_0 = [0, I]
 *     S_l = diag(kept_l) C^self_l,      X_l = C^cross_l E_L
 *
 * (Abnar & Zuidema 2020, equation 1; for both stacks Ferrando 2022, section 3.2.) Rows are scaled
 * to sum to 1 after each layer: but for rounding they do already, unless a query attends to
 * nothing. */

typedef struct {
  double *out;
  const float *a;
  const double *factor, *b;
  double *room; /* [rows][inner] */
  size_t rows, inner, cols;
} product;

static void
product_part(void *user, size_t part, size_t n_parts)
{
  const product *p = user;
  const size_t begin = mt_ops_part_begin(part, n_parts, p->rows, 1);
  const size_t n = mt_ops_part_begin(part + 1, n_parts, p->rows, 1) - begin;
  for (size_t i = begin; i < begin + n; i++)
    for (size_t k = 0; k < p->inner; k++)
      p->room[i * p->inner + k] = (p->factor ? p->factor[i] : 1) * p->a[i * p->inner + k];
  if (n > 0)
    mt_ops_add_product(p->out + begin * p->cols, p->room + begin * p->inner, p->b, n, p->inner,
                       p->cols);
}

/* out [rows][cols] += diag(factor) a [rows][inner] b [inner][cols], in double; factor NULL: 1.
 * room [rows][inner]. */
static void
add_product(const mt_ops *ops, double *out, const float *a, const double *factor, const double *b,
            double *room, size_t rows, size_t inner, size_t cols)
{
  product p = {out, a, factor, b, room, rows, inner, cols};
  const size_t n_parts = mt_ops_parts(ops, (double) rows * (double) inner * (double) cols);
  mt_pool_run(ops->pool, n_parts < rows ? n_parts : rows, product_part, &p);
}

static void
normalise(double *a, double *b, size_t rows, size_t a_cols, size_t b_cols)
{
  for (size_t i = 0; i < rows; i++) {
    double sum = 0;
    for (size_t j = 0; j < a_cols; j++)
      sum += a[i * a_cols + j];
    for (size_t j = 0; j < b_cols; j++)
      sum += b[i * b_cols + j];
    for (size_t j = 0; sum > 0 && j < a_cols; j++)
      a[i * a_cols + j] /= sum;
    for (size_t j = 0; sum > 0 && j < b_cols; j++)
      b[i * b_cols + j] /= sum;
  }
}

static void
set_identity(double *a, size_t n)
{
  memset(a, 0, n * n * sizeof *a);
  for (size_t i = 0; i < n; i++)
    a[i * n + i] = 1;
}

typedef struct {
  mt_attribution_work *work;
  mt_shares_method method;
  mt_layer_shares shares;
  double *kept;                 /* [n_target] */
  double *room;                 /* of a product's shares */
  double *encoder, *more;       /* [n_source][n_source] */
  double *source, *more_source; /* [n_target][n_source] */
  double *target, *more_target; /* [n_target][n_target] */
} chain;

static void
swap(double **a, double **b)
{
  double *c = *a;
  *a = *b;
  *b = c;
}

static bool
encoder_layer(chain *c, size_t layer, mt_error *error)
{
  const size_t n = c->work->n_source;
  memset(c->shares.self, 0, n * n * sizeof *c->shares.self);
  if (!c->method(c->work, MT_STACK_ENCODER, layer, &c->shares, error))
    return false;
  memset(c->more, 0, n * n * sizeof *c->more);
  add_product(&c->work->session->ops, c->more, c->shares.self, NULL, c->encoder, c->room, n, n, n);
  normalise(c->more, NULL, n, n, 0);
  swap(&c->more, &c->encoder);
  return true;
}

static bool
decoder_layer(chain *c, size_t layer, mt_error *error)
{
  const size_t n = c->work->n_target, n_source = c->work->n_source;
  memset(c->shares.self, 0, n * n * sizeof *c->shares.self);
  memset(c->shares.cross, 0, n * n_source * sizeof *c->shares.cross);
  if (!c->method(c->work, MT_STACK_DECODER, layer, &c->shares, error))
    return false;
  for (size_t i = 0; i < n; i++)
    c->kept[i] = c->shares.kept[i];
  memset(c->more_source, 0, n * n_source * sizeof *c->more_source);
  memset(c->more_target, 0, n * n * sizeof *c->more_target);
  add_product(&c->work->session->ops, c->more_source, c->shares.self, c->kept, c->source, c->room,
              n, n, n_source);
  add_product(&c->work->session->ops, c->more_source, c->shares.cross, NULL, c->encoder, c->room, n,
              n_source, n_source);
  add_product(&c->work->session->ops, c->more_target, c->shares.self, c->kept, c->target, c->room,
              n, n, n);
  normalise(c->more_source, c->more_target, n, n_source, n);
  swap(&c->more_source, &c->source);
  swap(&c->more_target, &c->target);
  return true;
}

static bool
run_chain(chain *c, mt_error *error)
{
  const size_t *n_layers = c->work->model->config.n_layers;
  const double n = (double) (n_layers[0] + n_layers[1]);
  set_identity(c->encoder, c->work->n_source);
  set_identity(c->target, c->work->n_target);
  for (size_t l = 0; l < n_layers[MT_STACK_ENCODER]; l++)
    if (!mt_attribution_goes_on(c->work, (double) l / n, error) || !encoder_layer(c, l, error))
      return false;
  for (size_t l = 0; l < n_layers[MT_STACK_DECODER]; l++)
    if (!mt_attribution_goes_on(c->work, (double) (n_layers[0] + l) / n, error) ||
        !decoder_layer(c, l, error))
      return false;
  return true;
}

static void
copy(float *out, const double *from, size_t n)
{
  for (size_t i = 0; out && i < n; i++)
    out[i] = (float) from[i];
}

bool
mt_attribution_compose(mt_attribution_work *work, const mt_attribution_rows *out,
                       mt_shares_method method, mt_error *error)
{
  const size_t s = work->n_source, t = work->n_target, longest = s > t ? s : t;
  chain c = {.work = work, .method = method};
  double *doubles =
      mt_alloc(t + longest * longest + 2 * s * s + 2 * t * s + 2 * t * t, sizeof *doubles);
  float *floats = mt_alloc(longest * longest + t * s + t, sizeof *floats);
  bool ok = (doubles && floats) || mt_fail_no_memory(error);
  if (ok) {
    c.shares.self = floats;
    c.shares.cross = floats + longest * longest;
    c.shares.kept = c.shares.cross + t * s;
    c.kept = doubles;
    c.room = c.kept + t;
    c.encoder = c.room + longest * longest;
    c.more = c.encoder + s * s;
    c.source = c.more + s * s;
    c.more_source = c.source + t * s;
    c.target = c.more_source + t * s;
    c.more_target = c.target + t * t;
    ok = run_chain(&c, error);
  }
  if (ok) {
    copy(out->encoder, c.encoder, s * s);
    copy(out->source, c.source + work->first * s, work->rows * s);
    copy(out->prefix, c.target + work->first * t, work->rows * t);
  }
  mt_free(doubles);
  mt_free(floats);
  return ok;
}

/* ---- Attention rollout ----------------------------------------------------------------------- */

/* Attention rollout: weights of all layers multiplied, where half of each
 * layer is the token itself, the residual connection:
 *
 *     C = 1/2 mean_h A^h + 1/2 I
 *
 * (Abnar & Zuidema 2020, section 3). In the decoder cross-attention is one half, what came down the
 * stream the other, and what layers hand on is multiplied. It leans to the first tokens there: they
 * are in every row. */

static void
add_heads(const mt_attribution_work *work, mt_attention_kind kind, size_t layer, float *values)
{
  const size_t n_heads = work->model->config.n_heads[mt_kind_stack(kind)];
  for (size_t h = 0; h < n_heads; h++) {
    mt_matrix a = mt_trace_get(work->trace, MT_HOOK_WEIGHTS, kind, (int) layer, (int) h);
    for (size_t i = 0; i < a.rows; i++)
      for (size_t j = 0; j < a.cols; j++)
        values[i * a.cols + j] += 0.5f * mt_matrix_at(&a, i, j) / (float) n_heads;
  }
}

static bool
layer_shares(mt_attribution_work *work, mt_stack stack, size_t layer, const mt_layer_shares *shares,
             mt_error *error)
{
  const mt_attention_kind kind = mt_stack_kind(stack);
  const size_t n = mt_attribution_n_queries(work, kind);
  add_heads(work, kind, layer, shares->self);
  for (size_t i = 0; i < n; i++)
    shares->self[i * n + i] += 0.5f;
  if (stack == MT_STACK_ENCODER)
    return true;
  add_heads(work, MT_CROSS, layer, shares->cross);
  for (size_t i = 0; i < n; i++)
    shares->kept[i] = 0.5f;
  return true;
}

const mt_method mt_method_rollout = {
    .about = {.id = "rollout",
              .name = "Rollout",
              .source = "Abnar & Zuidema 2020, section 3",
              .gives = "share of the token, by weights of all layers multiplied, each with half of "
                       "the identity; it leans to the first tokens of the decoder",
              .has_encoder = true,
              .sum = MT_ATTRIBUTION_BOTH_ONE},
    .shares = layer_shares,
};

/* ---- Value zeroing --------------------------------------------------------------------------- */

/* How much the output of a layer turns when a token's value is 0:
 *
 *     C_ij = 1 - cos(y_i, y_i with v_j = 0 in all heads)
 *
 * y is what the whole layer leaves, feed-forward network and norms included (Mohebbi et al. 2023,
 * equation 2). Each layer is asked for itself, with what comes in as it was. Below 1e-5 it is
 * nothing; rows are scaled to sum to 1. */

#define LEAST 1e-5

/* Rows of one layer, from after an attention sub-layer to its end. */
typedef struct {
  const mt_attribution_work *work;
  const mt_ops *ops;
  const mt_layer_weights *weights;
  mt_attention_kind kind;
  size_t layer, d, first, n; /* rows first … first + n - 1 of the stack */
  float *x, *u, *out;        /* [n][d] each */
  float *q, *context;        /* [n][inner] */
  float *h, *gate, *scores;  /* [n][d_ffn] both, [n][n_source] */
} block;

static void
norm_rows(const block *b, float *out, const float *x, const mt_norm_weights *norm)
{
  for (size_t r = 0; r < b->n; r++)
    mt_norm_row(&b->work->model->config, b->ops->kernels, out + r * b->d, x + r * b->d, norm->gain,
                norm->bias);
}

/* What a sub-layer reads. */
static const float *
read_rows(const block *b, const mt_norm_weights *norm)
{
  if (!b->work->model->config.normalize_before)
    return b->x;
  norm_rows(b, b->u, b->x, norm);
  return b->u;
}

/* x = x + added, and the norm that is there. */
static void
add_rows(const block *b, const float *added, const mt_norm_weights *norm)
{
  mt_ops_add(b->x, added, b->n * b->d);
  if (!b->work->model->config.normalize_before)
    norm_rows(b, b->x, b->x, norm);
}

/* The changes of a head of cross-attention at a hook point, in rows of the block. */
static void
change(const block *b, mt_hook_point hook_point, size_t h, float *data, size_t cols, size_t stride)
{
  mt_attribution_change(b->work->model, b->work->hooks.interventions, hook_point, MT_CROSS,
                        b->layer, h, b->first, data, b->n, cols, stride);
}

/* Cross-attention of one head with other queries. A key that nobody was to see has weight 0. */
static void
cross_head(const block *b, size_t h)
{
  const mt_config *config = &b->work->model->config;
  const size_t d_head = config->d_head[MT_STACK_DECODER];
  const size_t inner = mt_inner(config, MT_STACK_DECODER);
  const int layer = (int) b->layer, head = (int) h;
  const size_t keys = b->work->n_source;
  mt_matrix k = mt_trace_get(b->work->trace, MT_HOOK_KEY, MT_CROSS, layer, head);
  mt_matrix v = mt_trace_get(b->work->trace, MT_HOOK_VALUE, MT_CROSS, layer, head);
  mt_matrix a = mt_trace_get(b->work->trace, MT_HOOK_WEIGHTS, MT_CROSS, layer, head);
  mt_ops_query_key(b->ops, b->scores, b->q + h * d_head, inner, k.data, k.stride, b->n, keys,
                   d_head, 1 / (float) config->score_divisor[MT_STACK_DECODER]);
  for (size_t r = 0; r < b->n; r++)
    for (size_t j = 0; j < keys; j++)
      if (mt_matrix_at(&a, b->first + r, j) == 0)
        b->scores[r * keys + j] = -INFINITY;
  change(b, MT_HOOK_SCORES, h, b->scores, keys, keys);
  for (size_t r = 0; r < b->n; r++)
    b->ops->kernels->softmax(b->scores + r * keys, keys);
  mt_ops_weights_value(b->ops, b->context + h * d_head, inner, b->scores, v.data, v.stride, b->n,
                       keys, d_head);
  change(b, MT_HOOK_CONTEXT, h, b->context + h * d_head, d_head, inner);
}

static void
cross(const block *b)
{
  const size_t n_heads = b->work->model->config.n_heads[MT_STACK_DECODER];
  mt_ops_linear(b->ops, b->q, read_rows(b, &b->weights->cross_norm), b->n, &b->weights->cross.q);
  for (size_t h = 0; h < n_heads; h++)
    cross_head(b, h);
  mt_ops_linear(b->ops, b->out, b->context, b->n, &b->weights->cross.out);
  add_rows(b, b->out, &b->weights->cross_norm);
}

static void
feed_forward(const block *b)
{
  const mt_ffn_weights *ffn = &b->weights->ffn;
  const float *x = read_rows(b, &b->weights->ffn_norm);
  switch (b->work->model->config.feed_forward_kind) {
  case MT_FEED_FORWARD_PLAIN:
    mt_ops_linear(b->ops, b->h, x, b->n, &ffn->fc1);
    mt_ops_linear_activated(b->ops, b->out, b->h, b->n, &ffn->fc2,
                            b->work->model->config.activation);
    break;
  case MT_FEED_FORWARD_GATED:
    mt_ops_linears(b->ops, (float *const[]){b->h, b->gate}, x, b->n,
                   (const mt_linear *const[]){&ffn->fc1, &ffn->gate}, 2);
    mt_ops_gate_rows(b->ops, b->h, b->gate, b->n, ffn->fc1.n_out,
                     b->work->model->config.activation);
    mt_ops_linear(b->ops, b->out, b->h, b->n, &ffn->fc2);
    break;
  }
  add_rows(b, b->out, &b->weights->ffn_norm);
}

/* x has the stream before the attention sub-layer, out what that adds. */
static void
run_block(const block *b)
{
  const mt_layer_weights *w = b->weights;
  add_rows(b, b->out, mt_layer_attention_norm(w, b->kind));
  if (b->kind == MT_DECODER_SELF)
    cross(b);
  feed_forward(b);
}

static double
turn(const float *x, mt_matrix clean, size_t row)
{
  double both = 0, own = 0, other = 0;
  for (size_t i = 0; i < clean.cols; i++) {
    const double y = mt_matrix_at(&clean, row, i);
    both += x[i] * y;
    own += (double) x[i] * x[i];
    other += y * y;
  }
  const double turned = own > 0 && other > 0 ? 1 - both / sqrt(own * other) : 0;
  return turned < LEAST ? 0 : turned;
}

/* Column j of out: without that key. t [rows][d] is what it gives. */
static void
run_key(block *b, const mt_values *values, size_t j, float *t, float *out)
{
  const mt_point point = {mt_kind_stack(b->kind), (int) b->layer,
                          b->kind == MT_CROSS ? MT_SUB_LAYER_CROSS : MT_SUB_LAYER_SELF};
  const mt_attention_kind own = mt_stack_kind(point.stack);
  mt_matrix before = mt_stream_before(b->work->model, b->work->trace, point);
  mt_matrix added = mt_stream_added(b->work->trace, point);
  mt_matrix clean = mt_trace_get(b->work->trace, MT_HOOK_LAYER_OUTPUT, own, (int) b->layer, -1);
  b->first = mt_values_given(values, j, t);
  b->n = values->rows - b->first;
  for (size_t r = 0; r < b->n; r++)
    for (size_t i = 0; i < b->d; i++) {
      b->x[r * b->d + i] = mt_matrix_at(&before, b->first + r, i);
      b->out[r * b->d + i] = mt_matrix_at(&added, b->first + r, i) - t[(b->first + r) * b->d + i];
    }
  run_block(b);
  for (size_t r = 0; r < b->n; r++)
    out[(b->first + r) * values->keys + j] = (float) turn(b->x + r * b->d, clean, b->first + r);
}

static void
normalise_rows(float *values, size_t rows, size_t keys)
{
  for (size_t i = 0; i < rows; i++) {
    double sum = 0;
    for (size_t j = 0; j < keys; j++)
      sum += values[i * keys + j];
    for (size_t j = 0; sum > 0 && j < keys; j++)
      values[i * keys + j] = (float) (values[i * keys + j] / sum);
  }
}

static bool
layer_turns(mt_attribution_work *work, mt_attention_kind kind, size_t layer, float *out,
            mt_error *error)
{
  const mt_stack stack = mt_kind_stack(kind);
  const size_t d = work->d, d_ffn = work->model->config.d_ffn[stack];
  const size_t inner = mt_inner(&work->model->config, MT_STACK_DECODER);
  const size_t rows = mt_attribution_n_queries(work, kind);
  block b = {.work = work,
             .ops = &work->session->ops,
             .weights = &work->model->stacks[stack].layers[layer],
             .kind = kind,
             .layer = layer,
             .d = d};
  mt_values values;
  float *room = mt_alloc(rows * (4 * d + 2 * inner + 2 * d_ffn + work->n_source), sizeof *room);
  bool ok = mt_values_begin(&values, b.ops, work->model, work->trace, kind, layer, -1, error) &&
            (room || mt_fail_no_memory(error));
  if (ok) {
    float *t = room;
    b.x = t + rows * d;
    b.u = b.x + rows * d;
    b.out = b.u + rows * d;
    b.q = b.out + rows * d;
    b.context = b.q + rows * inner;
    b.h = b.context + rows * inner;
    b.gate = b.h + rows * d_ffn;
    b.scores = b.gate + rows * d_ffn;
    for (size_t j = 0; ok && j < values.keys; j++) {
      run_key(&b, &values, j, t, out);
      ok = !(work->hooks.should_stop && work->hooks.should_stop(work->hooks.user)) ||
           mt_fail(error, MT_ERROR_CANCELLED, "The computation was cancelled.");
    }
    normalise_rows(out, values.rows, values.keys);
  }
  mt_values_end(&values);
  mt_free(room);
  return ok;
}

const mt_method mt_method_value_zeroing = {
    .about = {.id = "value-zeroing",
              .name = "Value zeroing",
              .source = "Mohebbi et al. 2023, equation 2",
              .gives = "how far the output of the layer turns without the token's value in "
                       "cross-attention and in the decoder's, as a share of all tokens",
              .has_layers = true,
              .has_encoder = true,
              .sum = MT_ATTRIBUTION_EACH_ONE},
    .needs_all = true,
    .each_layer = layer_turns,
};

/* ---- ALTI+ ----------------------------------------------------------------------------------- */

/* ALTI+: contributions of tokens to states (contributions.h), handed on from
 * layer to layer, to the source and to the prefix (Ferrando et al. 2022, arXiv
 * 2205.11631, section 3). What feed-forward networks do is left out, as there; in pre-norm models
 * no norm stands behind the sum, so J is the identity. */

static void
copy_matrix(float *out, mt_matrix m)
{
  for (size_t i = 0; i < m.rows; i++)
    for (size_t j = 0; j < m.cols; j++)
      out[i * m.cols + j] = mt_matrix_at(&m, i, j);
}

static bool
sub_layer(const mt_attribution_work *work, mt_point point, float *tokens, float *kept,
          mt_error *error)
{
  mt_contributions *c =
      mt_contributions_make(work->model, work->trace, point, &work->session->ops, error);
  if (!c)
    return false;
  copy_matrix(tokens, c->tokens);
  if (kept)
    copy_matrix(kept, c->stream);
  mt_contributions_free(c);
  return true;
}

static bool
alti_shares(mt_attribution_work *work, mt_stack stack, size_t layer, const mt_layer_shares *shares,
            mt_error *error)
{
  const mt_point self = {stack, (int) layer, MT_SUB_LAYER_SELF};
  const mt_point cross = {stack, (int) layer, MT_SUB_LAYER_CROSS};
  return sub_layer(work, self, shares->self, NULL, error) &&
         (stack == MT_STACK_ENCODER || sub_layer(work, cross, shares->cross, shares->kept, error));
}

const mt_method mt_method_alti = {
    .about = {.id = "alti",
              .name = "ALTI+",
              .source = "Ferrando et al. 2022, arXiv 2205.11631, section 3",
              .gives = "share of the token in the state that the word is made of; feed-forward "
                       "networks are left out",
              .has_encoder = true,
              .sum = MT_ATTRIBUTION_BOTH_ONE},
    .shares = alti_shares,
};
