/* hooks.h — places inside the model where a tensor can be seen (requests) and changed. Part of
 * mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_HOOKS_H
#define MT_PUBLIC_HOOKS_H

#include <mt/interventions.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Places inside the model where a tensor can be seen and changed, in the order of computation. */
typedef enum {
  MT_HOOK_EMBEDDING,  /* [rows][d]       token embedding, after scaling */
  MT_HOOK_POSITION,   /* [rows][d]       position encoding about to be added */
  MT_HOOK_STREAM,     /* [rows][d]       the stream as the first layer finds it */
  MT_HOOK_QUERY,      /* [rows][d_head]  per head, not yet divided by the model's divisor */
  MT_HOOK_KEY,        /* [keys][d_head]  per head */
  MT_HOOK_VALUE,      /* [keys][d_head]  per head */
  MT_HOOK_SCORE_BIAS, /* [rows][keys]    per head: what relative positions add to the scores of
                         self-attention; it is to be looked at, and models without such
                         positions do not have it */
  MT_HOOK_SCORES,     /* [rows][keys]    per head: q·k / sqrt(d_head), or whatever the model's
                         divisor is, plus the bias; mask (-inf) applied */
  MT_HOOK_WEIGHTS,    /* [rows][keys]    per head: softmax of the scores; a row that a hook
                         masked altogether (-inf everywhere) attends to nothing: all 0 */
  MT_HOOK_CONTEXT,    /* [rows][d_head]  per head: weights times values */
  MT_HOOK_ATTENTION_OUTPUT, /* [rows][d]       after the output projection */
  MT_HOOK_NORM_INPUT,       /* [rows][d]       what the norm of an attention sub-layer reads:
                               stream + attention output, in a pre-norm model the stream itself */
  MT_HOOK_GATE,         /* [rows][d_ffn]   gated feed-forward network: what the hidden numbers are
                           multiplied with; other networks do not have it */
  MT_HOOK_HIDDEN,       /* [rows][d_ffn]   feed-forward network, after the non-linearity, and
                           multiplied with the gate: what the second map reads */
  MT_HOOK_FEED_FORWARD, /* [rows][d]       output of the feed-forward network */
  MT_HOOK_FEED_FORWARD_NORM_INPUT, /* [rows][d] as NORM_INPUT, of the feed-forward sub-layer */
  MT_HOOK_RESIDUAL,                /* [rows][d]       stream after an attention sub-layer */
  MT_HOOK_LAYER_OUTPUT, /* [rows][d]       stream after a whole layer: its hidden state */
  MT_HOOK_STACK_OUTPUT, /* [rows][d]       what a stack hands on, after its final norm if it has one
                         */
  MT_HOOK_LOGITS,       /* [rows][vocab]   before the softmax over the vocabulary */
  MT_N_HOOK_POINTS,
} mt_hook_point;
/* "norm_input": its name in files and on the command line. */
const char *mt_hook_point_name(mt_hook_point hook_point);
#define MT_HOOK_POINT_BIT(hook_point) (UINT32_C(1) << (hook_point))
#define MT_ALL_HOOK_POINTS            (MT_HOOK_POINT_BIT(MT_N_HOOK_POINTS) - 1)

/* What a hook is shown. data may be changed in place: row r starts at data + r * stride.
 * Rows are consecutive positions first_row, first_row + 1, … of one sequence. In a cached decoding
 * step there is one row per call, KEY and VALUE show only the newest row, and `sequence` tells the
 * beam; in a parallel pass `sequence` is 0. Cross-attention keys and values are shown when they
 * are computed, once per sentence, before the decoder's first layer. The logits of a parallel pass
 * come in blocks of up to 64 rows. LAYER_OUTPUT is shown before a stack's final layer norm. */
typedef struct {
  mt_hook_point hook_point;
  mt_attention_kind kind; /* RESIDUAL and NORM_INPUT: the attention sub-layer's; other hook points
                             outside attention: MT_ENCODER_SELF for the encoder stack,
                             MT_DECODER_SELF for the decoder stack */
  int layer;              /* 0-based; -1 for what belongs to no layer: embedding, position, stream,
                             stack output, logits */
  int head;               /* 0-based; -1 where the tensor is not per head */
  size_t sentence;        /* number of the text among many, else 0 */
  size_t sequence;
  size_t first_row;
  size_t rows, cols, stride;
  float *data;
} mt_editable_activation;

