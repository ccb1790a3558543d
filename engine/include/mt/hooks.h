/* hooks.h — places inside the model where a tensor can be seen and changed. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_HOOKS_H
#define MT_PUBLIC_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { MT_ENCODER_SELF, MT_DECODER_SELF, MT_CROSS } mt_attention_kind;
#define MT_N_KINDS 3

/* Places inside the model where a tensor can be seen and changed, in the order of computation. */
typedef enum {
  MT_SITE_EMBEDDING,        /* [rows][d]       token embedding, after scaling */
  MT_SITE_POSITION,         /* [rows][d]       position encoding about to be added */
  MT_SITE_QUERY,            /* [rows][d_head]  per head, not yet scaled by 1/sqrt(d_head) */
  MT_SITE_KEY,              /* [keys][d_head]  per head */
  MT_SITE_VALUE,            /* [keys][d_head]  per head */
  MT_SITE_SCORES,           /* [rows][keys]    per head: q·k / sqrt(d_head), mask (-inf) applied */
  MT_SITE_WEIGHTS,          /* [rows][keys]    per head: softmax of the scores; a row that a hook
                               masked altogether (-inf everywhere) attends to nothing: all 0 */
  MT_SITE_CONTEXT,          /* [rows][d_head]  per head: weights times values */
  MT_SITE_ATTENTION_OUTPUT, /* [rows][d]       after the output projection */
  MT_SITE_FEED_FORWARD,     /* [rows][d]       output of the feed-forward network */
  MT_SITE_RESIDUAL,         /* [rows][d]       stream after an attention sub-layer */
  MT_SITE_LAYER_OUTPUT,     /* [rows][d]       stream after a whole layer: its hidden state */
  MT_SITE_LOGITS,           /* [rows][vocab]   before the softmax over the vocabulary */
  MT_N_SITES,
} mt_site;
#define MT_SITE_BIT(site) (UINT32_C(1) << (site))
#define MT_ALL_SITES      (MT_SITE_BIT(MT_N_SITES) - 1)

/* What a hook is shown. data may be changed in place: row r starts at data + r * stride.
 * Rows are consecutive positions first_row, first_row + 1, … of one sequence. In a cached decoding
 * step there is one row per call, KEY and VALUE show only the newest row, and `sequence` tells the
 * beam; in a parallel pass `sequence` is 0. Cross-attention keys and values are shown when they
 * are computed, once per sentence, before the decoder's first layer. The logits of a parallel pass
 * come in blocks of up to 64 rows. LAYER_OUTPUT is shown before a stack's final layer norm. */
typedef struct {
  mt_site site;
  mt_attention_kind kind; /* RESIDUAL: the attention sub-layer it follows; other sites outside
                             attention: MT_ENCODER_SELF for the encoder stack, MT_DECODER_SELF for
                             the decoder stack */
  int layer;              /* 0-based; -1 for embedding, position and logits */
  int head;               /* 0-based; -1 where the tensor is not per head */
  size_t sentence;        /* number of the text among many, else 0 */
  size_t sequence;
  size_t first_row;
  size_t rows, cols, stride;
  float *data;
} mt_probe;

/* One emitted token while searching: the newest token of the best running hypothesis. */
typedef struct {
  size_t sentence;    /* number of the text among many, else 0 */
  size_t step;        /* 0-based */
  const int32_t *ids; /* the best running hypothesis so far, without the start token */
  size_t n_ids;
  float score; /* its sum of log-probabilities */
} mt_progress;

/* A set of callbacks. All members may be zero; `sites` is the mask of wanted sites and costs one
 * branch per site when 0. Callbacks run on the thread that called the session. */
typedef struct {
  uint32_t sites;
  void (*on_probe)(void *user, const mt_probe *probe);
  bool (*should_stop)(void *user); /* polled before every layer and step; true cancels */
  void (*on_token)(void *user, const mt_progress *progress);
  void *user;
} mt_hooks;

#ifdef __cplusplus
}
#endif
#endif
