/* regard-log.c — what was done in a window, as Markdown.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export/regard-log.h"

#include "base/regard-paths.h"
#include "base/regard-signals.h"
#include "document/regard-overrides.h"
#include "export/regard-command.h"
#include "figures/regard-ablation.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-language.h"
#include "figures/regard-patching.h"
#include "figures/regard-words.h"
#include "runner/regard-analysis.h"

#include <math.h>
#include <string.h>

/* What was typed has settled after so long. */
#define SETTLE_MS 1500
/* Of a text that is longer no more than the sentence that is looked at is in a command. */
#define MOST_TYPED 4000
/* Of an effect of heads so many are named. */
#define MOST_HEADS 5

struct _RegardLog {
  GObject parent_instance;
  RegardDocument *document;
  GDateTime *begun;
  GQueue entries; /* of char *, a section of Markdown each */
  gsize n_bytes;
  guint n_dropped;

  RegardSnapshot *last; /* what the entry before said, without its result; NULL: nothing yet */
  char *translation;    /* that it had, of … */
  char *sentence;       /* … this sentence */
  guint settle_id;
  GPtrArray *measured;       /* of Measured *: they belong to what has not settled yet */
  GHashTable *since;         /* what was measured of the present state: it is said once */
  RegardSnapshot *reference; /* that was said last; NULL: none */
  gboolean was_opened;       /* attention of a file is shown */
  char *opening_path;        /* of a file of attention that was asked for last; NULL: none */
};

G_DEFINE_FINAL_TYPE(RegardLog, regard_log, G_TYPE_OBJECT)

/* ---- Markdown ---------------------------------------------------------------------------------
 *
 * What a person typed, or a file said, stands in code, between more backticks than it has itself:
 * nothing in it is Markdown.
 */

static guint
longest_run(const char *text, char byte)
{
  guint longest = 0, run = 0;
  for (const char *p = text; *p; p++) {
    run = *p == byte ? run + 1 : 0;
    longest = MAX(longest, run);
  }
  return longest;
}

static void
append_times(GString *out, char byte, guint n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_c(out, byte);
}

/* A block of its own. */
static void
append_block(GString *out, const char *language, const char *text)
{
  const guint n = MAX(3, longest_run(text, '`') + 1);
  append_times(out, '`', n);
  g_string_append_printf(out, "%s\n", language);
  /* A lone carriage return ends a line of Markdown, too. */
  for (const char *p = text; *p; p++)
    g_string_append_c(out, *p == '\r' ? '\n' : *p);
  if (!g_str_has_suffix(text, "\n"))
    g_string_append_c(out, '\n');
  append_times(out, '`', n);
  g_string_append(out, "\n\n");
}

/* Within a line. Caller frees. */
static char *
as_code(const char *text)
{
  GString *out = g_string_new(NULL);
  const guint n = longest_run(text, '`') + 1;
  append_times(out, '`', n);
  /* A space on both sides is no part of it, and keeps backticks apart. */
  g_string_append_c(out, ' ');
  for (const char *p = text; *p; p++)
    g_string_append_c(out, *p == '\n' || *p == '\r' ? ' ' : *p);
  g_string_append_c(out, ' ');
  append_times(out, '`', n);
  if (n == 1 && *text && *text != ' ' && text[strlen(text) - 1] != ' ') {
    g_string_erase(out, 1, 1);
    g_string_erase(out, (gssize) out->len - 2, 1);
  }
  return g_string_free(out, FALSE);
}

/* A sentence of which %s is code. */
static void
append_said(GString *out, const char *format, const char *text)
{
  g_autofree char *code = as_code(text);
  g_string_append_printf(out, format, code);
  g_string_append(out, "\n\n");
}

/* A command, which is taken, or why there is none, which is, too. */
static void
append_command(GString *out, char *command, char *why)
{
  if (command)
    append_block(out, "sh", command);
  else if (why)
    /* Translators: %s is the reason, as "another hypothesis than the best was shown …" */
    g_string_append_printf(out, _("No command does this again: %s.\n\n"), why);
  g_free(command);
  g_free(why);
}

static void
append_gstring(GString *out, GString *command, const char *text, char *why)
{
  if (command && text)
    regard_command_add_text(command, text);
  append_command(out, command ? g_string_free(command, FALSE) : NULL, why);
}

/* ---- Entries ----------------------------------------------------------------------------------
 */

static void
drop_oldest(RegardLog *self)
{
  while (self->entries.length > REGARD_LOG_MOST_ENTRIES ||
         (self->entries.length > 1 && self->n_bytes > REGARD_LOG_MOST_BYTES)) {
    g_autofree char *oldest = g_queue_pop_head(&self->entries);
    self->n_bytes -= strlen(oldest);
    self->n_dropped++;
  }
}

static void
take_section(RegardLog *self, char *section)
{
  self->n_bytes += strlen(section);
  g_queue_push_tail(&self->entries, section);
  drop_oldest(self);
  g_signal_emit_by_name(self, "changed");
}

/* "## 14:03:22 · Text": what follows is its body. Caller frees. */
static char *
make_section(const char *title, const char *body)
{
  g_autoptr(GDateTime) now = g_date_time_new_now_local();
  g_autofree char *time = g_date_time_format(now, "%H:%M:%S");
  /* A heading begins with a large letter, as far as the language has any. */
  const char *rest = g_utf8_next_char(title);
  g_autofree char *letter = g_utf8_strup(title, rest - title);
  return g_strdup_printf("## %s · %s%s\n\n%s", time, letter, rest, body);
}

