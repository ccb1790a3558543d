/* train-clean.h — what of a pair of sentences is kept, and why others are not.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Why a pair was dropped: the first that applies. Names in train-clean.c. */
typedef enum {
  TRAIN_KEPT,
  TRAIN_DROP_COLUMNS,   /* a line without the tabs that it needs */
  TRAIN_DROP_UTF8,      /* not UTF-8 */
  TRAIN_DROP_CONTROL,   /* a control character, or the one that stands for a lost one */
  TRAIN_DROP_EMPTY,     /* a side without text */
  TRAIN_DROP_LONG,      /* too many characters */
  TRAIN_DROP_RATIO,     /* one side too long for the other */
  TRAIN_DROP_COPY,      /* both sides are the same */
  TRAIN_DROP_EXCLUDED,  /* a sentence of a test set */
  TRAIN_DROP_DUPLICATE, /* was there before */
  TRAIN_DROP_HELDOUT,   /* a sentence of the held-out pairs */
  TRAIN_DROP_TOKENS,    /* too many tokens, or none */
  TRAIN_N_DROPS,
} TrainDrop;

/* "columns", "utf8", … for JSON; and for people, of one word. */
const char *train_drop_name(TrainDrop drop);

typedef struct {
  gsize max_chars;
  double max_ratio;
} TrainLimits;

/* The longer side may have this many characters more than max_ratio times the shorter: short texts
 * differ by chance ("OK", "In Ordnung"). */
#define TRAIN_RATIO_SLACK 15

/* Clean both sides of a pair into out: Unicode normalisation form C (Latin letters in one piece),
 * no white space around, one space where there were several. */
TrainDrop train_clean_pair(const char *const texts[2], const gsize lengths[2],
                           const TrainLimits *limits, GString *const out[2]);

/* A number for a text: equal texts have equal ones, others do not but for one chance in 2^64.
 * Different salts give unrelated numbers. */
guint64 train_hash(const char *text, gsize n, guint64 salt);

/* Likewise, but for upper and lower case, punctuation and spaces, which do not count: for telling
 * whether a sentence is that of a test set. 0: there are no letters or digits. */
guint64 train_hash_loosely(const char *text, gsize n);

/* A number in (0, 1], drawn for item i of a seed; unrelated for different purposes. */
double train_draw(guint64 seed, guint64 purpose, guint64 i);

G_END_DECLS
