/* regard-translator.c — translates what is typed, in a run of its own with a session of its own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Two threads meet in the mail: the mailbox in (request, model, quit) and the outbox (result, model
 * news), both under one mutex and one slot deep. A run of the runner works the mailbox off and ends
 * when it is empty; there is one at most, so the session has one user. `newest` is read without the
 * mutex by the engine's should_stop, so it is an atomic of its own.
 */
#include "document/regard-translator.h"
#include "figures/regard-naming.h"

#include "base/regard-error.h"
#include "document/regard-sentences.h"
#include "runner/regard-runner.h"
#include <glib.h>
#include <mt.h>

/* ==== Translations of sentences seen lately ======================================================
 *
 * It also remembers which alternative of a sentence was chosen, so that the choice survives moving
 * the caret away and back.
 */

#define MOST_SENTENCES 512

typedef struct {
  mt_translation *translation;
  guint chosen;
  mt_copies *copies; /* words of the source in place of <unk>; NULL: there are none … */
  guint n_tried;     /* … in hypothesis n_tried - 1; 0: nobody asked yet */
  guint used;        /* serial of the last request that needed it */
} RegardCachedSentence;

static void
cached_free(gpointer data)
{
  RegardCachedSentence *cached = data;
  mt_translation_unref(cached->translation);
  mt_copies_unref(cached->copies);
  g_free(cached);
}

/* key: the text, and whatever else its translation depends on but the model. Borrowed until the
 * table changes; NULL if unknown. */
static RegardCachedSentence *
find_cached(GHashTable *cache, const char *key, guint serial)
{
  RegardCachedSentence *cached = g_hash_table_lookup(cache, key);
  if (cached)
    cached->used = serial;
  return cached;
}

static RegardCachedSentence *
cache_sentence(GHashTable *cache, const char *key, mt_translation *translation, guint serial)
{
  RegardCachedSentence *cached = g_new0(RegardCachedSentence, 1);
  cached->translation = mt_translation_ref(translation);
  cached->used = serial;
  g_hash_table_replace(cache, g_strdup(key), cached);
  return cached;
}

static gboolean
is_unused(gpointer key, gpointer value, gpointer serial)
{
  const RegardCachedSentence *cached = value;
  return cached->used != GPOINTER_TO_UINT(serial);
}

/* Drop what request `serial` did not use, if there is more than a few pages' worth. */
static void
trim_cache(GHashTable *cache, guint serial)
{
  if (g_hash_table_size(cache) > MOST_SENTENCES)
    g_hash_table_foreach_remove(cache, is_unused, GUINT_TO_POINTER(serial));
}

/* ==== The translator ========================================================================== */

/* A sentence that takes longer shows its words as they are found, this often. */
#define FIRST_WORDS_AFTER (120 * G_TIME_SPAN_MILLISECOND)
#define WORDS_EVERY       (60 * G_TIME_SPAN_MILLISECOND)
/* While the rest of a long text is being translated, the window hears this often. */
#define REST_EVERY (80 * G_TIME_SPAN_MILLISECOND)
/* Tokens that are kept of each step: more than a page shows, and a search takes hardly longer. */
#define TRACED 50

typedef struct {
  guint serial;
  RegardResult *result; /* the text and its sentences, still empty */
  int alternative;
  mt_request search;
  GHashTable *targets;     /* sentences that are not translated, to their translations; or NULL */
  GHashTable *constraints; /* sentences to their mt_constraints; or NULL */
  gboolean traces;         /* the active sentence's search */
  gboolean copies;         /* words of the source in place of <unk> */
  RegardCaptureWish wish;
  gboolean is_ahead; /* nobody is told of it */
} Request;

struct _RegardTranslator {
  GObject parent_instance;
  GMainContext *context;             /* where signals are emitted */
  guint next_serial;                 /* main thread */
  guint delivered;                   /* main thread: serial of the newest complete result */
  GHashTable *targets, *constraints; /* main thread: for the next request */
  gboolean traces, copies;           /* likewise */
  RegardCaptureWish wish;            /* likewise */
  gint newest;                       /* atomic: serial of the newest request, 0 after a cancel */

