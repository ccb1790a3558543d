/* cli-lesson.c — regard-cli lesson check and strings: whether what lessons claim is so, measured;
 * and their texts for translators. What is handed in is cli-lesson-grade.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-lesson.h"
#include "cli/cli-analysis.h"
#include "cli/cli-lines.h"

#include "base/regard-paths.h"
#include "learn/regard-lesson-lint.h"

#include <string.h>

/* Of ten sentences, in so many a claim has to be clear: 18 of 20. */
#define CLEAR_OF_TEN 9

/* ---- Models that steps name ------------------------------------------------------------------ */

typedef struct {
  char *path;
  mt_model *model;
  mt_session *session;
  RegardRuns *runs;
} OtherModel;

static void
other_free(gpointer data)
{
  OtherModel *other = data;
  regard_runs_free(other->runs);
  mt_session_free(other->session);
  mt_model_unref(other->model);
  g_free(other->path);
  g_free(other);
}

void
cli_lesson_models_clear(CliLessonModels *self)
{
  g_clear_pointer(&self->opened, g_ptr_array_unref);
}

RegardRuns *
cli_lesson_models_open(const char *name, gint64 step, gpointer user, mt_error *error)
{
  CliLessonModels *self = user;
  g_autofree char *path = regard_lesson_model_path(name, step);
  if (!path) {
    error->code = MT_ERROR_INPUT;
    g_snprintf(error->message, sizeof error->message,
               "No model '%s' comes with Regard: there are by-hand, collapsed, learning/STEP, "
               "no-warmup/STEP and no-smoothing.",
               name);
    return NULL;
  }
  if (!self->opened)
    self->opened = g_ptr_array_new_with_free_func(other_free);
  for (guint i = 0; i < self->opened->len; i++) {
    const OtherModel *other = self->opened->pdata[i];
    if (other->runs && strcmp(other->path, path) == 0)
      return other->runs;
  }
  const mt_session_options options = {.n_threads = self->n_threads};
  OtherModel *other = g_new0(OtherModel, 1);
  g_ptr_array_add(self->opened, other);
  other->path = g_steal_pointer(&path);
  other->model = mt_model_open(other->path, NULL, error);
  other->session = other->model ? mt_session_new(other->model, &options, error) : NULL;
  other->runs = other->session ? regard_runs_new(other->session, NULL) : NULL;
  return other->runs;
}

/* ---- lesson check ---------------------------------------------------------------------------- */

/* The question of a step over all sentences. */
typedef struct {
  guint step;           /* index */
  gboolean is_measured; /* with all sentences: else its own text decides */
  RegardOutcome own;
  guint n_marked, n_other, n_unclear;
  guint letters[REGARD_LESSON_MOST_OPTIONS];
} Claim;

typedef struct {
  const char *file;
  RegardLesson *lesson;
  Claim *claims; /* [n] */
  guint n;
} Checked;

typedef struct {
  CliAnalysis base;
  const char *texts;
  gint64 sentences;
  gboolean json;
  GPtrArray *checked, *lines;
  CliLessonModels models;
} Check;

#define AT(member) offsetof(Check, member)
static const Check check_defaults = {.base = CLI_ANALYSIS_INIT, .sentences = 20};
static const CliOption check_options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_TEXT, "texts", 0, AT(texts), "FILE",
     "Measure with the lines of FILE; default: 40 sentences that people type first"},
    {CLI_OPTION_WHOLE, "sentences", 0, AT(sentences), "N",
     "Take the first N of them; default 20; 0: only the lessons' own", 0, 10000},
    {CLI_OPTION_FLAG, "json", 0, AT(json), NULL, "Print one JSON object"},
    CLI_OPTIONS(cli_options_threads),
    CLI_OPTIONS_END,
};

static void
checked_free(gpointer data)
{
  Checked *checked = data;
  regard_lesson_unref(checked->lesson);
  g_free(checked->claims);
  g_free(checked);
}

