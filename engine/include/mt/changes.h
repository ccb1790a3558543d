/* changes.h — changes to what the model computes, as a value. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_CHANGES_H
#define MT_PUBLIC_CHANGES_H

#include <mt/config.h>
#include <mt/error.h>
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
 *     source TOKENS                   pieces of the source, as keys of encoder and cross
 *
 * and HOW one of
 *
 *     hide       keys that are not seen, by the queries that are named or by all; tokens must be
 *                named. A query that is left without any key attends to nothing.
 *     mean       what a head found, its context, is its mean over a text, which the list must have
 *                (mt_changes_with_means)
 *     scale S    what a head found, its context, times S, from -1000 to 1000 with at most 5
 *                decimals; attention stays what it is
 *     uniform    all keys that a query sees have the same weight, for the queries that are named or
 *                for all
 *     window N   restricted self-attention (the paper, section 4): no query sees keys further than
 *                N tokens away; N from 1 on. Several windows leave what all of them leave.
 *     zero       what a head found, its context, is 0: the head says nothing
 *
 * such as "encoder window 2", "cross 4.1 key 3 hide", "source 5 hide", "decoder 2.* scale 0.5". */
typedef struct mt_changes mt_changes;

/* More are refused. */
#define MT_MAX_CHANGES 512

/* Returns a list that you own; for a text without any change it is empty, not NULL. NULL:
 * MT_ERROR_INPUT, which names label, line (if there are several) and word, MT_ERROR_TOO_LONG or
 * MT_ERROR_NO_MEMORY. */
mt_changes *mt_changes_parse(const char *label, const char *text, mt_error *error);
mt_changes *mt_changes_ref(mt_changes *changes);
void mt_changes_unref(mt_changes *changes);

size_t mt_changes_count(const mt_changes *changes);
/* Reads back as an equal list. Borrowed; lines are ended by a newline, but for the last. */
const char *mt_changes_text(const mt_changes *changes);
/* The same changes in the same order. */
bool mt_changes_equal(const mt_changes *a, const mt_changes *b);
/* Equal for equal lists, and for others only by a very rare chance. */
uint64_t mt_changes_hash(const mt_changes *changes);

/* Whether a model has the layers and heads: else MT_ERROR_INPUT, which names the change. Whatever
 * is given a list checks it so before anything else, and where a text is known also its tokens;
 * tokens of a translation that is not so long are not there, and nothing is changed. */
bool mt_changes_check(const mt_changes *changes, const mt_config *config, mt_error *error);

/* Whether a head is among those that some change names. */
bool mt_changes_touch(const mt_changes *changes, mt_attention_kind kind, size_t layer, size_t head);
/* Whether a key is left without weight for a query of a head; all from 0. */
bool mt_changes_hide(const mt_changes *changes, mt_attention_kind kind, size_t layer, size_t head,
                     size_t query, size_t key);
/* Whether that is so for any; and whether the same are in two heads of a kind. */
bool mt_changes_may_hide(const mt_changes *changes, mt_attention_kind kind, size_t layer,
                         size_t head);
bool mt_changes_hide_alike(const mt_changes *changes, mt_attention_kind kind, size_t layer,
                           size_t head, size_t other_layer, size_t other_head);

#ifdef __cplusplus
}
#endif
#endif