/* ---- What is other in a state -----------------------------------------------------------------
 */

static char *
describe_search(const mt_request *search)
{
  GString *out = g_string_new(NULL);
  for (gsize i = 0; i < mt_search_n_fields(); i++) {
    const mt_search_field *field = mt_search_field_at(i);
    double value;
    if (!field->decides || !mt_request_get(search, i, &value))
      continue;
    g_autofree char *item =
        field->type == MT_SEARCH_CHOICE
            ? g_strdup_printf("%s %s", field->option, field->choices[(gsize) value])
            : regard_strdup_printf("%s %g", field->option, value);
    regard_words_add_item(out, item);
  }
  return g_string_free(out, FALSE);
}

/* The words of both texts that the other one does not have at its place. */
typedef struct {
  GString *gone, *new;
} WordDifference;

static void
add_word(gpointer difference, const char *word, RegardWordChange change)
{
  WordDifference *d = difference;
  g_autofree char *code = as_code(word);
  if (change != REGARD_WORD_OF_BOTH)
    regard_words_add_item(change == REGARD_WORD_GONE ? d->gone : d->new, code);
}

/* Of texts that are too long for that nothing is said: they stand there whole. */
static void
append_difference(GString *out, const char *before, const char *now)
{
  WordDifference d = {g_string_new(NULL), g_string_new(NULL)};
  const gboolean is_compared = regard_words_compare(before, now, add_word, &d);
  if (d.gone->len && d.new->len)
    /* Translators: two lists of words */
    g_string_append_printf(out, _("Words that changed: %s became %s.\n\n"), d.gone->str,
                           d.new->str);
  else if (d.gone->len)
    g_string_append_printf(out, _("Words that are gone: %s.\n\n"), d.gone->str);
  else if (d.new->len)
    g_string_append_printf(out, _("Words that are new: %s.\n\n"), d.new->str);
  else if (is_compared)
    g_string_append(out, _("The translation stayed the same.\n\n"));
  g_string_free(d.gone, TRUE);
  g_string_free(d.new, TRUE);
}

static void
append_prefix_or_terms(GString *out, const char *format, char *words)
{
  if (*words)
    append_said(out, format, words);
  g_free(words);
}

static void
append_constraints(GString *out, const RegardSnapshot *state, const mt_model *model,
                   const char *sentence)
{
  const mt_constraints *constraints = regard_snapshot_get_constraints(state, sentence);
  gsize n;
  if (mt_constraints_is_empty(constraints)) {
    g_string_append(out, _("The search is free again.\n\n"));
    return;
  }
  append_prefix_or_terms(out, _("The translation has to begin with %s."),
                         regard_constraints_dup_prefix(constraints, model));
  append_prefix_or_terms(out, _("It has to have %s."),
                         regard_constraints_dup_terms(constraints, model));
  mt_constraints_forbidden(constraints, &n);
  if (n)
    g_string_append_printf(out,
                           ngettext("%zu row of pieces is forbidden.\n\n",
                                    "%zu rows of pieces are forbidden.\n\n", n),
                           n);
}

/* What of the request, the model and the text is other than before; in title its names. */
static void
append_changes(RegardLog *self, const RegardSnapshot *now, const char *sentence, GString *title,
               GString *out)
{
  const RegardSnapshot *was = self->last;
  const mt_request *a = was ? &was->search : NULL, *b = &now->search;
  g_autofree char *before = a ? describe_search(a) : g_strdup(""), *search = describe_search(b);
  if (now->model && (!was || g_strcmp0(was->model, now->model) != 0)) {
    g_autofree char *name =
        *now->model ? g_path_get_basename(now->model) : g_strdup(_("the bundled one"));
    g_autofree char *said = g_strdup_printf("%s (%s)", now->title ? now->title : "", name);
    regard_words_add_item(title, _("model"));
    append_said(out, _("Model: %s."), said);
  }
  if (now->precision != (was ? was->precision : MT_PRECISION_STORED)) {
    regard_words_add_item(title, _("precision"));
    append_said(out, _("Weights are read as %s."), mt_precision_name(now->precision));
  }
  if (g_strcmp0(a ? a->source_language : "", b->source_language) != 0 ||
      g_strcmp0(a ? a->language : "", b->language) != 0) {
    g_autofree char *pair = g_strdup_printf("%s → %s", b->source_language, b->language);
    regard_words_add_item(title, _("languages"));
    append_said(out, _("Languages: %s."), pair);
  }
  if (g_strcmp0(a ? a->task : "", b->task) != 0 ||
      (a ? a->has_task_prefix : false) != b->has_task_prefix ||
      (b->has_task_prefix && a && g_strcmp0(a->task_prefix, b->task_prefix) != 0)) {
    const char *task = b->has_task_prefix ? b->task_prefix : b->task;
    regard_words_add_item(title, _("task"));
    append_said(out, _("Task: %s."), *task ? task : _("none"));
  }
  if (!g_str_equal(before, search)) {
    regard_words_add_item(title, _("search"));
    append_said(out, _("Search: %s."), *search ? search : _("as the model has it"));
  }
  if (!mt_interventions_equal(a ? a->interventions : NULL, b->interventions)) {
    regard_words_add_item(title, _("changes in the model"));
    if (mt_interventions_count(b->interventions) > 0) {
      g_string_append(out, _("Changes in the model:\n\n"));
      append_block(out, "", mt_interventions_text(b->interventions));
    } else
      g_string_append(out, _("Nothing is changed in the model any more.\n\n"));
  }
  if (g_strcmp0(was ? was->text : "", now->text) != 0) {
    regard_words_add_item(title, _("text"));
    if (*now->text)
      append_block(out, "text", now->text);
    else
      g_string_append(out, _("The text was taken away.\n\n"));
  }
  if (!mt_constraints_equal(was ? regard_snapshot_get_constraints(was, sentence) : NULL,
                            regard_snapshot_get_constraints(now, sentence))) {
    regard_words_add_item(title, _("forced words"));
    append_constraints(out, now, now->result ? now->result->model : NULL, sentence);
  }
  if (g_strcmp0(was ? regard_snapshot_get_given(was, sentence) : NULL,
                regard_snapshot_get_given(now, sentence)) != 0) {
    regard_words_add_item(title, _("translation"));
    g_string_append(out, regard_snapshot_get_given(now, sentence)
                             ? _("The translation is one's own, and was given to the model.\n\n")
                             : _("The translation is the model's again.\n\n"));
  }
  if (now->alternative != (was ? was->alternative : 0)) {
    regard_words_add_item(title, _("hypothesis"));
    g_string_append_printf(out, _("Hypothesis %u is shown.\n\n"), now->alternative + 1);
  }
}

