/* interventions.h — changes to what the model computes, as a value. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_CHANGES_H
#define MT_PUBLIC_CHANGES_H

#include <mt/error.h>
#include <mt/model.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An immutable, atomically reference-counted list of changes, applied one after the other inside
 * the model: in searches with and without drafts, for many texts, with rounded weights, in scores
 * and in captures alike, and by all threads. Where a list is wanted, NULL is the empty one.
 *
 * Its text has a change a line; empty lines and spaces at the ends count for nothing:
 *
 *     WHERE [NUMBERS] HOW
 *
 * A number counts from 1, as people do; it may be a range such as 2-4, or * for all, which is also
 * what is meant where it is left out. WHERE is one of
 *
 *     encoder [LAYERS[.HEADS]] [query TOKENS] [key TOKENS]    its self-attention
 *     decoder and cross, likewise     the decoder's, and that of its rows to the source
 *     encoder attention [LAYERS] [token TOKENS]   a whole sub-layer, likewise of decoder and cross
 *     encoder feed-forward [LAYERS]   likewise of the decoder
 *     encoder layer LAYER             likewise of the decoder
 *     encoder stream [LAYERS] [token TOKENS]   the residual stream behind a layer, likewise of the
 *                                     decoder
 *     encoder input [token TOKENS]    the stream as the first layer reads it, likewise
 *     source TOKENS                   pieces of the source, as they come in or as keys
 *     source position [TOKENS]        what is added to them, so that they say where they stand
 *     target position [TOKENS]        likewise of the decoder's rows, of which the first reads the
 *                                     start token
 *
 * and HOW, of heads, one of
 *
 *     copy H     they attend as head H of their layer: their queries and keys are that head's
 *                (with the copies before), their values their own
 *     cosine     a score is the cosine of query and key, without 1/sqrt(d_k); of several
 *                similarities the last holds
 *     mean       what a head found, its context, is its mean over a text, which the list must have
 *                (mt_interventions_with_means)
 *     scale S    what a head found, its context, times S, from -1000 to 1000 with at most 5
 *                decimals; attention stays what it is
 *     unbiased   relative positions (T5) add nothing to the scores; for self-attention of models
 *                that have them
 *     unscaled   a score is the dot product of query and key, without 1/sqrt(d_k); for models that
 *                divide scores
 *     window N   restricted self-attention (the paper, section 4): no query sees keys further than
 *                N tokens away; N from 1 on. Several windows leave what all of them leave.
 *     zero       what a head found, its context, is 0: the head says nothing
 *
 * of heads, and of those of their queries that are named or of all,
 *
 *     diagonal   only the key of the query's own number is seen; so its weight is 1
 *     previous   only the key before that; the first query has none, and attends to nothing
 *     next       only the key after that; the last one has none, or, in cross-attention, those to
 *                which no source token belongs. Not in the decoder, whose mask never allows it.
 *     patch      what a head found, its context, is that of another run, which the list must have
 *                (mt_interventions_with_activations)
 *     temperature T   scores are divided by T, from 0.01 to 1000, before the softmax
 *     uniform    all keys that a query sees have the same weight
 *
 * of cells, for which queries, keys or both are named,
 *
 *     add B      B is added to their scores, from -1000 to 1000; keys must be named. What is not
 *                seen stays so.
 *     hide       keys that are not seen, by the queries that are named or by all. A query that is
 *                left without any key attends to nothing.
 *     put W      their weights are W, from 0 to 1, behind the softmax, and all others stay: a row
 *                need not sum to 1 then; keys must be named
 *     set W      likewise, but the others are scaled so that the row sums to 1, if there are
 *                others; all keys that are named have 1 in all at most
 *
 * of source tokens
 *
 *     hide       a key of no query, in the encoder and for the translation
 *     piece ID   their embedding is that of the piece with this id, from 0
 *     zero       their embedding is 0; their position stays
 *
 * of positions
 *
 *     as N       the encoding of position N
 *     interleave sines and cosines in turns (the paper, section 3.5), not in halves as Marian has
 *                them; for models that have computed positions
 *     shift K    the encoding of the position K further on, or back. Encodings that were learned
 *                have to be there for every token that is named.
 *     swap N     one token and token N have each other's
 *     zero       nothing is added
 *
 * of sub-layers
 *
 *     alone      the stream goes on as what they make, without what it was: no residual connection
 *     scale S    what they add to the residual stream, times S
 *     skip       they add nothing: only the residual connection is left, and its norm
 *
 *     patch      the stream behind an attention sub-layer is that of another run, for all tokens
 *                or those that are named
 *
 * of the stream and of what the first layer reads
 *
 *     patch      it is that of another run, likewise
 *
 * and of a layer
 *
 *     swap N     it and layer N stand in each other's place. Other changes, and all that is shown,
 *                count places: layer 2 is what is computed second, with whatever weights.
 *
 * such as "encoder window 2", "cross 4.1 key 3 hide", "source 5 hide", "decoder 2.* scale 0.5",
 * "source position 3 swap 7", "cross attention 2 skip", "encoder stream 3 token 5 patch".
 *
 * Scores are what changes make of them before the softmax. Of a row whose weights were set or put
 * none are recovered from weights: its log-sum-exp is NaN, and so is mt_capture_score_at, unless
 * the scores before were kept, which are then what it says. */