  GMutex mutex;
  GCond cond;     /* the run has ended */
  RegardRun *run; /* works the mailbox off; NULL: there is nothing to do */
  /* in */
  Request *request, *ahead;
  mt_model *model;
  gboolean quit;
  /* out */
  RegardResult *result;
  mt_model *running; /* model-changed to be told */
  GError *failure;   /* model-failed to be told */
  GSource *delivery; /* one at a time */

  /* the run only */
  RegardRun *current;
  mt_session *session;
  GHashTable *cache;  /* key → RegardCachedSentence */
  char *asked;        /* the search of the request that is answered, as JSON */
  RegardResult *work; /* the answer being made */
  gint64 started, last_told;
  /* The last capture: moving the pointer between alternatives and caret moves ask for the same
   * again. */
  mt_capture *capture;
  mt_translation *captured;
  guint captured_index;
  gboolean is_part; /* it is of this place alone */
  mt_capture_place place;
};

G_DEFINE_FINAL_TYPE(RegardTranslator, regard_translator, G_TYPE_OBJECT)

static void
request_free(Request *request)
{
  if (!request)
    return;
  regard_result_unref(request->result);
  g_clear_pointer(&request->targets, g_hash_table_unref);
  g_clear_pointer(&request->constraints, g_hash_table_unref);
  mt_request_clear(&request->search);
  g_free(request);
}

/* ---- Delivery, on the main loop ------------------------------------------------------------ */

static gboolean
deliver(gpointer data)
{
  RegardTranslator *self = data;
  g_mutex_lock(&self->mutex);
  g_autoptr(RegardResult) result = g_steal_pointer(&self->result);
  g_autoptr(mt_model) running = g_steal_pointer(&self->running);
  g_autoptr(GError) failure = g_steal_pointer(&self->failure);
  g_clear_pointer(&self->delivery, g_source_unref);
  g_mutex_unlock(&self->mutex);

  g_object_ref(self);
  if (running)
    g_signal_emit_by_name(self, "model-changed", running);
  if (failure)
    g_signal_emit_by_name(self, "model-failed", failure);
  if (result && result->serial == (guint) g_atomic_int_get(&self->newest)) {
    if (result->complete)
      self->delivered = result->serial;
    g_signal_emit_by_name(self, "result", result);
  }
  g_object_unref(self);
  return G_SOURCE_REMOVE;
}

/* With the mutex held. */
static void
schedule_delivery(RegardTranslator *self)
{
  if (self->delivery || self->quit)
    return;
  self->delivery = g_idle_source_new();
  /* Above redrawing, so that a result that is there makes it into the frame. */
  g_source_set_priority(self->delivery, G_PRIORITY_DEFAULT);
  g_source_set_callback(self->delivery, deliver, self, NULL);
  g_source_set_static_name(self->delivery, "regard-translator");
  g_source_attach(self->delivery, self->context);
}

/* ---- The worker ---------------------------------------------------------------------------- */

static gboolean
is_newest(RegardTranslator *self)
{
  return (guint) g_atomic_int_get(&self->newest) == self->work->serial;
}

/* The rest of a long text waits here while analyses run, and whoever types wakes it. */
static bool
should_stop(void *user)
{
  RegardTranslator *self = user;
  return !is_newest(self) || regard_run_should_stop(self->current) || !is_newest(self);
}

/* What is looked at is there; the rest of the text goes on beside it. */
static void
become_less_urgent(RegardTranslator *self)
{
  g_mutex_lock(&self->mutex);
  if (is_newest(self))
    regard_run_set_priority(self->current, REGARD_RUN_OTHER);
  g_mutex_unlock(&self->mutex);
}

static void
tell(RegardTranslator *self)
{
  self->last_told = g_get_monotonic_time();
  RegardResult *copy = regard_result_copy(self->work);
  g_mutex_lock(&self->mutex);
  g_clear_pointer(&self->result, regard_result_unref);
  self->result = copy;
  schedule_delivery(self);
  g_mutex_unlock(&self->mutex);
}

static void
on_token(void *user, const mt_progress *progress)
{
  RegardTranslator *self = user;
  gint64 now = g_get_monotonic_time();
  if (now - self->started < FIRST_WORDS_AFTER || now - self->last_told < WORDS_EVERY)
    return;
  g_autoptr(mt_tokens) words = mt_model_detokenize(self->work->model, MT_STACK_DECODER,
                                                   progress->ids, progress->n_ids, NULL);
  if (!words)
    return;
  RegardResultSentence *sentence = &self->work->sentences[self->work->active];
  g_free(sentence->partial);
  sentence->partial = g_strdup(mt_tokens_text(words));
  tell(self);
}

