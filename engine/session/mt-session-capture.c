/* mt-session-capture.c — scoring and capturing, in one parallel pass over all positions, or from
 * what the session kept while it translated.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "base/mt-alloc.h"
#include "base/mt-error.h"
#include "capture/mt-capture.h"
#include "kernels/mt-kinds.h"
#include "model/mt-model-languages.h"
#include "session/mt-session.h"
#include "text/mt-tokens.h"

#include <assert.h>
#include <string.h>

/* ---- Requests that fill a capture
 * ---------------------------------------------------------------- */

/* A capture is filled by requests: attention is computed where it shall stand. */

/* Where a layer and head of the model stand in a capture; false: it does not have them. */
static bool
find_head(const mt_capture *capture, mt_attention_kind kind, size_t *layer, size_t *head)
{
  const size_t first_layer = mt_capture_first_layer(capture, kind),
               first_head = mt_capture_first_head(capture, kind);
  if (*layer < first_layer || *layer - first_layer >= mt_capture_n_layers(capture, kind) ||
      *head < first_head || *head - first_head >= mt_capture_n_heads(capture, kind))
    return false;
  *layer -= first_layer;
  *head -= first_head;
  return true;
}

static float *
place(void *user, mt_attention_kind kind, size_t layer, size_t head)
{
  return find_head(user, kind, &layer, &head) ? mt_capture_fill_weights(user, kind, layer, head)
                                              : NULL;
}

/* Weights are in their place already. */
static void
keep(void *user, const mt_activation_view *view)
{
  mt_capture *capture = user;
  size_t layer = (size_t) view->layer, head = (size_t) view->head, at = view->first_row;
  if (view->hook_point == MT_HOOK_POSITION) {
    float *positions = mt_capture_fill_positions(capture, mt_kind_stack(view->kind));
    if (positions)
      memcpy(positions + at * view->cols, view->data, view->rows * view->cols * sizeof(float));
  } else if (!find_head(capture, view->kind, &layer, &head)) {
    return; /* it is of a part without that */
  } else if (view->hook_point == MT_HOOK_SCORES) {
    memcpy(mt_capture_fill_scores(capture, view->kind, layer, head) + at * view->cols, view->data,
           view->rows * view->cols * sizeof(float));
  } else {
    memcpy(mt_capture_fill_row_lse(capture, view->kind, layer, head) + at, view->row_lse,
           view->rows * sizeof(float));
  }
}

/* Fill a capture while it is computed: requests, kept in *requests, whose callback is the capture.
 */
static mt_observer
observe(mt_capture *capture, mt_activation_requests *requests)
{
  *requests =
      (mt_activation_requests){.n = 2,
                               .requests = {{.hook_point = MT_HOOK_POSITION, .kinds = MT_ALL_KINDS},
                                            {MT_HOOK_WEIGHTS, MT_ALL_KINDS, MT_ALL_LAYERS,
                                             MT_ALL_HEADS}}};
  if (mt_capture_has_scores(capture))
    requests->requests[requests->n++] =
        (mt_activation_request){MT_HOOK_SCORES, MT_ALL_KINDS, MT_ALL_LAYERS, MT_ALL_HEADS};
  return (mt_observer){requests, {keep, capture, true}, place};
}

/* Whether a capture has anything of the decoder, but for what the translation knows. */
static bool
has_decoder(const mt_capture *capture)
{
  return mt_capture_n_layers(capture, MT_DECODER_SELF) > 0 ||
         mt_capture_n_layers(capture, MT_CROSS) > 0 ||
         mt_capture_positions(capture, MT_STACK_DECODER).data;
}

/* Whether a pass is to be made in any case, for somebody who looks. */
static bool
is_watched(const mt_hooks *hooks)
{
  return hooks && (hooks->hook_points ||
                   (hooks->requests && hooks->requests->n > 0 && hooks->callback.on_view));
}

/* ---- One capture ----------------------------------------------------------------------------- */

