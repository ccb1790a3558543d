/* mt-compose.c — what each layer says of the one before becomes what the last one says of the
 * tokens.
 *
 *     E_l = C^enc_l E_(l-1)                                            E_0 = I
 *     D^src_l = S_l D^src_(l-1) + X_l,  D^tgt_l = S_l D^tgt_(l-1)      D_0 = [0, I]
 *     S_l = diag(kept_l) C^self_l,      X_l = C^cross_l E_L
 *
 * (Abnar & Zuidema 2020, equation 1; for both stacks Ferrando 2022, section 3.2.) Rows are scaled
 * to sum to 1 after each layer: but for rounding they do already, unless a query attends to
 * nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <string.h>

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
run(chain *c, mt_error *error)
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
    ok = run(&c, error);
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