/* All hypotheses of the beam are there to be chosen. */
static mt_search_params
search_params(const mt_model *model, const mt_request *search)
{
  mt_search_params params = mt_request_resolve(search, model);
  params.n_best = params.beam_size;
  params.constraints = NULL; /* those of a sentence */
  return params;
}

/* NULL: it is to be translated. */
static const char *
given_target(const Request *request, const char *text)
{
  return request->targets ? g_hash_table_lookup(request->targets, text) : NULL;
}

/* NULL: there are none. */
static mt_constraints *
find_constraints(const Request *request, const char *text)
{
  return request->constraints && !given_target(request, text)
             ? g_hash_table_lookup(request->constraints, text)
             : NULL;
}

/* What was asked, as text. Without memory for a line of it there is none for what follows either.
 * For mt_string_free. */
static char *
dup_asked(const mt_request *request)
{
  mt_error failure = {0};
  char *json = mt_request_to_json(request, &failure);
  if (!json)
    g_error("%s", failure.message);
  return json;
}

/* What a sentence is remembered by: its text, the precision, all that was asked for, so that going
 * back to a language or taking a change back finds its sentences, and the translation that was
 * given, or what it had to begin with. Caller frees. */
static char *
sentence_key(const RegardTranslator *self, const Request *request, const char *text)
{
  const char *target = given_target(request, text);
  const mt_request constrained = {.constraints = find_constraints(request, text)};
  char *constraints = constrained.constraints ? dup_asked(&constrained) : NULL;
  char *key =
      g_strdup_printf("%s %s %s %s%s%s", mt_precision_name(mt_model_precision(self->work->model)),
                      self->asked, constraints ? constraints : "", text, target ? "\n" : "",
                      target ? target : "");
  mt_string_free(constraints);
  return key;
}

/* How a translation of the person's own is searched for, so that its steps can be seen: it is all
 * that there is to choose. NULL: it has no room, and is only scored. */
static mt_constraints *
force(RegardTranslator *self, const char *target, mt_search_params *params)
{
  mt_error failure = {0};
  g_autoptr(mt_tokens) tokens =
      mt_model_tokenize(self->work->model, MT_STACK_DECODER, target, &failure);
  gsize n = tokens ? mt_tokens_count(tokens) : 0;
  g_autofree int32_t *ids = g_new(int32_t, n + 1);
  mt_tokens_copy_ids(tokens, n, ids);
  params->beam_size = params->n_best = 1;
  params->constraints =
      n > 0 && n < params->max_length ? mt_constraints_new(ids, n, NULL, 0, &failure) : NULL;
  return (mt_constraints *) params->constraints;
}

/* One sentence; traced, if that is wanted. */
static mt_translation *
find_translation(RegardTranslator *self, const Request *request, const char *text,
                 gboolean is_traced, const mt_hooks *hooks, mt_error *failure)
{
  const char *target = given_target(request, text);
  mt_search_params params = self->work->params;
  g_autoptr(mt_constraints) forced = target && is_traced ? force(self, target, &params) : NULL;
  if (!target && find_constraints(request, text)) {
    mt_request own = mt_request_copy(&request->search);
    mt_request_set_constraints(&own, find_constraints(request, text));
    params = search_params(self->work->model, &own);
    params.constraints = find_constraints(request, text);
    mt_request_clear(&own);
  }
  params.trace = is_traced || params.constraints ? TRACED : 0;
  if (target && !forced)
    return mt_session_score_for(self->session, text, target, &params, hooks, failure);
  return mt_session_translate(self->session, text, &params, hooks, failure);
}

/* Whether words are to be found for the chosen hypothesis that were not looked for yet. */
static gboolean
lacks_copies(const Request *request, const RegardCachedSentence *cached)
{
  return request->copies && cached->n_tried != cached->chosen + 1 &&
         mt_copies_are_wanted(mt_translation_hypothesis(cached->translation, cached->chosen));
}

/* Words of the source where the chosen hypothesis has <unk>: remembered, and found if they are not.
 * With changes after which attention says nothing there are none. FALSE if it was cancelled. */