bool
mt_session_force(mt_session *session, const mt_forced *forced, float *logprobs, mt_capture *capture,
                 const mt_hooks *hooks, mt_error *error)
{
  mt_run *run = &session->run;
  mt_run_shape shape = {.n_sentences = 1,
                        .n_source = forced->n_source,
                        .n_target = forced->n_target};
  if (!mt_run_reserve(run, session->model, &session->ops, &shape, error))
    return false;
  mt_sentence *sentence = &run->sentences[0];
  mt_pass pass = mt_run_begin_pass(run, session->interventions, hooks, error);
  mt_activation_requests captured;
  if (capture)
    mt_hook_points_add(&pass.hook_points, observe(capture, &captured));
  bool ok = mt_run_add_source(run, sentence, forced->source, forced->n_source);
  assert(ok); /* the run is laid out for this sentence */
  /* Of the encoder alone the decoder has nothing to say. */
  const bool is_encoder_only = capture && !has_decoder(capture) && !logprobs && !is_watched(hooks);
  return mt_run_encode(run, &pass) &&
         (is_encoder_only || mt_run_force(run, &pass, sentence, forced, logprobs));
}

/* The decoder's half of mt_session_force, on the encoder's output of the search before, whose room
 * is still there; no log-probabilities. */
static bool
force_decoder(mt_session *session, const mt_forced *forced, mt_capture *capture,
              const mt_hooks *hooks, mt_error *error)
{
  mt_run *run = &session->run;
  mt_pass pass = mt_run_begin_pass(run, session->interventions, hooks, error);
  mt_activation_requests captured;
  mt_hook_points_add(&pass.hook_points, observe(capture, &captured));
  return mt_run_force(run, &pass, &run->sentences[0], forced, NULL);
}

static mt_tokens *
decoder_input(const mt_session *session, const mt_tokens *output, int32_t start_id, mt_error *error)
{
  /* A model made in memory has weights but no words. */
  const char *piece =
      session->model->tokenizer ? mt_model_piece(session->model, MT_STACK_DECODER, start_id) : NULL;
  return mt_tokens_shift_right(output, start_id, piece ? piece : "", error);
}

bool
mt_session_forced(const mt_session *session, const mt_tokens *source, const mt_tokens *output,
                  int32_t start_id, mt_forced *forced, mt_error *error)
{
  mt_tokens *input = decoder_input(session, output, start_id, error);
  if (!input)
    return false;
  *forced = (mt_forced){.source = mt_tokens_ids(source),
                        .n_source = mt_tokens_count(source),
                        .input = mt_tokens_ids(input),
                        .output = mt_tokens_ids(output),
                        .n_target = mt_tokens_count(output),
                        .decoder_input = input};
  return true;
}

bool
mt_session_forced_hypothesis(const mt_session *session, const mt_translation *translation,
                             size_t index, const mt_hooks *hooks, mt_forced *forced,
                             mt_error *error)
{
  return mt_session_check_hypothesis(session, translation, index, hooks, error) &&
         mt_session_forced(session, mt_translation_source(translation),
                           mt_translation_hypothesis(translation, index)->tokens,
                           mt_session_start_id(session, translation), forced, error);
}

void
mt_forced_clear(mt_forced *forced)
{
  mt_tokens_unref(forced->decoder_input);
}

bool
mt_session_check_hypothesis(const mt_session *session, const mt_translation *translation,
                            size_t index, const mt_hooks *hooks, mt_error *error)
{
  if (index >= mt_translation_count(translation))
    return mt_fail(error, MT_ERROR_INPUT, "There is no hypothesis %zu; the translation has %zu.",
                   index + 1, mt_translation_count(translation));
  const mt_tokens *source = mt_translation_source(translation);
  const mt_tokens *output = mt_translation_hypothesis(translation, index)->tokens;
  return mt_session_check_hooks(session, hooks, error) &&
         mt_session_check_tokens(session, MT_STACK_ENCODER, source, error) &&
         mt_session_check_tokens(session, MT_STACK_DECODER, output, error) &&
         mt_session_check_source(source, hooks, error);
}

