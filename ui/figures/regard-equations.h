/* regard-equations.h — the equations of a model as pictures, captions and headings write them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Models differ from the paper in what they divide scores by, in what they add to them, in their
 * norms and in what stands before the first layer. Whoever writes an equation asks here, so that it
 * is the model's own. Texts are static and not translated, but for those that are said to be.
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* Whether scores of this attention are divided by √d_k, as the paper's are. */
gboolean regard_divides_scores(const mt_config *config, mt_attention_kind kind);
/* Whether a number for the distance of the two tokens is added to them. */
gboolean regard_biases_scores(const mt_config *config, mt_attention_kind kind);
/* Whether a row for its position is added to the embedding of each token. */
gboolean regard_adds_positions(const mt_config *config);

/* Equation 1: "softmax(Q Kᵀ / √d_k) V", "softmax(Q Kᵀ + B) V"; one query: with a small q and b. */
const char *regard_equation_attention(const mt_config *config, mt_attention_kind kind,
                                      gboolean of_one_query);
/* What the softmax reads: "Q Kᵀ ÷ √d_k + mask". */
const char *regard_equation_scores(const mt_config *config, mt_attention_kind kind);
/* What the first layer reads: "√d · e + p", "norm(e + p)"; or its first summand alone: "√d · e". */
const char *regard_equation_embedding(const mt_config *config);
const char *regard_equation_token(const mt_config *config);
/* "γ (x − μ) ÷ σ + β"; of an RMS norm "γ x ÷ σ". */
const char *regard_equation_norm(const mt_config *config);

/* "Layer norm", "RMS norm"; in a sentence: "layer norm". Both are translated. */
const char *regard_norm_title(const mt_config *config);
const char *regard_norm_name(const mt_config *config);

G_END_DECLS