static gboolean
copy_unknown(RegardTranslator *self, RegardResultSentence *s, RegardCachedSentence *cached,
             const Request *request)
{
  if (s->is_given || !request->copies)
    return TRUE;
  if (lacks_copies(request, cached)) {
    mt_hooks hooks = {.should_stop = should_stop,
                      .user = self,
                      .interventions = request->search.interventions};
    mt_error failure = {0};
    mt_copies_unref(cached->copies);
    cached->copies =
        mt_copies_new(self->session, cached->translation, cached->chosen, &hooks, &failure);
    if (!cached->copies && failure.code == MT_ERROR_CANCELLED)
      return FALSE;
    cached->n_tried = cached->chosen + 1;
  }
  if (cached->copies && cached->n_tried == cached->chosen + 1)
    s->copies = mt_copies_ref(cached->copies);
  return TRUE;
}

/* FALSE if it was cancelled. A failure is noted in the sentence. */
static gboolean
translate_sentence(RegardTranslator *self, guint i, const Request *request)
{
  RegardResultSentence *s = &self->work->sentences[i];
  g_autofree char *text = g_strndup(self->work->text + s->begin, s->end - s->begin);
  g_autofree char *key = sentence_key(self, request, text);
  gboolean is_active = (int) i == self->work->active, is_traced = is_active && request->traces;

  RegardCachedSentence *cached = find_cached(self->cache, key, request->serial);
  if (!cached || (is_traced && !mt_translation_steps(cached->translation))) {
    mt_hooks hooks = {.should_stop = should_stop,
                      .user = self,
                      .interventions = request->search.interventions};
    mt_error failure = {0};
    if (is_active && !request->is_ahead)
      hooks.on_token = on_token;
    g_autoptr(mt_translation) translation =
        find_translation(self, request, text, is_traced, &hooks, &failure);
    g_clear_pointer(&s->partial, g_free);
    if (!translation) {
      if (failure.code == MT_ERROR_CANCELLED)
        return FALSE;
      regard_error_set_from_mt(&s->error, &failure);
      return TRUE;
    }
    guint chosen = cached ? cached->chosen : 0;
    cached = cache_sentence(self->cache, key, translation, request->serial);
    cached->chosen = chosen;
  }
  if (is_active && request->alternative >= 0)
    cached->chosen = (guint) request->alternative;
  cached->chosen = MIN(cached->chosen, (guint) mt_translation_count(cached->translation) - 1);
  s->chosen = cached->chosen;
  s->translation = mt_translation_ref(cached->translation);
  s->is_given = given_target(request, text) != NULL;
  return copy_unknown(self, s, cached, request);
}

static void
forget_capture(RegardTranslator *self)
{
  g_clear_pointer(&self->capture, mt_capture_unref);
  g_clear_pointer(&self->captured, mt_translation_unref);
}

/* What all attention of the sentence takes. */
static gsize
count_bytes(RegardTranslator *self, const RegardResultSentence *s)
{
  return mt_capture_bytes_of(self->work->model,
                             mt_tokens_count(mt_translation_source(s->translation)),
                             mt_tokens_count(
                                 mt_translation_hypothesis(s->translation, s->chosen)->tokens),
                             NULL, 0, mt_translation_interventions(s->translation));
}

/* Kind and layer that are wanted, as far as the model has them. */
static mt_capture_place
wished_place(RegardTranslator *self, const RegardCaptureWish *wish)
{
  const mt_config *config = mt_model_config(self->work->model);
  const gsize n_layers = config->n_layers[regard_naming_rows(wish->kind)];
  return (mt_capture_place){(int) wish->kind, (int) MIN(wish->layer, n_layers - 1), -1};
}

/* Whether the last capture is what is wanted: all there is serves every place. */
static gboolean
is_captured(RegardTranslator *self, const RegardResultSentence *s, gboolean is_part,
            mt_capture_place place)
{
  return self->captured == s->translation && self->captured_index == s->chosen &&
         (!self->is_part ||
          (is_part && self->place.kind == place.kind && self->place.layer == place.layer));
}

static void
capture(RegardTranslator *self, const RegardResultSentence *s, gboolean is_part,
        mt_capture_place place, mt_error *failure)
{
  mt_hooks hooks = {.should_stop = should_stop,
                    .user = self,
                    .interventions = mt_translation_interventions(s->translation)};
  /* Give the old one back first: at 512 tokens one is 150 MB. */
  forget_capture(self);
  self->capture =
      mt_session_capture_part(self->session, s->translation, s->chosen, is_part ? &place : NULL,
                              MT_CAPTURE_POSITIONS, &hooks, failure);
  if (!self->capture)
    return;
  self->captured = mt_translation_ref(s->translation);
  self->captured_index = s->chosen;
  self->is_part = is_part;
  self->place = place;
}