static Checked *
checked_new(const char *file, RegardLesson *lesson)
{
  Checked *checked = g_new0(Checked, 1);
  g_autofree gboolean *depends = regard_lesson_depends_on_text(lesson);
  checked->file = file;
  checked->lesson = lesson;
  checked->claims = g_new0(Claim, lesson->steps->len + 1);
  for (guint i = 0; i < lesson->steps->len; i++)
    if (((const RegardLessonStep *) lesson->steps->pdata[i])->question)
      checked->claims[checked->n++] = (Claim){.step = i, .is_measured = depends[i]};
  return checked;
}

/* Lessons are read before a model is opened. */
static CliStatus
check_check(gpointer user)
{
  Check *self = user;
  const CliCommand *command = self->base.command;
  mt_error error = {0};
  if (self->base.arguments->len == 0)
    return cli_usage(command, "check wants FILE.lesson.md");
  self->checked = g_ptr_array_new_with_free_func(checked_free);
  for (guint i = 0; i < self->base.arguments->len; i++) {
    const char *file = self->base.arguments->pdata[i];
    RegardLesson *lesson = regard_lesson_read(file, &error);
    if (!lesson)
      return cli_failed(command, &error);
    g_ptr_array_add(self->checked, checked_new(file, lesson));
  }
  return CLI_DONE;
}

/* Into lines; FALSE: it has been reported. */
static gboolean
read_sentences(Check *self)
{
  g_autofree char *usual = regard_paths_lesson_sentences();
  self->lines = g_ptr_array_new_with_free_func(g_free);
  if (self->sentences == 0)
    return TRUE;
  CliLineStream *stream =
      cli_line_stream_open(self->base.command, self->texts ? self->texts : usual);
  CliLine line;
  while (stream && self->lines->len < self->sentences && cli_line_stream_next(stream, &line))
    if (line.text && !line.blank)
      g_ptr_array_add(self->lines, g_strdup(line.text));
  return stream && cli_line_stream_close(stream);
}

static void
count(Claim *claim, char marked, const RegardOutcome *outcome)
{
  claim->n_unclear += !outcome->is_clear;
  claim->n_marked += outcome->is_clear && outcome->letter == marked;
  claim->n_other += outcome->is_clear && outcome->letter != marked;
  if (outcome->letter)
    claim->letters[outcome->letter - 'a']++;
}

static const RegardLessonStep *
step_of(const Checked *checked, const Claim *claim)
{
  return checked->lesson->steps->pdata[claim->step];
}

/* sentence NULL: the lesson's own. */
static gboolean
go_through(const Checked *checked, const RegardLessonModels *models, const char *sentence,
           mt_error *error)
{
  g_autofree RegardOutcome *outcomes = g_new0(RegardOutcome, checked->lesson->steps->len + 1);
  if (!regard_lesson_walk(checked->lesson, models, sentence, outcomes, error))
    return FALSE;
  for (guint i = 0; i < checked->n; i++) {
    Claim *claim = &checked->claims[i];
    if (!sentence)
      claim->own = outcomes[claim->step];
    else if (claim->is_measured)
      count(claim, regard_lesson_step_marked(step_of(checked, claim)), &outcomes[claim->step]);
  }
  return TRUE;
}

/* What runs of one sentence are kept is shared by all lessons, so that sentences are taken one
 * after the other. */
static gboolean
measure(Check *self, const RegardLessonModels *models, mt_error *error)
{
  for (guint s = 0; s <= self->lines->len; s++) {
    const char *sentence = s ? self->lines->pdata[s - 1] : NULL;
    for (guint i = 0; i < self->checked->len; i++) {
      cli_stop_show("sentence %u of %u", s, self->lines->len);
      if (!go_through(self->checked->pdata[i], models, sentence, error))
        return FALSE;
    }
    regard_runs_forget(models->runs);
  }
  return TRUE;
}

