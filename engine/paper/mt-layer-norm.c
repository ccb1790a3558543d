/* mt-layer-norm.c — layer normalization and where it stands.
 *
 *     LayerNorm(x) = gain * (x - mean(x)) / sqrt(variance(x) + 1e-5) + bias
 *
 * The paper, section 3.1, puts it after each residual addition (post-norm); later models normalize
 * what a sub-layer reads instead and leave the residual stream alone (pre-norm).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-pass.h"

void
mt_layer_norm(const mt_pass *pass, float *out, const float *x, size_t rows,
              const mt_norm_weights *norm)
{
  size_t d = pass->model->config.d_model;
  for (size_t r = 0; r < rows; r++)
    pass->ops->kernels->layer_norm(out + r * d, x + r * d, norm->gain, norm->bias, d, 1e-5f);
}

static void
show(const mt_pass *pass, const mt_norm *norm, float *x)
{
  mt_pass_show(pass, norm->site, norm->kind, norm->layer, x, pass->model->config.d_model);
}

const float *
mt_sub_layer_input(const mt_pass *pass, const mt_norm *norm, float *x, size_t rows)
{
  if (!pass->model->config.normalize_before)
    return x;
  show(pass, norm, x);
  mt_layer_norm(pass, pass->buffers->normed, x, rows, norm->weights);
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
      mt_layer_norm(w->pass, w->x + r * d, w->x + r * d, 1, w->norm);
  }
}

void
mt_sub_layer_output(const mt_pass *pass, const mt_norm *norm, float *x, const float *y, size_t rows)
{
  bool is_post = !pass->model->config.normalize_before;
  output_work work = {pass, x, y, rows, is_post ? norm->weights : NULL};
  size_t n_parts = mt_ops_row_parts(pass->ops, rows);
  /* A sum that somebody looks at has to be there whole. */
  if (is_post && mt_sites_want(&pass->sites, norm->site)) {
    work.norm = NULL;
    mt_pool_run(pass->ops->pool, n_parts, output_part, &work);
    show(pass, norm, x);
    work = (output_work){pass, x, NULL, rows, norm->weights};
  }
  mt_pool_run(pass->ops->pool, n_parts, output_part, &work);
}

void
mt_stack_finish(const mt_pass *pass, mt_stack stack, float *x, size_t rows)
{
  const mt_norm_weights *norm = &pass->model->stacks[stack].final_norm;
  if (norm->gain)
    mt_layer_norm(pass, x, x, rows, norm);
  mt_pass_show(pass, MT_SITE_STACK_OUTPUT,
               stack == MT_STACK_ENCODER ? MT_ENCODER_SELF : MT_DECODER_SELF, -1, x,
               pass->model->config.d_model);
}