/* ---- The translation and its command -----------------------------------------------------------
 */

/* One command for the sentences of which `wanted` says so, or what is in the way. only: that one;
 * -1: all; -2 - i: all but i. */
static void
append_translate(GString *out, const RegardSnapshot *state, const RegardResult *result,
                 gboolean (*wanted)(const RegardSnapshot *state, const char *sentence), int only)
{
  g_autoptr(GString) lines = g_string_new("printf '%s\\n'");
  GString *command = regard_command_new("translate");
  char *why = NULL;
  guint n = 0;
  for (guint i = 0; i < result->n_sentences && !why; i++) {
    const RegardResultSentence *s = &result->sentences[i];
    g_autofree char *sentence = g_strndup(result->text + s->begin, s->end - s->begin);
    if ((only >= 0 ? (guint) only != i : only == -2 - (int) i) || !wanted(state, sentence))
      continue;
    if (strchr(sentence, '\n'))
      why = g_strdup(_("a text of several lines is one to this model, and several to the command"));
    if (n++ == 0 && !why)
      regard_command_add_state(command, state, result->model, sentence, REGARD_COMMAND_PRECISION,
                               &why);
    g_autofree char *word = regard_command_quote(sentence);
    g_string_append_printf(lines, " %s", word);
  }
  if (state->copies_unknown > 0)
    regard_command_add(command, "copy-unknown", NULL);
  if (only >= 0 && result->sentences[only].chosen > 0)
    regard_command_add_number(command, "nbest", result->sentences[only].chosen + 1);
  if (n)
    append_command(out, why ? NULL : g_strdup_printf("%s | %s", lines->str, command->str), why);
  else
    g_free(why);
  g_string_free(command, TRUE);
}

/* Nothing was decided about it. */
static gboolean
is_free(const RegardSnapshot *state, const char *sentence)
{
  return !regard_snapshot_get_given(state, sentence) &&
         mt_constraints_is_empty(regard_snapshot_get_constraints(state, sentence));
}

static gboolean
is_any(const RegardSnapshot *state, const char *sentence)
{
  return TRUE;
}

static void
append_translation(RegardLog *self, const RegardSnapshot *now, const char *sentence, GString *out)
{
  const RegardResult *result = now->result;
  const RegardResultSentence *active = regard_result_active(result);
  const mt_hypothesis *h = active ? regard_result_hypothesis(result, (guint) result->active) : NULL;
  g_autofree char *layout = regard_result_layout(result, NULL);
  const GError *error = regard_result_error(result);
  g_string_append(out, _("Translation:\n\n"));
  append_block(out, "text", layout);
  if (error)
    append_said(out, _("There was an error: %s"), error->message);
  if (h && active->is_given)
    regard_string_append_printf(out, _("log p %.4f over %zu tokens.\n\n"), (double) h->sum_logprob,
                                mt_tokens_count(h->tokens));
  else if (h)
    regard_string_append_printf(out, _("Score %.4f, log p %.4f over %zu tokens.\n\n"),
                                (double) h->score, (double) h->sum_logprob,
                                mt_tokens_count(h->tokens));
  if (h && self->translation && g_strcmp0(self->sentence, sentence) == 0)
    append_difference(out, self->translation, h->text);
  g_free(self->translation);
  self->translation = h ? g_strdup(h->text) : NULL;
  g_free(self->sentence);
  self->sentence = g_strdup(sentence);
  if (result->active < 0)
    return;
  if (strlen(result->text) > MOST_TYPED) {
    g_string_append(out, _("The command is of the sentence that was looked at.\n\n"));
    append_translate(out, now, result, is_any, result->active);
    return;
  }
  const gboolean is_own = !is_free(now, sentence) || active->chosen;
  if (is_own)
    append_translate(out, now, result, is_any, result->active);
  append_translate(out, now, result, is_free, is_own ? -2 - result->active : -1);
}