static CliStatus
check_compute(gpointer user, mt_error *error)
{
  Check *self = user;
  CliEngine *engine = &self->base.engine;
  if (!read_sentences(self))
    return CLI_FAILED;
  self->models.n_threads = (unsigned) self->base.options.threads;
  g_autoptr(RegardRuns) runs = regard_runs_new(engine->session, &engine->params);
  const RegardLessonModels models = {.runs = runs,
                                     .open = cli_lesson_models_open,
                                     .user = &self->models,
                                     .hooks = &engine->hooks};
  cli_stop_begin(&engine->hooks);
  const gboolean ok = measure(self, &models, error);
  cli_stop_end(&engine->hooks);
  cli_stop_show_end();
  if (!ok && error->code == MT_ERROR_CANCELLED)
    g_strlcpy(error->message, "interrupted: nothing was measured", sizeof error->message);
  return ok ? CLI_DONE : CLI_FAILED;
}

/* With its own text it is what it is marked as, and with others it is clear in 18 of 20. */
static gboolean
is_good(const Checked *checked, const Claim *claim)
{
  const guint n = claim->n_marked + claim->n_other + claim->n_unclear;
  const char marked = regard_lesson_step_marked(step_of(checked, claim));
  return claim->own.is_clear && claim->own.letter == marked &&
         claim->n_marked + claim->n_other >= n * CLEAR_OF_TEN / 10;
}

static void
append_claim(GString *out, const Checked *checked, const Claim *claim)
{
  const RegardLessonStep *step = step_of(checked, claim);
  const char marked = regard_lesson_step_marked(step);
  g_string_append_printf(out, "%u. %-30s %-8s", claim->step + 1, step->title,
                         regard_lesson_question_name(step->question));
  if (marked)
    g_string_append_printf(out, "  own text: %c", claim->own.letter ? claim->own.letter : '-');
  else if (step->question == REGARD_ASK_NUMBER)
    g_string_append_printf(out, "  own text: %.4g", claim->own.number);
  else
    g_string_append_printf(out, "  own text: %s", claim->own.is_clear ? "open" : "there already");
  const guint n = claim->n_marked + claim->n_other + claim->n_unclear;
  if (n > 0 && marked)
    g_string_append_printf(out, "; marked %c: right %u, other %u, unclear %u", marked,
                           claim->n_marked, claim->n_other, claim->n_unclear);
  else if (n > 0)
    g_string_append_printf(out, "; clear %u, unclear %u", claim->n_marked + claim->n_other,
                           claim->n_unclear);
  g_string_append(out, is_good(checked, claim) ? "\n" : "  NOT CLEAR\n");
}

static json_object *
describe_claim(const Checked *checked, const Claim *claim)
{
  const RegardLessonStep *step = step_of(checked, claim);
  const char marked[] = {regard_lesson_step_marked(step), '\0'};
  const char own[] = {claim->own.letter, '\0'};
  json_object *options = json_object_new_object();
  for (guint i = 0; i < step->options->len; i++) {
    const char letter[] = {((const RegardLessonOption *) step->options->pdata[i])->letter, '\0'};
    json_object_object_add(options, letter, cli_json_size(claim->letters[*letter - 'a']));
  }
  return regard_json_object(
      {"step", cli_json_size(claim->step + 1)}, {"title", cli_json_text(step->title)},
      {"question", cli_json_text(regard_lesson_question_name(step->question))},
      {"marked", *marked ? cli_json_text(marked) : NULL}, {"own", *own ? cli_json_text(own) : NULL},
      {"number",
       step->question == REGARD_ASK_NUMBER ? regard_json_double(claim->own.number) : NULL},
      {"right", cli_json_size(claim->n_marked)}, {"other", cli_json_size(claim->n_other)},
      {"unclear", cli_json_size(claim->n_unclear)}, {"options", options},
      {"is_clear", json_object_new_boolean(is_good(checked, claim))});
}

static void
append_warning(guint line, const char *sentence, gpointer user)
{
  g_string_append_printf(user, "line %u: %s\n", line, sentence);
}

static void
describe_warning(guint line, const char *sentence, gpointer user)
{
  json_object_array_add(user, regard_json_object({"line", cli_json_size(line)},
                                                 {"sentence", cli_json_text(sentence)}));
}