/* Likewise. */
static gboolean
capture_active(RegardTranslator *self, const RegardCaptureWish *wish)
{
  RegardResultSentence *s = &self->work->sentences[self->work->active];
  mt_error failure = {0};
  if (!s->translation)
    return TRUE;
  const gsize bytes = count_bytes(self, s);
  const mt_capture_place place = wished_place(self, wish);
  const gboolean is_part = wish->most_bytes && bytes > wish->most_bytes && !wish->is_whole;
  if (!is_captured(self, s, is_part, place)) {
    capture(self, s, is_part, place, &failure);
    if (!is_part && failure.code == MT_ERROR_NO_MEMORY) {
      failure = (mt_error){0};
      self->work->lacks_memory = TRUE;
      capture(self, s, TRUE, place, &failure);
    }
    if (!self->capture) {
      if (failure.code == MT_ERROR_CANCELLED)
        return FALSE;
      regard_error_set_from_mt(&s->error, &failure);
      return TRUE;
    }
  }
  self->work->capture = mt_capture_ref(self->capture);
  self->work->whole_bytes = self->is_part ? bytes : 0;
  return TRUE;
}

/* Sentences known from before stand in the very first answer. */
static void
fill_from_cache(RegardTranslator *self, const Request *request)
{
  for (guint i = 0; i < self->work->n_sentences; i++) {
    RegardResultSentence *s = &self->work->sentences[i];
    g_autofree char *text = g_strndup(self->work->text + s->begin, s->end - s->begin);
    g_autofree char *key = sentence_key(self, request, text);
    RegardCachedSentence *cached = find_cached(self->cache, key, request->serial);
    if (cached && (int) i != self->work->active && !lacks_copies(request, cached)) {
      s->translation = mt_translation_ref(cached->translation);
      s->chosen = cached->chosen;
      s->is_given = given_target(request, text) != NULL;
      if (request->copies && cached->copies && !s->is_given &&
          cached->n_tried == cached->chosen + 1)
        s->copies = mt_copies_ref(cached->copies);
    }
  }
}

static void
begin(RegardTranslator *self, Request *request)
{
  mt_string_free(self->asked);
  self->asked = dup_asked(&request->search);
  self->work = request->result;
  self->work->model = mt_model_ref(mt_session_model(self->session));
  self->work->params = search_params(self->work->model, &request->search);
  self->work->interventions = mt_interventions_ref(request->search.interventions);
}

/* The sentence that will be looked at, and its attention, are remembered: as it is asked for they
 * are there. */
static void
answer_ahead(RegardTranslator *self, Request *request)
{
  begin(self, request);
  become_less_urgent(self);
  if (self->work->active >= 0 && translate_sentence(self, (guint) self->work->active, request))
    capture_active(self, &request->wish);
}

static void
answer(RegardTranslator *self, Request *request)
{
  begin(self, request);
  self->started = self->last_told = g_get_monotonic_time();
  fill_from_cache(self, request);

  if (self->work->active >= 0) {
    if (!translate_sentence(self, (guint) self->work->active, request) ||
        !capture_active(self, &request->wish))
      return;
    self->work->complete = TRUE;
    for (guint i = 0; i < self->work->n_sentences; i++)
      if (!self->work->sentences[i].translation && !self->work->sentences[i].error)
        self->work->complete = FALSE;
    tell(self);
  }
  if (!self->work->complete)
    become_less_urgent(self);
  for (guint i = 0; i < self->work->n_sentences && !self->work->complete; i++) {
    if (self->work->sentences[i].translation || self->work->sentences[i].error)
      continue;
    if (!translate_sentence(self, i, request))
      return;
    if (g_get_monotonic_time() - self->last_told > REST_EVERY)
      tell(self);
  }
  if (!self->work->complete) {
    self->work->complete = TRUE;
    tell(self);
  }
  trim_cache(self->cache, request->serial);
}

