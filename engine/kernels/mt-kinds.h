/* mt-kinds.h — what the kinds of a configuration compute: norms, activations, positions. Private to
 * the engine.
 *
 * A kind is a value of an enum in mt/config.h. What there is of one stands side by side here: the
 * function for the pass, its derivative for gradients, the part of it that is linear for
 * explanations. A new kind is a new value, which compilers then miss in every switch that it
 * needs; mt_kinds_check refuses what nobody computes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_KINDS_H
#define MT_KINDS_H

#include "kernels/mt-kernels.h"
#include "mt.h"

/* What a family leaves at 0 becomes what it is in the paper and in Marian: heads of d_model /
 * n_heads columns, scores divided by sqrt(d_head) (section 3.2), an epsilon of 1e-5 in norms, an
 * output that is not scaled. */
void mt_kinds_set_defaults(mt_config *config);

/* Columns of all heads of an attention side by side: of q, k, v and context. */
static inline size_t
mt_inner(const mt_config *config, mt_stack stack)
{
  return config->n_heads[stack] * config->d_head[stack];
}

/* Of the stack that has more. */
static inline size_t
mt_most_inner(const mt_config *config)
{
  const size_t a = mt_inner(config, MT_STACK_ENCODER), b = mt_inner(config, MT_STACK_DECODER);
  return a > b ? a : b;
}

/* Whether all that a configuration asks for is computed here; label names what says so
 * ("en-de/config.json"). Errors: MT_ERROR_UNSUPPORTED. */
bool mt_kinds_check(const mt_config *config, const char *label, mt_error *error);

/* ---- Norms, config->norm_kind ---------------------------------------------------------------- */

/*     LayerNorm(x) = gain (x - mean(x)) / sigma(x) + bias,   sigma(x) = sqrt(variance(x) + epsilon)
 *     RMSNorm(x)   = gain x / sigma(x),                      sigma(x) = sqrt(mean(x^2) + epsilon)
 *
 * Rows have d_model numbers; epsilon is config->norm_epsilon. An RMS norm is a layer norm that
 * takes the mean for 0 and has no bias, and whoever asks is told so. */
#define MT_LAYER_NORM_EPSILON 1e-5

/* out = what the norm makes of x; out may be x. */
void mt_norm_row(const mt_config *config, const mt_kernels *kernels, float *out, const float *x,
                 const float *gain, const float *bias);

/* out (+)= d_x, given d_y: with g = gain d_y and n = (x - mean) / sigma,
 * d_x = (g - mean g - n mean(g n)) / sigma; of an RMS norm without mean g. out may be d_y, but not
 * if it is added to. */
void mt_norm_back(const mt_config *config, float *out, const float *x, const float *d_y,
                  const float *gain, bool adds);

/* What a row is moved by and divided by; of floats, or of doubles. */
typedef struct {
  double mean, sigma;
} mt_norm_measure;
mt_norm_measure mt_norm_measure_row(const mt_config *config, const float *x);
mt_norm_measure mt_norm_measure_doubles(const mt_config *config, const double *x);

/* With sigma held fixed a norm is linear, but for its bias (Kobayashi 2021):
 * J(u) = gain (u - mean u) / sigma, so that each of several parts goes through it by itself. Here u
 * becomes J(u); and out = sigma J(x), by the kernels, where out may be x. */
void mt_norm_linear(const mt_config *config, double *u, const float *gain, double sigma);
void mt_norm_linear_row(const mt_config *config, const mt_kernels *kernels, float *out,
                        const float *x, const float *gain);

/* ---- Activations, config->activation --------------------------------------------------------- */

/* x [n] = f(x): the paper's max(0, x), or a later choice; GELU is the exact one, with erf. */
void mt_activate(mt_activation activation, const mt_kernels *kernels, float *x, size_t n);

/* Whether the derivative needs what went in, or what came out says all. */
bool mt_activation_needs_input(mt_activation activation);
/* d_x [n] *= f'(in), out = f(in). `in` is read only if it is needed. */
void mt_activate_back(mt_activation activation, float *d_x, const float *in, const float *out,
                      size_t n);

/* ---- Positions, config->position_kind -------------------------------------------------------- */

/* Whether encodings are computed, and so exist of every position; others were learned. */
bool mt_positions_are_computed(mt_position_kind kind);
/* Whether there are encodings that are added to embeddings; relative positions have none. */
bool mt_positions_are_added(mt_position_kind kind);
/* Whether something is added to the scores of an attention, by head and by distance. */
bool mt_scores_have_bias(const mt_config *config, mt_attention_kind kind);
/* out [d]: of any position, before the first, too. kind: one that is computed. */
void mt_positions_encode(float *out, long position, size_t d, mt_position_kind kind);

#endif
