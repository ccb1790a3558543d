/* mt-attribution.h — what methods of attribution work on, and what they leave. Private to the
 * engine.
 *
 * A method is one mt_method, in the file of its kind (mt-method-*.c, mt-methods-*.c), and one row
 * of the list in mt-attribution.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_ATTRIBUTION_H
#define MT_ATTRIBUTION_H

#include "session/mt-ablation.h"

/* One hypothesis, traced once for all methods. */
typedef struct {
  mt_session *session;
  const mt_model *model;
  const mt_translation *translation;
  size_t index;
  mt_hooks hooks;          /* changes, should_stop and its user */
  const mt_tokens *output; /* of the hypothesis */
  mt_forced forced;        /* up to the last token that is wanted */
  size_t n_source, n_target, d;
  mt_trace *trace;    /* with everything that methods read */
  size_t first, rows; /* output tokens that are wanted */
  mt_attribution_params params;
  double done, share; /* of the progress: what came before, and what is the method's */
} mt_attribution_work;

/* Where it puts its numbers: all 0 before. */
typedef struct {
  float *source;      /* [rows][n_source] */
  float *prefix;      /* [rows][n_target] */
  float *encoder;     /* [n_source][n_source], or NULL: not wanted */
  float *differences; /* [rows], or NULL */
} mt_attribution_rows;

/* A method that says something of each layer by itself: fill values [queries][keys], which are 0,
 * for one. The mean over those that params ask for becomes the result. */
typedef bool (*mt_layer_method)(mt_attribution_work *work, mt_attention_kind kind, size_t layer,
                                float *values, mt_error *error);

/* What of each layer is handed on to the next: rows of `self` [queries][keys] are shares of the
 * layer's own tokens; in the decoder a token then keeps `kept` [queries] of itself and has `cross`
 * [queries][n_source] from the encoder's output, which together are 1. */
typedef struct {
  float *self, *cross, *kept;
} mt_layer_shares;
typedef bool (*mt_shares_method)(mt_attribution_work *work, mt_stack stack, size_t layer,
                                 const mt_layer_shares *shares, mt_error *error);
typedef struct {
  mt_attribution_method about;
  bool needs_all; /* of the trace: else what is around attention */
  /* One of these. */
  mt_layer_method each_layer;
  mt_shares_method shares; /* mt_attribution_compose */
  bool (*run)(mt_attribution_work *work, const mt_attribution_rows *out, mt_error *error);
} mt_method;

extern const mt_method mt_method_weights, mt_method_norms, mt_method_rollout, mt_method_alti,
    mt_method_value_zeroing, mt_method_occlusion, mt_method_gradient_input,
    mt_method_integrated_gradients, mt_method_chefer;

/* ---- For methods ----------------------------------------------------------------------------- */

/* False: MT_ERROR_CANCELLED. share: how much of the method is done. */
bool mt_attribution_goes_on(mt_attribution_work *work, double share, mt_error *error);

/* Queries of a kind. */
size_t mt_attribution_n_queries(const mt_attribution_work *work, mt_attention_kind kind);

/* Layers one after the other, with E_0 = I, D_0 = [0, I]. Every row is scaled to sum
 * to 1 after each layer. */
bool mt_attribution_compose(mt_attribution_work *work, const mt_attribution_rows *out,
                            mt_shares_method method, mt_error *error);

/* Embeddings of tokens times a number: `all` of every token, but of one of them `one`. */
typedef struct {
  float all, one;
  mt_stack stack;
  size_t token; /* SIZE_MAX: none */
} mt_embedding_scale;
/* Copies of the hypothesis, as in mt-ablation.h, beside each other in one pass, up to the last
 * token that is wanted: what comes behind it says nothing of it. logprobs of all of them, and of
 * `clean` without a change of its own, have as many. begin, share: what of the method's progress it
 * is. */
bool mt_attribution_run_copies(mt_attribution_work *work, mt_variant *clean, mt_variant *variants,
                               size_t n, double begin, double share, mt_error *error);
/* log p [n_target] of the hypothesis in a pass with these embeddings, up to the last token that is
 * wanted. */
bool mt_attribution_score(mt_attribution_work *work, const mt_embedding_scale *scale,
                          float *logprobs, mt_error *error);
/* A trace of the pass with them; unref it. */
mt_trace *mt_attribution_trace(mt_attribution_work *work, const mt_embedding_scale *scale,
                               mt_error *error);

/* ---- How an attribution begins and ends ------------------------------------------------------ */

/* Check everything, run the model once and keep what methods read; the method is not looked at.
 * mt_attribution_end in any case. */
bool mt_attribution_begin(mt_attribution_work *work, mt_session *session,
                          const mt_translation *translation, size_t index,
                          const mt_attribution_params *params, const mt_hooks *hooks,
                          bool needs_all, mt_error *error);
void mt_attribution_end(mt_attribution_work *work);
/* The changes of a head at a hook point, made in data [n][cols] whose rows are `stride` apart and
 * begin at a position. interventions NULL: none. */
void mt_attribution_change(const mt_model *model, const mt_interventions *interventions,
                           mt_hook_point hook_point, mt_attention_kind kind, size_t layer,
                           size_t head, size_t position, float *data, size_t n, size_t cols,
                           size_t stride);

/* One method. */
mt_attribution *mt_attribution_run(mt_attribution_work *work, size_t method, mt_error *error);

#endif