/* ---- When it has settled -----------------------------------------------------------------------
 */

typedef struct {
  char *title, *body;
} Measured;

static void
measured_free(gpointer data)
{
  Measured *m = data;
  g_free(m->title);
  g_free(m->body);
  g_free(m);
}

/* Once for each state: a page that is seen again measures the same again. */
static void
take_measured(RegardLog *self, const Measured *m)
{
  g_autofree char *key = g_strconcat(m->title, "\n", m->body, NULL);
  if (g_hash_table_add(self->since, g_steal_pointer(&key)))
    take_section(self, make_section(m->title, m->body));
}

static gboolean
is_busy(RegardLog *self)
{
  return regard_document_is_waiting(self->document) || regard_document_is_opening(self->document);
}

/* What is there now, if it is other than what was said last. */
static void
log_state(RegardLog *self)
{
  g_autoptr(RegardSnapshot) now = regard_document_take_snapshot(self->document);
  g_autofree char *sentence = regard_command_dup_sentence(now);
  g_autoptr(GString) title = g_string_new(NULL), body = g_string_new(NULL);
  if (!self->last && !now->model && !*now->text)
    return; /* nothing is there yet */
  append_changes(self, now, sentence, title, body);
  if (!title->len)
    return;
  if (now->result && g_str_equal(now->result->text, now->text) && *now->text)
    append_translation(self, now, sentence, body);
  if (self->last)
    regard_snapshot_unref(self->last);
  self->last = regard_snapshot_copy(now);
  g_hash_table_remove_all(self->since);
  take_section(self, make_section(title->str, body->str));
}

static void
settle(RegardLog *self)
{
  g_clear_handle_id(&self->settle_id, g_source_remove);
  if (regard_document_is_closed(self->document))
    return;
  if (!is_busy(self))
    log_state(self);
  for (guint i = 0; i < self->measured->len; i++)
    take_measured(self, self->measured->pdata[i]);
  g_ptr_array_set_size(self->measured, 0);
}

static gboolean
on_settled(gpointer data)
{
  RegardLog *self = data;
  if (is_busy(self))
    return G_SOURCE_CONTINUE; /* there will be numbers */
  self->settle_id = 0;
  settle(self);
  return G_SOURCE_REMOVE;
}

static void
wait(RegardLog *self)
{
  g_clear_handle_id(&self->settle_id, g_source_remove);
  self->settle_id = g_timeout_add(SETTLE_MS, on_settled, self);
}

/* What was measured of a text in the middle of a word is of no interest. */
static void
on_typed(RegardLog *self)
{
  g_ptr_array_set_size(self->measured, 0);
  wait(self);
}

/* Something else is logged: what is there has settled. */
static void
add_entry(RegardLog *self, const char *title, const char *body)
{
  settle(self);
  take_section(self, make_section(title, body));
}

/* ---- Files -------------------------------------------------------------------------------------
 */

/* Where, as people read it, in code. Caller frees. */
static char *
name_path(const char *path)
{
  g_autofree char *display = g_filename_display_name(path);
  g_autofree char *shown = regard_paths_shorten(display);
  return as_code(shown);
}

static void
append_path(GString *out, const char *format, const char *path)
{
  g_autofree char *name = name_path(path);
  g_string_append_printf(out, format, name);
  g_string_append(out, "\n\n");
}

/* The arrays are those of the window, and so is all that is said of them but which program wrote
 * the file. */
static void
append_capture(RegardLog *self, const char *path, GString *out)
{
  g_autoptr(RegardSnapshot) now = regard_document_take_snapshot(self->document);
  char *why = NULL;
  g_autofree char *sentence = regard_command_dup_sentence(now);
  GString *command =
      regard_command_of_sentence("capture", now, REGARD_COMMAND_PRECISION | REGARD_COMMAND_TARGET,
                                 &why);
  if (command) {
    g_autofree char *word = regard_command_quote_path(path);
    g_string_append_printf(command, " -o %s", word);
    g_string_append(out, now->result->capture && mt_capture_is_recorded(now->result->capture)
                             ? _("The command writes the same arrays but for their last digits, "
                                 "since it computes attention once more; `meta` names it as the "
                                 "program.\n\n")
                             : _("The command writes the same arrays; `meta` names it as the "
                                 "program.\n\n"));
  }
  append_gstring(out, command, sentence, why);
}

void
regard_log_add_file(RegardLog *self, RegardLogFile what, const char *path)
{
  static const char *const titles[] = {
      [REGARD_LOG_SESSION_OPENED] = N_("Session opened"),
      [REGARD_LOG_SESSION_SAVED] = N_("Session saved"),
      [REGARD_LOG_CAPTURE_OPENED] = N_("Attention of a file"),
      [REGARD_LOG_CAPTURE_SAVED] = N_("Capture saved"),
  };
  g_autoptr(GString) body = g_string_new(NULL);
  g_return_if_fail(REGARD_IS_LOG(self) && path);
  if (what == REGARD_LOG_CAPTURE_OPENED) { /* said when it is there */
    g_free(self->opening_path);
    self->opening_path = g_strdup(path);
    return;
  }
  settle(self);
  append_path(body, _("File: %s."), path);
  if (what == REGARD_LOG_CAPTURE_SAVED)
    append_capture(self, path, body);
  else if (what == REGARD_LOG_SESSION_SAVED) {
    g_autofree char *word = regard_command_quote_path(path);
    append_command(body, g_strconcat("regard-cli inspect ", word, NULL), NULL);
  }
  take_section(self, make_section(_(titles[what]), body->str));
}