static void
change_model(RegardTranslator *self, mt_model *model)
{
  mt_error failure = {0};
  /* Whatever is translated is looked at. */
  mt_session_options options = {.keeps_attention = true};
  mt_session *session = mt_session_new(model, &options, &failure);
  if (session) {
    forget_capture(self);
    g_hash_table_remove_all(self->cache);
    mt_session_free(self->session);
    self->session = session;
  }
  g_mutex_lock(&self->mutex);
  g_clear_pointer(&self->running, mt_model_unref);
  g_clear_error(&self->failure);
  if (session)
    self->running = mt_model_ref(model);
  else
    regard_error_set_from_mt(&self->failure, &failure);
  schedule_delivery(self);
  g_mutex_unlock(&self->mutex);
}

/* With the mutex held. */
static gboolean
has_work(RegardTranslator *self)
{
  return !self->quit && (self->model || ((self->request || self->ahead) && self->session));
}

static gpointer
work(RegardRun *run, mt_error *error)
{
  RegardTranslator *self = *(RegardTranslator **) regard_run_get_params(run);
  g_mutex_lock(&self->mutex);
  self->current = run;
  while (has_work(self)) {
    mt_model *model = g_steal_pointer(&self->model);
    Request *request = model           ? NULL
                       : self->request ? g_steal_pointer(&self->request)
                                       : g_steal_pointer(&self->ahead);
    regard_run_set_priority(run, REGARD_RUN_TYPED);
    g_mutex_unlock(&self->mutex);
    if (model)
      change_model(self, model);
    mt_model_unref(model);
    if (request && request->is_ahead)
      answer_ahead(self, request);
    else if (request)
      answer(self, request);
    self->work = NULL;
    request_free(request);
    g_mutex_lock(&self->mutex);
  }
  self->run = NULL;
  g_cond_signal(&self->cond);
  g_mutex_unlock(&self->mutex);
  return run;
}

static const RegardTask working = {
    .priority = REGARD_RUN_TYPED,
    .params_size = sizeof(RegardTranslator *),
    .compute = work,
};

/* ---- The main loop's side ------------------------------------------------------------------ */

RegardTranslator *
regard_translator_new(void)
{
  return g_object_new(REGARD_TYPE_TRANSLATOR, NULL);
}

/* There is something else to do; with the mutex held. */
static void
wake(RegardTranslator *self)
{
  if (self->run)
    regard_run_set_priority(self->run, REGARD_RUN_TYPED);
  else if (has_work(self))
    self->run = regard_runner_start(&working, NULL, &self, NULL, NULL);
}

void
regard_translator_set_model(RegardTranslator *self, mt_model *model)
{
  g_return_if_fail(REGARD_IS_TRANSLATOR(self) && model);
  g_mutex_lock(&self->mutex);
  mt_model_unref(self->model);
  self->model = mt_model_ref(model);
  wake(self);
  g_mutex_unlock(&self->mutex);
}

static Request *
request_new(RegardTranslator *self, guint serial, const char *text, const GArray *sentences,
            int active, int alternative, const mt_request *search)
{
  Request *request = g_new0(Request, 1);
  request->serial = serial;
  request->result = regard_result_new(serial, text, sentences);
  request->result->active = active;
  request->alternative = alternative;
  request->search = mt_request_copy(search);
  request->targets = self->targets ? g_hash_table_ref(self->targets) : NULL;
  request->constraints = self->constraints ? g_hash_table_ref(self->constraints) : NULL;
  request->traces = self->traces;
  request->copies = self->copies;
  request->wish = self->wish;
  return request;
}

guint
regard_translator_request(RegardTranslator *self, const char *text, const GArray *sentences,
                          int active, int alternative, const mt_request *search)
{
  g_return_val_if_fail(REGARD_IS_TRANSLATOR(self), 0);
  g_return_val_if_fail(active < (int) sentences->len, 0);
  /* 0 means "none", so it is left out when the counter wraps. */
  if (++self->next_serial == 0)
    self->next_serial = 1;
  Request *request =
      request_new(self, self->next_serial, text, sentences, active, alternative, search);
  g_atomic_int_set(&self->newest, (gint) request->serial);
  g_mutex_lock(&self->mutex);
  g_clear_pointer(&self->ahead, request_free); /* it was ahead of something else */
  request_free(self->request);
  self->request = request;
  wake(self);
  g_mutex_unlock(&self->mutex);
  return self->next_serial;
}

