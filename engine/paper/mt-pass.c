/* mt-pass.c — the forward pass of the model, "Attention Is All You Need" from section 3.1 to 3.5.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It reads from top to bottom: norm and residual, embedding, attention of one head, of all heads,
 * feed-forward network, layers and stacks, logits. A row is a token of some sentence (mt-kv.h);
 * maps, norms and feed-forward networks treat all rows alike, and only attention and positions know
 * whose they are. A tensor that is finished is shown to whoever wants to see or change it
 * (mt-hook-points.h).
 */
#include "paper/mt-pass.h"

#include "base/mt-error.h"
#include "model/mt-relative.h"

#include <assert.h>
#include <math.h>
#include <string.h>

bool
mt_pass_is_stopped(const mt_pass *pass)
{
  if (!pass->should_stop || !pass->should_stop(pass->stop_user))
    return false;
  mt_fail(pass->error, MT_ERROR_CANCELLED, "The computation was cancelled.");
  return true;
}

/* Show a tensor of all rows that is not per head; data [rows][cols]. Costs one branch when nobody
 * wants it. */
static void
show(const mt_pass *pass, mt_hook_point hook_point, mt_attention_kind kind, int layer, float *data,
     size_t cols)
{
  if (!mt_hook_points_want(&pass->hook_points, hook_point))
    return;
  mt_tensor tensor = {.hook_point = hook_point,
                      .kind = kind,
                      .layer = layer,
                      .head = -1,
                      .n = pass->groups->n_rows,
                      .data = data,
                      .cols = cols,
                      .stride = cols};
  mt_hook_points_reach(&pass->hook_points, pass->groups, &tensor);
}

/* ---- 3.1 Normalization and residuals --------------------------------------------------------- */

/* The paper puts a norm (kernels/mt-kinds.h) after each residual addition (post-norm); later models
 * normalize what a sub-layer reads instead and leave the residual stream alone (pre-norm). */

/* The norm of a sub-layer, and what those who look at what it reads call it. */
typedef struct {
  mt_hook_point hook_point; /* MT_HOOK_NORM_INPUT, or that of the feed-forward network */
  mt_attention_kind kind;
  int layer;
  const mt_norm_weights *weights;
} sub_layer_norm;

/* out [rows][d] = Norm(x); out may be x. */
static void
norm_rows(const mt_pass *pass, float *out, const float *x, size_t rows, const mt_norm_weights *norm)
{
  const mt_config *config = &pass->model->config;
  for (size_t r = 0; r < rows; r++)
    mt_norm_row(config, pass->ops->kernels, out + r * config->d_model, x + r * config->d_model,
                norm->gain, norm->bias);
}

static void
show_norm_input(const mt_pass *pass, const sub_layer_norm *norm, float *x)
{
  show(pass, norm->hook_point, norm->kind, norm->layer, x, pass->model->config.d_model);
}

/* What a sub-layer reads: x itself, or in a pre-norm model Norm(x), in buffers->normed. */
static const float *
sub_layer_input(const mt_pass *pass, const sub_layer_norm *norm, float *x)
{
  if (!pass->model->config.normalize_before)
    return x;
  show_norm_input(pass, norm, x);
  norm_rows(pass, pass->buffers->normed, x, pass->groups->n_rows, norm->weights);
  return pass->buffers->normed;
}

typedef struct {
  const mt_pass *pass;
  float *x;
  const float *y; /* NULL: it has been added */
  size_t rows;
  const mt_norm_weights *norm; /* NULL: none */
} output_work;

/* Some of the rows. */
static void
output_part(void *user, size_t i, size_t n_parts)
{
  const output_work *w = user;
  size_t d = w->pass->model->config.d_model;
  size_t first = mt_ops_part_begin(i, n_parts, w->rows, 1);
  size_t n = mt_ops_part_begin(i + 1, n_parts, w->rows, 1) - first;
  /* A row that was added to is normalized while it is in the first cache. */
  for (size_t r = first; r < first + n; r++) {
    if (w->y)
      mt_ops_add(w->x + r * d, w->y + r * d, d);
    if (w->norm)
      norm_rows(w->pass, w->x + r * d, w->x + r * d, 1, w->norm);
  }
}

/* Before it is added to, if a change wants the sub-layer without it. */
static void
leave_stream(const mt_pass *pass, mt_hook_point hook_point, mt_attention_kind kind, int layer,
             float *x)
{
  if (mt_interventions_are_alone(pass->hook_points.interventions[1], hook_point, kind, layer))
    memset(x, 0, pass->groups->n_rows * pass->model->config.d_model * sizeof *x);
}