static void
on_foreign(RegardLog *self)
{
  const mt_capture *opened = regard_document_get_imported_capture(self->document);
  g_autoptr(GString) body = g_string_new(NULL);
  if (!opened && !self->was_opened)
    return;
  self->was_opened = opened != NULL;
  if (!opened) {
    g_clear_pointer(&self->opening_path, g_free);
    return;
  }
  append_said(body, _("File: %s."), mt_capture_file_name(opened));
  add_entry(self, _("Attention of a file"), body->str);
}

/* The command writes in English, whatever language the window has. */
static void
append_in_english(GString *out, const char *command, RegardLanguage language)
{
  if (command && language != REGARD_LANGUAGE_ENGLISH && regard_language_differs())
    g_string_append(out, _("The command writes it in English.\n\n"));
}

void
regard_log_add_figure(RegardLog *self, RegardFigure *figure, const char *picture,
                      const RegardExportFormat *format, const RegardExportOptions *options,
                      GFile *file)
{
  g_autoptr(GString) body = g_string_new(NULL);
  g_return_if_fail(REGARD_IS_LOG(self) && figure);
  settle(self);
  g_autoptr(RegardSnapshot) now = regard_document_take_snapshot(self->document);
  const RegardCommandSource source = {now, regard_document_get_imported_capture(self->document),
                                      self->opening_path};
  const char *path = file ? g_file_peek_path(file) : NULL;
  g_autofree char *caption = regard_figure_caption(figure);
  char *why = NULL, *command = NULL;
  if (file) {
    g_autofree char *uri = path ? NULL : g_file_get_uri(file);
    append_path(body, _("File: %s."), path ? path : uri);
  }
  append_said(body, _("Format: %s."), _(format->name));
  append_block(body, "text", caption);
  if (file && !path)
    why = g_strdup(_("the file is on a server"));
  else
    command = regard_command_of_figure(&source, figure, picture, format, options, path, &why);
  append_in_english(body, format->is_picture ? command : NULL, figure->language);
  append_command(body, command, why);
  take_section(self, make_section(!file                ? _("Copied")
                                  : format->is_picture ? _("Picture exported")
                                                       : _("Data exported"),
                                  body->str));
}

void
regard_log_add_animation(RegardLog *self, const RegardFrames *frames,
                         const RegardAnimationFormat *format, const RegardExportOptions *options,
                         const char *path)
{
  const guint n = regard_frames_count(frames);
  g_autoptr(GString) body = g_string_new(NULL);
  char *why = NULL;
  g_return_if_fail(REGARD_IS_LOG(self) && frames && path);
  settle(self);
  g_autoptr(RegardSnapshot) now = regard_document_take_snapshot(self->document);
  append_path(body, _("File: %s."), path);
  append_said(body, _("Format: %s."), _(format->name));
  g_string_append_printf(body, ngettext("%u frame.\n\n", "%u frames.\n\n", n), n);
  char *command = regard_command_of_frames(now, frames, format, options, path, &why);
  append_in_english(body, command, regard_frames_get_about(frames).language);
  append_command(body, command, why);
  take_section(self, make_section(_("Animation exported"), body->str));
}

void
regard_log_add_panel(RegardLog *self, RegardFigure *figure, const char *picture, char letter)
{
  g_autoptr(GString) body = g_string_new(NULL);
  g_autofree char *caption = NULL, *path = NULL;
  char *why = NULL;
  g_return_if_fail(REGARD_IS_LOG(self) && figure);
  settle(self);
  g_autoptr(RegardSnapshot) now = regard_document_take_snapshot(self->document);
  const RegardCommandSource source = {now, regard_document_get_imported_capture(self->document),
                                      self->opening_path};
  caption = regard_figure_caption(figure);
  path = g_strdup_printf("panel-%c.regard-figure", g_ascii_tolower(letter));
  g_string_append_printf(body, _("It is panel %c.\n\n"), letter);
  append_block(body, "text", caption);
  char *command = regard_command_of_panel(&source, figure, picture, path, &why);
  append_in_english(body, command, figure->language);
  append_command(body, command, why);
  take_section(self, make_section(_("Added to the figure"), body->str));
}

void
regard_log_add_sheet(RegardLog *self, const char *sheet, RegardFigure *figure,
                     const RegardExportFormat *format, const RegardExportOptions *options,
                     const char *path)
{
  g_autoptr(GString) body = g_string_new(NULL);
  g_return_if_fail(REGARD_IS_LOG(self) && figure && path);
  g_autofree char *caption = regard_figure_caption(figure);
  char *command = sheet ? regard_command_of_sheet(sheet, format, options, path) : NULL;
  append_path(body, _("File: %s."), path);
  append_said(body, _("Format: %s."), _(format->name));
  append_block(body, "text", caption);
  append_in_english(body, command, figure->language);
  append_command(body, command,
                 command
                     ? NULL
                     : g_strdup(_("the figure has no file, or was changed since it was saved")));
  add_entry(self, _("Figure exported"), body->str);
}

