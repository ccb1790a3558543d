/* capture.h — everything one translation attended to. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_CAPTURE_H
#define MT_PUBLIC_CAPTURE_H

#include <mt/config.h>
#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/matrix.h>
#include <mt/precision.h>
#include <mt/request.h>
#include <mt/session.h>
#include <mt/tokens.h>
#include <mt/translation.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  MT_CAPTURE_SCORES = 1 << 0, /* also keep all scores before the softmax (doubles the memory) */
  /* Compute it in the model's own precision, to see what rounding does to attention. Without it a
   * capture uses unrounded weights, however the translation was found. */
  MT_CAPTURE_ROUNDED = 1 << 1,
};

/* Everything one translation attended to: immutable, atomically reference-counted, one allocation
 * for the matrices. It carries its own tokens, so an axis cannot be mislabelled. */
typedef struct mt_capture mt_capture;

/* Run hypothesis `index` of a translation once, teacher-forced, in one parallel pass, and keep all
 * attention weights. Hooks see (and may change) the tensors first; what they left is captured.
 * Errors: MT_ERROR_INPUT for an index or ids that are not there, or no tokens; MT_ERROR_TOO_LONG;
 * MT_ERROR_CANCELLED; MT_ERROR_NO_MEMORY. */
mt_capture *mt_session_capture(mt_session *session, const mt_translation *translation, size_t index,
                               unsigned flags, const mt_hooks *hooks, mt_error *error);
/* The same in a session of its own. */
mt_capture *mt_model_capture(mt_model *model, const mt_translation *translation, size_t index,
                             unsigned flags, const mt_hooks *hooks, mt_error *error);
/* Captures of the first hypothesis of n translations that this model made with the same changes,
 * whose rows go through the model together, which is two or three times as fast as one after the
 * other: captures [n], yours, each what mt_session_capture gives, bit for bit on processors with
 * vector kernels. Of hooks only changes and should_stop count. All at once take memory: some
 * hundred tokens are enough. False: errors as above, or MT_ERROR_INPUT for a translation that is
 * not so, and there are no captures. */
bool mt_session_capture_many(mt_session *session, const mt_translation *const *translations,
                             size_t n, const mt_hooks *hooks, mt_capture **captures,
                             mt_error *error);
mt_capture *mt_capture_ref(mt_capture *capture);
void mt_capture_unref(mt_capture *capture);

/* Axes. Encoder self-attention: source × source. Decoder self-attention: input × input. Cross:
 * input × source. Row t of the decoder has decoder input t (what goes in, y(t-1), <pad> first)
 * and output t (what comes out, y(t)); all three lists of the decoder have T tokens. */
const mt_tokens *mt_capture_source(const mt_capture *capture);        /* S tokens */
const mt_tokens *mt_capture_decoder_input(const mt_capture *capture); /* T tokens */
const mt_tokens *mt_capture_output(const mt_capture *capture);        /* T tokens */
/* Queries (for decoder rows the decoder input), and keys. */
const mt_tokens *mt_capture_rows(const mt_capture *capture, mt_attention_kind kind);
const mt_tokens *mt_capture_columns(const mt_capture *capture, mt_attention_kind kind);

size_t mt_capture_n_layers(const mt_capture *capture, mt_attention_kind kind); /* 0: kind absent */
size_t mt_capture_n_heads(const mt_capture *capture, mt_attention_kind kind);
bool mt_capture_has_scores(const mt_capture *capture);

/* A part of a capture: of one kind, layer and head, each counted from 0, or of all of them (-1). It
 * has the tokens and log-probabilities of the whole, no positions, and counts its own layers and
 * heads from 0; these say which of the model the first ones are. Errors: MT_ERROR_INPUT for what is
 * not there, MT_ERROR_NO_MEMORY. */
mt_capture *mt_capture_part(const mt_capture *capture, int kind, int layer, int head,
                            mt_error *error);
bool mt_capture_is_part(const mt_capture *capture, mt_attention_kind kind);
size_t mt_capture_first_layer(const mt_capture *capture, mt_attention_kind kind);
size_t mt_capture_first_head(const mt_capture *capture, mt_attention_kind kind);

/* [rows][cols] weights of one head; layer and head must be in range. The whole kind is one
 * contiguous [L][H][rows][cols] block starting at head (0, 0). */
mt_matrix mt_capture_weights(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                             size_t head);
/* Likewise the scores; data NULL unless captured with MT_CAPTURE_SCORES. */
mt_matrix mt_capture_scores(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                            size_t head);
/* One score before the softmax. Exact if scores were kept; else recovered from the weight and the
 * row's log-sum-exp, which is always kept: ln w + lse. NaN where neither is known (weight
 * underflowed to 0, or changes set weights of the row), -INFINITY where masked. */