static mt_translation *
score_tokens(mt_session *session, mt_tokens *source, mt_tokens *target,
             const mt_search_params *params, const mt_hooks *hooks, mt_error *error)
{
  const int language = params ? params->language : -1;
  const mt_config *config =
      params && params->task ? params->task->settings : mt_model_config(session->model);
  int32_t start_id = mt_model_start_id(session->model, language);
  bool is_begun = mt_tokens_get(target, 0)->id == mt_model_first_id(session->model, language) &&
                  mt_tokens_get(target, 0)->is_special;
  size_t n = mt_tokens_count(target);
  mt_translation *translation = NULL;
  mt_forced forced = {0};
  float *logprobs = mt_alloc(n, sizeof *logprobs);
  if ((logprobs || mt_fail_no_memory(error)) &&
      mt_session_forced(session, source, target, start_id, &forced, error) &&
      mt_session_force(session, &forced, logprobs, NULL, hooks, error))
    translation = mt_translation_new(source, 1, error);
  if (translation) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
      if (i > 0 || !is_begun) /* what the model forces counts 0 */
        sum += logprobs[i];
    mt_translation_set_start(translation, start_id);
    if (params)
      mt_translation_set_task(translation, params);
    mt_search_rules rules = {.params = {.length_penalty = config->length_penalty}};
    if (!mt_translation_set(translation, 0, target, mt_tokens_text(target), logprobs,
                            mt_search_score(&rules, sum, n), 0, error)) {
      mt_translation_unref(translation);
      translation = NULL;
    }
  }
  mt_free(logprobs);
  mt_forced_clear(&forced);
  return translation;
}

mt_translation *
mt_session_score_for(mt_session *session, const char *text, const char *target,
                     const mt_search_params *params, const mt_hooks *hooks, mt_error *error)
{
  double begin = mt_session_clock();
  const int language = params ? params->language : -1;
  if (!mt_session_check_hooks(session, hooks, error))
    return NULL;
  mt_tokens *source = mt_session_tokenize(session, text, params, hooks, error);
  mt_tokens *output = source ? mt_session_tokenize_target(session, target, language, error) : NULL;
  mt_translation *translation =
      output ? score_tokens(session, source, output, params, hooks, error) : NULL;
  mt_tokens_unref(source);
  mt_tokens_unref(output);
  translation = mt_session_if_intact(session, translation, error);
  if (translation)
    mt_translation_set_milliseconds(translation, mt_session_clock() - begin);
  return translation;
}

mt_translation *
mt_session_score_between(mt_session *session, const char *text, const char *target,
                         int source_language, int language, const mt_hooks *hooks, mt_error *error)
{
  const mt_search_params params = {.source_language = source_language, .language = language};
  return mt_session_score_for(session, text, target, &params, hooks, error);
}

mt_translation *
mt_session_score(mt_session *session, const char *text, const char *target, int language,
                 const mt_hooks *hooks, mt_error *error)
{
  return mt_session_score_between(session, text, target, -1, language, hooks, error);
}

/* Whether the end of the decoder is to be computed for somebody who looks. */
static bool
is_end_watched(const mt_hooks *hooks)
{
  return hooks &&
         (hooks->hook_points || (hooks->requests && hooks->callback.on_view &&
                                 (mt_activation_requests_want(hooks->requests, MT_HOOK_STACK_OUTPUT,
                                                              MT_DECODER_SELF, -1, -1) ||
                                  mt_activation_requests_want(hooks->requests, MT_HOOK_LOGITS,
                                                              MT_DECODER_SELF, -1, -1))));
}

/* Whether what was found with a translation is what its capture with these hooks would find. */
static bool
is_known(const mt_session *session, const mt_translation *translation, const mt_hooks *hooks)
{
  return !(hooks && hooks->hook_points) &&
         mt_translation_is_of(translation, session->model, hooks ? hooks->interventions : NULL);
}

/* Whether what was kept while the translation was made is of use for its capture. */
static bool
is_recorded(const mt_session *session, const mt_translation *translation, size_t index,
            unsigned flags, const mt_hooks *hooks)
{
  const mt_recording *recording = mt_session_recording(session);
  return recording && recording->number == mt_translation_number(translation) &&
         index < recording->n_results &&
         mt_tokens_count(mt_translation_hypothesis(translation, index)->tokens) <=
             MT_RECORDING_MAX &&
         !(flags & MT_CAPTURE_SCORES) && !is_watched(hooks) &&
         is_known(session, translation, hooks);
}

/* One kind of attention from what was kept, and with the first of a stack its positions. */
static void
play(const mt_session *session, mt_attention_kind kind, size_t index, mt_capture *capture,
     const mt_hooks *hooks)
{
  mt_recording_play(mt_session_recording(session), kind, index, capture);
  if (kind == MT_CROSS || !mt_capture_positions(capture, mt_kind_stack(kind)).data)
    return;
  mt_stack stack = mt_kind_stack(kind);
  const mt_tokens *tokens =
      stack == MT_STACK_ENCODER ? mt_capture_source(capture) : mt_capture_output(capture);
  size_t d = mt_model_config(session->model)->d_model;
  float *positions = mt_capture_fill_positions(capture, stack);
  for (size_t i = 0; i < mt_tokens_count(tokens); i++)
    mt_interventions_position(hooks ? hooks->interventions : NULL, session->model, stack, i,
                              positions + i * d);
}

