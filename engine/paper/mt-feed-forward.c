/* mt-feed-forward.c — the position-wise feed-forward network, the paper, section 3.3, equation 2:
 *
 *     FFN(x) = max(0, x W1 + b1) W2 + b2
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "paper/mt-pass.h"

/* out [rows][d] = f(x W1 + b1) W2 + b2; kind says which stack, for those who look. */
static void
mt_feed_forward(const mt_pass *pass, mt_attention_kind kind, int layer,
                const mt_ffn_weights *weights, float *out, const float *x)
{
  float *hidden = pass->buffers->hidden;
  size_t d = weights->fc2.n_out, n_hidden = weights->fc1.n_out, rows = pass->groups->n_rows;
  mt_activation activation = pass->model->config.activation;
  mt_ops_linear(pass->ops, hidden, x, rows, &weights->fc1);
  if (mt_sites_want(&pass->sites, MT_SITE_HIDDEN)) {
    mt_ops_activate_rows(pass->ops, hidden, rows, n_hidden, activation);
    mt_pass_show(pass, MT_SITE_HIDDEN, kind, layer, hidden, n_hidden);
    mt_ops_linear(pass->ops, out, hidden, rows, &weights->fc2);
  } else {
    mt_ops_linear_activated(pass->ops, out, hidden, rows, &weights->fc2, activation);
  }
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