/* x = Norm(x + y), the paper; or x + y in a pre-norm model; y is in buffers->sub_layer. */
static void
sub_layer_output(const mt_pass *pass, const sub_layer_norm *norm, float *x)
{
  const size_t rows = pass->groups->n_rows, n_parts = mt_ops_row_parts(pass->ops, rows);
  bool is_post = !pass->model->config.normalize_before;
  output_work work = {pass, x, pass->buffers->sub_layer, rows, is_post ? norm->weights : NULL};
  /* A sum that somebody looks at has to be there whole. */
  if (is_post && mt_hook_points_want(&pass->hook_points, norm->hook_point)) {
    work.norm = NULL;
    mt_pool_run(pass->ops->pool, n_parts, output_part, &work);
    show_norm_input(pass, norm, x);
    work = (output_work){pass, x, NULL, rows, norm->weights};
  }
  mt_pool_run(pass->ops->pool, n_parts, output_part, &work);
}

/* ---- 3.4, 3.5 Embeddings and positions: both stacks begin here ------------------------------- */

/* x [rows][d] += the encodings of positions. */
static void
add_positions(const mt_pass *pass, mt_stack stack, float *x)
{
  const mt_stack_weights *weights = &pass->model->stacks[stack];
  const size_t d = pass->model->config.d_model;
  /* A copy, so that what is added may be changed but never the model. */
  float *positions = pass->buffers->positions;
  const mt_interventions *interventions = pass->hook_points.interventions[1];
  bool is_changed =
      mt_interventions_hook_points(interventions) & MT_HOOK_POINT_BIT(MT_HOOK_POSITION);
  for (size_t g = 0; g < pass->groups->n; g++) {
    const mt_group *group = &pass->groups->groups[g];
    for (size_t r = 0; r < group->n; r++) {
      size_t at = mt_group_position(group, r);
      float *row = positions + (group->first + r) * d;
      if (is_changed)
        mt_interventions_position(interventions, pass->model, stack, at, row);
      else
        memcpy(row, weights->positions + at * d, d * sizeof *row);
    }
  }
  show(pass, MT_HOOK_POSITION, mt_stack_kind(stack), -1, positions, d);
  mt_ops_add(x, positions, pass->groups->n_rows * d);
}

void
mt_embed(const mt_pass *pass, mt_stack stack, const int32_t *ids)
{
  const mt_config *config = &pass->model->config;
  const mt_stack_weights *weights = &pass->model->stacks[stack];
  float *x = pass->buffers->x;
  size_t d = config->d_model, n_rows = pass->groups->n_rows;
  mt_attention_kind kind = mt_stack_kind(stack);

  float scale = config->scale_embedding ? sqrtf((float) d) : 1;
  for (size_t r = 0; r < n_rows; r++) {
    mt_embedding_read(weights, (size_t) ids[r] * d, d, x + r * d);
    for (size_t i = 0; i < d; i++)
      x[r * d + i] *= scale;
  }
  show(pass, MT_HOOK_EMBEDDING, kind, -1, x, d);

  if (mt_positions_are_added(config->position_kind))
    add_positions(pass, stack, x);
  if (weights->embedding_norm.gain)
    norm_rows(pass, x, x, n_rows, &weights->embedding_norm);
  show(pass, MT_HOOK_STREAM, kind, -1, x, d);
}

/* ---- 3.2.1 Scaled dot-product attention, equation 1 ------------------------------------------ */

/*     Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V
 *
 * for one head, with another divisor where the model has one; self-attention with relative
 * positions adds a bias to the scores (mt-relative.h). Scores and weights stand in the same place,
 * first one, then the other: where somebody who looks wants them, so that a matrix is never copied,
 * else in scratch memory. */

/* Which attention is computed. */
typedef struct {
  mt_attention_kind kind;
  int layer;
  size_t n_heads, d_head; /* heads, and columns of each */
  size_t inner;           /* columns of all of them: rows of q, k, v and context are so long */
  float scale;            /* of scores */
  /* The layer whose biases are added to the scores; NULL: there are none. */
  const mt_layer_weights *biases;
} attention_place;

static attention_place
place_of(const mt_pass *pass, mt_attention_kind kind, int layer, const mt_layer_weights *weights)
{
  const mt_config *config = &pass->model->config;
  const mt_stack stack = mt_kind_stack(kind);
  return (attention_place){kind,
                           layer,
                           config->n_heads[stack],
                           config->d_head[stack],
                           mt_inner(config, stack),
                           1 / (float) config->score_divisor[stack],
                           mt_scores_have_bias(config, kind) ? weights : NULL};
}

/* The keys and values that the query rows of a group see. Row i of keys starts at k + i * inner,
 * all heads side by side. */
typedef struct {
  const float *k, *v;
  size_t n;              /* keys for each query; in decoding steps for the last one */
  size_t n_beams;        /* not 0: queries n_beams further back see one key less */
  const uint32_t *index; /* NULL: key i is row i; else query r finds it in row
                            index[r * index_stride + i] */
  size_t index_stride;
  bool is_causal; /* query r must not see keys after r */
} seen_keys;

/* How many keys a query sees, of n; the mask of a parallel pass is not counted. */
static size_t
count_keys(const seen_keys *keys, size_t rows, size_t query)
{
  return keys->n_beams ? keys->n - (rows - 1 - query) / keys->n_beams : keys->n;
}

