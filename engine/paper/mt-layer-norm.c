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

const float *
mt_sub_layer_input(const mt_pass *pass, const float *x, size_t rows, const mt_norm_weights *norm)
{
  if (!pass->model->config.normalize_before)
    return x;
  mt_layer_norm(pass, pass->buffers->normed, x, rows, norm);
  return pass->buffers->normed;
}

typedef struct {
  const mt_pass *pass;
  float *x;
  const float *y;
  size_t rows;
  const mt_norm_weights *norm;
} output_work;

/* Some of the rows. */
static void
output_part(void *user, size_t i, size_t n_parts)
{
  const output_work *w = user;
  size_t d = w->pass->model->config.d_model;
  size_t first = mt_ops_part_begin(i, n_parts, w->rows, 1);
  size_t n = mt_ops_part_begin(i + 1, n_parts, w->rows, 1) - first;
  float *x = w->x + first * d;
  mt_ops_add(x, w->y + first * d, n * d);
  if (!w->pass->model->config.normalize_before)
    mt_layer_norm(w->pass, x, x, n, w->norm);
}

void
mt_sub_layer_output(const mt_pass *pass, float *x, const float *y, size_t rows,
                    const mt_norm_weights *norm)
{
  output_work work = {pass, x, y, rows, norm};
  mt_pool_run(pass->ops->pool, mt_ops_row_parts(pass->ops, rows), output_part, &work);
}

void
mt_stack_finish(const mt_pass *pass, mt_stack stack, float *x, size_t rows)
{
  const mt_norm_weights *norm = &pass->model->stacks[stack].final_norm;
  if (norm->gain)
    mt_layer_norm(pass, x, x, rows, norm);
}
