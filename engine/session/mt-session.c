/* mt-session.c — a session, and the first thing it does: translate.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A sentence alone is a run of one (mt-run.c), whose memory stays with the session. Nothing is
 * allocated while decoding.
 */
#include "session/mt-session.h"

#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "model/mt-int8-copy.h"
#include "model/mt-model-languages.h"
#include "model/mt-narrow.h"
#include "model/mt-tasks.h"
#include "text/mt-tokens.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- Translations ---------------------------------------------------------------------------- */

/* The result of a search: source tokens and hypotheses, immutable once returned. */

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
  int32_t start_id; /* that the decoder starts with; -1: the model's own */
  mt_precision precision;
  uint64_t number;
  uint64_t model_number; /* that it is what the model says with these changes; 0: unknown */
  mt_interventions *interventions;
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
  translation->start_id = -1;
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

bool
mt_translation_is_of(const mt_translation *translation, const mt_model *model,
                     const mt_interventions *interventions)
{
  return translation->model_number != 0 && translation->model_number == model->number &&
         mt_interventions_equal(translation->interventions, interventions);
}

void
mt_translation_set_start(mt_translation *translation, int32_t start_id)
{
  translation->start_id = start_id;
}

int32_t
mt_session_start_id(const mt_session *session, const mt_translation *translation)
{
  return translation->start_id >= 0 ? translation->start_id
                                    : mt_model_config(session->model)->decoder_start_id;
}

/* One that is not special is text, whatever it spells. */
static bool
find_token(const mt_model *model, mt_stack side, const mt_tokens *tokens, size_t at, size_t *i)
{
  if (at >= mt_tokens_count(tokens) || !mt_tokens_get(tokens, at)->is_special)
    return false;
  const char *piece = mt_tokens_get(tokens, at)->piece;
  return side == MT_STACK_ENCODER ? mt_model_find_source_language(model, piece, i)
                                  : mt_model_find_language(model, piece, i);
}

bool
mt_translation_language(const mt_translation *translation, const mt_model *model, mt_stack side,
                        size_t *i)
{
  const mt_config *config = mt_model_config(model);
  const mt_tokens *source = translation->source;
  size_t last = mt_tokens_count(source) - 1;
  if (side == MT_STACK_ENCODER)
    return mt_model_n_source_languages(model) > 0 &&
           find_token(model, side, source, config->language_last ? last : 0, i);
  switch (config->language_mode) {
  case MT_LANGUAGES_SOURCE_TOKEN: /* MADLAD has a "▁" before it */
    return find_token(model, side, source, 0, i) || find_token(model, side, source, 1, i);
  case MT_LANGUAGES_FORCED:
    return find_token(model, side, translation->hypotheses[0].public.tokens, 0, i);
  case MT_LANGUAGES_START:
    return mt_model_find_language_id(model,
                                     translation->start_id >= 0 ? translation->start_id
                                                                : config->decoder_start_id,
                                     i);
  case MT_LANGUAGES_NONE:
    break;
  }
  return false;
}

