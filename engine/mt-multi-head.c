/* mt-multi-head.c — multi-head attention, the paper, section 3.2.2:
 *
 *     MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O
 *     head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
 *
 * The projections of all heads are one matrix; head i is d_head columns of its result, so that
 * splitting and concatenating cost nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-pass.h"

/* Show a tensor [rows.n][d] head by head. */
static void
show_heads(const mt_pass *pass, mt_site site, const mt_place *place, float *data)
{
  if (!mt_hooks_want(pass->hooks, site))
    return;
  size_t d = pass->model->config.d_model, d_head = d / place->n_heads;
  for (size_t h = 0; h < place->n_heads; h++)
    mt_hooks_show(pass->hooks, site, place->kind, place->layer, (int) h, place->rows,
                  data + h * d_head, d_head, d);
}

static void
project_queries(const mt_pass *pass, const mt_place *place, const mt_attention_weights *weights,
                const float *x)
{
  mt_ops_linear(pass->ops, pass->buffers->q, x, place->rows.n, &weights->q);
  show_heads(pass, MT_SITE_QUERY, place, pass->buffers->q);
}

void
mt_multi_head_keys(const mt_pass *pass, const mt_place *place, const mt_attention_weights *weights,
                   float *k, float *v, const float *x)
{
  mt_ops_linear(pass->ops, k, x, place->rows.n, &weights->k);
  show_heads(pass, MT_SITE_KEY, place, k);
  mt_ops_linear(pass->ops, v, x, place->rows.n, &weights->v);
  show_heads(pass, MT_SITE_VALUE, place, v);
}

/* Attention of every head on the projected queries, then W^O. */
static void
attend(const mt_pass *pass, const mt_place *place, const mt_attention_weights *weights, float *out,
       const mt_keys *keys)
{
  size_t d = pass->model->config.d_model, d_head = d / place->n_heads;
  for (size_t h = 0; h < place->n_heads; h++) {
    mt_keys head_keys = *keys;
    head_keys.k += h * d_head;
    head_keys.v += h * d_head;
    mt_attention(pass, place, h, pass->buffers->context + h * d_head, pass->buffers->q + h * d_head,
                 &head_keys);
  }
  mt_ops_linear(pass->ops, out, pass->buffers->context, place->rows.n, &weights->out);
  mt_hooks_probe(pass->hooks, MT_SITE_ATTENTION_OUTPUT, place->kind, place->layer, -1, place->rows,
                 out, d, d);
}

void
mt_multi_head(const mt_pass *pass, const mt_place *place, const mt_attention_weights *weights,
              float *out, const float *x, const mt_keys *keys)
{
  project_queries(pass, place, weights, x);
  attend(pass, place, weights, out, keys);
}

void
mt_multi_head_self(const mt_pass *pass, const mt_place *place, const mt_attention_weights *weights,
                   float *out, const float *x, float *k, float *v, const mt_keys *keys)
{
  project_queries(pass, place, weights, x);
  mt_multi_head_keys(pass, place, weights, k, v, x);
  attend(pass, place, weights, out, keys);
}
