/* cli-corpus-make.c — a text through the model, sentence after sentence, into a corpus file; until
 * the end or Ctrl+C, and on from there another time.
 *
 * Translations come in order from one session; some of them together are captured by another, and
 * go into the file, which is committed to now and then.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-corpus-make.h"

#include "cli/cli-lines.h"
#include "cli/cli-stop.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Captured together: so many tokens of both texts, or so many sentences. */
#define TOGETHER_TOKENS 512
#define TOGETHER        32
/* Microseconds between two commits, and sentences. */
#define COMMIT_EVERY     (10 * G_USEC_PER_SEC)
#define COMMIT_SENTENCES 4000
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
  const CliCommand *command;
  CliEngine *engine;
  const CliCorpusWanted *wanted;
  CliLineStream *stream;
  mt_conllu_reader *reader; /* of trees; NULL: lines are sentences */
  mt_corpus_writer *writer;
  mt_session *session;     /* for captures and effects */
  GQueue waiting;          /* of Item: handed to the engine, without a result */
  GPtrArray *together;     /* of Item: translated, to be captured */
  gsize n_tokens;          /* of those */
  guint64 line, hash;      /* read so far */
  guint64 done, done_hash; /* in the file after the next commit */
  guint64 n_lines;         /* of the whole file; 0: not known */
  guint64 first_line;      /* that this run began behind */
  guint n_left_out;        /* lines since the newest item */
  guint64 n_asked;         /* sentences, those of earlier runs too */
  gint64 begun, committed;
  guint64 n_committed; /* sentences at the last commit */
  gboolean at_end, failed, broken;
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
hash_line(guint64 hash, const CliLine *line)
{
  const char *text = line->text ? line->text : line->error;
  for (;; text++) { /* FNV-1a, of the end, too */
    hash = (hash ^ (guchar) *text) * G_GUINT64_CONSTANT(0x100000001b3);
    if (!*text)
      return hash;
  }
}

static void
leave_out(Make *self, guint64 line, const char *why)
{
  cli_complain(self->command, "%s:%" G_GUINT64_FORMAT ": left out: %s",
               self->wanted->trees ? self->wanted->trees : self->wanted->text, line, why);
  self->failed = TRUE;
}

static void
count_left_out(Make *self, guint n)
{
  for (guint i = 0; i < n; i++)
    mt_corpus_writer_leave_out(self->writer);
}