/* 1 / |x|, or 0 for a vector that has no direction. */
static float
inverse_length(const float *x, size_t n)
{
  float sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += x[i] * x[i];
  return sum > 0 ? 1 / sqrtf(sum) : 0;
}

/* Dot products become cosines. */
static void
divide_by_lengths(float *scores, const float *q, const seen_keys *keys, size_t rows, size_t d,
                  size_t d_head)
{
  for (size_t r = 0; r < rows; r++) {
    const uint32_t *index = keys->index ? keys->index + r * keys->index_stride : NULL;
    float of_query = inverse_length(q + r * d, d_head);
    for (size_t i = 0; i < count_keys(keys, rows, r); i++)
      scores[r * keys->n + i] *=
          of_query * inverse_length(keys->k + (index ? index[i] : i) * d, d_head);
  }
}

static float
scale_of(const attention_place *place, mt_similarity similarity)
{
  return similarity == MT_SIMILARITY_SCALED ? place->scale : 1;
}

/* Show what one head of a group has; data [rows][cols]. */
static inline void
show_head(const mt_pass *pass, mt_hook_point hook_point, const attention_place *place,
          const mt_group *group, size_t head, float *data, size_t cols, size_t stride,
          float *row_lse)
{
  if (!mt_hook_points_want(&pass->hook_points, hook_point))
    return;
  mt_tensor tensor = {.hook_point = hook_point,
                      .kind = place->kind,
                      .layer = place->layer,
                      .head = (int) head,
                      .first = group->first,
                      .n = group->n,
                      .data = data,
                      .cols = cols,
                      .stride = stride,
                      .row_lse = row_lse};
  mt_hook_points_reach_group(&pass->hook_points, group, 0, group->n, &tensor, data);
}

/* Rows from r on that see as many keys: the hypotheses of one step. */
static size_t
count_rows(const mt_group *group, size_t r)
{
  return group->n - r < group->n_beams ? group->n - r : group->n_beams;
}

/* The rows of keys, or of values, that rows from r on see. */
static mt_seen_rows
seen_by(const seen_keys *keys, const float *matrix, size_t d, size_t rows, size_t r)
{
  return (mt_seen_rows){.matrix = matrix,
                        .stride = d,
                        .n = count_keys(keys, rows, r),
                        .index = keys->index ? keys->index + r * keys->index_stride : NULL,
                        .index_stride = keys->index_stride};
}

/* Whether several heads of the group may be computed at once: it is a step, nobody looks, and a
 * bias is that of the distance. */
static bool
goes_together(const mt_pass *pass, const attention_place *place, const mt_group *group)
{
  return group->n_beams > 0 && !mt_hook_points_want(&pass->hook_points, MT_HOOK_SCORES) &&
         !mt_hook_points_want(&pass->hook_points, MT_HOOK_WEIGHTS) &&
         !mt_hook_points_want(&pass->hook_points, MT_HOOK_CONTEXT) &&
         !(place->biases && (mt_hook_points_want(&pass->hook_points, MT_HOOK_SCORE_BIAS) ||
                             mt_interventions_move_positions(pass->hook_points.interventions[1])));
}

/* scores [n] += the biases of a query's keys where changes move positions: tokens are as far from
 * each other as the places that they are said to stand at, and one that does not say where it
 * stands gets nothing and gives nothing. */
static void
add_moved_biases(const mt_pass *pass, const attention_place *place, size_t head, size_t query,
                 size_t n, float *scores)
{
  const mt_interventions *changes = pass->hook_points.interventions[1];
  const mt_stack stack = mt_kind_stack(place->kind);
  const mt_position_change own = mt_interventions_position_of(changes, stack, query);
  for (size_t i = 0; i < n; i++) {
    const mt_position_change key = mt_interventions_position_of(changes, stack, i);
    if (!own.is_zero && !key.is_zero)
      scores[i] +=
          mt_relative_at(pass->model, stack, place->biases, head, key.position - own.position);
  }
}

/* scores [rows][keys] += the biases of one head. */
static void
add_biases(const mt_pass *pass, const attention_place *place, const mt_group *group, size_t head,
           const seen_keys *keys, float *scores)
{
  if (mt_interventions_unbias(pass->hook_points.interventions[1], place->kind, place->layer,
                              (int) head))
    return;
  const mt_stack stack = mt_kind_stack(place->kind);
  for (size_t r = 0; r < group->n; r++) {
    const size_t query = mt_group_position(group, r), n = count_keys(keys, group->n, r);
    if (mt_interventions_move_positions(pass->hook_points.interventions[1]))
      add_moved_biases(pass, place, head, query, n, scores + r * keys->n);
    else
      mt_relative_add(pass->model, stack, place->biases, head, query, n, scores + r * keys->n);
  }
}

/* Show them, in the place where the scores will be. */
static void
show_biases(const mt_pass *pass, const attention_place *place, const mt_group *group, size_t head,
            const seen_keys *keys, float *matrix)
{
  if (!mt_hook_points_want(&pass->hook_points, MT_HOOK_SCORE_BIAS))
    return;
  memset(matrix, 0, group->n * keys->n * sizeof *matrix);
  add_biases(pass, place, group, head, keys, matrix);
  show_head(pass, MT_HOOK_SCORE_BIAS, place, group, head, matrix, keys->n, keys->n, NULL);
}

