/* mt-session.c — run state, and the three things a session does with it: translate, score, capture.
 *
 * Buffers, logits and the key/value cache are one allocation, laid out anew for each sentence and
 * enlarged only when one does not fit. Nothing is allocated while decoding.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "mt-session.h"

#include "mt-alloc.h"
#include "mt-error.h"
#include "mt-tokens.h"

#include <time.h>

/* Rows of logits at once in a parallel pass; more would only cost memory. */
#define LOGIT_ROWS 64

/* Sizes that a new session is laid out for, if the model goes so far; memory that is never used is
 * never given by the system. */
#define USUAL_LENGTH 512
#define USUAL_BEAMS  8

static double
now_milliseconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec * 1e-6;
}

static size_t
max(size_t a, size_t b)
{
  return a > b ? a : b;
}

static size_t
min(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* ---- Run state ------------------------------------------------------------------------------ */

/* Takes pieces from a block; without a block it only adds up what is needed. */
typedef struct {
  char *base;
  size_t used;
  bool overflow;
} layout;

/* a * b * c elements of 4 bytes, on a cache line of their own. */
static void *
take(layout *l, size_t a, size_t b, size_t c)
{
  size_t bytes;
  if (__builtin_mul_overflow(a, b, &bytes) || __builtin_mul_overflow(bytes, c, &bytes) ||
      __builtin_mul_overflow(bytes, 4, &bytes) || bytes > SIZE_MAX / 4 || l->used > SIZE_MAX / 4) {
    l->overflow = true;
    return NULL;
  }
  void *piece = l->base ? l->base + l->used : NULL;
  l->used += (bytes + 63) / 64 * 64;
  return piece;
}

static void
lay_out(mt_session *session, const mt_run_shape *shape, layout *l)
{
  const mt_config *config = mt_model_config(session->model);
  size_t d = config->d_model, n_layers = config->n_layers[MT_STACK_DECODER];
  size_t steps = shape->n_beams ? max(shape->n_beams, MT_OPS_FEW_ROWS) : 0; /* rows of a step */
  size_t rows = max(max(shape->n_source, shape->n_target), steps);
  size_t longest = max(shape->n_source, max(shape->n_target, shape->max_length));
  /* One head for each thread: the encoder's matrix, the parallel decoder's, or a row for each
   * beam. */
  size_t parallel = max(shape->n_source, shape->n_target);

  mt_buffers *b = &session->buffers;
  b->x = take(l, rows, d, 1);
  b->sub_layer = take(l, rows, d, 1);
  b->normed = take(l, rows, d, 1);
  b->positions = take(l, rows, d, 1);
  b->q = take(l, rows, d, 1);
  b->k = take(l, rows, d, 1);
  b->v = take(l, rows, d, 1);
  b->context = take(l, rows, d, 1);
  size_t d_ffn = max(config->d_ffn[0], config->d_ffn[1]);
  b->hidden = take(l, rows, d_ffn, 1);
  if (session->model->precision == MT_PRECISION_INT8) {
    session->ops.quantized = take(l, rows, MT_INT8_STRIDE(max(d, d_ffn)) / 4, 1);
    session->ops.scales = take(l, rows, 1, 1);
  }
  /* What one thread writes, the others should not have in their caches. */
  b->n_scores = mt_pool_n_threads(session->ops.pool);
  b->scores_stride = 0;
  if (__builtin_mul_overflow(max(parallel, steps), longest, &b->scores_stride))
    l->overflow = true;
  b->scores_stride = (b->scores_stride + 15) / 16 * 16;
  b->scores = take(l, b->n_scores, b->scores_stride, 1);
  b->logit_rows = max(steps, min(shape->n_target, LOGIT_ROWS));
  b->logits = take(l, b->logit_rows, session->model->output.n_out, 1);

  mt_kv_cache *c = &session->cache;
  c->d = d;
  c->n_source = shape->n_source;
  c->cross_k = take(l, n_layers, shape->n_source, d);
  c->cross_v = take(l, n_layers, shape->n_source, d);
  c->n_beams = shape->n_beams;
  c->max_length = shape->max_length;
  c->length = 0;
  size_t n_cached = shape->n_beams * shape->max_length; /* both are checked parameters */
  c->self_k = take(l, n_layers, n_cached, d);
  c->self_v = take(l, n_layers, n_cached, d);
  c->n_rows = steps;
  c->index = take(l, steps, shape->max_length, 1);
  c->former_index = take(l, steps, shape->max_length, 1);
}

bool
mt_session_reserve(mt_session *session, const mt_run_shape *shape, mt_error *error)
{
  layout need = {0};
  lay_out(session, shape, &need);
  if (need.overflow)
    return mt_fail_no_memory(error);
  if (need.used + 64 > session->arena_size) {
    mt_free(session->arena);
    session->arena_size = 0;
    session->arena = mt_alloc(need.used + 64, 1);
    if (!session->arena)
      return mt_fail_no_memory(error);
    session->arena_size = need.used + 64;
  }
  size_t misaligned = (uintptr_t) session->arena % 64;
  layout final = {.base = session->arena + (misaligned ? 64 - misaligned : 0)};
  lay_out(session, shape, &final);
  return true;
}

mt_session *
mt_session_new(mt_model *model, const mt_session_options *options, mt_error *error)
{
  mt_session *session = mt_alloc(1, sizeof *session);
  if (!session)
    return mt_fail_no_memory(error), NULL;
  session->model = mt_model_ref(model);
  mt_ops_init(&session->ops, options ? options->n_threads : 0);
  const mt_config *config = mt_model_config(model);
  size_t length = min(config->max_positions, USUAL_LENGTH);
  mt_run_shape shape = {
      .n_source = length,
      .n_target = length,
      .n_beams = max(1, min(config->num_beams, USUAL_BEAMS)),
      .max_length = length,
  };
  if (!mt_session_reserve(session, &shape, error)) {
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
  mt_free(session->arena);
  mt_model_unref(session->model);
  mt_free(session);
}

mt_model *
mt_session_model(const mt_session *session)
{
  return session->model;
}

static mt_pass
begin_pass(mt_session *session, mt_capture *capture, const mt_hooks *hooks, mt_error *error)
{
  return (mt_pass){
      .model = session->model,
      .ops = &session->ops,
      .hooks = mt_hooks_or_none(hooks),
      .buffers = &session->buffers,
      .capture = capture,
      .error = error,
  };
}

/* ---- Translate ------------------------------------------------------------------------------ */

typedef struct {
  mt_session *session;
  mt_pass pass;
  mt_draft *draft; /* NULL: nothing is computed before it is asked for */
} decoding;

static bool
decoding_compute(void *user, const int32_t *ids, size_t n)
{
  static const uint32_t parents[MT_DRAFT_MAX_PASS] = {0};
  decoding *d = user;
  return mt_decoder_step(&d->pass, &d->session->cache, parents, ids, n, n,
                         d->session->buffers.logits);
}

static void
decoding_retreat(void *user, size_t length)
{
  mt_kv_cache_retreat(&((decoding *) user)->session->cache, length);
}

static float *
decoding_step(void *user, const uint32_t *parents, const int32_t *ids, size_t n, mt_error *error)
{
  (void) error; /* the pass knows it */
  decoding *d = user;
  float *logits = d->session->buffers.logits;
  size_t row = 0;
  bool ok = d->draft ? mt_draft_step(d->draft, ids[0], &row)
                     : mt_decoder_step(&d->pass, &d->session->cache, parents, ids, n, 1, logits);
  return ok ? logits + row * d->session->model->output.n_out : NULL;
}

static void
decoding_on_token(void *user, const mt_progress *progress)
{
  const mt_hooks *hooks = ((decoding *) user)->pass.hooks;
  hooks->on_token(hooks->user, progress);
}

mt_search *
mt_session_search(mt_session *session, const int32_t *source, size_t n,
                  const mt_search_params *params, const mt_hooks *hooks, mt_error *error)
{
  const mt_config *config = mt_model_config(session->model);
  mt_run_shape shape = {.n_source = n,
                        .n_beams = params->beam_size,
                        .max_length = params->max_length};
  mt_search_rules rules = {
      .params = *params,
      .vocab_size = session->model->output.n_out,
      .start_id = config->decoder_start_id,
      .eos_id = config->eos_id,
      .forced_bos_id = config->forced_bos_id,
      .forced_eos_id = config->forced_eos_id,
      .n_bad_words = config->n_bad_words,
      .bad_words = config->bad_words,
      .bad_word_lengths = config->bad_word_lengths,
  };
  mt_search *search = mt_search_new(&rules, error);
  if (!search || !mt_session_reserve(session, &shape, error)) {
    mt_search_free(search);
    return NULL;
  }
  decoding d = {session, begin_pass(session, NULL, hooks, error), NULL};
  session->ops.may_round = true;
  /* Hooks that look inside shall see one step after the other. */
  if (params->beam_size == 1 && !d.pass.hooks->sites) {
    d.draft = &session->draft;
    mt_draft_begin(d.draft, params->max_length, decoding_compute, decoding_retreat, &d);
  }
  mt_search_step step = {
      .step = decoding_step,
      .on_token = d.pass.hooks->on_token ? decoding_on_token : NULL,
      .user = &d,
  };
  if (!mt_encoder_run(&d.pass, source, n) || !mt_decoder_begin(&d.pass, &session->cache) ||
      !mt_search_run(search, &step, error)) {
    mt_search_free(search);
    return NULL;
  }
  if (d.draft)
    mt_draft_end(d.draft);
  return search;
}

/* A translation by weights that were there all the time, or NULL. */
static mt_translation *
if_intact(const mt_session *session, mt_translation *translation, mt_error *error)
{
  if (mt_model_check_files(session->model, error))
    return translation;
  mt_translation_unref(translation);
  return NULL;
}

/* Detokenise the results of a search. */
static mt_translation *
make_translation(mt_session *session, mt_tokens *source, const mt_search *search, mt_error *error)
{
  size_t n = mt_search_count(search);
  mt_translation *translation = mt_translation_new(source, n, error);
  for (size_t i = 0; translation && i < n; i++) {
    const mt_search_hypothesis *found = mt_search_get(search, i);
    mt_tokens *tokens =
        mt_model_detokenize(session->model, MT_STACK_DECODER, found->ids, found->n, error);
    bool ok = tokens && mt_translation_set(translation, i, tokens, mt_tokens_text(tokens),
                                           found->logprobs, found->score, error);
    mt_tokens_unref(tokens);
    if (!ok) {
      mt_translation_unref(translation);
      translation = NULL;
    }
  }
  return translation;
}

mt_translation *
mt_session_translate(mt_session *session, const char *text, const mt_search_params *params,
                     const mt_hooks *hooks, mt_error *error)
{
  double begin = now_milliseconds();
  mt_search_params own = params ? *params : mt_search_params_default(session->model);
  if (!mt_search_check(&own, mt_model_config(session->model)->max_positions, error) ||
      !mt_model_check_files(session->model, error))
    return NULL;
  mt_tokens *source = mt_model_tokenize_to(session->model, text, own.language, error);
  if (!source)
    return NULL;
  mt_search *search = mt_session_search(session, mt_tokens_ids(source), mt_tokens_count(source),
                                        &own, hooks, error);
  mt_translation *translation = search ? make_translation(session, source, search, error) : NULL;
  mt_search_free(search);
  mt_tokens_unref(source);
  translation = if_intact(session, translation, error);
  if (translation)
    mt_translation_set_milliseconds(translation, now_milliseconds() - begin);
  return translation;
}

/* ---- Score and capture: one parallel pass ------------------------------------------------------
 */

bool
mt_session_force(mt_session *session, const int32_t *source, size_t n_source, const int32_t *input,
                 const int32_t *output, size_t n_target, float *logprobs, mt_capture *capture,
                 const mt_hooks *hooks, mt_error *error)
{
  mt_run_shape shape = {.n_source = n_source, .n_target = n_target};
  if (!mt_session_reserve(session, &shape, error))
    return false;
  mt_pass pass = begin_pass(session, capture, hooks, error);
  session->ops.may_round = false;
  return mt_encoder_run(&pass, source, n_source) && mt_decoder_begin(&pass, &session->cache) &&
         mt_decoder_score(&pass, &session->cache, input, output, n_target, logprobs);
}

/* The decoder's input for an output: the output shifted right behind the start token. */
static mt_tokens *
decoder_input(const mt_session *session, const mt_tokens *output, mt_error *error)
{
  int32_t start_id = mt_model_config(session->model)->decoder_start_id;
  /* A model made in memory has weights but no words. */
  const char *piece =
      session->model->tokenizer ? mt_model_piece(session->model, MT_STACK_DECODER, start_id) : NULL;
  return mt_tokens_shift_right(output, start_id, piece ? piece : "", error);
}

/* Ids that came from another model, or from a list made by hand, may not fit this one. */
static bool
check_ids(const mt_session *session, mt_stack stack, const mt_tokens *tokens, mt_error *error)
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

static mt_translation *
score_tokens(mt_session *session, mt_tokens *source, mt_tokens *target, const mt_hooks *hooks,
             mt_error *error)
{
  size_t n = mt_tokens_count(target);
  mt_translation *translation = NULL;
  mt_tokens *input = decoder_input(session, target, error);
  float *logprobs = mt_alloc(n, sizeof *logprobs);
  if (input && !logprobs)
    mt_fail_no_memory(error);
  if (input && logprobs &&
      mt_session_force(session, mt_tokens_ids(source), mt_tokens_count(source),
                       mt_tokens_ids(input), mt_tokens_ids(target), n, logprobs, NULL, hooks,
                       error))
    translation = mt_translation_new(source, 1, error);
  if (translation) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
      sum += logprobs[i];
    float penalty = mt_model_config(session->model)->length_penalty;
    if (!mt_translation_set(translation, 0, target, mt_tokens_text(target), logprobs,
                            mt_search_score(sum, n, penalty), error)) {
      mt_translation_unref(translation);
      translation = NULL;
    }
  }
  mt_free(logprobs);
  mt_tokens_unref(input);
  return translation;
}

mt_translation *
mt_session_score(mt_session *session, const char *text, const char *target, int language,
                 const mt_hooks *hooks, mt_error *error)
{
  double begin = now_milliseconds();
  mt_tokens *source = mt_model_tokenize_to(session->model, text, language, error);
  mt_tokens *output =
      source ? mt_model_tokenize(session->model, MT_STACK_DECODER, target, error) : NULL;
  mt_translation *translation = output ? score_tokens(session, source, output, hooks, error) : NULL;
  mt_tokens_unref(source);
  mt_tokens_unref(output);
  translation = if_intact(session, translation, error);
  if (translation)
    mt_translation_set_milliseconds(translation, now_milliseconds() - begin);
  return translation;
}

mt_capture *
mt_session_capture(mt_session *session, const mt_translation *translation, size_t index,
                   unsigned flags, const mt_hooks *hooks, mt_error *error)
{
  const mt_config *config = mt_model_config(session->model);
  if (index >= mt_translation_count(translation))
    return mt_fail(error, MT_ERROR_INPUT, "There is no hypothesis %zu; the translation has %zu.",
                   index + 1, mt_translation_count(translation)),
           NULL;
  /* Reference counts apart, neither list is changed. */
  mt_tokens *source = (mt_tokens *) mt_translation_source(translation);
  mt_tokens *output = mt_translation_hypothesis(translation, index)->tokens;
  if (!check_ids(session, MT_STACK_ENCODER, source, error) ||
      !check_ids(session, MT_STACK_DECODER, output, error))
    return NULL;
  mt_tokens *input = decoder_input(session, output, error);
  if (!input)
    return NULL;

  mt_capture_spec spec = {
      .model_name = mt_model_name(session->model),
      .source = source,
      .decoder_input = input,
      .output = output,
      .d_model = config->d_model,
      .position_kind = config->position_kind,
      .flags = flags,
  };
  for (int kind = 0; kind < MT_N_KINDS; kind++) {
    mt_stack stack = kind == MT_ENCODER_SELF ? MT_STACK_ENCODER : MT_STACK_DECODER;
    spec.n_layers[kind] = config->n_layers[stack];
    spec.n_heads[kind] = config->n_heads[stack];
  }
  mt_capture *capture = mt_capture_new(&spec, error);
  if (capture &&
      !mt_session_force(session, mt_tokens_ids(source), mt_tokens_count(source),
                        mt_tokens_ids(input), mt_tokens_ids(output), mt_tokens_count(output),
                        mt_capture_fill_logprobs(capture), capture, hooks, error)) {
    mt_capture_unref(capture);
    capture = NULL;
  }
  mt_tokens_unref(input);
  if (!mt_model_check_files(session->model, error)) {
    mt_capture_unref(capture);
    capture = NULL;
  }
  return capture;
}