/* ---- Requests: looking, and nothing else ----------------------------------------------------- */

/* Tensors of one hook point: those of these kinds, layers and heads, which are masks with bit i for
 * i; what is beyond 63 has bit 63. They are not asked where a tensor has none. */
typedef struct {
  mt_hook_point hook_point;
  uint32_t kinds; /* MT_KIND_BIT(kind), as in mt_editable_activation */
  uint64_t layers, heads;
} mt_activation_request;
#define MT_KIND_BIT(kind) (UINT32_C(1) << (kind))
#define MT_ALL_KINDS      (MT_KIND_BIT(MT_N_KINDS) - 1)
#define MT_ALL_LAYERS     UINT64_MAX
#define MT_ALL_HEADS      UINT64_MAX

/* What is wanted: a value, to be copied and kept. {0}: nothing. */
#define MT_MAX_ACTIVATION_REQUESTS 32
typedef struct {
  size_t n;
  mt_activation_request requests[MT_MAX_ACTIVATION_REQUESTS];
} mt_activation_requests;
bool mt_activation_requests_want(const mt_activation_requests *requests, mt_hook_point hook_point,
                                 mt_attention_kind kind, int layer, int head);

/* What a callback is shown: as mt_editable_activation, but it may not be changed. It is shown as
 * changes and on_probe left it. In a decoding step, scores and weights of decoder self-attention
 * have as many columns as keys were there. With drafts (see mt_session_translate) several positions
 * are computed at a time, some of them in vain: those are shown again when they are computed with
 * the right token, and what was shown of positions behind the end of the result is void. */
typedef struct {
  mt_hook_point hook_point;
  mt_attention_kind kind;
  int layer, head;
  size_t sentence, sequence, first_row;
  size_t rows, cols, stride;
  const float *data;
  /* MT_HOOK_WEIGHTS: [rows] log-sum-exp of each row of scores, NaN of rows whose weights changes
   * set; else NULL. */
  const float *row_lse;
} mt_activation_view;

/* Where it goes. */
typedef struct {
  void (*on_view)(void *user, const mt_activation_view *view);
  void *user;
  /* on_view may be called by several threads at once, for different heads; else the heads that are
   * wanted are computed one after the other. */
  bool is_parallel;
} mt_activation_callback;

/* ---- Hooks ----------------------------------------------------------------------------------- */

/* One emitted token while searching: the newest token of the best running hypothesis. */
typedef struct {
  size_t sentence;    /* number of the text among many, else 0 */
  size_t step;        /* 0-based */
  const int32_t *ids; /* the best running hypothesis so far, without the start token */
  size_t n_ids;
  float score; /* its sum of log-probabilities */
} mt_progress;

/* What is to be done beside computing. All members may be zero.
 *
 * Requests and changes are values, and everything stays as fast as it is: drafts, recordings for
 * captures, many texts at a time, heads shared by threads. on_probe is the way out for programs
 * that want to change what no list of changes says: it may do anything at the hook points of its
 * mask, and so there are no drafts and no recordings with it, and attention is computed one head
 * after the other. Callbacks run on the thread that called the session, but for a parallel
 * callback. */
typedef struct {
  uint32_t hook_points; /* that on_probe wants; costs one branch per hook point when 0 */
  void (*on_probe)(void *user, const mt_editable_activation *probe);
  bool (*should_stop)(void *user); /* polled before every layer and step; true cancels */
  void (*on_token)(void *user, const mt_progress *progress);
  void *user;                             /* of these three */
  const mt_activation_requests *requests; /* or NULL; borrowed for the call */
  mt_activation_callback callback;        /* of the requests */
  /* Or NULL; made before on_probe and callback see anything. */
  const mt_interventions *interventions;
} mt_hooks;

#ifdef __cplusplus
}
#endif
#endif