/* Several heads of a step at once, from `head` on: the same numbers, bit for bit, but nobody can
 * see what is in between. Pointers are at the columns of the first of n_heads; scratch
 * [beams][keys][n_heads]. */
static void
attend_together(const mt_pass *pass, const attention_place *place, const mt_group *group,
                size_t head, size_t n_heads, float *context, const float *q, const seen_keys *keys,
                float *scratch)
{
  const mt_kernels_attention *kernels = pass->ops->attention;
  const size_t d = place->inner, d_head = place->d_head;
  for (size_t r = 0, rows; r < group->n; r += rows) {
    rows = count_rows(group, r);
    const mt_seen_rows k = seen_by(keys, keys->k, d, group->n, r);
    const mt_seen_rows v = seen_by(keys, keys->v, d, group->n, r);
    kernels->scores(scratch, q + r * d, d, &k, rows, n_heads, d_head, place->scale);
    for (size_t i = 0; place->biases && i < rows; i++)
      mt_relative_add_block(pass->model, mt_kind_stack(place->kind), place->biases, head, n_heads,
                            k.n, scratch + i * k.n * n_heads);
    for (size_t i = 0; i < rows; i++)
      kernels->softmax(scratch + i * k.n * n_heads, k.n, n_heads, NULL);
    kernels->context(context + r * d, d, scratch, &v, rows, n_heads, d_head);
  }
}

/* One head of a step, row by row; what is in between is shown whole. */
static void
attend_step(const mt_pass *pass, const attention_place *place, const mt_group *group, size_t head,
            float *context, const float *q, const seen_keys *keys, float *matrix, float *lse)
{
  const mt_kernels_attention *kernels = pass->ops->attention;
  const size_t d = place->inner, d_head = place->d_head, n = keys->n;
  const mt_similarity similarity =
      mt_hook_points_similarity(&pass->hook_points, place->kind, place->layer, (int) head);
  if (place->biases)
    show_biases(pass, place, group, head, keys, matrix);
  for (size_t r = 0; r < group->n; r++) {
    const mt_seen_rows k = seen_by(keys, keys->k, d, group->n, r);
    kernels->scores(matrix + r * n, q + r * d, d, &k, 1, 1, d_head, scale_of(place, similarity));
  }
  if (similarity == MT_SIMILARITY_COSINE)
    divide_by_lengths(matrix, q, keys, group->n, d, d_head);
  if (place->biases)
    add_biases(pass, place, group, head, keys, matrix);
  show_head(pass, MT_HOOK_SCORES, place, group, head, matrix, n, n, NULL);
  for (size_t r = 0; r < group->n; r++)
    kernels->softmax(matrix + r * n, count_keys(keys, group->n, r), 1, &lse[r]);
  show_head(pass, MT_HOOK_WEIGHTS, place, group, head, matrix, n, n, lse);
  for (size_t r = 0; r < group->n; r++) {
    const mt_seen_rows v = seen_by(keys, keys->v, d, group->n, r);
    kernels->context(context + r * d, d, matrix + r * n, &v, 1, 1, d_head);
  }
}

/* One head of a sequence, all rows at once. */
static void
attend_all(const mt_pass *pass, const attention_place *place, const mt_group *group, size_t head,
           float *context, const float *q, const seen_keys *keys, float *matrix, float *lse)
{
  const size_t d = place->inner, d_head = place->d_head;
  const size_t rows = group->n, n = keys->n;
  const mt_similarity similarity =
      mt_hook_points_similarity(&pass->hook_points, place->kind, place->layer, (int) head);
  if (place->biases)
    show_biases(pass, place, group, head, keys, matrix);
  mt_ops_query_key(pass->ops, matrix, q, d, keys->k, d, rows, n, d_head,
                   scale_of(place, similarity));
  if (similarity == MT_SIMILARITY_COSINE)
    divide_by_lengths(matrix, q, keys, rows, d, d_head);
  if (place->biases)
    add_biases(pass, place, group, head, keys, matrix);
  if (keys->is_causal)
    for (size_t r = 0; r < rows; r++)
      for (size_t i = r + 1; i < n; i++)
        matrix[r * n + i] = -INFINITY;
  show_head(pass, MT_HOOK_SCORES, place, group, head, matrix, n, n, NULL);
  for (size_t r = 0; r < rows; r++)
    lse[r] = pass->ops->kernels->softmax(matrix + r * n, n);
  show_head(pass, MT_HOOK_WEIGHTS, place, group, head, matrix, n, n, lse);
  mt_ops_weights_value(pass->ops, context, d, matrix, keys->v, d, rows, n, d_head);
}

/* One head of one group. context, q, keys->k and keys->v point at that head's columns of tensors
 * with `inner` columns. scratch [rows][keys + 1] has scores, then weights, unless somebody who
 * looks has a place for them. May be called for several heads at once. */