/* The attention: what was kept, and passes over all tokens for the rest; logprobs may be NULL. */
static bool
fill_attention(mt_session *session, const mt_translation *translation, size_t index,
               mt_capture *capture, float *logprobs, const mt_hooks *hooks, mt_error *error)
{
  const mt_tokens *source = mt_capture_source(capture), *output = mt_capture_output(capture);
  const mt_forced forced = {.source = mt_tokens_ids(source),
                            .n_source = mt_tokens_count(source),
                            .input = mt_tokens_ids(mt_capture_decoder_input(capture)),
                            .output = mt_tokens_ids(output),
                            .n_target = mt_tokens_count(output)};
  unsigned flags = mt_capture_has_scores(capture) ? MT_CAPTURE_SCORES : 0;
  if (!is_recorded(session, translation, index, flags, hooks))
    return mt_session_force(session, &forced, logprobs, capture, hooks, error);
  capture->is_recorded = true;
  play(session, MT_ENCODER_SELF, index, capture, hooks);
  if (!has_decoder(capture))
    return true;
  if (mt_session_recording(session)->extent == MT_RECORD_ENCODER)
    return force_decoder(session, &forced, capture, hooks, error);
  play(session, MT_DECODER_SELF, index, capture, hooks);
  play(session, MT_CROSS, index, capture, hooks);
  return true;
}

static bool
fill(mt_session *session, const mt_translation *translation, size_t index, mt_capture *capture,
     const mt_hooks *hooks, mt_error *error)
{
  const mt_hypothesis *hypothesis = mt_translation_hypothesis(translation, index);
  float *logprobs = mt_capture_fill_logprobs(capture);
  /* The output layer is the largest of all; what it said is known, unless something else is said
   * with these hooks. Who looks at the end of the decoder wants it nevertheless. */
  bool knows = is_known(session, translation, hooks);
  session->ops.may_round = session->run.ops.may_round =
      mt_capture_precision(capture) != MT_PRECISION_STORED;
  bool ok = fill_attention(session, translation, index, capture,
                           knows && !is_end_watched(hooks) ? NULL : logprobs, hooks, error);
  session->ops.may_round = session->run.ops.may_round = false;
  if (!ok)
    return false;
  if (knows)
    memcpy(logprobs, hypothesis->logprobs, mt_tokens_count(hypothesis->tokens) * sizeof *logprobs);
  return true;
}

/* The biases of relative positions by distance, which are those of the model: no pass is needed. */
static void
fill_biases(const mt_model *model, const mt_interventions *changes, mt_attention_kind kind,
            size_t n_layers, mt_capture *capture)
{
  const mt_stack stack = mt_kind_stack(kind);
  const size_t n_heads = mt_capture_n_heads(capture, kind);
  for (size_t l = 0; l < n_layers; l++)
    for (size_t h = 0; h < n_heads; h++) {
      float *to = mt_capture_fill_score_bias(capture, kind, l, h);
      const size_t head = mt_capture_first_head(capture, kind) + h;
      size_t layer = mt_capture_first_layer(capture, kind) + l;
      if (mt_interventions_unbias(changes, kind, (int) layer, (int) head))
        continue; /* 0 already */
      const size_t n = mt_capture_score_bias(capture, kind, l, h).cols;
      layer = mt_interventions_layer(changes, stack, layer);
      for (size_t i = 0; i < n; i++)
        to[i] = mt_model_score_bias(model, kind, layer, head, (long) i - (long) (n / 2));
    }
}

