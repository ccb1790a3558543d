/* translation.h — what a search found. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_TRANSLATION_H
#define MT_PUBLIC_TRANSLATION_H

#include <mt/changes.h>
#include <mt/precision.h>
#include <mt/request.h>
#include <mt/steps.h>
#include <mt/tokens.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  mt_tokens *tokens; /* output tokens, without the start token, with the final </s> if produced */
  const char *text;  /* detokenised */
  const float *logprobs; /* [count(tokens)] natural log-probability of each token: log-softmax of
                            the logits, without words that have no probability (mt_model_leave_out),
                            before any rule (forced or forbidden tokens, penalties) */
  float sum_logprob;     /* their sum */
  size_t n_forced;       /* so many at the beginning are the prefix of the search's constraints */
  float score; /* sum / length^length_penalty, as generate's sequences_scores: of what the rules
                  make of log-probabilities, a token that the model forces counts 0, and a prefix or
                  not (mt_prefix_score); greedy search reports the same formula */
} mt_hypothesis;

/* Immutable, reference-counted: source tokens and one or more hypotheses, best first. */
typedef struct mt_translation mt_translation;
mt_translation *mt_translation_ref(mt_translation *translation);
void mt_translation_unref(mt_translation *translation);
const mt_tokens *mt_translation_source(const mt_translation *translation);
size_t mt_translation_count(const mt_translation *translation);
const mt_hypothesis *mt_translation_hypothesis(const mt_translation *translation, size_t i);
double mt_translation_milliseconds(const mt_translation *translation); /* tokenising included */
/* The precision that it was made in, log-probabilities and all: that of the model, but
 * MT_PRECISION_STORED for one that was scored. */
mt_precision mt_translation_precision(const mt_translation *translation);
/* How it was searched for, constraints too, as far as the model itself does not ask for that; NULL:
 * not at all, it was given. Borrowed. */
const mt_request *mt_translation_search(const mt_translation *translation);
/* What its search considered, if that was wanted (mt_search_params.trace); NULL: nothing was kept.
 * Borrowed. */
const mt_steps *mt_translation_steps(const mt_translation *translation);
/* The changes that it was made with; NULL: none. Borrowed. */
const mt_changes *mt_translation_changes(const mt_translation *translation);

#ifdef __cplusplus
}
#endif
#endif