static void
attend_head(const mt_pass *pass, const attention_place *place, const mt_group *group, size_t head,
            float *context, const float *q, const seen_keys *keys, float *scratch)
{
  size_t rows = group->n, n = keys->n;
  float *matrix = NULL, *lse = scratch + rows * n; /* [rows][n], [rows] */
  if (group->n_beams > 0) {
    attend_step(pass, place, group, head, context, q, keys, scratch, lse);
  } else {
    matrix = mt_hook_points_place(&pass->hook_points, place->kind, (size_t) place->layer, head);
    attend_all(pass, place, group, head, context, q, keys, matrix ? matrix : scratch, lse);
  }
  show_head(pass, MT_HOOK_CONTEXT, place, group, head, context, place->d_head, place->inner, NULL);
}

/* ---- 3.2.2 Multi-head attention -------------------------------------------------------------- */

/*     MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O
 *     head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
 *
 * The projections of all heads are one matrix; head i is d_head columns of its result, so that
 * splitting and concatenating cost nothing. */

/* Show a tensor [rows][inner] head by head. */
static void
show_heads(const mt_pass *pass, mt_hook_point hook_point, const attention_place *place, float *data)
{
  if (!mt_hook_points_want(&pass->hook_points, hook_point))
    return;
  size_t d = place->inner, d_head = place->d_head;
  if (hook_point != MT_HOOK_VALUE)
    mt_interventions_copy_heads(pass->hook_points.interventions[1], place->kind, place->layer, data,
                                pass->groups->n_rows, d, d_head);
  for (size_t h = 0; h < place->n_heads; h++) {
    mt_tensor tensor = {.hook_point = hook_point,
                        .kind = place->kind,
                        .layer = place->layer,
                        .head = (int) h,
                        .n = pass->groups->n_rows,
                        .data = data + h * d_head,
                        .cols = d_head,
                        .stride = d};
    mt_hook_points_reach(&pass->hook_points, pass->groups, &tensor);
  }
}

/* Where new keys or values go whose rows of the pool follow each other, as those of one sentence
 * do. */
static float *
pool_place(const mt_pass *pass, const attention_place *place, float *from, const uint32_t *rows)
{
  const mt_kv_pool *pool = pass->groups->pool;
  return mt_kv_pool_layer(pool, from, (size_t) place->layer) + rows[0] * pool->d;
}

/* Copy rows [n][width] of buffers->k and v, rows of both d apart, to rows of the pool. */
static void
copy_to_pool(const mt_pass *pass, const attention_place *place, size_t first, const uint32_t *rows,
             size_t n, size_t column, size_t width)
{
  const mt_kv_pool *pool = pass->groups->pool;
  size_t d = pool->d;
  float *k = mt_kv_pool_layer(pool, pool->k, (size_t) place->layer) + column;
  float *v = mt_kv_pool_layer(pool, pool->v, (size_t) place->layer) + column;
  for (size_t r = 0; r < n; r++) {
    size_t to = rows[r] * d, from = (first + r) * d + column;
    memcpy(k + to, pass->buffers->k + from, width * sizeof *k);
    memcpy(v + to, pass->buffers->v + from, width * sizeof *v);
  }
}

static void
multi_head_keys(const mt_pass *pass, const attention_place *place,
                const mt_attention_weights *weights, const float *x)
{
  const mt_groups *groups = pass->groups;
  const mt_kv_sentence *only = groups->n == 1 ? groups->groups[0].kv : NULL;
  bool in_place = only && only->is_source_straight;
  float *k = pass->buffers->k, *v = pass->buffers->v;
  if (in_place) {
    k = pool_place(pass, place, groups->pool->k, only->source);
    v = pool_place(pass, place, groups->pool->v, only->source);
  }
  mt_ops_linears(pass->ops, (float *const[]){k, v}, x, groups->n_rows,
                 (const mt_linear *const[]){&weights->k, &weights->v}, 2);
  show_heads(pass, MT_HOOK_KEY, place, k);
  show_heads(pass, MT_HOOK_VALUE, place, v);
  for (size_t g = 0; !in_place && g < groups->n; g++) {
    const mt_group *group = &groups->groups[g];
    copy_to_pool(pass, place, group->first, group->kv->source, group->n, 0, groups->pool->d);
  }
}

/* Keys and values that were computed in this pass, or that are in the pool. */
static bool
is_in_pool(const attention_place *place, const mt_group *group)
{
  return place->kind == MT_CROSS || group->n_beams > 0;
}