/* What a capture with these flags and changes has, but for tokens and whatever it is of. */
static mt_capture_spec
spec_of(const mt_model *model, unsigned flags, const mt_interventions *changes)
{
  const mt_config *config = mt_model_config(model);
  mt_capture_spec spec = {
      .model_name = mt_model_name(model),
      .d_model = mt_positions_are_added(config->position_kind) ? config->d_model : 0,
      .attention_window = config->attention_window,
      .interventions = changes,
      .position_kind = config->position_kind,
      .flags = flags,
      .precision = flags & MT_CAPTURE_ROUNDED ? model->precision : MT_PRECISION_STORED,
  };
  for (int kind = 0; kind < MT_N_KINDS; kind++) {
    mt_stack stack = mt_kind_stack(kind);
    spec.n_layers[kind] = config->n_layers[stack];
    spec.n_heads[kind] = config->n_heads[stack];
    /* Where positions are moved, biases are not those of a distance; changes are made to layers. */
    if (mt_scores_have_bias(config, (mt_attention_kind) kind) &&
        !mt_interventions_move_positions(changes))
      spec.n_bias_layers[kind] = config->bias_each_layer || mt_interventions_count(changes) > 0
                                     ? config->n_layers[stack]
                                     : 1;
  }
  return spec;
}

size_t
mt_capture_bytes_of(const mt_model *model, size_t n_source, size_t n_target,
                    const mt_capture_place *place, unsigned flags, const mt_interventions *changes)
{
  const mt_capture_spec spec = spec_of(model, flags, changes);
  return mt_capture_spec_bytes(&spec, place, n_source, n_target);
}

/* A capture of hypothesis `index`, or a part of one, checked against the model and these hooks,
 * with nothing in it yet. */
static mt_capture *
new_capture(const mt_session *session, const mt_translation *translation, size_t index,
            const mt_capture_place *place, unsigned flags, const mt_hooks *hooks, mt_error *error)
{
  if (!mt_session_check_hypothesis(session, translation, index, hooks, error))
    return NULL;
  /* Reference counts apart, neither list is changed. */
  mt_tokens *source = (mt_tokens *) mt_translation_source(translation);
  mt_tokens *output = mt_translation_hypothesis(translation, index)->tokens;
  mt_tokens *input =
      decoder_input(session, output, mt_session_start_id(session, translation), error);
  if (!input)
    return NULL;

  mt_capture_spec spec = spec_of(session->model, flags, hooks ? hooks->interventions : NULL);
  spec.source = source;
  spec.decoder_input = input;
  spec.output = output;
  spec.translation_precision = mt_translation_precision(translation);
  spec.search = mt_translation_search(translation);
  mt_capture *capture = mt_capture_new_part(&spec, place, error);
  mt_tokens_unref(input);
  for (mt_attention_kind kind = 0; capture && kind < MT_N_KINDS; kind++)
    fill_biases(session->model, spec.interventions, kind, capture->kinds[kind].n_bias_layers,
                capture);
  return capture;
}

mt_capture *
mt_session_capture_part(mt_session *session, const mt_translation *translation, size_t index,
                        const mt_capture_place *place, unsigned flags, const mt_hooks *hooks,
                        mt_error *error)
{
  mt_capture *capture = new_capture(session, translation, index, place, flags, hooks, error);
  if (capture && (!fill(session, translation, index, capture, hooks, error) ||
                  !mt_model_check_files(session->model, error))) {
    mt_capture_unref(capture);
    capture = NULL;
  }
  return capture;
}

mt_capture *
mt_session_capture(mt_session *session, const mt_translation *translation, size_t index,
                   unsigned flags, const mt_hooks *hooks, mt_error *error)
{
  return mt_session_capture_part(session, translation, index, NULL, flags, hooks, error);
}

/* ---- Captures of several translations -------------------------------------------------------- */

/* The captures of several translations in one pass.
 *
 * A sentence alone is a few rows, too few for products to be fast. The rows of several stand one
 * after the other (mt-kv.h), and each matrix of attention goes to the capture of its sentence.
 */

/* ---- What is seen ---------------------------------------------------------------------------- */

/* Called by several threads, for different heads; user: captures by the number of their sentence.
 */
static void
keep_many(void *user, const mt_activation_view *view)
{
  mt_capture *capture = ((mt_capture **) user)[view->sentence];
  const size_t at = view->first_row;
  float *to;
  size_t cols;
  if (view->hook_point == MT_HOOK_POSITION) {
    to = mt_capture_fill_positions(capture, view->kind == MT_ENCODER_SELF ? MT_STACK_ENCODER
                                                                          : MT_STACK_DECODER);
    cols = view->cols;
  } else {
    const size_t layer = (size_t) view->layer, head = (size_t) view->head;
    to = mt_capture_fill_weights(capture, view->kind, layer, head);
    cols = mt_capture_weights(capture, view->kind, layer, head).cols;
    memcpy(mt_capture_fill_row_lse(capture, view->kind, layer, head) + at, view->row_lse,
           view->rows * sizeof(float));
  }
  for (size_t r = 0; r < view->rows; r++)
    memcpy(to + (at + r) * cols, view->data + r * view->stride, view->cols * sizeof(float));
}

