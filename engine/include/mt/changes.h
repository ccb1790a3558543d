/* changes.h — changes to what the model computes, as a value. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_CHANGES_H
#define MT_PUBLIC_CHANGES_H

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
 *     WHERE [LAYERS[.HEADS]] HOW
 *
 * WHERE is encoder, decoder (their self-attention) or cross. LAYERS and HEADS are a number, counted
 * from 1 as people do, a range such as 2-4, or * for all, which is also what is meant if they are
 * left out. HOW is one of
 *
 *     window N   restricted self-attention (the paper, section 4): no query sees keys further than
 *                N tokens away; N from 1 on. Several windows leave what all of them leave. */
typedef struct mt_changes mt_changes;

/* Returns a list that you own; for a text without any change it is empty, not NULL. NULL:
 * MT_ERROR_INPUT, which names line and word, or MT_ERROR_NO_MEMORY. Whether a model has such layers
 * and heads is said where the list is used: MT_ERROR_INPUT there. */
mt_changes *mt_changes_parse(const char *text, mt_error *error);
mt_changes *mt_changes_ref(mt_changes *changes);
void mt_changes_unref(mt_changes *changes);

size_t mt_changes_count(const mt_changes *changes);
/* Reads back as an equal list. Borrowed; lines are ended by a newline, but for the last. */
const char *mt_changes_text(const mt_changes *changes);
/* The same changes in the same order. */
bool mt_changes_equal(const mt_changes *a, const mt_changes *b);
/* Equal for equal lists, and for others only by a very rare chance. */
uint64_t mt_changes_hash(const mt_changes *changes);

#ifdef __cplusplus
}
#endif
#endif
