/* regard-corpus-run.c — a corpus file made of a text: begun, stopped, and gone on with.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Translations come in order from one session; some of them together are captured by another, and
 * go into the file, which is committed to now and then.
 */
#include "measure/regard-corpus-run.h"

#include "base/regard-autoptr.h"
#include "base/regard-error.h"
#include "base/regard-lines.h"
#include "figures/regard-language.h"

#include <errno.h>
#include <gio/gio.h>
#include <string.h>

/* Captured together: so many tokens of both texts, or so many sentences. */
#define TOGETHER_TOKENS 512
#define TOGETHER        32
/* Microseconds between two commits, and sentences. */
#define COMMIT_EVERY     (10 * G_USEC_PER_SEC)
#define COMMIT_SENTENCES 4000
#define MOST_THREADS     4
#define HASH_BEGIN       G_GUINT64_CONSTANT(0xcbf29ce484222325)

/* A sentence on its way. */
typedef struct {
  char *text;
  mt_conllu_tree *tree; /* or NULL */
  guint64 line;         /* that it begins in */
  guint64 end, hash;    /* lines read with it, and their hash */
  guint n_left_out;     /* of the lines before it */
  mt_translation *translation;
} Item;

typedef struct {
  const RegardCorpusRun *wanted;
  RegardCorpusProgress *progress;
  RegardLineStream *stream;
  mt_conllu_reader *reader; /* of trees; NULL: lines are sentences */
  mt_corpus_writer *writer;
  mt_session *session;     /* for captures and effects */
  GQueue waiting;          /* of Item: handed to the engine, without a result */
  GPtrArray *together;     /* of Item: translated, to be captured */
  gsize n_tokens;          /* of those */
  guint64 line, hash;      /* read so far */
  guint64 done, done_hash; /* in the file after the next commit */
  guint64 first_line;      /* that this run began behind */
  guint n_left_out;        /* lines since the newest item */
  guint64 n_asked;         /* sentences, those of earlier runs too */
  gint64 begun, committed;
  guint64 n_committed; /* sentences at the last commit */
  gboolean at_end, broken;
} Make;