static gboolean
print_json(const Check *self)
{
  json_object *lessons = json_object_new_array();
  for (guint i = 0; i < self->checked->len; i++) {
    const Checked *checked = self->checked->pdata[i];
    json_object *claims = json_object_new_array(), *warnings = json_object_new_array();
    regard_lesson_lint(checked->lesson, describe_warning, warnings);
    for (guint k = 0; k < checked->n; k++)
      json_object_array_add(claims, describe_claim(checked, &checked->claims[k]));
    json_object_array_add(lessons,
                          regard_json_object({"file", cli_json_text(checked->file)},
                                             {"id", cli_json_text(checked->lesson->id)},
                                             {"title", cli_json_text(checked->lesson->title)},
                                             {"warnings", warnings}, {"claims", claims}));
  }
  return cli_json_put(self->base.command,
                      regard_json_object({"sentences", cli_json_size(self->lines->len)},
                                         {"lessons", lessons}),
                      TRUE);
}

static CliStatus
check_print(gpointer user)
{
  Check *self = user;
  GString *out = g_string_new(NULL);
  guint n = 0, n_good = 0;
  for (guint i = 0; i < self->checked->len; i++) {
    const Checked *checked = self->checked->pdata[i];
    g_string_append_printf(out, "%s: %s\n", checked->file, checked->lesson->title);
    regard_lesson_lint(checked->lesson, append_warning, out);
    for (guint k = 0; k < checked->n; k++) {
      append_claim(out, checked, &checked->claims[k]);
      n_good += is_good(checked, &checked->claims[k]);
      n++;
    }
  }
  self->base.status = n_good == n ? CLI_DONE : CLI_FAILED;
  g_string_append_printf(out, "%u of %u question%s clear, with %u sentence%s\n", n_good, n,
                         n == 1 ? " is" : "s are", self->lines->len,
                         self->lines->len == 1 ? "" : "s");
  if (!self->json)
    return cli_print(self->base.command, out);
  g_string_free(out, TRUE);
  return print_json(self) ? CLI_DONE : CLI_FAILED;
}

static void
check_clear(gpointer user)
{
  Check *self = user;
  g_clear_pointer(&self->checked, g_ptr_array_unref);
  g_clear_pointer(&self->lines, g_ptr_array_unref);
  cli_lesson_models_clear(&self->models);
}

/* ---- lesson strings -------------------------------------------------------------------------- */

static void
append_quoted(GString *out, const char *text)
{
  g_string_append_c(out, '"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      g_string_append_c(out, '\\');
    g_string_append_c(out, *text);
  }
  g_string_append_c(out, '"');
}

/* A text, and where it stands; the same one in several places is one entry. */
typedef struct {
  const char *file;
  GHashTable *places; /* of char * to GString *: "#: a.lesson.md:12\n" */
  GPtrArray *texts;   /* the keys, in their order */
} Strings;

static void
add_string(const char *text, guint line, gpointer user)
{
  Strings *strings = user;
  GString *places = g_hash_table_lookup(strings->places, text);
  if (!places) {
    char *key = g_strdup(text);
    places = g_string_new(NULL);
    g_hash_table_insert(strings->places, key, places);
    g_ptr_array_add(strings->texts, key);
  }
  g_string_append_printf(places, "#: %s:%u\n", strings->file, line);
}

/* With what msgfmt -c asks for, and no date: the same lessons make the same file. */
static const char pot_header[] = "msgid \"\"\n"
                                 "msgstr \"\"\n"
                                 "\"Project-Id-Version: regard " MT_VERSION "\\n\"\n"
                                 "\"Report-Msgid-Bugs-To: \\n\"\n"
                                 "\"PO-Revision-Date: YEAR-MO-DA HO:MI+ZONE\\n\"\n"
                                 "\"Last-Translator: FULL NAME <EMAIL@ADDRESS>\\n\"\n"
                                 "\"Language-Team: LANGUAGE <LL@li.org>\\n\"\n"
                                 "\"Language: \\n\"\n"
                                 "\"MIME-Version: 1.0\\n\"\n"
                                 "\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
                                 "\"Content-Transfer-Encoding: 8bit\\n\"\n";