void
regard_log_add_done(RegardLog *self, const char *title, const char *path, const char *text,
                    char *command, char *why)
{
  g_autoptr(GString) body = g_string_new(NULL);
  g_return_if_fail(REGARD_IS_LOG(self));
  if (path)
    append_path(body, _("File: %s."), path);
  if (text)
    append_said(body, "%s", text);
  append_command(body, command, why);
  add_entry(self, title, body->str);
}

/* ---- What is compared ------------------------------------------------------------------------ */

static void
on_reference(RegardLog *self)
{
  RegardSnapshot *now = regard_document_get_compared(self->document)->reference;
  g_autoptr(GString) body = g_string_new(NULL);
  /* One that was read is said when it has its answer. */
  if (now == self->reference || (now && !now->result))
    return;
  g_clear_pointer(&self->reference, regard_snapshot_unref);
  if (!now) {
    add_entry(self, _("Reference dropped"), "");
    return;
  }
  self->reference = regard_snapshot_ref(now);
  g_autofree char *layout = regard_result_layout(now->result, NULL);
  append_block(body, "text", now->text);
  g_string_append(body, _("Translation:\n\n"));
  append_block(body, "text", layout);
  if (mt_interventions_count(now->search.interventions) > 0) {
    g_string_append(body, _("Changes in the model:\n\n"));
    append_block(body, "", mt_interventions_text(now->search.interventions));
  }
  append_command(body, NULL, g_strdup(_("a command is told of A where it compares")));
  add_entry(self, _("Kept as reference, A"), body->str);
}

/* ---- What was measured -------------------------------------------------------------------------
 */

/* What was measured, with its command, which is taken, or why there is none, which is, too; text:
 * of the command, or NULL. */
static void
add_measured(RegardLog *self, const char *title, GString *body, GString *command, const char *text,
             char *why)
{
  append_gstring(body, command, text, why);
  Measured *m = g_new(Measured, 1);
  *m = (Measured){g_strdup(title), g_strdup(body->str)};
  g_ptr_array_add(self->measured, m);
  if (!self->settle_id)
    settle(self);
}

typedef struct {
  mt_attention_kind kind;
  guint layer, head;
  double value;
} HeadValue;

static int
by_amount(gconstpointer a, gconstpointer b)
{
  const double x = fabs(((const HeadValue *) a)->value), y = fabs(((const HeadValue *) b)->value);
  return x < y ? 1 : x > y ? -1 : 0;
}

/* "cross 4.1 0.2310, …": those with the most effect. */
static void
append_heads(GString *out, const RegardAblation *effects)
{
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(HeadValue));
  g_autoptr(GString) list = g_string_new(NULL);
  for (guint k = 0; k < MT_N_KINDS; k++) {
    const mt_attention_kind kind = (mt_attention_kind) k;
    for (guint l = 0; l < effects->kinds[k].n_layers; l++)
      for (guint h = 0; h < effects->kinds[k].n_heads; h++) {
        const HeadValue v = {kind, l, h, regard_ablation_shown(effects, kind, l, h)};
        if (isfinite(v.value))
          g_array_append_val(all, v);
      }
  }
  g_array_sort(all, by_amount);
  for (guint i = 0; i < MIN(all->len, MOST_HEADS); i++) {
    const HeadValue *v = &g_array_index(all, HeadValue, i);
    g_autofree char *name = regard_ablation_head_name(v->kind, v->layer, v->head);
    g_autofree char *item = regard_strdup_printf("%s %.4f", name, v->value);
    regard_words_add_item(list, item);
  }
  /* Translators: a list of heads, each with its number */
  g_string_append_printf(out, _("Largest: %s.\n\n"), list->str);
}

/* The command's options that a sentence's state gives; TRUE if the pass is what stands there. */
static GString *
begin_measure(const RegardSnapshot *now, RegardPass *pass, const char *name, char **why)
{
  const RegardResultSentence *active = now->result ? regard_result_active(now->result) : NULL;
  if (active && active->translation == pass->translation)
    return regard_command_of_sentence(name, now, REGARD_COMMAND_TARGET, why);
  *why = g_strdup(_("it was measured of another translation than the one that stood there"));
  return NULL;
}

static void
log_effects(RegardLog *self, const RegardSnapshot *now, RegardPass *pass,
            const RegardAblation *effects)
{
  g_autoptr(GString) body = g_string_new(NULL);
  g_autofree char *sentence = regard_command_dup_sentence(now);
  char *why = NULL;
  GString *command = begin_measure(now, pass, "effects", &why);
  regard_string_append_printf(body, _("log p with all heads %.4f.\n\n"), effects->logprob);
  append_heads(body, effects);
  if (command) {
    regard_command_add(command, "with", mt_ablation_kind_name(effects->with));
    if (effects->foil) {
      regard_command_add_number(command, "token", effects->contrast_token + 1);
      regard_command_add(command, "against", effects->foil);
    }
  }
  add_measured(self, effects->foil ? _("Which heads chose a word") : _("Effects of heads"), body,
               command, sentence, why);
}

