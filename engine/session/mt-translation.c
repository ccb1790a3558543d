/* mt-translation.c — the result of a search: source tokens and hypotheses, immutable once returned.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "session/mt-session.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"

#include <stdatomic.h>
#include <string.h>

typedef struct {
  mt_hypothesis public;
  char *text;
  float *logprobs;
} hypothesis;

struct mt_translation {
  int ref_count;
  mt_tokens *source;
  size_t n;
  hypothesis *hypotheses;
  double milliseconds;
  mt_precision precision;
  uint64_t number;
  uint64_t model_number; /* 0: unknown */
  mt_changes *changes;
  mt_request search; /* without language and changes */
  bool is_searched;
  mt_steps *steps; /* NULL: nothing was kept */
};

mt_translation *
mt_translation_new(mt_tokens *source, size_t n, mt_error *error)
{
  mt_translation *translation = mt_alloc(1, sizeof *translation);
  hypothesis *hypotheses = mt_alloc(n, sizeof *hypotheses);
  if (!translation || !hypotheses) {
    mt_free(translation);
    mt_free(hypotheses);
    return mt_fail_no_memory(error), NULL;
  }
  translation->ref_count = 1;
  translation->source = mt_tokens_ref(source);
  translation->n = n;
  static _Atomic(uint64_t) last;
  translation->number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
  translation->hypotheses = hypotheses;
  return translation;
}

bool
mt_translation_set(mt_translation *translation, size_t i, mt_tokens *tokens, const char *text,
                   const float *logprobs, float score, size_t n_forced, mt_error *error)
{
  hypothesis *to = &translation->hypotheses[i];
  size_t n = mt_tokens_count(tokens);
  to->text = mt_strdup(text);
  to->logprobs = mt_alloc(n, sizeof *to->logprobs);
  if (!to->text || !to->logprobs)
    return mt_fail_no_memory(error);
  memcpy(to->logprobs, logprobs, n * sizeof *logprobs);
  double sum = 0;
  for (size_t k = 0; k < n; k++)
    sum += logprobs[k];
  to->public = (mt_hypothesis){
      .tokens = mt_tokens_ref(tokens),
      .text = to->text,
      .logprobs = to->logprobs,
      .sum_logprob = (float) sum,
      .n_forced = n_forced < n ? n_forced : n,
      .score = score,
  };
  return true;
}

uint64_t
mt_translation_number(const mt_translation *translation)
{
  return translation->number;
}

void
mt_translation_set_model(mt_translation *translation, const mt_model *model,
                         const mt_changes *changes)
{
  translation->model_number = model ? model->number : 0;
  if (mt_changes_count(changes) > 0)
    translation->changes = mt_changes_ref((mt_changes *) changes);
}

bool
mt_translation_is_of(const mt_translation *translation, const mt_model *model,
                     const mt_changes *changes)
{
  return translation->model_number != 0 && translation->model_number == model->number &&
         mt_changes_equal(translation->changes, changes);
}

void
mt_translation_set_search(mt_translation *translation, const mt_search_params *params,
                          const mt_model *model)
{
  translation->search = mt_request_of_params(params, model);
  translation->is_searched = true;
}

void
mt_translation_set_steps(mt_translation *translation, mt_steps *steps)
{
  translation->steps = steps;
}

void
mt_translation_set_milliseconds(mt_translation *translation, double milliseconds)
{
  translation->milliseconds = milliseconds;
}

void
mt_translation_set_precision(mt_translation *translation, mt_precision precision)
{
  translation->precision = precision;
}

static void
translation_free(mt_translation *translation)
{
  for (size_t i = 0; i < translation->n; i++) {
    mt_tokens_unref(translation->hypotheses[i].public.tokens);
    mt_free(translation->hypotheses[i].text);
    mt_free(translation->hypotheses[i].logprobs);
  }
  mt_free(translation->hypotheses);
  mt_tokens_unref(translation->source);
  mt_changes_unref(translation->changes);
  mt_request_clear(&translation->search);
  mt_steps_free(translation->steps);
  mt_free(translation);
}

MT_DEFINE_COUNTED(mt_translation, translation_free)

const mt_tokens *
mt_translation_source(const mt_translation *translation)
{
  return translation->source;
}

size_t
mt_translation_count(const mt_translation *translation)
{
  return translation->n;
}

const mt_hypothesis *
mt_translation_hypothesis(const mt_translation *translation, size_t i)
{
  return &translation->hypotheses[i].public;
}

double
mt_translation_milliseconds(const mt_translation *translation)
{
  return translation->milliseconds;
}

const mt_request *
mt_translation_search(const mt_translation *translation)
{
  return translation->is_searched ? &translation->search : NULL;
}

const mt_steps *
mt_translation_steps(const mt_translation *translation)
{
  return translation->steps;
}

const mt_changes *
mt_translation_changes(const mt_translation *translation)
{
  return translation->changes;
}

mt_precision
mt_translation_precision(const mt_translation *translation)
{
  return translation->precision;
}