void
mt_translation_set_milliseconds(mt_translation *translation, double milliseconds)
{
  translation->milliseconds = milliseconds;
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
  mt_interventions_unref(translation->interventions);
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

const char *
mt_translation_task(const mt_translation *translation)
{
  return translation->search.task;
}

const char *
mt_translation_task_prefix(const mt_translation *translation)
{
  return translation->search.task_prefix;
}

void
mt_translation_set_task(mt_translation *translation, const mt_search_params *params)
{
  mt_request *search = &translation->search;
  if (params->task)
    snprintf(search->task, sizeof search->task, "%s", params->task->name);
  memcpy(search->task_prefix, params->task_prefix, sizeof search->task_prefix);
}

const mt_interventions *
mt_translation_interventions(const mt_translation *translation)
{
  return translation->interventions;
}

mt_precision
mt_translation_precision(const mt_translation *translation)
{
  return translation->precision;
}

/* ---- Sessions -------------------------------------------------------------------------------- */

/* Sizes that a new session is laid out for, if the model goes so far; memory that is never used is
 * never given by the system. */
#define USUAL_LENGTH 512
#define USUAL_BEAMS  8

double
mt_session_clock(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec * 1e-6;
}

/* What the model's configuration says of attention is a change like others. */
static bool
make_changes(mt_session *session, mt_error *error)
{
  size_t window = mt_model_config(session->model)->attention_window;
  char text[96];
  if (window == 0)
    return true;
  snprintf(text, sizeof text, "encoder window %zu\ndecoder window %zu", window, window);
  session->interventions = mt_interventions_parse("attention_window", text, error);
  return session->interventions != NULL;
}

mt_session *
mt_session_new(mt_model *model, const mt_session_options *options, mt_error *error)
{
  mt_session *session = mt_alloc(1, sizeof *session);
  if (!session)
    return mt_fail_no_memory(error), NULL;
  session->model = mt_model_ref(model);
  mt_ops_init(&session->ops, options ? options->n_threads : 0);
  session->keeps_attention = options && options->keeps_attention;
  session->guessing = options ? options->guessing : MT_GUESSING_WHERE_IT_PAYS;
  const mt_config *config = mt_model_config(model);
  size_t length = config->max_positions < USUAL_LENGTH ? config->max_positions : USUAL_LENGTH;
  mt_run_shape shape = {
      .n_sentences = 1,
      .n_source = length,
      .n_target = length,
      .n_beams = config->num_beams < USUAL_BEAMS ? config->num_beams : USUAL_BEAMS,
      .max_length = length,
  };
  if (!make_changes(session, error) ||
      !mt_run_reserve(&session->run, model, &session->ops, &shape, error)) {
    mt_session_free(session);
    return NULL;
  }
  return session;
}

void
mt_session_free(mt_session *session)
{
  if (!session)
    return;
  mt_draft_clear(&session->draft);
  mt_ops_clear(&session->ops);
  mt_run_clear(&session->run);
  mt_interventions_unref(session->interventions);
  mt_model_unref(session->model);
  mt_free(session);
}

mt_model *
mt_session_model(const mt_session *session)
{
  return session->model;
}

bool
mt_search_params_check(const mt_search_params *params, const mt_model *model, mt_error *error)
{
  const mt_config *config = mt_model_config(model);
  if (!mt_model_check_target(model, params->language, error) ||
      !mt_tasks_check(params, model, error))
    return false;
  mt_search_rules rules = mt_session_rules(model, params);
  return mt_search_check(params, config->max_positions, error) &&
         mt_search_check_constraints(&rules, error);
}

bool
mt_session_check_hooks(const mt_session *session, const mt_hooks *hooks, mt_error *error)
{
  if (hooks && hooks->requests && hooks->requests->n > MT_MAX_ACTIVATION_REQUESTS)
    return mt_fail(error, MT_ERROR_INPUT, "There are %zu requests of activations; there can be %d.",
                   hooks->requests->n, MT_MAX_ACTIVATION_REQUESTS);
  return !hooks ||
         (mt_interventions_check(hooks->interventions, mt_model_config(session->model), error) &&
          mt_interventions_check_means(hooks->interventions, session->model, error));
}

bool
mt_session_check_source(const mt_tokens *source, const mt_hooks *hooks, mt_error *error)
{
  return !hooks ||
         mt_interventions_check_source(hooks->interventions, mt_tokens_count(source), error);
}

/* Ids that came from another model, or from a list made by hand, may not fit this one. */
bool
mt_session_check_tokens(const mt_session *session, mt_stack stack, const mt_tokens *tokens,
                        mt_error *error)
{
  const mt_config *config = mt_model_config(session->model);
  size_t n = mt_tokens_count(tokens);
  const char *side = stack == MT_STACK_ENCODER ? "source" : "target";
  if (n == 0)
    return mt_fail(error, MT_ERROR_INPUT, "The %s has no tokens.", side);
  if (n > config->max_positions)
    return mt_fail(error, MT_ERROR_TOO_LONG,
                   "The %s has %zu tokens; the model has positions for %zu.", side, n,
                   config->max_positions);
  for (size_t i = 0; i < n; i++) {
    int32_t id = mt_tokens_ids(tokens)[i];
    if (id < 0 || (size_t) id >= config->vocab_size[stack])
      return mt_fail(error, MT_ERROR_INPUT,
                     "Token %zu of the %s has the id %d; the vocabulary of this model has %zu.",
                     i + 1, side, (int) id, config->vocab_size[stack]);
  }
  return true;
}

mt_tokens *
mt_session_tokenize(const mt_session *session, const char *text, const mt_search_params *params,
                    const mt_hooks *hooks, mt_error *error)
{
  mt_tokens *source = mt_model_tokenize_for(session->model, text, params, error);
  if (!source || mt_session_check_source(source, hooks, error))
    return source;
  mt_tokens_unref(source);
  return NULL;
}

mt_tokens *
mt_session_tokenize_target(const mt_session *session, const char *target, int language,
                           mt_error *error)
{
  if (!mt_model_check_target(session->model, language, error))
    return NULL;
  /* MarianTokenizer puts nothing before a target, whatever the model forces. */
  bool is_marian = mt_model_config(session->model)->language_mode == MT_LANGUAGES_SOURCE_TOKEN;
  int32_t first = is_marian ? -1 : mt_model_first_id(session->model, language);
  mt_tokens *tokens = mt_model_tokenize(session->model, MT_STACK_DECODER, target, error);
  if (!tokens || first < 0 || mt_tokens_get(tokens, 0)->id == first)
    return tokens;
  mt_tokens *whole =
      mt_tokens_begin_with(tokens, first, mt_model_piece(session->model, MT_STACK_DECODER, first),
                           error);
  mt_tokens_unref(tokens);
  if (!whole || mt_session_check_tokens(session, MT_STACK_DECODER, whole, error))
    return whole;
  mt_tokens_unref(whole);
  return NULL;
}

void
mt_session_sign(const mt_session *session, mt_translation *translation, const mt_hooks *hooks)
{
  const mt_interventions *interventions = hooks ? hooks->interventions : NULL;
  translation->model_number = hooks && hooks->hook_points ? 0 : session->model->number;
  if (mt_interventions_count(interventions) > 0)
    translation->interventions = mt_interventions_ref((mt_interventions *) interventions);
}

mt_recording *
mt_session_recording(const mt_session *session)
{
  return session->run.n_sentences > 0 ? &session->run.sentences[0].recording : NULL;
}

/* ---- Translate ------------------------------------------------------------------------------- */

/* Rounded weights are for translations, not for captures; and what hooks do is nobody else's. */
static mt_record_extent
what_to_record(const mt_session *session, size_t n_source, size_t n_beams, const mt_hooks *hooks)
{
  if (!session->keeps_attention || n_source > MT_RECORDING_MAX || (hooks && hooks->hook_points))
    return MT_RECORD_NOTHING;
  if (session->model->precision == MT_PRECISION_STORED)
    return n_beams <= MT_RECORDING_MAX_BEAMS ? MT_RECORD_ALL : MT_RECORD_ENCODER;
  return mt_precision_rounds_source(session->model->precision) ? MT_RECORD_NOTHING
                                                               : MT_RECORD_ENCODER;
}

/* From which beam each token of the results came; then the recording is complete. */
static void
finish_recording(mt_session *session, const mt_search *search, uint64_t number)
{
  mt_recording *recording = mt_session_recording(session);
  if (recording->extent == MT_RECORD_NOTHING)
    return;
  recording->n_results = search->n_results;
  for (size_t i = 0; i < recording->n_results && recording->extent == MT_RECORD_ALL; i++) {
    const mt_search_hypothesis *found = search->finished[i];
    for (size_t k = 0; k < found->n && k < MT_RECORDING_MAX; k++)
      recording->rows[i * MT_RECORDING_MAX + k] = found->rows[k];
  }
  recording->number = number;
}

mt_search_rules
mt_session_rules(const mt_model *model, const mt_search_params *params)
{
  const mt_config *config = mt_model_config(model);
  const mt_config *asked = params->task ? params->task->settings : config;
  mt_generation generation = asked->generation;
  generation.left_out = config->generation.left_out; /* of which probabilities know nothing */
  generation.left_out_exist = config->generation.left_out_exist;
  return (mt_search_rules){
      .params = *params,
      .vocab_size = model->output.n_out,
      .start_id = mt_model_start_id(model, params->language),
      .eos_id = config->eos_id,
      .forced_bos_id = mt_model_first_id(model, params->language),
      .forced_eos_id = asked->forced_eos_id,
      .n_bad_words = asked->n_bad_words,
      .bad_words = asked->bad_words,
      .bad_word_lengths = asked->bad_word_lengths,
      .generation = generation,
      .begins_with_language = mt_model_begins_with_language(model, params->language),
      .n_before = mt_search_n_before(params, model),
  };
}

/* Steps of a model without an int8 copy before one is made, which takes as long as some ten. */
#define PATIENCE 24

/* Whether a search with a draft also guesses. Without vectors rows are not the same, bit for bit,
 * however many there are. */
static bool
may_guess(const mt_session *session, const mt_search_rules *rules)
{
  if (session->guessing == MT_GUESSING_NEVER || session->model->precision != MT_PRECISION_STORED ||
      mt_search_has_beams(rules) || !session->ops.has_vectors)
    return false;
  return session->guessing == MT_GUESSING_ALWAYS || mt_int8_copy_pays(session->model);
}

/* The one sentence of a run: its encoder, and steps until the search is done. `guesser`: the model
 * if it guesses, or NULL. */
static bool
run_search(mt_run *run, mt_pass *pass, const int32_t *source, size_t n, mt_search *search,
           mt_draft *draft, mt_model *guesser, size_t n_patience)
{
  mt_sentence *sentence = &run->sentences[0];
  bool ok = mt_run_add_source(run, sentence, source, n);
  assert(ok); /* the run is laid out for this sentence */
  mt_activation_requests recorded;
  if (sentence->recording.extent != MT_RECORD_NOTHING)
    mt_hook_points_add(&pass->hook_points, mt_recording_observe(&sentence->recording, &recorded));
  if (!mt_run_encode_for_search(run, pass))
    return false;
  mt_run_begin_search(sentence, search, draft);
  mt_self_draft_begin(&run->self_draft, guesser, n_patience, &sentence->kv);
  while (search->n_rows > 0) {
    if (!mt_self_draft_guess(&run->self_draft, pass, search, draft))
      return false;
    mt_run_begin_rows(run);
    ok = mt_run_add_step(run, sentence);
    assert(ok);
    if (!mt_run_step(run, pass))
      return false;
    if (sentence->is_failed) {
      if (pass->error)
        *pass->error = sentence->error;
      return false;
    }
  }
  mt_self_draft_end(&run->self_draft, search);
  return true;
}

mt_search *
mt_session_search(mt_session *session, const int32_t *source, size_t n,
                  const mt_search_params *params, const mt_hooks *hooks, mt_error *error)
{
  mt_run *run = &session->run;
  mt_run_shape shape = {.n_sentences = 1,
                        .n_source = n,
                        .n_beams = params->beam_size,
                        .max_length = params->max_length,
                        .recorded = what_to_record(session, n, params->beam_size, hooks)};
  /* Room for the decoder's pass that belongs to a capture. */
  if (shape.recorded == MT_RECORD_ENCODER)
    shape.n_target = params->max_length < MT_RECORDING_MAX ? params->max_length : MT_RECORDING_MAX;
  mt_search_rules rules = mt_session_rules(session->model, params);
  /* Hooks that may change anything shall see one step after the other. */
  const bool has_draft = params->beam_size == 1 && !(hooks && hooks->hook_points);
  shape.guesses = has_draft && may_guess(session, &rules);
  mt_search *search = mt_search_new(&rules, error);
  if (!search || !mt_run_reserve(run, session->model, &session->ops, &shape, error)) {
    mt_search_free(search);
    return NULL;
  }
  mt_pass pass = mt_run_begin_pass(run, session->interventions, hooks, error);
  mt_draft *draft = has_draft ? &session->draft : NULL;
  const size_t n_patience = session->guessing == MT_GUESSING_ALWAYS ? 0 : PATIENCE;
  if (!run_search(run, &pass, source, n, search, draft, shape.guesses ? session->model : NULL,
                  n_patience)) {
    mt_search_free(search);
    return NULL;
  }
  if (draft)
    mt_draft_end(draft);
  return search;
}

mt_translation *
mt_session_if_intact(const mt_session *session, mt_translation *translation, mt_error *error)
{
  if (mt_model_check_files(session->model, error))
    return translation;
  mt_translation_unref(translation);
  return NULL;
}

mt_translation *
mt_session_make_translation(const mt_session *session, mt_tokens *source, mt_search *search,
                            mt_error *error)
{
  size_t n = search->n_results, n_forced = mt_search_n_prefix(&search->rules);
  mt_translation *translation = mt_translation_new(source, n, error);
  if (translation) {
    translation->precision = session->model->precision;
    translation->search = mt_request_of_params(&search->rules.params, session->model);
    translation->is_searched = true;
    translation->start_id = search->rules.start_id;
    translation->steps = mt_search_take_steps(search);
  }
  for (size_t i = 0; translation && i < n; i++) {
    const mt_search_hypothesis *found = search->finished[i];
    mt_tokens *tokens =
        mt_model_detokenize(session->model, MT_STACK_DECODER, found->ids, found->n, error);
    bool ok = tokens && mt_translation_set(translation, i, tokens, mt_tokens_text(tokens),
                                           found->logprobs, found->score, n_forced, error);
    mt_tokens_unref(tokens);
    if (!ok) {
      mt_translation_unref(translation);
      translation = NULL;
    }
  }
  return translation;
}

/* Everything is checked. */
static mt_translation *
translate(mt_session *session, mt_tokens *source, const mt_search_params *params,
          const mt_hooks *hooks, mt_error *error)
{
  mt_search *search = mt_session_search(session, mt_tokens_ids(source), mt_tokens_count(source),
                                        params, hooks, error);
  mt_translation *translation =
      search ? mt_session_make_translation(session, source, search, error) : NULL;
  if (translation) {
    finish_recording(session, search, mt_translation_number(translation));
    mt_session_sign(session, translation, hooks);
  }
  mt_search_free(search);
  return mt_session_if_intact(session, translation, error);
}

mt_translation *
mt_session_translate(mt_session *session, const char *text, const mt_search_params *params,
                     const mt_hooks *hooks, mt_error *error)
{
  double begin = mt_session_clock();
  mt_search_params own = params ? *params : mt_search_params_default(session->model);
  if (!mt_search_params_check(&own, session->model, error) ||
      !mt_session_check_hooks(session, hooks, error) ||
      !mt_model_check_files(session->model, error))
    return NULL;
  mt_tokens *source = mt_session_tokenize(session, text, &own, hooks, error);
  mt_translation *translation = source ? translate(session, source, &own, hooks, error) : NULL;
  mt_tokens_unref(source);
  if (translation)
    mt_translation_set_milliseconds(translation, mt_session_clock() - begin);
  return translation;
}

mt_translation *
mt_session_translate_tokens(mt_session *session, const mt_tokens *source,
                            const mt_search_params *params, const mt_hooks *hooks, mt_error *error)
{
  double begin = mt_session_clock();
  mt_search_params own = params ? *params : mt_search_params_default(session->model);
  if (!mt_search_params_check(&own, session->model, error) ||
      !mt_session_check_hooks(session, hooks, error) ||
      !mt_session_check_tokens(session, MT_STACK_ENCODER, source, error) ||
      !mt_session_check_source(source, hooks, error) ||
      !mt_model_check_files(session->model, error))
    return NULL;
  /* Reference count apart, the list is not changed. */
  mt_translation *translation = translate(session, (mt_tokens *) source, &own, hooks, error);
  if (translation)
    mt_translation_set_milliseconds(translation, mt_session_clock() - begin);
  return translation;
}
