/* mt-head-statistics.c — THE table of statistics of heads, and that of their roles over a text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * On one sentence a head is called by what it does by thresholds. Positional: the row's largest
 * cell is at the offset in at least 90 % of the rows (Voita et al. 2019). Sink: 60 % of the weight
 * on special tokens (Clark et al. 2019). Monotone, our own: the largest cell does not move back in
 * 75 % of the steps, and is clear.
 */
#include "mt.h"

#include <math.h>
#include <string.h>

#define ENCODER MT_KIND_BIT(MT_ENCODER_SELF)
#define DECODER MT_KIND_BIT(MT_DECODER_SELF)
#define CROSS   MT_KIND_BIT(MT_CROSS)
#define SELF    (ENCODER | DECODER)
#define ALL     MT_ALL_KINDS
/* clang-format off */
/* Ranges of encoder, decoder, cross. */
#define FROM_TO(a, b) .low = {a, a, a}, .high = {b, b, b}
/* clang-format on */
#define METRIC(name) .offset = offsetof(mt_head_metrics, name), .n_decimals = 2
#define OTHER        .offset = MT_HEAD_OTHER
#define IN_FILES(id) .measure = MT_CORPUS_##id
#define NOT_IN_FILES .measure = -1

static const mt_head_statistic statistics[] = {
    {"entropy", "Entropy", "bit",
     "Mean entropy of the rows in bits: 0 looks at one token, log₂ n at all n alike", ALL, ALL,
     METRIC(mean_entropy), IN_FILES(ENTROPY), FROM_TO(0, 6)},
    {"confidence", "Confidence", "",
     "Mean of the rows' largest weights, special tokens left out (Voita et al. 2019)", ALL, ALL,
     METRIC(confidence), IN_FILES(CONFIDENCE), FROM_TO(0, 1)},
    {"special", "Special", "", "Mean weight on special tokens, such as ⏎ (Clark et al. 2019)", ALL,
     ALL, METRIC(special_share), IN_FILES(SPECIAL), FROM_TO(0, 1),
     .role = {"sink", "Share of the attention that goes to special tokens", 0.60}},
    {"distance", "Distance", "token",
     "Mean distance between query and key, weighted: in tokens, in cross-attention as a share of "
     "the sentences (Vig and Belinkov 2019)",
     ALL, ALL, SELF, METRIC(diagonal_distance), IN_FILES(DISTANCE), .high = {12.5, 12.5, 1}},
    {"previous", "Previous", "", "Share of rows that look most at the token before", SELF, SELF,
     METRIC(previous_share), IN_FILES(PREVIOUS), FROM_TO(0, 1),
     .role = {"previous", "Share of rows that look most at the token before", 0.90}},
    {"same", "Same", "", "Share of rows that look most at their own token", SELF, SELF,
     METRIC(same_share), IN_FILES(SAME), FROM_TO(0, 1),
     .role = {"same", "Share of rows that look most at their own token", 0.90}},
    {"next", "Next", "", "Share of rows that look most at the next token", SELF, ENCODER,
     METRIC(next_share), IN_FILES(NEXT), FROM_TO(0, 1),
     .role = {"next", "Share of rows that look most at the next token", 0.90}},
    {"monotone", "Monotone", "",
     "Share of steps in which the largest weight does not move back; that is about order alone, it "
     "does not say that a word looks at the word it translates",
     CROSS, CROSS, METRIC(monotone_share), IN_FILES(MONOTONE), FROM_TO(0, 1),
     .role = {"monotone",
              "Share of steps in which the largest weight does not move back, with mean confidence "
              "of at least 0.40. That is about order alone: it does not say that a word looks at "
              "the word it translates",
              0.75, 0.40}},
    {"punctuation", "Punctuation", "", "Share of the weights on punctuation", 0, ALL, OTHER,
     IN_FILES(PUNCTUATION), FROM_TO(0, 1), .n_decimals = 2},
    {"first", "First", "", "Share of the weights on the first token", 0, ALL, OTHER,
     IN_FILES(FIRST), FROM_TO(0, 1), .n_decimals = 2},
    {"rare", "Rare", "",
     "Share of rows that look most at the rarest token of the sentence, the last in the vocabulary",
     0, ALL, OTHER, IN_FILES(RARE), FROM_TO(0, 1), .n_decimals = 2},
    {"position", "Position", "",
     "Share of a row's variation that is position: the variance of the biases of distance over the "
     "keys, divided by the sum of theirs and that of q·k; mean over the rows",
     SELF, METRIC(position_share), NOT_IN_FILES,
     .absent = "There is none here: the scores have no part that is position, or changes moved "
               "positions"},
    {"effect", "Effect", "nat",
     "How much more likely the translation is with the head than without: log p − log p with the "
     "head changed; + speaks for this translation",
     ALL, ALL, OTHER, IN_FILES(EFFECT), FROM_TO(-2.5, 10),
     .absent = "There is none yet: effects were not asked for", .n_decimals = 3, .has_sign = true},
    {"moved", "Moved", "bit",
     "How far the head is from the reference: Jensen–Shannon divergence of its rows, mean over "
     "them, from 0 to 1 (Lin 1991)",
     ALL, OTHER, NOT_IN_FILES, .absent = "There is none here: nothing is compared with a reference",
     .n_decimals = 3},
};
enum { N_STATISTICS = sizeof statistics / sizeof *statistics };
_Static_assert(N_STATISTICS <= MT_MOST_HEAD_STATISTICS, "they have room");

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
_Static_assert(sizeof roles / sizeof *roles == MT_N_CORPUS_ROLES, "a row each");

const mt_head_statistic *
mt_head_statistics(size_t *n)
{
  *n = N_STATISTICS;
  return statistics;
}

double
mt_head_statistic_of(const mt_head_statistic *statistic, const mt_head_metrics *metrics)
{
  return statistic->offset == MT_HEAD_OTHER
             ? (double) NAN
             : *(const double *) (const void *) ((const char *) metrics + statistic->offset);
}

bool
mt_head_statistic_has_role(const mt_head_statistic *statistic, mt_attention_kind kind,
                           const mt_head_metrics *metrics)
{
  return statistic->role.id && statistic->kinds & MT_KIND_BIT(kind) &&
         mt_head_statistic_of(statistic, metrics) >= statistic->role.from &&
         /* A head that is sure of nothing goes forward by chance. */
         !(metrics->confidence < statistic->role.confidence);
}

const mt_head_statistic *
mt_corpus_measure_about(mt_corpus_measure measure)
{
  for (size_t i = 0; i < N_STATISTICS; i++)
    if (statistics[i].measure == (int) measure)
      return &statistics[i];
  return NULL;
}

bool
mt_corpus_measure_find(const char *id, mt_corpus_measure *measure)
{
  for (size_t i = 0; i < N_STATISTICS; i++)
    if (statistics[i].measure >= 0 && strcmp(statistics[i].id, id) == 0) {
      *measure = (mt_corpus_measure) statistics[i].measure;
      return true;
    }
  return false;
}

const mt_corpus_role_info *
mt_corpus_role_about(mt_corpus_role role)
{
  return &roles[role];
}