static void
free_places(gpointer data)
{
  g_string_free(data, TRUE);
}

static CliStatus
run_strings(const CliCommand *command, gpointer user, GPtrArray *files)
{
  g_autoptr(GHashTable) places =
      g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_places);
  g_autoptr(GPtrArray) texts = g_ptr_array_new();
  Strings strings = {.places = places, .texts = texts};
  mt_error error = {0};
  if (files->len == 0)
    return cli_usage(command, "strings wants FILE.lesson.md");
  for (guint i = 0; i < files->len; i++) {
    g_autoptr(RegardLesson) lesson = regard_lesson_read(files->pdata[i], &error);
    if (!lesson)
      return cli_failed(command, &error);
    g_autofree char *name = g_path_get_basename(files->pdata[i]);
    strings.file = name;
    regard_lesson_foreach_string(lesson, add_string, &strings);
  }
  GString *out = g_string_new(pot_header);
  for (guint i = 0; i < texts->len; i++) {
    const GString *where = g_hash_table_lookup(places, texts->pdata[i]);
    g_string_append_printf(out, "\n%smsgid ", where->str);
    append_quoted(out, texts->pdata[i]);
    g_string_append(out, "\nmsgstr \"\"\n");
  }
  return cli_print(command, out);
}

/* ---- The commands ---------------------------------------------------------------------------- */

const char cli_lesson_details[] =
    "check reads lessons, goes through each of them as somebody would who does all that it\n"
    "says, and measures the answer to every question: once with the lesson's own texts, and\n"
    "once with each of some sentences in their place. It prints for each question what its\n"
    "own text gives, and in how many sentences the option that the lesson marks was right,\n"
    "another one was, or none (unclear). Questions that no sentence can change are answered\n"
    "once. The exit status is 1 if a question is not answered as marked with its own text,\n"
    "or is clear in fewer than 18 of 20 sentences. Steps that are hard to follow are named:\n"
    "with more than 60 words, with two things to look at, or with nothing to do.\n"
    "\n"
    "grade reads answers that the window saved, measures every question again, with the text,\n"
    "the changes and the cell that somebody had, and prints a line of CSV for each: what was\n"
    "said, what is measured, and whether it is the same (as measured, not, not clear, not\n"
    "answered). A lesson is the one that comes with Regard, or of --lesson FILE.\n"
    "\n"
    "strings writes what has to be translated as a template for gettext: titles, paragraphs,\n"
    "options, what is said of them, and notes.\n"
    "\n"
    "docs/teaching.md says how a lesson is written. 'lesson check --help' lists the options of\n"
    "check, and 'lesson grade --help' those of grade.\n";

static const CliAnalysisSteps check_steps = {
    .check = check_check,
    .compute = check_compute,
    .print = check_print,
    .clear = check_clear,
};
static const CliCommand check = {
    CLI_LESSON_ABOUT,
    .second = "check",
    CLI_ANALYSIS(check_options, check_defaults, check_steps),
};
static const CliOption no_options[] = {CLI_OPTIONS_END};
static const CliCommand strings = {
    CLI_LESSON_ABOUT, .second = "strings", .options = no_options, .size = 1, .run = run_strings,
};
static const CliCommand *const seconds[] = {&check, &cli_lesson_grade, &strings, NULL};

static CliStatus
run(const CliCommand *command, gpointer user, GPtrArray *arguments)
{
  return arguments->len ? cli_usage(command, "expected check, grade or strings, found '%s'",
                                    (const char *) arguments->pdata[0])
                        : cli_usage(command, "expected check, grade or strings, found nothing");
}

const CliCommand cli_lesson = {
    CLI_LESSON_ABOUT, .options = no_options, .size = 1, .run = run, .seconds = seconds,
};