/* ---- The pass -------------------------------------------------------------------------------- */

/* Room for all of them at once. */
static bool
reserve(mt_session *session, mt_capture *const *captures, size_t n, mt_error *error)
{
  mt_run_shape shape = {.n_sentences = n};
  size_t rows[MT_N_STACKS] = {0}, pages = 0;
  for (size_t i = 0; i < n; i++) {
    const size_t n_source = mt_tokens_count(mt_capture_source(captures[i]));
    const size_t n_target = mt_tokens_count(mt_capture_output(captures[i]));
    shape.n_source = n_source > shape.n_source ? n_source : shape.n_source;
    shape.n_target = n_target > shape.n_target ? n_target : shape.n_target;
    rows[MT_STACK_ENCODER] += n_source;
    rows[MT_STACK_DECODER] += n_target;
    pages += mt_kv_pool_pages(n_source);
  }
  shape.n_rows = rows[0] > rows[1] ? rows[0] : rows[1];
  shape.n_kv = pages * MT_KV_PAGE;
  return mt_run_reserve(&session->run, session->model, &session->ops, &shape, error);
}

static bool
run_all(mt_session *session, mt_capture **captures, size_t n, const mt_hooks *hooks,
        mt_error *error)
{
  mt_run *run = &session->run;
  const mt_activation_requests requests = {2,
                                           {{.hook_point = MT_HOOK_POSITION, .kinds = MT_ALL_KINDS},
                                            {MT_HOOK_WEIGHTS, MT_ALL_KINDS, MT_ALL_LAYERS,
                                             MT_ALL_HEADS}}};
  const mt_hooks own = mt_hooks_with_requests(hooks, NULL);
  mt_pass pass = mt_run_begin_pass(run, session->interventions, &own, error);
  mt_hook_points_add(&pass.hook_points,
                     (mt_observer){&requests, {keep_many, captures, true}, NULL});
  mt_run_begin_rows(run);
  for (size_t i = 0; i < n; i++) {
    const mt_tokens *source = mt_capture_source(captures[i]);
    run->sentences[i].number = i;
    if (!mt_run_add_source(run, &run->sentences[i], mt_tokens_ids(source), mt_tokens_count(source)))
      return mt_fail_no_memory(error); /* the run was laid out for them */
  }
  if (!mt_run_encode(run, &pass))
    return false;
  mt_run_begin_rows(run);
  for (size_t i = 0; i < n; i++) {
    const mt_tokens *input = mt_capture_decoder_input(captures[i]);
    mt_run_add_target(run, &run->sentences[i], mt_tokens_ids(input), mt_tokens_count(input));
  }
  return mt_run_force_all(run, &pass);
}

bool
mt_session_capture_many(mt_session *session, const mt_translation *const *translations, size_t n,
                        const mt_hooks *hooks, mt_capture **captures, mt_error *error)
{
  const mt_interventions *interventions = hooks ? hooks->interventions : NULL;
  const mt_hooks own = {.interventions = interventions};
  size_t n_made = 0;
  bool ok = true;
  for (; ok && n_made < n; n_made += ok) {
    const mt_translation *translation = translations[n_made];
    if (!mt_translation_is_of(translation, session->model, interventions)) {
      ok = mt_fail(error, MT_ERROR_INPUT,
                   "Translation %zu is not what this model said with these changes.", n_made + 1);
      break;
    }
    captures[n_made] = new_capture(session, translation, 0, NULL, 0, &own, error);
    ok = captures[n_made] != NULL;
    if (ok) {
      const mt_hypothesis *hypothesis = mt_translation_hypothesis(translation, 0);
      memcpy(mt_capture_fill_logprobs(captures[n_made]), hypothesis->logprobs,
             mt_tokens_count(hypothesis->tokens) * sizeof(float));
    }
  }
  ok = ok &&
       (n == 0 ||
        (reserve(session, captures, n, error) && run_all(session, captures, n, hooks, error))) &&
       mt_model_check_files(session->model, error);
  for (size_t i = 0; !ok && i < n_made; i++) {
    mt_capture_unref(captures[i]);
    captures[i] = NULL;
  }
  return ok;
}
