/* mt-method-chefer.c — relevance by weights and their gradients, for models with two stacks:
 *
 *     A' = mean_h (dA ⊙ A)+                    dA: derivative of the word's logit by A
 *     encoder          R_ii += A' R_ii
 *     decoder, self    R_qq += A' R_qq,  R_qi += A' R_qi
 *     cross            R_qi += N(R_qq)^T A' N(R_ii)
 *     N(R) = (R - I) / row sum + I
 *
 * from R_ii = I, R_qq = I, R_qi = 0 (Chefer, Gur & Wolf 2021, arXiv 2103.15679, equations 5 to 11).
 * The row of R_qi, and of R_qq - I, that predicts the word. For every word it is another pass back.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-backward.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <string.h>

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
  mt_backward_run(b, work->trace, t, MT_OF_LOGIT, add_head, r);
  compose(r);
}

static bool
run(mt_attribution_work *work, const mt_attribution_rows *out, mt_error *error)
{
  relevance r = {0};
  mt_backward *b = mt_backward_new(work, error);
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
  mt_backward_free(b);
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
    .run = run,
};