void
regard_translator_prepare(RegardTranslator *self, const char *text, const GArray *sentences,
                          int active, int alternative, const mt_request *search)
{
  g_return_if_fail(REGARD_IS_TRANSLATOR(self) && active < (int) sentences->len);
  /* Whatever is asked for after this stops it. */
  Request *request = request_new(self, (guint) g_atomic_int_get(&self->newest), text, sentences,
                                 active, alternative, search);
  request->is_ahead = TRUE;
  g_mutex_lock(&self->mutex);
  g_clear_pointer(&self->ahead, request_free);
  self->ahead = request;
  wake(self);
  g_mutex_unlock(&self->mutex);
}

void
regard_translator_set_targets(RegardTranslator *self, GHashTable *targets)
{
  g_return_if_fail(REGARD_IS_TRANSLATOR(self));
  GHashTable *old = self->targets;
  self->targets = targets ? g_hash_table_ref(targets) : NULL;
  g_clear_pointer(&old, g_hash_table_unref);
}

void
regard_translator_set_constraints(RegardTranslator *self, GHashTable *constraints)
{
  g_return_if_fail(REGARD_IS_TRANSLATOR(self));
  GHashTable *old = self->constraints;
  self->constraints = constraints ? g_hash_table_ref(constraints) : NULL;
  g_clear_pointer(&old, g_hash_table_unref);
}

void
regard_translator_set_traces(RegardTranslator *self, gboolean traces)
{
  g_return_if_fail(REGARD_IS_TRANSLATOR(self));
  self->traces = traces;
}

void
regard_translator_set_copies(RegardTranslator *self, gboolean copies)
{
  g_return_if_fail(REGARD_IS_TRANSLATOR(self));
  self->copies = copies;
}

void
regard_translator_set_capture_wish(RegardTranslator *self, const RegardCaptureWish *wish)
{
  g_return_if_fail(REGARD_IS_TRANSLATOR(self));
  self->wish = *wish;
}

void
regard_translator_cancel(RegardTranslator *self)
{
  g_return_if_fail(REGARD_IS_TRANSLATOR(self));
  g_atomic_int_set(&self->newest, 0);
  g_mutex_lock(&self->mutex);
  g_clear_pointer(&self->request, request_free);
  g_clear_pointer(&self->ahead, request_free);
  wake(self);
  g_mutex_unlock(&self->mutex);
}

gboolean
regard_translator_is_busy(RegardTranslator *self)
{
  guint newest = (guint) g_atomic_int_get(&self->newest);
  return newest != 0 && self->delivered != newest;
}

static void
regard_translator_finalize(GObject *object)
{
  RegardTranslator *self = REGARD_TRANSLATOR(object);
  g_atomic_int_set(&self->newest, 0);
  g_mutex_lock(&self->mutex);
  self->quit = TRUE;
  wake(self);
  while (self->run)
    g_cond_wait(&self->cond, &self->mutex);
  g_mutex_unlock(&self->mutex);
  forget_capture(self);
  mt_session_free(self->session);
  mt_string_free(self->asked);
  g_hash_table_unref(self->cache);

  if (self->delivery) {
    g_source_destroy(self->delivery);
    g_source_unref(self->delivery);
  }
  request_free(self->request);
  request_free(self->ahead);
  g_clear_pointer(&self->targets, g_hash_table_unref);
  g_clear_pointer(&self->constraints, g_hash_table_unref);
  g_clear_pointer(&self->result, regard_result_unref);
  mt_model_unref(self->model);
  mt_model_unref(self->running);
  g_clear_error(&self->failure);
  g_main_context_unref(self->context);
  g_mutex_clear(&self->mutex);
  g_cond_clear(&self->cond);
  G_OBJECT_CLASS(regard_translator_parent_class)->finalize(object);
}

static void
regard_translator_class_init(RegardTranslatorClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = regard_translator_finalize;
  regard_add_signal(klass, "result", 1, REGARD_TYPE_RESULT);
  regard_add_signal(klass, "model-changed", 1, G_TYPE_POINTER);
  regard_add_signal(klass, "model-failed", 1, G_TYPE_ERROR);
}

static void
regard_translator_init(RegardTranslator *self)
{
  self->context = g_main_context_ref_thread_default();
  g_mutex_init(&self->mutex);
  g_cond_init(&self->cond);
  self->cache = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, cached_free);
}
