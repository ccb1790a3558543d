/* mt-corpus-lists.c — THE lists of measures and roles.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt.h"

#include <string.h>

#define ENCODER MT_KIND_BIT(MT_ENCODER_SELF)
#define DECODER MT_KIND_BIT(MT_DECODER_SELF)
#define CROSS   MT_KIND_BIT(MT_CROSS)
#define SELF    (ENCODER | DECODER)
/* Ranges of encoder, decoder, cross. */
#define SHARE \
  {0, 0, 0},  \
  {           \
    1, 1, 1   \
  }
#define ENTROPY \
  {0, 0, 0},    \
  {             \
    6, 6, 6     \
  }
#define DISTANCE  \
  {0, 0, 0},      \
  {               \
    12.5, 12.5, 1 \
  }
#define EFFECT        \
  {-2.5, -2.5, -2.5}, \
  {                   \
    10, 10, 10        \
  }

/* By mt_corpus_measure. */
static const mt_corpus_measure_info measures[] = {
    {"entropy", "Entropy", "bit", "How evenly weights are spread over the keys, mean over rows",
     MT_ALL_KINDS, ENTROPY},
    {"confidence", "Confidence", "",
     "The largest weight of a row, special tokens left out, mean over rows (Voita et al. 2019)",
     MT_ALL_KINDS, SHARE},
    {"distance", "Distance", "token",
     "How far away the tokens looked at are; of cross-attention a share of the lengths (Vig & "
     "Belinkov 2019)",
     MT_ALL_KINDS, DISTANCE},
    {"special", "Special", "", "Share of the weights on special tokens, such as </s>", MT_ALL_KINDS,
     SHARE},
    {"previous", "Previous", "", "Share of rows that look most at the token before", SELF, SHARE},
    {"same", "Same", "", "Share of rows that look most at their own token", SELF, SHARE},
    {"next", "Next", "", "Share of rows that look most at the next token", ENCODER, SHARE},
    {"monotone", "Monotone", "",
     "Share of steps in which the largest weight does not move back; that is about order alone",
     CROSS, SHARE},
    {"punctuation", "Punctuation", "", "Share of the weights on punctuation", MT_ALL_KINDS, SHARE},
    {"first", "First", "", "Share of the weights on the first token", MT_ALL_KINDS, SHARE},
    {"rare", "Rare", "",
     "Share of rows that look most at the rarest token of the sentence, the last in the vocabulary",
     MT_ALL_KINDS, SHARE},
    {"effect", "Effect", "nat",
     "How much more likely the translation is with the head than without: log p less log p with "
     "the head changed",
     MT_ALL_KINDS, EFFECT},
};

/* By mt_corpus_role. */
static const mt_corpus_role_info roles[] = {
    {"previous", "previous", "The token before", SELF},
    {"same", "same", "The query's own token", SELF},
    {"next", "next", "The next token", ENCODER},
    {"diagonal", "diagonal", "The source token at the same share of the length", CROSS},
    {"special", "special", "Special tokens, such as </s>", MT_ALL_KINDS},
    {"punctuation", "punctuation", "Tokens that are nothing but punctuation", MT_ALL_KINDS},
    {"first", "first", "The first token", MT_ALL_KINDS},
    {"rare", "rare", "The rarest token of the sentence, the last in the vocabulary", MT_ALL_KINDS},
};

_Static_assert(sizeof measures / sizeof *measures == MT_N_CORPUS_MEASURES, "a row each");
_Static_assert(sizeof roles / sizeof *roles == MT_N_CORPUS_ROLES, "a row each");

const mt_corpus_measure_info *
mt_corpus_measure_about(mt_corpus_measure measure)
{
  return &measures[measure];
}

bool
mt_corpus_measure_find(const char *id, mt_corpus_measure *measure)
{
  for (mt_corpus_measure m = 0; m < MT_N_CORPUS_MEASURES; m++)
    if (strcmp(measures[m].id, id) == 0) {
      *measure = m;
      return true;
    }
  return false;
}

const mt_corpus_role_info *
mt_corpus_role_about(mt_corpus_role role)
{
  return &roles[role];
}
