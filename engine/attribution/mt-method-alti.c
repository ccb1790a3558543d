/* mt-method-alti.c — ALTI+: contributions of tokens to states (contributions.h), handed on from
 * layer to layer (mt-compose.c), to the source and to the prefix (Ferrando et al. 2022, arXiv
 * 2205.11631, section 3). What feed-forward networks do is left out, as there; in pre-norm models
 * no norm stands behind the sum, so J is the identity.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "attribution/mt-attribution.h"

#include "explain/mt-contributions.h"

static void
copy(float *out, mt_matrix m)
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
  copy(tokens, mt_contributions_tokens(c));
  if (kept)
    copy(kept, mt_contributions_stream(c));
  mt_contributions_free(c);
  return true;
}

static bool
layer_shares(mt_attribution_work *work, mt_stack stack, size_t layer, const mt_layer_shares *shares,
             mt_error *error)
{
  const mt_point self = {stack, (int) layer, MT_SUB_LAYER_SELF};
  const mt_point cross = {stack, (int) layer, MT_SUB_LAYER_CROSS};
  return sub_layer(work, self, shares->self, NULL, error) &&
         (stack == MT_STACK_ENCODER || sub_layer(work, cross, shares->cross, shares->kept, error));
}

static bool
run(mt_attribution_work *work, const mt_attribution_rows *out, mt_error *error)
{
  return mt_attribution_compose(work, out, layer_shares, error);
}

const mt_method mt_method_alti = {
    .about = {.id = "alti",
              .name = "ALTI+",
              .source = "Ferrando et al. 2022, arXiv 2205.11631, section 3",
              .gives = "share of the token in the state that the word is made of; feed-forward "
                       "networks are left out",
              .has_encoder = true,
              .sum = MT_ATTRIBUTION_BOTH_ONE},
    .run = run,
};
