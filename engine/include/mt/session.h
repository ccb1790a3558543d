/* session.h — sessions, which translate, and translations. Part of mt.h.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef MT_PUBLIC_SESSION_H
#define MT_PUBLIC_SESSION_H

#include <mt/error.h>
#include <mt/hooks.h>
#include <mt/interventions.h>
#include <mt/languages.h>
#include <mt/model.h>
#include <mt/search.h>
#include <mt/steps.h>
#include <mt/tokens.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Translations ---------------------------------------------------------------------------- */

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
/* From which language (MT_STACK_ENCODER) or into which (MT_STACK_DECODER) it was made, as its
 * tokens say, if this model has the language. False, *i untouched: nothing says so. */
bool mt_translation_language(const mt_translation *translation, const mt_model *model,
                             mt_stack side, size_t *i);
/* The task that it was made for, and what stood before the text; "": none. Borrowed. */
const char *mt_translation_task(const mt_translation *translation);
const char *mt_translation_task_prefix(const mt_translation *translation);
/* The changes that it was made with; NULL: none. Borrowed. */
const mt_interventions *mt_translation_interventions(const mt_translation *translation);

/* ---- Sessions -------------------------------------------------------------------------------- */

/* Whether a greedy search with weights as stored has the same weights in int8 guess the next
 * tokens, which are then computed in one pass. Its result is the same, bit for bit; the int8 copy,
 * a quarter of what steps read in F32, is made once for the model, after two dozen tokens. */
typedef enum {
  MT_GUESSING_WHERE_IT_PAYS, /* large models, whose steps wait for memory */
  MT_GUESSING_NEVER,
  MT_GUESSING_ALWAYS, /* from the first token on, whatever the model is: for measuring */
} mt_guessing;
#define MT_N_GUESSINGS 3

/* Run state for one model: buffers, key/value cache. One thread at a time. */
typedef struct mt_session mt_session;
typedef struct {
  /* For products; 0: as many as there are cores, or as OMP_NUM_THREADS allows, at most 4. */
  unsigned n_threads;
  /* Captures of the newest translation are wanted: its attention is kept while it is made, which
   * takes a few per cent of the time that a capture else takes. */
  bool keeps_attention;
  mt_guessing guessing;
} mt_session_options;
mt_session *mt_session_new(mt_model *model, const mt_session_options *options, mt_error *error);
void mt_session_free(mt_session *session);
mt_model *mt_session_model(const mt_session *session); /* borrowed */

/* Translate one sentence. params NULL: the model's defaults; hooks NULL: none. The result has up to
 * n_best hypotheses, at least one.
 * Errors: as mt_model_tokenize_between; MT_ERROR_INPUT for parameters out of range, for a model
 * that has to be told a target language and has none of its own, for changes in layers and heads
 * that the model does not have, and where the rules (bad words, minimum length) or a hook forbid
 * every next token; MT_ERROR_FORMAT when the logits are not finite numbers; MT_ERROR_CANCELLED;
 * MT_ERROR_NO_MEMORY. After any of them the session can be used as before. */
mt_translation *mt_session_translate(mt_session *session, const char *text,
                                     const mt_search_params *params, const mt_hooks *hooks,
                                     mt_error *error);

/* The same for a source that is tokenised already, such as that of another translation
 * (mt_translation_source). MT_ERROR_INPUT, MT_ERROR_TOO_LONG for tokens that the model does not
 * have or that are more than it has positions for. */
mt_translation *mt_session_translate_tokens(mt_session *session, const mt_tokens *source,
                                            const mt_search_params *params, const mt_hooks *hooks,
                                            mt_error *error);

/* Many texts, such as the lines of a file, and what becomes of them. */
typedef struct {
  /* The next text, which need only stay until the next call of anything; NULL: there are no more.
   * Texts are asked for some hundred ahead. */
  const char *(*next)(void *user);
  /* Text i, counted from 0, is done: one of translation (borrowed; mt_translation_ref keeps it) and
   * error is not NULL. Called in the order of the texts, for each as soon as it and all before it
   * are done. The time of a translation is that from when its text came into the model, beside
   * others. */
  void (*on_result)(void *user, size_t i, mt_translation *translation, const mt_error *error);
  bool (*should_stop)(void *user); /* or NULL; polled before every layer and step; true cancels */
  void *user;
  /* About how many tokens go through the model together: hypotheses of all sentences in a decoding
   * step, source tokens in the encoder. More make better use of the processor and take more memory.
   * 0: a number that is good for most. */
  size_t max_tokens;
  /* What mt_session_translate would be given for each of them, or NULL. Probes, views and progress
   * have the number of the text; a text that had to make room for others begins anew, and is then
   * shown again. Its should_stop counts if there is none above. */
  const mt_hooks *hooks;
} mt_texts;

/* Translate many texts, several at a time: the result of each is what mt_session_translate gives,
 * bit for bit on processors with vector kernels (AVX2 or later, NEON), and each has its own errors,
 * as there. params NULL: the model's defaults. Callbacks run on the calling thread and must not use
 * the session. False, when on_result may not have been called for all: MT_ERROR_INPUT for
 * parameters out of range and changes as above, MT_ERROR_CANCELLED, MT_ERROR_NO_MEMORY; the session
 * can be used as before. */
bool mt_session_translate_many(mt_session *session, const mt_texts *texts,
                               const mt_search_params *params, mt_error *error);

/* Teacher-force a given translation: score `target` as the output for `text`. The result has one
 * hypothesis (always ending in </s>) whose text is `target` as given, and can be captured like any
 * other. It begins with the token of a language, or another one, that the model begins all with.
 * Languages: as in mt_search_params. Errors: as mt_model_tokenize_between for the text,
 * mt_model_tokenize for the target; MT_ERROR_CANCELLED; MT_ERROR_NO_MEMORY. */
mt_translation *mt_session_score_between(mt_session *session, const char *text, const char *target,
                                         int source_language, int language, const mt_hooks *hooks,
                                         mt_error *error);
/* The same with the languages and the task of search parameters; NULL: the model's own. */
mt_translation *mt_session_score_for(mt_session *session, const char *text, const char *target,
                                     const mt_search_params *params, const mt_hooks *hooks,
                                     mt_error *error);
/* The same from the model's own language. */
mt_translation *mt_session_score(mt_session *session, const char *text, const char *target,
                                 int language, const mt_hooks *hooks, mt_error *error);

#ifdef __cplusplus
}
#endif
#endif
