/* mt-contributions.h — what keys give to queries, and contributions of tokens. Private to the
 * engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_CONTRIBUTIONS_H
#define MT_CONTRIBUTIONS_H

#include "kernels/mt-ops.h"

/* ---- What each key gives --------------------------------------------------------------------- */

/*     A^h_ij f^h(x_j),   f^h(x) = W_O^h (W_V^h x + b_V^h)         (Kobayashi 2020, equation 3) */
typedef struct {
  size_t rows, keys, d, n_heads; /* n_heads: those that were asked for */
  bool is_causal;                /* a key is not seen by the rows before it */
  float *f;                      /* [n_heads][keys][d] */
  float *a; /* [keys][rows][n_heads]: weights, as the contexts have them: those of a head that a
               change scaled or switched off are scaled likewise */
  const mt_ops *ops;
} mt_values;

/* From MT_HOOK_VALUE, MT_HOOK_WEIGHTS and MT_HOOK_CONTEXT of a layer; head -1: all. mt_values_end
 * in any case. MT_ERROR_INPUT: the trace does not have it, or contexts are something else than
 * weights times values; MT_ERROR_NO_MEMORY. */
bool mt_values_begin(mt_values *values, const mt_ops *ops, const mt_model *model,
                     const mt_trace *trace, mt_attention_kind kind, size_t layer, int head,
                     mt_error *error);
void mt_values_end(mt_values *values);

/* t [rows][d] = sum_h A^h_ij f^h(x_j) of key j, from the row on that this returns: rows before it
 * do not see the key, and their t is not touched. May be called by several threads. */
size_t mt_values_given(const mt_values *values, size_t j, float *t);
/* How long it is, all heads that were asked for together (equation 3): out [rows][keys], 0 of keys
 * that a row does not see. MT_ERROR_NO_MEMORY. */
bool mt_values_norms(const mt_values *values, float *out, mt_error *error);

/* ---- Contributions --------------------------------------------------------------------------- */

/* As mt_contributions_new. */
mt_contributions *mt_contributions_make(const mt_model *model, const mt_trace *trace,
                                        mt_point point, const mt_ops *ops, mt_error *error);

#endif