/* The keys and values that the rows of a group see. */
static seen_keys
group_keys(const mt_pass *pass, const attention_place *place, const mt_group *group)
{
  const mt_kv_pool *pool = pass->groups->pool;
  const mt_kv_sentence *kv = group->kv;
  size_t d = place->inner;
  if (!is_in_pool(place, group))
    return (seen_keys){.k = pass->buffers->k + group->first * d,
                       .v = pass->buffers->v + group->first * d,
                       .n = group->n,
                       .is_causal = place->kind == MT_DECODER_SELF};
  seen_keys keys = {.k = mt_kv_pool_layer(pool, pool->k, (size_t) place->layer),
                    .v = mt_kv_pool_layer(pool, pool->v, (size_t) place->layer)};
  if (place->kind == MT_DECODER_SELF) {
    keys.n = kv->length;
    keys.n_beams = group->n_beams;
    keys.index = kv->past;
    keys.index_stride = kv->max_length;
    return keys;
  }
  keys.n = kv->n_source;
  /* A matrix product wants rows that follow each other. */
  assert(kv->is_source_straight || group->n_beams > 0);
  if (kv->is_source_straight) {
    keys.k += kv->source[0] * d;
    keys.v += kv->source[0] * d;
  } else {
    keys.index = kv->source;
  }
  return keys;
}

typedef struct {
  const mt_pass *pass;
  const attention_place *place;
  bool keeps; /* new keys and values go to the pool, head by head */
} heads_work;

/* How many heads of a group, at most `most`, there is room for at once, if nobody looks. */
static size_t
heads_at_once(const mt_pass *pass, const attention_place *place, const mt_group *group,
              const seen_keys *keys, size_t most)
{
  if (!goes_together(pass, place, group))
    return 1;
  const size_t room = pass->buffers->scores_stride / (group->n_beams * keys->n);
  most = most < MT_ATTENTION_HEADS ? most : MT_ATTENTION_HEADS;
  return room < 1 ? 1 : room < most ? room : most;
}

/* Some of the heads of all groups. */
static void
heads_part(void *user, size_t i, size_t n_parts)
{
  const heads_work *w = user;
  const mt_groups *groups = w->pass->groups;
  const mt_buffers *buffers = w->pass->buffers;
  size_t d = w->place->inner, n_heads = w->place->n_heads, d_head = w->place->d_head;
  size_t at = mt_ops_part_begin(i, n_parts, groups->n * n_heads, 1);
  size_t end = mt_ops_part_begin(i + 1, n_parts, groups->n * n_heads, 1);
  float *scratch = buffers->scores + i * buffers->scores_stride;
  for (size_t n; at < end; at += n) {
    const mt_group *group = &groups->groups[at / n_heads];
    const size_t h = at % n_heads, first = group->first * d + h * d_head;
    seen_keys keys = group_keys(w->pass, w->place, group);
    n = heads_at_once(w->pass, w->place, group, &keys,
                      n_heads - h < end - at ? n_heads - h : end - at);
    if (w->keeps && group->n_beams > 0)
      copy_to_pool(w->pass, w->place, group->first, group->kv->fresh, group->n, h * d_head,
                   n * d_head);
    keys.k += h * d_head;
    keys.v += h * d_head;
    if (n > 1)
      attend_together(w->pass, w->place, group, h, n, buffers->context + first, buffers->q + first,
                      &keys, scratch);
    else
      attend_head(w->pass, w->place, group, h, buffers->context + first, buffers->q + first, &keys,
                  scratch);
  }
}

/* Into how many parts the heads of all groups are divided. */
static size_t
count_parts(const mt_pass *pass, const attention_place *place)
{
  if (mt_hook_points_are_serial(&pass->hook_points, place->kind, place->layer))
    return 1;
  double n_products = 0;
  for (size_t g = 0; g < pass->groups->n; g++)
    n_products += (double) pass->groups->groups[g].n *
                  (double) group_keys(pass, place, &pass->groups->groups[g]).n;
  size_t n = mt_ops_parts(pass->ops, 2 * n_products * (double) place->inner);
  return n < pass->buffers->n_scores ? n : pass->buffers->n_scores;
}

/* Attention of every head on the projected queries, then W^O. */
static void
attend(const mt_pass *pass, const attention_place *place, const mt_attention_weights *weights,
       float *out, bool keeps)
{
  heads_work work = {pass, place, keeps};
  mt_pool_run(pass->ops->pool, count_parts(pass, place), heads_part, &work);
  mt_ops_linear(pass->ops, out, pass->buffers->context, pass->groups->n_rows, &weights->out);
  show(pass, MT_HOOK_ATTENTION_OUTPUT, place->kind, place->layer, out, pass->model->config.d_model);
}

static void
multi_head_cross(const mt_pass *pass, const attention_place *place,
                 const mt_attention_weights *weights, float *out, const float *x)
{
  float *q = pass->buffers->q;
  mt_ops_linear(pass->ops, q, x, pass->groups->n_rows, &weights->q);
  show_heads(pass, MT_HOOK_QUERY, place, q);
  attend(pass, place, weights, out, false);
}

