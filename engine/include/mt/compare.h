/* compare.h — two captures, one beside the other. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_COMPARE_H
#define MT_PUBLIC_COMPARE_H

#include <mt/capture.h>
#include <mt/config.h>
#include <mt/error.h>
#include <mt/tokens.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether rows and columns of both mean the same: the same tokens, and as many layers and heads. Of
 * two sentences that differ in some words, such as "… because it was too tired" and "… too wide",
 * sources are compared place by place: as many tokens, at least half of them the same. Else
 * MT_ERROR_INPUT, which says what is different. */
bool mt_capture_check_alike(const mt_capture *a, const mt_capture *b, mt_error *error);

/* B - A: a capture whose weights are those of b minus those of a, from -1 to 1, rows of sum 0. It
 * has no scores (mt_capture_score_at is NaN), no log-probabilities, and hides what is hidden in
 * every sentence only; search, changes and name are those of b; where a
 * has another source token the piece is both, "▁tired→wide". References to both are taken.
 * Errors: as above; MT_ERROR_NO_MEMORY. It is for looking at: it cannot be written as NPZ. */
mt_capture *mt_capture_difference(const mt_capture *a, const mt_capture *b, mt_error *error);

/* Tokens of two lists that are the same one; of a token that only one has the other is MT_NO_TOKEN.
 */
typedef struct {
  size_t a, b;
} mt_pair;
#define MT_NO_TOKEN ((size_t) -1)
/* The union of both lists in order, as pairs by a longest common subsequence of pieces; between two
 * that are the same first what only a has, then what only b has. (b, a) has the same pairs. pairs:
 * room for as many as both have tokens. Returns how many; 0 of lists that are not empty:
 * MT_ERROR_NO_MEMORY. Time and memory are those of both counts multiplied. */
size_t mt_tokens_align(const mt_tokens *a, const mt_tokens *b, mt_pair *pairs, mt_error *error);
/* B - A of captures of other tokens, with as many layers and heads: sources and translations are
 * aligned, and rows and columns are the union. A cell has a value where both have its row and its
 * column: else it is NaN and masked (mt_attention_mask has the sides), never 0. A row of the
 * decoder is a step that writes the same piece in both, a column of its self-attention one that
 * reads the same, too. Pieces of one side are "▁dog→" of a, "▁→cat" of b, and "▁dog→cat" where both
 * read another. Merged into words they never are part of both and part of one. Rows need not have
 * the sum 0, for what goes to tokens of one side is not there; no attention window is kept.
 * Otherwise as mt_capture_difference, which it is, bit for bit, of the same tokens. Errors:
 * MT_ERROR_INPUT for other shapes, and for sources or translations that have no token in common
 * apart from special ones; MT_ERROR_NO_MEMORY. */
mt_capture *mt_capture_difference_aligned(const mt_capture *a, const mt_capture *b,
                                          mt_error *error);
/* What it is the difference of; NULL: it is none. Borrowed. */
const mt_capture *mt_capture_difference_a(const mt_capture *capture);
const mt_capture *mt_capture_difference_b(const mt_capture *capture);
/* The largest difference that any of its weights has from 0, of all heads of all kinds; 0 of a
 * capture that is none. */
float mt_capture_difference_most(const mt_capture *capture);

/* How much a head moved: the Jensen-Shannon divergence of each row, the entropy of (a + b) / 2
 * minus the mean of both entropies, mean over rows; in bits, from 0 (the same) to 1 (no key in
 * common). The captures must be alike. A row that attends to nothing counts as a distribution
 * without mass. Lin, Divergence measures based on the Shannon entropy, 1991. */
double mt_capture_divergence(const mt_capture *a, const mt_capture *b, mt_attention_kind kind,
                             size_t layer, size_t head);
double mt_row_divergence(const float *a, const float *b, size_t n);

#ifdef __cplusplus
}
#endif
#endif