static void
log_patching(RegardLog *self, const RegardSnapshot *now, const RegardPatching *p)
{
  g_autoptr(GString) body = g_string_new(NULL);
  g_autofree char *sentence = regard_command_dup_sentence(now);
  char *why = NULL;
  GString *command = NULL;
  regard_string_append_printf(body,
                              _("log p in the reference run %.4f, in the changed one %.4f.\n\n"),
                              p->a, p->b);
  if (p->source_b || p->changes_a || g_strcmp0(sentence, p->source_a) != 0)
    why = g_strdup(_("the two runs are of different texts, or the first one is changed, too"));
  else
    command = regard_command_of_sentence("patch", now, REGARD_COMMAND_TARGET, &why);
  add_measured(self, _("Where it is decided"), body, command, sentence, why);
}

static void
log_trust(RegardLog *self, const RegardSnapshot *now, RegardPass *pass,
          const mt_source_contribution *trust)
{
  g_autoptr(GString) body = g_string_new(NULL);
  g_autofree char *sentence = regard_command_dup_sentence(now);
  char *why = NULL;
  GString *command = begin_measure(now, pass, "trust", &why);
  regard_string_append_printf(body, _("Share of words from the source: mean %.4f, least %.4f.\n\n"),
                              mt_source_contribution_mean(trust),
                              mt_source_contribution_least(trust));
  add_measured(self, _("From the source, or invented"), body, command, sentence, why);
}

static void
log_attribution(RegardLog *self, const RegardSnapshot *now, RegardPass *pass,
                const mt_attribution_params *params, gboolean is_difference, gboolean is_all)
{
  g_autoptr(GString) body = g_string_new(NULL);
  g_autofree char *sentence = regard_command_dup_sentence(now);
  char *why = NULL;
  const char *method = is_all ? "all" : mt_attribution_at(params->method)->id;
  GString *command = NULL;
  if (is_difference)
    why = g_strdup(_("what two states differ by is not told by one command line"));
  else
    command = begin_measure(now, pass, "attribute", &why);
  append_said(body, _("Method: %s."), method);
  if (params->token >= 0)
    g_string_append_printf(body, _("Of token %d of the translation.\n\n"), params->token + 1);
  if (command) {
    regard_command_add(command, "method", method);
    if (params->token >= 0)
      regard_command_add_number(command, "token", params->token + 1);
    if (params->layer >= 0)
      regard_command_add_number(command, "layer", params->layer + 1);
    if (params->head >= 0)
      regard_command_add_number(command, "head", params->head + 1);
    if (params->n_steps)
      regard_command_add_number(command, "steps", (double) params->n_steps);
  }
  add_measured(self, _("What words hang on"), body, command, sentence, why);
}

/* A and B are looked at. */
static void
on_compared(RegardLog *self)
{
  const RegardComparerState *compared = regard_document_get_compared(self->document);
  g_autoptr(GString) body = g_string_new(NULL);
  char *why = NULL;
  if (compared->side == REGARD_COMPARE_OFF || !compared->comparison)
    return;
  g_autoptr(RegardSnapshot) now = regard_document_take_snapshot(self->document);
  const double *logprobs = compared->comparison->logprobs;
  regard_string_append_printf(
      body, _("log p of the translation of the reference: %.4f in A, %.4f in B.\n\n"), logprobs[0],
      logprobs[1]);
  char *command = regard_command_of_comparison(compared->reference, now, &why);
  append_command(body, command, why);
  add_measured(self, _("A and B compared"), body, NULL, NULL, NULL);
}

static void
log_scores(RegardLog *self, const RegardAlignmentScores *scores)
{
  g_autoptr(GString) body = g_string_new(NULL);
  append_said(body, _("Gold file: %s."), scores->gold_name);
  if (scores->n) {
    char text[MT_RECIPE_TEXT_SIZE];
    append_said(body, _("Best recipe: %s."), mt_recipe_text(&scores->ranked[0].recipe, text));
    regard_string_append_printf(body, _("Its alignment error rate is %.4f.\n\n"),
                                scores->ranked[0].aer);
  }
  add_measured(self, _("Alignment on a gold file"), body, NULL, NULL,
               g_strdup(_("the paths of the files are not kept")));
}

static void
log_quality(RegardLog *self, const RegardSnapshot *now, const RegardQualityParams *params,
            const RegardQuality *quality)
{
  g_autoptr(GString) body = g_string_new(NULL);
  char *why = NULL;
  GString *command = regard_command_new("quality");
  append_said(body, _("File: %s."), quality->file);
  if (quality->n_rows)
    regard_string_append_printf(body, _("BLEU %.2f, chrF2 %.2f.\n\n"),
                                quality->rows[0].scores[0][REGARD_QUALITY_BLEU].value,
                                quality->rows[0].scores[0][REGARD_QUALITY_CHRF].value);
  if (regard_command_add_state(command, now, now->result ? now->result->model : NULL, NULL,
                               REGARD_COMMAND_TARGET, &why)) {
    g_autofree char *references = regard_command_quote_path(params->references);
    g_autofree char *file = regard_command_quote_path(params->file);
    g_string_append_printf(command, " --references %s %s", references, file);
  } else {
    g_string_free(command, TRUE);
    command = NULL;
  }
  add_measured(self, _("Quality by length"), body, command, NULL, why);
}

/* Of this document: no two windows run the same model. */
static gboolean
is_own(RegardLog *self, RegardPass *pass, const mt_model *other)
{
  mt_model *model = regard_document_get_model(self->document);
  return model && ((pass && pass->model == model) || other == model);
}