static void
multi_head_self(const mt_pass *pass, const attention_place *place,
                const mt_attention_weights *weights, float *out, const float *x)
{
  const mt_groups *groups = pass->groups;
  float *q = pass->buffers->q, *k = pass->buffers->k, *v = pass->buffers->v;
  bool in_place =
      groups->n == 1 && groups->groups[0].n_beams > 0 && groups->groups[0].kv->is_fresh_straight;
  if (in_place) {
    k = pool_place(pass, place, groups->pool->k, groups->groups[0].kv->fresh);
    v = pool_place(pass, place, groups->pool->v, groups->groups[0].kv->fresh);
  }
  mt_ops_linears(pass->ops, (float *const[]){q, k, v}, x, pass->groups->n_rows,
                 (const mt_linear *const[]){&weights->q, &weights->k, &weights->v}, 3);
  show_heads(pass, MT_HOOK_QUERY, place, q);
  show_heads(pass, MT_HOOK_KEY, place, k);
  show_heads(pass, MT_HOOK_VALUE, place, v);
  attend(pass, place, weights, out, place->kind == MT_DECODER_SELF && !in_place);
}

/* ---- 3.3 Position-wise feed-forward network, equation 2 -------------------------------------- */

/*     FFN(x) = max(0, x W1 + b1) W2 + b2
 *
 * or with another activation f, and in a gated network (Shazeer 2020)
 *
 *     FFN(x) = (f(x W1 + b1) * (x G + g)) W2 + b2 */

/* kind says which stack, for those who look. */
static void
feed_forward(const mt_pass *pass, mt_attention_kind kind, int layer, const mt_ffn_weights *weights,
             float *out, const float *x)
{
  const mt_config *config = &pass->model->config;
  float *hidden = pass->buffers->hidden;
  const size_t n_hidden = weights->fc1.n_out, rows = pass->groups->n_rows;
  switch (config->feed_forward_kind) {
  case MT_FEED_FORWARD_PLAIN:
    mt_ops_linear(pass->ops, hidden, x, rows, &weights->fc1);
    if (mt_hook_points_want(&pass->hook_points, MT_HOOK_HIDDEN)) {
      mt_ops_activate_rows(pass->ops, hidden, rows, n_hidden, config->activation);
      show(pass, MT_HOOK_HIDDEN, kind, layer, hidden, n_hidden);
      mt_ops_linear(pass->ops, out, hidden, rows, &weights->fc2);
    } else {
      mt_ops_linear_activated(pass->ops, out, hidden, rows, &weights->fc2, config->activation);
    }
    break;
  case MT_FEED_FORWARD_GATED:
    mt_ops_linears(pass->ops, (float *const[]){hidden, pass->buffers->gate}, x, rows,
                   (const mt_linear *const[]){&weights->fc1, &weights->gate}, 2);
    show(pass, MT_HOOK_GATE, kind, layer, pass->buffers->gate, n_hidden);
    mt_ops_gate_rows(pass->ops, hidden, pass->buffers->gate, rows, n_hidden, config->activation);
    show(pass, MT_HOOK_HIDDEN, kind, layer, hidden, n_hidden);
    mt_ops_linear(pass->ops, out, hidden, rows, &weights->fc2);
    break;
  }
  show(pass, MT_HOOK_FEED_FORWARD, kind, layer, out, config->d_model);
}

/* ---- 3.1 Layers and stacks ------------------------------------------------------------------- */

/* x = what an attention sub-layer makes of it, with its norm, residual and hook points. */
static void
attention_sub_layer(const mt_pass *pass, mt_attention_kind kind, int layer,
                    const mt_layer_weights *weights, float *x)
{
  const sub_layer_norm norm = {MT_HOOK_NORM_INPUT, kind, layer,
                               mt_layer_attention_norm(weights, kind)};
  const attention_place place = place_of(pass, kind, layer, weights);
  const float *input = sub_layer_input(pass, &norm, x);
  (kind == MT_CROSS ? multi_head_cross : multi_head_self)(pass, &place,
                                                          mt_layer_attention(weights, kind),
                                                          pass->buffers->sub_layer, input);
  leave_stream(pass, MT_HOOK_ATTENTION_OUTPUT, kind, layer, x);
  sub_layer_output(pass, &norm, x);
  show(pass, MT_HOOK_RESIDUAL, kind, layer, x, pass->model->config.d_model);
}

static void
feed_forward_sub_layer(const mt_pass *pass, mt_attention_kind kind, int layer,
                       const mt_layer_weights *weights, float *x)
{
  const sub_layer_norm norm = {MT_HOOK_FEED_FORWARD_NORM_INPUT, kind, layer, &weights->ffn_norm};
  const float *input = sub_layer_input(pass, &norm, x);
  feed_forward(pass, kind, layer, &weights->ffn, pass->buffers->sub_layer, input);
  leave_stream(pass, MT_HOOK_FEED_FORWARD, kind, layer, x);
  sub_layer_output(pass, &norm, x);
  show(pass, MT_HOOK_LAYER_OUTPUT, kind, layer, x, pass->model->config.d_model);
}

/* What computes at a place of a stack: the layer of that number, but for changes. */
static const mt_layer_weights *
layer_at(const mt_pass *pass, mt_stack stack, size_t layer)
{
  return &pass->model->stacks[stack].layers[mt_hook_points_layer(&pass->hook_points, stack, layer)];
}

