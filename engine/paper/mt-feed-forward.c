/* mt-feed-forward.c — the position-wise feed-forward network, the paper, section 3.3, equation 2:
 *
 *     FFN(x) = max(0, x W1 + b1) W2 + b2
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-pass.h"

typedef struct {
  float *hidden;
  size_t rows, n_hidden;
  mt_activation activation;
} activate_work;

/* Some of the rows. */
static void
activate_part(void *user, size_t i, size_t n_parts)
{
  const activate_work *w = user;
  size_t first = mt_ops_part_begin(i, n_parts, w->rows, 1);
  size_t n = mt_ops_part_begin(i + 1, n_parts, w->rows, 1) - first;
  mt_ops_activate(w->hidden + first * w->n_hidden, n * w->n_hidden, w->activation);
}

void
mt_feed_forward(const mt_pass *pass, mt_attention_kind kind, int layer,
                const mt_ffn_weights *weights, float *out, const float *x)
{
  float *hidden = pass->buffers->hidden;
  size_t d = weights->fc2.n_out, rows = pass->groups->n_rows;
  mt_ops_linear(pass->ops, hidden, x, rows, &weights->fc1);
  activate_work work = {hidden, rows, weights->fc1.n_out, pass->model->config.activation};
  mt_pool_run(pass->ops->pool, mt_ops_row_parts(pass->ops, rows), activate_part, &work);
  mt_pass_show(pass, MT_SITE_HIDDEN, kind, layer, hidden, weights->fc1.n_out);
  mt_ops_linear(pass->ops, out, hidden, rows, &weights->fc2);
  mt_pass_show(pass, MT_SITE_FEED_FORWARD, kind, layer, out, d);
}

void
mt_feed_forward_sub_layer(const mt_pass *pass, mt_attention_kind kind, int layer,
                          const mt_layer_weights *weights, float *x)
{
  size_t d = weights->ffn.fc2.n_out, rows = pass->groups->n_rows;
  mt_norm norm = {MT_SITE_FEED_FORWARD_NORM_INPUT, kind, layer, &weights->ffn_norm};
  const float *input = mt_sub_layer_input(pass, &norm, x, rows);
  mt_feed_forward(pass, kind, layer, &weights->ffn, pass->buffers->sub_layer, input);
  mt_sub_layer_output(pass, &norm, x, pass->buffers->sub_layer, rows);
  mt_pass_show(pass, MT_SITE_LAYER_OUTPUT, kind, layer, x, d);
}