/* The next line of the file. */
static gboolean
next_line(Make *self, CliLine *line)
{
  if (self->at_end || !cli_line_stream_next(self->stream, line)) {
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
  CliLine line;
  while (next_line(self, &line)) {
    if (line.error) {
      leave_out(self, line.number, line.error);
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
  CliLine line;
  mt_error error = {0};
  const mt_conllu_tree *tree;
  mt_conllu_result result = MT_CONLLU_MORE;
  while (result == MT_CONLLU_MORE) {
    const gboolean was_at_end = self->at_end;
    const gboolean has = next_line(self, &line);
    if (was_at_end)
      return NULL;
    if (has && line.error) {
      cli_complain(self->command, "%s:%" G_GUINT64_FORMAT ": %s", line.file, line.number,
                   line.error);
      self->broken = TRUE;
      return NULL;
    }
    result = mt_conllu_reader_add(self->reader, has ? line.text : NULL, has ? strlen(line.text) : 0,
                                  &tree, &error);
  }
  if (result == MT_CONLLU_FAILED) {
    cli_complain(self->command, "%s", error.message);
    self->broken = TRUE;
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
  return self->wanted->sentences > 0 && self->n_asked >= (guint64) self->wanted->sentences;
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
  CliLine line;
  const guint64 n = mt_corpus_writer_n_lines(self->writer);
  while (self->line < n && next_line(self, &line))
    ;
  self->done = self->first_line = n;
  self->done_hash = self->hash;
  if (self->line == n && (n == 0 || self->hash == mt_corpus_writer_text_hash(self->writer)))
    return TRUE;
  cli_complain(self->command,
               "%s was begun with another text: the first %" G_GUINT64_FORMAT
               " lines are not those of %s",
               self->wanted->output, n,
               self->wanted->trees ? self->wanted->trees : self->wanted->text);
  return FALSE;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* "1,234 of 5,000 lines, 98 a second, 1 min left" */
static void
show(Make *self)
{
  const double passed = (double) (g_get_monotonic_time() - self->begun) / G_USEC_PER_SEC;
  const guint64 n = self->done - self->first_line;
  const double rate = passed > 0 ? (double) n / passed : 0;
  if (self->n_lines >= self->done && rate > 0)
    cli_stop_show("line %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                  ", %.3g a second; %.0f min left",
                  self->done, self->n_lines, rate,
                  ceil((double) (self->n_lines - self->done) / rate / 60));
  else
    cli_stop_show("line %" G_GUINT64_FORMAT ", %.3g a second", self->done, rate);
}

static void
commit(Make *self, gboolean is_complete)
{
  mt_error error = {0};
  if (self->broken && !is_complete && mt_corpus_writer_n_sentences(self->writer) == 0)
    return;
  if (!mt_corpus_writer_commit(self->writer, self->done, self->done_hash, is_complete, &error)) {
    cli_complain(self->command, "%s", error.message);
    self->failed = self->broken = TRUE;
  }
  self->committed = g_get_monotonic_time();
  self->n_committed = mt_corpus_writer_n_sentences(self->writer);
}

static mt_effects *
compute_effects(Make *self, const mt_translation *translation, mt_error *error)
{
  const mt_effects_params params = {.kind = (mt_effect_kind) self->wanted->with,
                                    .means = self->engine->means};
  return mt_effects_new(self->session, translation, 0, &params, &self->engine->hooks, error);
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
  mt_effects *effects = NULL;
  gboolean ok = TRUE;
  if (self->wanted->has_effects)
    ok = (effects = compute_effects(self, item->translation, &error)) != NULL;
  ok = ok && mt_corpus_writer_add(self->writer, capture, effects, item->tree, item->line, &error);
  mt_effects_unref(effects);
  if (!ok && error.code == MT_ERROR_CANCELLED)
    return FALSE;
  if (!ok && (error.code == MT_ERROR_INPUT || error.code == MT_ERROR_TOO_LONG)) {
    leave_out(self, item->line, error.message);
    item->n_left_out++;
  } else if (!ok) {
    cli_complain(self->command, "%s", error.message);
    self->failed = self->broken = TRUE;
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
  if (!mt_session_capture_many(self->session, translations, n, &self->engine->hooks, captures,
                               &error)) {
    if (error.code != MT_ERROR_CANCELLED) {
      cli_complain(self->command, "%s", error.message);
      self->failed = TRUE;
    }
    self->broken = TRUE; /* nothing behind these can go in before them */
    return;
  }
  for (gsize i = 0; i < n; i++) {
    if (!self->broken && !add_item(self, self->together->pdata[i], captures[i]))
      self->broken = TRUE;
    mt_capture_unref(captures[i]);
  }
  g_ptr_array_set_size(self->together, 0);
  self->n_tokens = 0;
  if (!self->broken &&
      (g_get_monotonic_time() - self->committed > COMMIT_EVERY ||
       mt_corpus_writer_n_sentences(self->writer) - self->n_committed >= COMMIT_SENTENCES))
    commit(self, FALSE);
  show(self);
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
        leave_out(self, item->line, error->message);
        settle(self, item, 1);
      }
    }
    item_free(item);
    return;
  }
  cli_engine_ask_language(self->command, self->engine, translation);
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
should_stop(void *user)
{
  return cli_stop_is_wanted() || ((const Make *) user)->broken;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* So that somebody who waits knows how long. */
static guint64
count_lines(const CliCommand *command, const char *path)
{
  CliLineStream *stream = isatty(STDERR_FILENO) ? cli_line_stream_open(command, path) : NULL;
  CliLine line;
  guint64 n = 0;
  while (stream && cli_line_stream_is_whole(stream) && cli_line_stream_next(stream, &line))
    n++;
  if (stream)
    cli_line_stream_close(stream);
  return n;
}

static void
translate(Make *self)
{
  const mt_texts texts = {.next = next_text,
                          .on_result = on_result,
                          .should_stop = should_stop,
                          .user = self,
                          .hooks = &self->engine->hooks};
  mt_error error = {0};
  self->begun = self->committed = g_get_monotonic_time();
  self->n_committed = mt_corpus_writer_n_sentences(self->writer);
  const bool done =
      mt_session_translate_many(self->engine->session, &texts, &self->engine->params, &error);
  if (!done && error.code != MT_ERROR_CANCELLED) {
    cli_complain(self->command, "%s", error.message);
    self->failed = TRUE;
  }
  if (done)
    add_together(self);
  const gboolean is_whole = done && !self->broken;
  if (is_whole) {
    count_left_out(self, self->n_left_out);
    self->done = self->line;
    self->done_hash = self->hash;
  }
  commit(self, is_whole);
  self->failed = self->failed || !is_whole;
}

static CliStatus
make(Make *self)
{
  if (!skip_lines(self))
    return CLI_FAILED;
  self->n_asked = mt_corpus_writer_n_sentences(self->writer);
  cli_stop_begin(&self->engine->hooks);
  translate(self);
  const gboolean interrupted = cli_stop_is_wanted();
  cli_stop_end(&self->engine->hooks);
  const guint64 n = mt_corpus_writer_n_sentences(self->writer);
  if (interrupted)
    cli_complain(self->command,
                 "interrupted after %" G_GUINT64_FORMAT
                 " sentences; the same command goes on from there",
                 n);
  if (!self->failed) {
    g_autofree char *said =
        g_strdup_printf("%s: %" G_GUINT64_FORMAT " sentences\n", self->wanted->output, n);
    if (!cli_put(self->command, said, strlen(said)))
      return CLI_FAILED;
  }
  return self->failed ? CLI_FAILED : CLI_DONE;
}

/* A file that is there is gone on with. */
static gboolean
open_writer(Make *self, guint n_threads, mt_error *error)
{
  const char *path = self->wanted->trees ? self->wanted->trees : self->wanted->text;
  g_autofree char *name = g_path_get_basename(path);
  g_autofree char *valid = g_utf8_make_valid(name, -1);
  char *search = mt_request_to_json(&self->engine->request, error);
  const mt_corpus_settings settings = {
      .text_name = valid,
      .search = search,
      .changes = mt_changes_text(self->engine->hooks.changes),
      .has_effects = self->wanted->has_effects,
      .with = (mt_effect_kind) self->wanted->with,
      .has_trees = self->wanted->trees != NULL,
      .n_threads = n_threads,
  };
  if (search)
    self->writer =
        mt_corpus_writer_new(self->wanted->output, self->engine->model, &settings, error);
  mt_string_free(search);
  return self->writer != NULL;
}

CliStatus
cli_corpus_make(const CliCommand *command, CliEngine *engine, const CliCorpusWanted *wanted,
                guint n_threads)
{
  const char *path = wanted->trees ? wanted->trees : wanted->text;
  const mt_session_options options = {.n_threads = n_threads};
  mt_error error = {0};
  CliStatus status = CLI_FAILED;
  Make self = {.command = command,
               .engine = engine,
               .wanted = wanted,
               .waiting = G_QUEUE_INIT,
               .together = g_ptr_array_new_with_free_func(item_free),
               .hash = HASH_BEGIN};
  self.n_lines = count_lines(command, path);
  self.stream = cli_line_stream_open(command, path);
  if (self.stream) {
    gboolean ok = open_writer(&self, n_threads, &error);
    self.session = ok ? mt_session_new(engine->model, &options, &error) : NULL;
    if (self.session && wanted->trees)
      self.reader = mt_conllu_reader_new(path, &error);
    ok = self.session && (self.reader || !wanted->trees);
    if (!ok)
      cli_complain(command, "%s", error.message);
    else if (mt_corpus_writer_is_complete(self.writer))
      status = CLI_DONE; /* as a job that is started again finds it */
    else
      status = make(&self);
    if (!cli_line_stream_close(self.stream))
      status = CLI_FAILED;
  }
  g_queue_clear_full(&self.waiting, item_free);
  g_ptr_array_unref(self.together);
  mt_conllu_reader_free(self.reader);
  mt_corpus_writer_free(self.writer);
  mt_session_free(self.session);
  return status;
}