static void
item_free(gpointer user)
{
  Item *item = user;
  mt_conllu_tree_free(item->tree);
  mt_translation_unref(item->translation);
  g_free(item->text);
  g_free(item);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static guint64
hash_line(guint64 hash, const RegardLine *line)
{
  const char *text = line->text ? line->text : line->error;
  for (;; text++) { /* FNV-1a, of the end, too */
    hash = (hash ^ (guchar) *text) * G_GUINT64_CONSTANT(0x100000001b3);
    if (!*text)
      return hash;
  }
}

/* A line is left out; of the engine's error or of a message one is NULL. */
static void
leave_out(Make *self, guint64 line, const mt_error *error, const char *message)
{
  const RegardCorpusProblem problem = {line, TRUE, error, message};
  self->progress->has_problems = TRUE;
  self->progress->n_left_out++;
  self->wanted->say(self->wanted->user, &problem);
}

/* Nothing more can be done. */
static void
break_off(Make *self, guint64 line, const mt_error *error, const char *message)
{
  const RegardCorpusProblem problem = {line, FALSE, error, message};
  self->broken = TRUE;
  if (error && error->code == MT_ERROR_CANCELLED)
    return;
  self->progress->has_problems = TRUE;
  self->wanted->say(self->wanted->user, &problem);
}

static void
count_left_out(Make *self, guint n)
{
  for (guint i = 0; i < n; i++)
    mt_corpus_writer_leave_out(self->writer);
}

/* The next line of the file. */
static gboolean
next_line(Make *self, RegardLine *line)
{
  if (self->at_end || !regard_line_stream_next(self->stream, line)) {
    self->at_end = TRUE;
    return FALSE;
  }
  self->line = line->number;
  self->hash = hash_line(self->hash, line);
  return TRUE;
}

static Item *
next_text_item(Make *self)
{
  RegardLine line;
  while (next_line(self, &line)) {
    if (line.error) {
      leave_out(self, line.number, NULL, line.error);
      self->n_left_out++;
    } else if (!line.blank) {
      Item *item = g_new0(Item, 1);
      item->text = g_strdup(line.text);
      item->line = line.number;
      return item;
    }
  }
  return NULL;
}

static Item *
next_tree_item(Make *self)
{
  RegardLine line;
  mt_error error = {0};
  const mt_conllu_tree *tree;
  mt_conllu_result result = MT_CONLLU_MORE;
  while (result == MT_CONLLU_MORE) {
    const gboolean was_at_end = self->at_end;
    const gboolean has = next_line(self, &line);
    if (was_at_end)
      return NULL;
    if (has && line.error) {
      break_off(self, line.number, NULL, line.error);
      return NULL;
    }
    result = mt_conllu_reader_add(self->reader, has ? line.text : NULL, has ? strlen(line.text) : 0,
                                  &tree, &error);
  }
  if (result == MT_CONLLU_FAILED) {
    break_off(self, 0, &error, NULL);
    return NULL;
  }
  Item *item = g_new0(Item, 1);
  item->text = g_strdup(tree->text);
  item->tree = mt_conllu_tree_copy(tree, &error);
  item->line = tree->line;
  if (!item->tree)
    g_error("%s", error.message);
  return item;
}

static gboolean
is_enough(const Make *self)
{
  return self->wanted->sentences > 0 && self->n_asked >= self->wanted->sentences;
}

static const char *
next_text(void *user)
{
  Make *self = user;
  if (self->broken || is_enough(self))
    return NULL;
  Item *item = self->reader ? next_tree_item(self) : next_text_item(self);
  if (!item)
    return NULL;
  item->end = self->line;
  item->hash = self->hash;
  item->n_left_out = self->n_left_out;
  self->n_left_out = 0;
  self->n_asked++;
  g_queue_push_tail(&self->waiting, item);
  return item->text;
}

/* Lines that an earlier run has done with, which must be the same. */
static gboolean
skip_lines(Make *self)
{
  RegardLine line;
  const guint64 n = mt_corpus_writer_n_lines(self->writer);
  while (self->line < n && next_line(self, &line))
    ;
  self->done = self->first_line = n;
  self->done_hash = self->hash;
  if (self->line == n && (n == 0 || self->hash == mt_corpus_writer_text_hash(self->writer)))
    return TRUE;
  g_autofree char *path = g_filename_display_name(self->wanted->path);
  g_autofree char *text = g_filename_display_name(self->wanted->text);
  g_autofree char *message =
      g_strdup_printf(_("%s was begun with another text: the first %zu lines are not those of %s"),
                      path, (gsize) n, text);
  break_off(self, 0, NULL, message);
  return FALSE;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void
show_progress(Make *self)
{
  RegardCorpusProgress *p = self->progress;
  const double passed = (double) (g_get_monotonic_time() - self->begun) / G_USEC_PER_SEC;
  p->line = self->done;
  p->n_sentences = mt_corpus_writer_n_sentences(self->writer);
  p->rate = passed > 0 ? (double) (self->done - self->first_line) / passed : 0;
  p->seconds_left =
      p->n_lines >= self->done && p->rate > 0 ? (double) (p->n_lines - self->done) / p->rate : -1;
  if (self->wanted->on_progress)
    self->wanted->on_progress(self->wanted->user, p);
}

static void
commit(Make *self, gboolean is_complete)
{
  mt_error error = {0};
  if (self->broken && !is_complete && mt_corpus_writer_n_sentences(self->writer) == 0)
    return;
  if (!mt_corpus_writer_commit(self->writer, self->done, self->done_hash, is_complete, &error))
    break_off(self, 0, &error, NULL);
  self->committed = g_get_monotonic_time();
  self->n_committed = mt_corpus_writer_n_sentences(self->writer);
}

static gboolean
is_commit_due(const Make *self)
{
  const guint64 n = mt_corpus_writer_n_sentences(self->writer) - self->n_committed;
  if (self->wanted->commit > 0)
    return n >= self->wanted->commit;
  return n >= COMMIT_SENTENCES || g_get_monotonic_time() - self->committed > COMMIT_EVERY;
}

static mt_ablation *
compute_effects(Make *self, const mt_translation *translation, mt_error *error)
{
  const mt_ablation_params params = {.kind = self->wanted->with, .means = self->wanted->means};
  return mt_ablation_new(self->session, translation, 0, &params, self->wanted->hooks, error);
}

/* The lines of an item are done, in which so many were left out beside those before it. */
static void
settle(Make *self, const Item *item, guint n_left_out)
{
  count_left_out(self, item->n_left_out + n_left_out);
  self->done = item->end;
  self->done_hash = item->hash;
}

/* FALSE: nothing more is to be done. */
static gboolean
add_item(Make *self, Item *item, const mt_capture *capture)
{
  mt_error error = {0};
  g_autoptr(mt_ablation) effects = NULL;
  gboolean ok = TRUE;
  if (self->wanted->has_effects)
    ok = (effects = compute_effects(self, item->translation, &error)) != NULL;
  ok = ok && mt_corpus_writer_add(self->writer, capture, effects, item->tree, item->line, &error);
  if (!ok && error.code == MT_ERROR_CANCELLED)
    return FALSE;
  if (!ok && (error.code == MT_ERROR_INPUT || error.code == MT_ERROR_TOO_LONG)) {
    leave_out(self, item->line, &error, NULL);
    item->n_left_out++;
  } else if (!ok) {
    break_off(self, 0, &error, NULL);
    return FALSE;
  }
  settle(self, item, 0);
  return TRUE;
}

/* All that wait for it are captured and go into the file. */
static void
add_together(Make *self)
{
  const gsize n = self->together->len;
  const mt_translation *translations[TOGETHER];
  mt_capture *captures[TOGETHER];
  mt_error error = {0};
  if (n == 0 || self->broken)
    return;
  for (gsize i = 0; i < n; i++)
    translations[i] = ((Item *) self->together->pdata[i])->translation;
  if (!mt_session_capture_many(self->session, translations, n, self->wanted->hooks, captures,
                               &error)) {
    break_off(self, 0, &error, NULL); /* nothing behind these can go in before them */
    return;
  }
  for (gsize i = 0; i < n; i++) {
    if (!self->broken && !add_item(self, self->together->pdata[i], captures[i]))
      self->broken = TRUE;
    mt_capture_unref(captures[i]);
  }
  g_ptr_array_set_size(self->together, 0);
  self->n_tokens = 0;
  if (!self->broken && is_commit_due(self))
    commit(self, FALSE);
  show_progress(self);
}

static void
on_result(void *user, size_t i, mt_translation *translation, const mt_error *error)
{
  Make *self = user;
  Item *item = g_queue_pop_head(&self->waiting);
  if (self->broken || !translation) {
    if (!translation && !self->broken) {
      /* Those before it first, for the lines that are done are counted in order. */
      add_together(self);
      if (!self->broken) {
        leave_out(self, item->line, error, NULL);
        settle(self, item, 1);
      }
    }
    item_free(item);
    return;
  }
  if (self->wanted->on_translation)
    self->wanted->on_translation(self->wanted->user, translation);
  const gsize n = mt_tokens_count(mt_translation_source(translation)) +
                  mt_tokens_count(mt_translation_hypothesis(translation, 0)->tokens);
  if (self->together->len == TOGETHER ||
      (self->together->len > 0 && self->n_tokens + n > TOGETHER_TOKENS))
    add_together(self);
  item->translation = mt_translation_ref(translation);
  g_ptr_array_add(self->together, item);
  self->n_tokens += n;
}

static bool
should_stop_making(void *user)
{
  const Make *self = user;
  const mt_hooks *hooks = self->wanted->hooks;
  return self->broken || (hooks->should_stop && hooks->should_stop(hooks->user));
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* So that somebody who waits knows how long; and how many lines can be sentences. */
static void
count_lines(const RegardCorpusRun *wanted, guint64 *n_lines, guint64 *n_readable)
{
  RegardLineStream *stream = regard_line_stream_open(wanted->text);
  RegardLine line;
  while (stream && regard_line_stream_is_whole(stream) && regard_line_stream_next(stream, &line) &&
         !(wanted->hooks->should_stop && wanted->hooks->should_stop(wanted->hooks->user))) {
    ++*n_lines;
    *n_readable += !line.error && !line.blank && g_utf8_validate(line.text, -1, NULL);
  }
  if (stream)
    regard_line_stream_close(stream);
}

static gboolean
translate(Make *self)
{
  const mt_texts texts = {.next = next_text,
                          .on_result = on_result,
                          .should_stop = should_stop_making,
                          .user = self,
                          .hooks = self->wanted->hooks};
  mt_error error = {0};
  self->begun = self->committed = g_get_monotonic_time();
  self->n_committed = mt_corpus_writer_n_sentences(self->writer);
  const bool done =
      mt_session_translate_many(self->wanted->session, &texts, self->wanted->params, &error);
  const gboolean was_broken = self->broken;
  if (!done && !was_broken)
    break_off(self, 0, &error, NULL);
  if (done)
    add_together(self);
  const gboolean is_whole = done && !self->broken;
  if (is_whole) {
    count_left_out(self, self->n_left_out);
    self->done = self->line;
    self->done_hash = self->hash;
  }
  commit(self, is_whole);
  show_progress(self);
  return is_whole && !self->broken;
}

static guint
n_threads(const RegardCorpusRun *wanted)
{
  return wanted->n_threads ? wanted->n_threads : MIN(g_get_num_processors(), MOST_THREADS);
}

/* A file that is there is gone on with. */
static gboolean
open_writer(Make *self, mt_error *error)
{
  const RegardCorpusRun *wanted = self->wanted;
  g_autofree char *name = g_path_get_basename(wanted->text);
  g_autofree char *valid = g_utf8_make_valid(name, -1);
  char *search = mt_request_to_json(wanted->request, error);
  const mt_corpus_settings settings = {
      .text_name = valid,
      .search = search,
      .interventions = mt_interventions_text(wanted->hooks->interventions),
      .has_effects = wanted->has_effects,
      .with = wanted->with,
      .has_trees = wanted->has_trees,
      .n_threads = n_threads(wanted),
  };
  if (search)
    self->writer = mt_corpus_writer_new(wanted->path, wanted->model, &settings, error);
  mt_string_free(search);
  return self->writer != NULL;
}

static RegardCorpusOutcome
make(Make *self)
{
  const RegardCorpusRun *wanted = self->wanted;
  const mt_session_options options = {.n_threads = n_threads(wanted)};
  mt_error error = {0};
  gboolean ok = open_writer(self, &error);
  self->session = ok ? mt_session_new(wanted->model, &options, &error) : NULL;
  if (self->session && wanted->has_trees)
    self->reader = mt_conllu_reader_new(wanted->text, &error);
  if (!self->session || (wanted->has_trees && !self->reader)) {
    break_off(self, 0, &error, NULL);
    return REGARD_CORPUS_BROKEN_OFF;
  }
  self->n_asked = self->progress->n_sentences = mt_corpus_writer_n_sentences(self->writer);
  if (mt_corpus_writer_is_complete(self->writer)) /* as a job that is started again finds it */
    return !wanted->is_careful || skip_lines(self) ? REGARD_CORPUS_WAS_WHOLE
                                                   : REGARD_CORPUS_BROKEN_OFF;
  return skip_lines(self) && translate(self) ? REGARD_CORPUS_MADE : REGARD_CORPUS_BROKEN_OFF;
}

static void
say_no_file(Make *self, const char *format, int problem)
{
  g_autofree char *text = g_filename_display_name(self->wanted->text);
  g_autofree char *message = g_strdup_printf(format, text, g_strerror(problem));
  break_off(self, 0, NULL, message);
}

/* Is there a sentence in it? */
static gboolean
has_sentences(Make *self, guint64 n_readable)
{
  if (n_readable > 0 || !self->wanted->is_careful)
    return TRUE;
  g_autofree char *text = g_filename_display_name(self->wanted->text);
  g_autofree char *message =
      g_strdup_printf(self->progress->n_lines > 0
                          ? _("%s has no sentence: no line of it is text in UTF-8.")
                          : _("%s has no sentence: it is empty, or no file."),
                      text);
  break_off(self, 0, NULL, message);
  return FALSE;
}

RegardCorpusOutcome
regard_corpus_run(const RegardCorpusRun *run, RegardCorpusProgress *progress)
{
  RegardCorpusOutcome outcome = REGARD_CORPUS_BROKEN_OFF;
  guint64 n_readable = 0;
  Make self = {.wanted = run,
               .progress = progress,
               .waiting = G_QUEUE_INIT,
               .together = g_ptr_array_new_with_free_func(item_free),
               .hash = HASH_BEGIN};
  *progress = (RegardCorpusProgress){.seconds_left = -1};
  self.stream = regard_line_stream_open(run->text);
  if (!self.stream)
    say_no_file(&self, _("cannot open '%s': %s"), errno);
  else if (run->counts_lines)
    count_lines(run, &progress->n_lines, &n_readable);
  if (self.stream && has_sentences(&self, n_readable))
    outcome = make(&self);
  const int problem = self.stream ? regard_line_stream_close(self.stream) : 0;
  if (problem) {
    say_no_file(&self, _("cannot read '%s': %s"), problem);
    outcome = REGARD_CORPUS_BROKEN_OFF;
  }
  if (self.writer)
    progress->n_sentences = mt_corpus_writer_n_sentences(self.writer);
  g_queue_clear_full(&self.waiting, item_free);
  g_ptr_array_unref(self.together);
  mt_conllu_reader_free(self.reader);
  mt_corpus_writer_free(self.writer);
  mt_session_free(self.session);
  return outcome;
}

/* ---- As the window asks for it ------------------------------------------------------------------
 */

typedef struct {
  const RegardCorpusOrder *order;
  char **left_out;
  GError **error;
} Answer;

static char *
dup_problem(const RegardCorpusProblem *problem)
{
  g_autoptr(GError) own = NULL;
  if (problem->error)
    regard_error_set_from_mt(&own, problem->error);
  g_autofree char *said = g_strdup(own ? own->message : _(problem->message));
  /* Translators: the number of a line, and what is wrong with it */
  return problem->line ? g_strdup_printf(_("Line %zu: %s"), (gsize) problem->line, said)
                       : g_steal_pointer(&said);
}

static void
keep_problem(gpointer user, const RegardCorpusProblem *problem)
{
  Answer *answer = user;
  if (problem->is_left_out && !*answer->left_out)
    *answer->left_out = dup_problem(problem);
  if (problem->is_left_out || *answer->error)
    return;
  g_autofree char *said = dup_problem(problem);
  g_set_error_literal(answer->error, REGARD_ERROR, REGARD_ERROR_INPUT, said);
}

static void
tell_progress(gpointer user, const RegardCorpusProgress *progress)
{
  const Answer *answer = user;
  answer->order->on_progress(answer->order->user, progress);
}

gboolean
regard_corpus_run_order(const RegardCorpusOrder *order, char **left_out, GError **error)
{
  g_autoptr(GError) own = NULL;
  Answer answer = {order, left_out, &own};
  mt_error cause = {0};
  mt_request request = order->request ? mt_request_copy(order->request) : (mt_request){0};
  mt_request_set_constraints(&request, NULL);
  mt_request_set_interventions(&request, order->interventions);
  const mt_search_params params = mt_request_resolve(&request, order->model);
  const mt_hooks hooks = {.interventions = request.interventions,
                          .should_stop = order->should_stop,
                          .user = order->user};
  mt_session *session = mt_session_new(order->model, NULL, &cause);
  RegardCorpusOutcome outcome = REGARD_CORPUS_BROKEN_OFF;
  *left_out = NULL;
  if (session) {
    RegardCorpusProgress progress;
    outcome = regard_corpus_run(&(const RegardCorpusRun){.session = session,
                                                         .model = order->model,
                                                         .request = &request,
                                                         .params = &params,
                                                         .hooks = &hooks,
                                                         .text = order->text,
                                                         .path = order->path,
                                                         .has_trees = g_str_has_suffix(order->text,
                                                                                       ".conllu"),
                                                         .counts_lines = TRUE,
                                                         .is_careful = TRUE,
                                                         .say = keep_problem,
                                                         .on_progress = tell_progress,
                                                         .user = &answer},
                                &progress);
  } else
    regard_error_set_from_mt(&own, &cause);
  mt_session_free(session);
  mt_request_clear(&request);
  if (outcome != REGARD_CORPUS_BROKEN_OFF)
    return TRUE;
  if (own)
    g_propagate_error(error, g_steal_pointer(&own));
  else
    g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_CANCELLED, _("Stopped."));
  return FALSE;
}
