/* complexity.h — what layers cost: the paper's table 1, the multiply-adds of a model, and how long
 * they take here. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_COMPLEXITY_H
#define MT_PUBLIC_COMPLEXITY_H

#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/model.h>
#include <mt/session.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The paper's table 1 (section 4) --------------------------------------------------------- */

typedef enum {
  MT_LAYER_SELF_ATTENTION, /* every position sees every other */
  MT_LAYER_RECURRENT,      /* one position after the other */
  MT_LAYER_CONVOLUTIONAL,  /* a kernel over k positions; dilated, for the path */
  MT_LAYER_RESTRICTED,     /* self-attention that sees the r positions around each */
  MT_N_LAYER_TYPES,
} mt_layer_type;

/* A sequence of n vectors of d numbers; k positions in a kernel, at least 2; r in a neighbourhood,
 * at least 1. */
typedef struct {
  size_t n, d, k, r;
} mt_layer_sizes;

/* A row of table 1, its expressions as numbers: what stands in O( ), without the constants that O
 * leaves open. Whole numbers are exact below 2^53. A neighbourhood has no more positions than the
 * sequence: where r is larger, it counts as n. */
typedef struct {
  double operations; /* per layer: n^2 d, n d^2, k n d^2, r n d */
  double sequential; /* that must wait for each other: 1, n, 1, 1 */
  double path;       /* between the two positions furthest apart, in steps: 1, n, log_k n, n / r */
} mt_layer_complexity;
mt_layer_complexity mt_complexity(mt_layer_type type, const mt_layer_sizes *sizes);

/* ---- Multiply-adds of a model ---------------------------------------------------------------- */

/* What a pass consists of, as far as it is products of matrices. */
typedef enum {
  MT_COST_ENCODER_PROJECTIONS,  /* W_Q, W_K, W_V, W_O (3.2.2) */
  MT_COST_ENCODER_SCORES,       /* Q K^T, and weights times V (3.2.1) */
  MT_COST_ENCODER_FEED_FORWARD, /* W_1 and W_2 (3.3) */
  MT_COST_DECODER_PROJECTIONS,  /* of self- and cross-attention; there W_K, W_V of the source */
  MT_COST_DECODER_SCORES,
  MT_COST_DECODER_FEED_FORWARD,
  MT_COST_OUTPUT, /* the output matrix (3.4) */
  MT_N_COSTS,
} mt_cost;
/* "decoder_scores": its name in files. */
const char *mt_cost_name(mt_cost cost);

/* How the decoder runs. */
typedef enum {
  /* All positions at once, teacher-forced, as for a score or a capture: all n_target^2 scores of
   * masked self-attention are computed, and then those of later keys are masked. */
  MT_DECODING_PARALLEL,
  /* One position after the other, with keys and values kept: step t scores t keys. Of one
   * hypothesis: a search with more multiplies the decoder's and the output's by their number, but
   * for the keys and values of the source, which are projected once. */
  MT_DECODING_STEPS,
} mt_decoding;

/* Multiply-adds, exactly, by part: a product [a][b] x [b][c] is a b c of them. Biases, norms,
 * softmax, activation and embedding, which grow with n d alone, are not counted. An
 * attention_window saves nothing: it masks scores that were computed. n_target: the decoder's
 * positions, those of its start token and all tokens but the last. */
typedef struct {
  uint64_t of[MT_N_COSTS];
} mt_costs;
mt_costs mt_costs_count(const mt_config *config, size_t n_source, size_t n_target,
                        mt_decoding decoding);
uint64_t mt_costs_sum(const mt_costs *costs);
/* Of the multiply-adds of scores (both _SCORES), how many belong to pairs that no mask forbids:
 * neither that of the decoder nor attention_window. */
uint64_t mt_costs_unmasked(const mt_config *config, size_t n_source, size_t n_target);

/* ---- Time ------------------------------------------------------------------------------------ */

/* Each the median of n_passes, in milliseconds; so the parts need not add up to the whole. */
typedef struct {
  size_t n_source, n_target; /* tokens that went through encoder and decoder */
  size_t n_passes;           /* timed; 0: none */
  unsigned n_threads;        /* of the session */
  double of[MT_N_COSTS];     /* scores with mask and softmax, feed-forward with activation; in a
                                pre-norm model projections and feed-forward with the norm before */
  double other;              /* embedding, residuals, norms, softmax over the vocabulary */
  double pass;               /* all of it */
} mt_cost_times;

#define MT_MOST_TIMED_PASSES 1001

/* Run hypothesis `index` of a translation n_passes times (1 … MT_MOST_TIMED_PASSES), teacher-forced
 * (MT_DECODING_PARALLEL, weights as they are stored, softmax over the vocabulary included), after
 * one pass that is not counted, and take the time of the parts, with the threads of this session
 * and at the hook points that every pass has: nothing is computed otherwise than without looking.
 * Of hooks, which may be NULL, only changes and should_stop count. Errors as of mt_session_capture;
 * MT_ERROR_INPUT for n_passes. */
bool mt_session_time_costs(mt_session *session, const mt_translation *translation, size_t index,
                           size_t n_passes, const mt_hooks *hooks, mt_cost_times *times,
                           mt_error *error);
/* The same in a session of its own, with as many threads as a session has by itself. On any thread.
 */
bool mt_time_costs(mt_model *model, const mt_translation *translation, size_t index,
                   size_t n_passes, const mt_hooks *hooks, mt_cost_times *times, mt_error *error);

#ifdef __cplusplus
}
#endif
#endif