float mt_capture_score_at(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                          size_t head, size_t row, size_t col);

/* On which side of an aligned difference (mt_capture_difference_aligned) a token is. */
typedef enum {
  MT_SIDE_BOTH,
  MT_SIDE_A,
  MT_SIDE_B,
  MT_SIDE_EACH, /* both have one there, but another */
} mt_side;

/* Which cells cannot have weight. Tokens are counted from 0 on both axes. */
typedef struct mt_attention_mask mt_attention_mask;
struct mt_attention_mask {
  bool is_causal;            /* column > row */
  size_t window;             /* |column - row| > window; 0: any distance is allowed */
  const mt_changes *changes; /* keys that they hide in this head; NULL: none; the capture's */
  mt_attention_kind kind;
  size_t layer, head;
  /* mt_side of every row and column: only what is on both has a value; NULL: all is; the
   * capture's */
  const unsigned char *rows, *cols;
  const mt_attention_mask *other; /* only what that one hides too; borrowed; NULL: no other */
};
/* That of one head. Decoder self-attention is causal (but not in a capture from elsewhere that has
 * weights there), self-attention keeps to the model's attention_window, if it has one, and changes
 * may hide more. */
mt_attention_mask mt_capture_mask(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                                  size_t head);
/* Whether it leaves everything. */
bool mt_attention_mask_is_empty(mt_attention_mask mask);
/* Whether two heads of a kind are masked alike, whatever others they are joined with. */
bool mt_attention_mask_equal(mt_attention_mask a, mt_attention_mask b);
/* True if it leaves none of the cells of rows [row, row_end) and columns [col, col_end). */
bool mt_attention_mask_hides(mt_attention_mask mask, size_t row, size_t row_end, size_t col,
                             size_t col_end);
/* The same for one cell of a capture. */
bool mt_capture_is_masked(const mt_capture *capture, mt_attention_kind kind, size_t layer,
                          size_t head, size_t row, size_t col);

/* [S][d] or [T][d]: the position encoding that was added to each token. */
mt_matrix mt_capture_positions(const mt_capture *capture, mt_stack stack);
mt_position_kind mt_capture_position_kind(const mt_capture *capture);
/* [T] log-probability of each output token given those before it: what the translation found, and
 * in its precision, if the capture is of a translation that the same model made without hooks; else
 * computed with the capture. NULL: not known. */
const float *mt_capture_logprobs(const mt_capture *capture);
const char *mt_capture_model_name(const mt_capture *capture); /* "": not known */
/* The precision in which the capture itself was computed, and the one in which its translation was
 * found. */
mt_precision mt_capture_precision(const mt_capture *capture);
mt_precision mt_capture_translation_precision(const mt_capture *capture);
/* How its translation was searched for, as mt_translation_search; NULL: it was given, or nobody
 * knows. Borrowed. */
const mt_request *mt_capture_search(const mt_capture *capture);
/* The changes that it was computed with; NULL: none. Borrowed. */
const mt_changes *mt_capture_changes(const mt_capture *capture);
/* The file that mt_capture_read_npz read it from, without its folders; "" for all others. */
const char *mt_capture_file_name(const mt_capture *capture);

/* What is known about the texts, so that nothing is called what it may not be. */
typedef enum {
  MT_NAMING_TRANSLATION, /* a source and its translation: what a session captures */
  MT_NAMING_SEQUENCES,   /* what an encoder reads and what a decoder writes, whatever the task */
  MT_NAMING_TOKENS,      /* tokens that attend to each other; in which stack is not known: kept
                            as encoder self-attention */
} mt_naming;
mt_naming mt_capture_naming(const mt_capture *capture);
/* True if both lists of the decoder are known. Else the one that is known stands for both: a
 * decoder alone (GPT) has inputs, cross-attention from elsewhere often just the output. */
bool mt_capture_has_decoder_input(const mt_capture *capture);
bool mt_capture_has_output(const mt_capture *capture);

/* Numbers that hold for every row of attention as the paper has it (each sums to 1, weights from 0
 * to 1), and need not hold in a capture from elsewhere. */
typedef struct {
  double least_sum, largest_sum; /* over all rows of a kind */
  float least, largest;          /* over all weights of a kind */
} mt_weight_range;
mt_weight_range mt_capture_weight_range(const mt_capture *capture, mt_attention_kind kind);

size_t mt_capture_bytes(const mt_capture *capture); /* memory held */

#ifdef __cplusplus
}
#endif
#endif
