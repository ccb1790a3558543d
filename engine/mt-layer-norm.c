/* mt-layer-norm.c — layer normalization and where it stands.
 *
 *     LayerNorm(x) = gain * (x - mean(x)) / sqrt(variance(x) + 1e-5) + bias
 *
 * The paper, section 3.1, puts it after each residual addition (post-norm); later models normalize
 * what a sub-layer reads instead and leave the residual stream alone (pre-norm).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-pass.h"

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

void
mt_sub_layer_output(const mt_pass *pass, float *x, const float *y, size_t rows,
                    const mt_norm_weights *norm)
{
  mt_ops_add(x, y, rows * pass->model->config.d_model);
  if (!pass->model->config.normalize_before)
    mt_layer_norm(pass, x, x, rows, norm);
}

void
mt_stack_finish(const mt_pass *pass, mt_stack stack, float *x, size_t rows)
{
  const mt_norm_weights *norm = &pass->model->stacks[stack].final_norm;
  if (norm->gain)
    mt_layer_norm(pass, x, x, rows, norm);
}