/* Self-attention and a feed-forward network; in the decoder attention over the encoder's output
 * between them. One function serves both ways of running the decoder: a step, whose rows are the
 * beams of sentences at one position, and the parallel pass, whose rows are all positions. */
bool
mt_stack_layers(const mt_pass *pass, mt_stack stack, size_t first, size_t end)
{
  const mt_attention_kind self = mt_stack_kind(stack);
  float *x = pass->buffers->x;
  for (size_t layer = first; layer < end; layer++) {
    const mt_layer_weights *weights = layer_at(pass, stack, layer);
    if (mt_pass_is_stopped(pass))
      return false;
    attention_sub_layer(pass, self, (int) layer, weights, x);
    if (stack == MT_STACK_DECODER)
      attention_sub_layer(pass, MT_CROSS, (int) layer, weights, x);
    feed_forward_sub_layer(pass, self, (int) layer, weights, x);
  }
  return true;
}

void
mt_stack_finish(const mt_pass *pass, mt_stack stack)
{
  const mt_norm_weights *norm = &pass->model->stacks[stack].final_norm;
  float *x = pass->buffers->x;
  if (norm->gain)
    norm_rows(pass, x, x, pass->groups->n_rows, norm);
  show(pass, MT_HOOK_STACK_OUTPUT, mt_stack_kind(stack), -1, x, pass->model->config.d_model);
}

bool
mt_encoder_run(const mt_pass *pass, const int32_t *ids)
{
  mt_embed(pass, MT_STACK_ENCODER, ids);
  if (!mt_stack_layers(pass, MT_STACK_ENCODER, 0, pass->model->config.n_layers[MT_STACK_ENCODER]))
    return false;
  mt_stack_finish(pass, MT_STACK_ENCODER);
  return true;
}

bool
mt_decoder_begin(const mt_pass *pass)
{
  for (size_t layer = 0; layer < pass->model->config.n_layers[MT_STACK_DECODER]; layer++) {
    if (mt_pass_is_stopped(pass))
      return false;
    const mt_layer_weights *weights = layer_at(pass, MT_STACK_DECODER, layer);
    const attention_place place = place_of(pass, MT_CROSS, (int) layer, weights);
    multi_head_keys(pass, &place, &weights->cross, pass->buffers->x);
  }
  return true;
}

bool
mt_decoder_run(const mt_pass *pass, const int32_t *ids)
{
  mt_embed(pass, MT_STACK_DECODER, ids);
  return mt_stack_layers(pass, MT_STACK_DECODER, 0, pass->model->config.n_layers[MT_STACK_DECODER]);
}

/* ---- 3.4 The output projection --------------------------------------------------------------- */

void
mt_decoder_all_logits(const mt_pass *pass, size_t first, size_t n, float *logits)
{
  const mt_linear *output = &pass->model->output;
  const size_t d = pass->model->config.d_model;
  const float scale = pass->model->config.output_scale;
  const float *x = pass->buffers->x + first * d;
  if (scale != 1) {
    /* Beside the output of the stack, which stays what it is. */
    float *scaled = pass->buffers->normed;
    for (size_t i = 0; i < n * d; i++)
      scaled[i] = scale * x[i];
    x = scaled;
  }
  mt_ops_linear(pass->ops, logits, x, n, output);
  if (!mt_hook_points_want(&pass->hook_points, MT_HOOK_LOGITS))
    return;
  mt_tensor tensor = {.hook_point = MT_HOOK_LOGITS,
                      .kind = MT_DECODER_SELF,
                      .layer = -1,
                      .head = -1,
                      .first = first,
                      .n = n,
                      .data = logits,
                      .cols = output->n_out,
                      .stride = output->n_out};
  mt_hook_points_reach(&pass->hook_points, pass->groups, &tensor);
}

void
mt_decoder_logits(const mt_pass *pass, size_t first, size_t n, float *logits)
{
  mt_decoder_all_logits(pass, first, n, logits);
  for (size_t r = 0; r < n; r++)
    mt_model_leave_out(pass->model, logits + r * pass->model->output.n_out);
}

bool
mt_decoder_score(const mt_pass *pass, const int32_t *targets, float *logprobs)
{
  const mt_buffers *buffers = pass->buffers;
  size_t vocab_size = pass->model->output.n_out, n_rows = pass->groups->n_rows;
  /* The vocabulary is wide: a block of rows at a time keeps the logits small. */
  for (size_t first = 0; first < n_rows; first += buffers->logit_rows) {
    if (mt_pass_is_stopped(pass))
      return false;
    size_t n = n_rows - first < buffers->logit_rows ? n_rows - first : buffers->logit_rows;
    mt_decoder_logits(pass, first, n, buffers->logits);
    for (size_t r = 0; r < n; r++) {
      const float *row = buffers->logits + r * vocab_size;
      logprobs[first + r] =
          row[targets[first + r]] - pass->ops->kernels->log_sum_exp(row, vocab_size);
    }
  }
  return true;
}
