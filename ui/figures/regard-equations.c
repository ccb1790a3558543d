/* regard-equations.c — the equations of a model as pictures, captions and headings write them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-equations.h"

#include "figures/regard-language.h"
#include "figures/regard-naming.h"

gboolean
regard_divides_scores(const mt_config *config, mt_attention_kind kind)
{
  return config->score_divisor[regard_naming_rows(kind)] != 1;
}

gboolean
regard_biases_scores(const mt_config *config, mt_attention_kind kind)
{
  return config->position_kind == MT_POSITIONS_RELATIVE && kind != MT_CROSS;
}

gboolean
regard_adds_positions(const mt_config *config)
{
  return config->position_kind != MT_POSITIONS_RELATIVE;
}

/* ---- Attention ------------------------------------------------------------------------------- */

const char *
regard_equation_attention(const mt_config *config, mt_attention_kind kind, gboolean of_one_query)
{
  static const char *const texts[2][2][2] = {
      /* [one query][divides][has a bias] */
      {{"softmax(Q Kᵀ) V", "softmax(Q Kᵀ + B) V"},
       {"softmax(Q Kᵀ / √d_k) V", "softmax(Q Kᵀ / √d_k + B) V"}},
      {{"softmax(q Kᵀ) V", "softmax(q Kᵀ + b) V"},
       {"softmax(q Kᵀ / √d_k) V", "softmax(q Kᵀ / √d_k + b) V"}},
  };
  return texts[of_one_query][regard_divides_scores(config, kind)]
              [regard_biases_scores(config, kind)];
}

const char *
regard_equation_scores(const mt_config *config, mt_attention_kind kind)
{
  static const char *const texts[2][2] = {
      /* [divides][has a bias] */
      {N_("Q Kᵀ + mask"), N_("Q Kᵀ + B + mask")},
      {N_("Q Kᵀ ÷ √d_k + mask"), N_("Q Kᵀ ÷ √d_k + B + mask")},
  };
  return _(texts[regard_divides_scores(config, kind)][regard_biases_scores(config, kind)]);
}

/* ---- Embeddings and norms -------------------------------------------------------------------- */

const char *
regard_equation_token(const mt_config *config)
{
  return config->scale_embedding ? "√d · e" : "e";
}

const char *
regard_equation_embedding(const mt_config *config)
{
  static const char *const texts[2][2][2] = {
      /* [has a norm][has positions][is scaled] */
      {{"e", "√d · e"}, {"e + p", "√d · e + p"}},
      {{"norm(e)", "norm(√d · e)"}, {"norm(e + p)", "norm(√d · e + p)"}},
  };
  return texts[config->normalize_embedding][regard_adds_positions(config)][config->scale_embedding];
}

const char *
regard_equation_norm(const mt_config *config)
{
  return config->norm_kind == MT_NORM_RMS ? "γ x ÷ σ" : "γ (x − μ) ÷ σ + β";
}

const char *
regard_norm_title(const mt_config *config)
{
  return config->norm_kind == MT_NORM_RMS ? _("RMS norm") : _("Layer norm");
}

const char *
regard_norm_name(const mt_config *config)
{
  return config->norm_kind == MT_NORM_RMS ? C_("in a sentence", "RMS norm") : _("layer norm");
}