static gboolean
is_logged(const RegardTask *task)
{
  return task == &regard_analysis_quality || task == &regard_analysis_ablation ||
         task == &regard_analysis_patching || task == &regard_analysis_trust ||
         task == &regard_analysis_attribution || task == &regard_analysis_methods ||
         task == &regard_analysis_scores;
}

static void
on_run(gpointer data, RegardRun *run, const RegardTask *task, gconstpointer result)
{
  RegardLog *self = data;
  RegardPass *pass = regard_run_get_pass(run);
  const RegardQualityParams *quality =
      task == &regard_analysis_quality ? regard_run_get_params(run) : NULL;
  if (!is_logged(task) || !is_own(self, pass, quality ? quality->model : NULL))
    return;
  g_autoptr(RegardSnapshot) now = regard_document_take_snapshot(self->document);
  if (quality)
    log_quality(self, now, quality, result);
  else if (task == &regard_analysis_ablation)
    log_effects(self, now, pass, result);
  else if (task == &regard_analysis_patching)
    log_patching(self, now, result);
  else if (task == &regard_analysis_trust)
    log_trust(self, now, pass, ((const RegardTokenContribution *) result)->trust);
  else if (task == &regard_analysis_scores)
    log_scores(self, result);
  else if (task == &regard_analysis_attribution) {
    const RegardAttributionParams *params = regard_run_get_params(run);
    log_attribution(self, now, pass, &params->params, params->a != NULL, FALSE);
  } else
    log_attribution(self, now, pass, regard_run_get_params(run), FALSE, TRUE);
}

static void
on_corpus(RegardLog *self)
{
  RegardCorpus *corpus = regard_selection_get_corpus(regard_document_get_selection(self->document));
  g_autoptr(GString) body = g_string_new(NULL);
  if (!corpus)
    return;
  append_said(body, _("Text: %s."), corpus->about.text_name);
  add_entry(self, _("Corpus opened"), body->str);
}

/* ---- The whole log -----------------------------------------------------------------------------
 */

char *
regard_log_dup_markdown(RegardLog *self)
{
  GString *out = g_string_new(NULL);
  g_return_val_if_fail(REGARD_IS_LOG(self), NULL);
  settle(self);
  g_autofree char *begun = g_date_time_format(self->begun, "%Y-%m-%d %H:%M:%S %z");
  g_string_append_printf(out, _("# Log of a session with Regard %s\n\n"), MT_VERSION);
  g_string_append_printf(out, _("It began at %s; times are those of this place. "), begun);
  g_string_append(out,
                  _("Commands are for a shell, and do again what was done in the window.\n\n"));
  if (self->n_dropped)
    g_string_append_printf(out,
                           ngettext("The oldest entry was dropped.\n\n",
                                    "The oldest %u entries were dropped.\n\n", self->n_dropped),
                           self->n_dropped);
  if (!self->entries.length)
    g_string_append(out, _("Nothing was done yet.\n"));
  for (GList *entry = self->entries.head; entry; entry = entry->next)
    g_string_append(out, entry->data);
  while (g_str_has_suffix(out->str, "\n\n"))
    g_string_truncate(out, out->len - 1);
  return g_string_free(out, FALSE);
}

guint
regard_log_count(RegardLog *self)
{
  g_return_val_if_fail(REGARD_IS_LOG(self), 0);
  return self->entries.length;
}

/* ---- The object --------------------------------------------------------------------------------
 */

static void
regard_log_dispose(GObject *object)
{
  RegardLog *self = REGARD_LOG(object);
  g_clear_handle_id(&self->settle_id, g_source_remove);
  regard_runner_unwatch(on_run, self);
  G_OBJECT_CLASS(regard_log_parent_class)->dispose(object);
}

static void
regard_log_finalize(GObject *object)
{
  RegardLog *self = REGARD_LOG(object);
  g_queue_clear_full(&self->entries, g_free);
  g_date_time_unref(self->begun);
  if (self->last)
    regard_snapshot_unref(self->last);
  if (self->reference)
    regard_snapshot_unref(self->reference);
  g_free(self->translation);
  g_free(self->sentence);
  g_free(self->opening_path);
  g_ptr_array_unref(self->measured);
  g_hash_table_unref(self->since);
  g_object_unref(self->document);
  G_OBJECT_CLASS(regard_log_parent_class)->finalize(object);
}

static void
regard_log_class_init(RegardLogClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_log_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_log_finalize;
  regard_add_signal(klass, "changed", 0);
}

static void
regard_log_init(RegardLog *self)
{
  self->begun = g_date_time_new_now_local();
  g_queue_init(&self->entries);
  self->measured = g_ptr_array_new_with_free_func(measured_free);
  self->since = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

RegardLog *
regard_log_new(RegardDocument *document)
{
  RegardLog *self = g_object_new(REGARD_TYPE_LOG, NULL);
  self->document = g_object_ref(document);
  regard_observe(document, self, on_typed, "changed::text");
  regard_observe(document, self, wait, "changed::model", "changed::language", "changed::task",
                 "changed::search", "changed::changes", "changed::precision",
                 "changed::copy-unknown", "changed::constraints", "changed::result");
  regard_observe(document, self, on_foreign, "changed::foreign");
  regard_observe(document, self, on_reference, "changed::reference");
  regard_observe(document, self, on_compared, "changed::comparison", "changed::compare");
  regard_observe(regard_document_get_selection(document), self, on_corpus, "corpus-changed");
  regard_runner_watch(on_run, self);
  return self;
}