typedef struct mt_interventions mt_interventions;

/* More are refused. */
#define MT_MAX_CHANGES 512

/* Whether restricted self-attention (the paper, section 4) hides a key from a query. window 0:
 * none.
 */
static inline bool
mt_is_beyond_window(size_t window, size_t query, size_t key)
{
  return window > 0 && (key + window < query || key > query + window);
}

/* Returns a list that you own; for a text without any change it is empty, not NULL. NULL:
 * MT_ERROR_INPUT, which names label, line (if there are several) and word, MT_ERROR_TOO_LONG or
 * MT_ERROR_NO_MEMORY. */
mt_interventions *mt_interventions_parse(const char *label, const char *text, mt_error *error);
mt_interventions *mt_interventions_ref(mt_interventions *interventions);
void mt_interventions_unref(mt_interventions *interventions);

size_t mt_interventions_count(const mt_interventions *interventions);
/* One of them, from 0, in parts. Numbers count from 0; where nothing was said, or all, last is
 * SIZE_MAX. */
typedef struct {
  size_t first, last;
} mt_intervention_span;
/* What one of them takes the place of: another of the same family that names the same. */
typedef enum {
  MT_INTERVENTIONS_OTHER, /* of none: it stands by itself */
  MT_INTERVENTIONS_HEADS, /* what becomes of whole heads: zero, uniform, mean, scale, diagonal … */
  MT_INTERVENTIONS_CELLS,  /* of queries and keys of heads: hide, set, put, add */
  MT_INTERVENTIONS_SOURCE, /* of pieces of the source: hide, piece, zero */
  MT_INTERVENTIONS_WINDOW, /* restricted self-attention */
} mt_intervention_family;
typedef struct {
  mt_intervention_family family;
  const char *where; /* "cross" … */
  const char *part;  /* … and its second word, "attention"; NULL: none */
  mt_intervention_span layers, heads, queries, keys; /* keys: of a place of tokens, the tokens */
  const char *how;
  double numbers[2]; /* [n_numbers] behind how, as they are in the text */
  size_t n_numbers;
} mt_intervention_row;
/* False: there are not so many. Words are the library's and live as long as it. */
bool mt_interventions_row(const mt_interventions *interventions, size_t i,
                          mt_intervention_row *row);
/* Reads back as an equal list. Borrowed; lines are ended by a newline, but for the last. */
const char *mt_interventions_text(const mt_interventions *interventions);
/* The same changes in the same order. */
bool mt_interventions_equal(const mt_interventions *a, const mt_interventions *b);
/* Equal for equal lists, and for others only by a very rare chance. */
uint64_t mt_interventions_hash(const mt_interventions *interventions);

/* Whether a model has the layers and heads: else MT_ERROR_INPUT, which names the change. Whatever
 * is given a list checks it so before anything else, and where a text is known also its tokens;
 * tokens of a translation that is not so long are not there, and nothing is changed. */
bool mt_interventions_check(const mt_interventions *interventions, const mt_config *config,
                            mt_error *error);

/* Whether what this library says of a pass beyond its tensors (parts.h, contributions.h, lens.h,
 * stream.h, norms.h, neurons.h) is true with all of them: hide, scale, uniform, window and zero of
 * heads, and source tokens that are hidden. Else MT_ERROR_INPUT, which names the first that is not;
 * those functions do not ask. */
bool mt_interventions_check_explained(const mt_interventions *interventions, mt_error *error);

/* Whether a head is among those that some change names. */
bool mt_interventions_touch(const mt_interventions *interventions, mt_attention_kind kind,
                            size_t layer, size_t head);
/* Which encoding a token of a stack gets, all from 0. */
typedef struct {
  bool is_zero;     /* none */
  bool interleaves; /* sines and cosines in turns, where the model has them in halves */
  long position;    /* the encoding of this one; without a change, the token's own */
} mt_position_change;
mt_position_change mt_interventions_position_of(const mt_interventions *interventions,
                                                mt_stack stack, size_t token);
/* Whether a key is not seen by a query of a head, and left without weight; all from 0. A weight
 * that was set to 0 is not that. */
bool mt_interventions_hide(const mt_interventions *interventions, mt_attention_kind kind,
                           size_t layer, size_t head, size_t query, size_t key);
/* Whether that is so for any; and whether the same are in two heads of a kind. */
bool mt_interventions_may_hide(const mt_interventions *interventions, mt_attention_kind kind,
                               size_t layer, size_t head);
bool mt_interventions_hide_alike(const mt_interventions *interventions, mt_attention_kind kind,
                                 size_t layer, size_t head, size_t other_layer, size_t other_head);

#ifdef __cplusplus
}
#endif
#endif
