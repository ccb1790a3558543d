/* cli-lesson-grade.c — regard-cli lesson grade: answers that were handed in, measured again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "cli/cli-analysis.h"
#include "cli/cli-lesson.h"
#include "cli/cli-lines.h"

#include "base/regard-paths.h"
#include "learn/regard-lesson-shelf.h"

#include <math.h>
#include <string.h>

/* What one person said in one lesson. */
typedef struct {
  const RegardLessonRecord *record;
  const RegardLesson *lesson;
  gboolean is_same;          /* the text of the lesson is the one that was answered */
  const RegardAnswer **said; /* [steps] */
  RegardOutcome *outcomes;   /* [steps] */
  guint n_lost;              /* answers to questions that the lesson does not ask */
} Graded;

typedef struct {
  const char *file;
  RegardAnswers *answers;
  GPtrArray *graded;
  gboolean is_same_model;
} HandedIn;

typedef struct {
  CliAnalysis base;
  GPtrArray *lesson_files; /* borrowed; NULL: none */
  gboolean json;
  GPtrArray *lessons; /* of those files */
  GPtrArray *shelf;   /* of those that come with Regard */
  GPtrArray *handed_in;
  CliLessonModels models;
  gboolean has_failed; /* something was left out, and has been reported */
} Grade;

#define AT(member) offsetof(Grade, member)
static const Grade defaults = {.base = CLI_ANALYSIS_INIT};
static const CliOption options[] = {
    CLI_OPTIONS(cli_options_model),
    {CLI_OPTION_LIST, "lesson", 0, AT(lesson_files), "FILE",
     "Take the lesson of FILE for its answers; repeatable; default: those of Regard"},
    {CLI_OPTION_FLAG, "json", 0, AT(json), NULL, "Print one JSON object"},
    CLI_OPTIONS(cli_options_threads),
    CLI_OPTIONS_END,
};

static void
graded_free(gpointer data)
{
  Graded *graded = data;
  g_free(graded->said);
  g_free(graded->outcomes);
  g_free(graded);
}

static void
handed_in_free(gpointer data)
{
  HandedIn *in = data;
  g_ptr_array_unref(in->graded);
  regard_answers_free(in->answers);
  g_free(in);
}

static void
lesson_free(gpointer lesson)
{
  regard_lesson_unref(lesson);
}

/* ---- Lessons --------------------------------------------------------------------------------- */

static gboolean
has_hash(const RegardLesson *lesson, const char *hash)
{
  g_autofree char *own = regard_lesson_hash(lesson);
  return strcmp(own, hash) == 0;
}

/* Of several languages the one that was answered, else the first. NULL: there is none. */
static const RegardLesson *
find_lesson(const Grade *self, const RegardLessonRecord *record, gboolean *is_same)
{
  const RegardLesson *found = NULL;
  for (guint i = 0; i < self->lessons->len + self->shelf->len; i++) {
    const gboolean is_given = i < self->lessons->len;
    const RegardShelfRow *row = is_given ? NULL : self->shelf->pdata[i - self->lessons->len];
    const RegardLesson *lesson = is_given ? self->lessons->pdata[i] : row->lesson;
    if (!lesson || strcmp(lesson->id, record->id) != 0)
      continue;
    *is_same = has_hash(lesson, record->hash);
    if (*is_same)
      return lesson;
    found = found ? found : lesson;
    /* What somebody gives goes before what comes with the program. */
    if (is_given)
      return found;
  }
  return found;
}

static gboolean
read_lessons(Grade *self)
{
  mt_error error = {0};
  g_autofree char *folder = regard_paths_lessons();
  self->lessons = g_ptr_array_new_with_free_func(lesson_free);
  for (guint i = 0; self->lesson_files && i < self->lesson_files->len; i++) {
    RegardLesson *lesson = regard_lesson_read(self->lesson_files->pdata[i], &error);
    if (!lesson)
      return cli_failed(self->base.command, &error) == CLI_DONE;
    g_ptr_array_add(self->lessons, lesson);
  }
  self->shelf = regard_lesson_shelf_read_all(folder);
  return TRUE;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void
match(Grade *self, HandedIn *in, const RegardLessonRecord *record)
{
  const CliCommand *command = self->base.command;
  gboolean is_same = FALSE;
  const RegardLesson *lesson = find_lesson(self, record, &is_same);
  if (!lesson) {
    cli_complain(command, "%s: no lesson '%s' comes with Regard; --lesson FILE gives it.", in->file,
                 record->id);
    self->has_failed = TRUE;
    return;
  }
  Graded *graded = g_new0(Graded, 1);
  g_ptr_array_add(in->graded, graded);
  graded->record = record;
  graded->lesson = lesson;
  graded->is_same = is_same;
  graded->said = g_new0(const RegardAnswer *, lesson->steps->len + 1);
  graded->outcomes = g_new0(RegardOutcome, lesson->steps->len + 1);
  guint n = 0;
  for (guint i = 0; i < lesson->steps->len; i++) {
    graded->said[i] = regard_lesson_record_find(record, lesson, i);
    n += graded->said[i] != NULL;
  }
  graded->n_lost = record->answers->len - n;
  if (!is_same)
    cli_complain(
        command,
        "%s: the lesson '%s' was changed since it was answered: steps are found by their titles, "
        "and %u of %u answers fit none.",
        in->file, record->id, graded->n_lost, record->answers->len);
}

/* One file that is no good does not hide the others. */
static void
read_answers(Grade *self, const char *file)
{
  g_autoptr(GError) error = NULL;
  RegardAnswers *answers = regard_answers_read(file, &error);
  if (!answers) {
    cli_complain(self->base.command, "%s", error->message);
    self->has_failed = TRUE;
    return;
  }
  HandedIn *in = g_new0(HandedIn, 1);
  g_ptr_array_add(self->handed_in, in);
  in->file = file;
  in->answers = answers;
  in->graded = g_ptr_array_new_with_free_func(graded_free);
  for (guint i = 0; i < answers->records->len; i++)
    match(self, in, answers->records->pdata[i]);
}

/* All files are read before a model is opened. */
static CliStatus
check(gpointer user)
{
  Grade *self = user;
  if (self->base.arguments->len == 0)
    return cli_usage(self->base.command, "grade wants FILE.regard-answers");
  self->handed_in = g_ptr_array_new_with_free_func(handed_in_free);
  if (!read_lessons(self))
    return CLI_FAILED;
  for (guint i = 0; i < self->base.arguments->len; i++)
    read_answers(self, self->base.arguments->pdata[i]);
  return self->handed_in->len > 0 ? CLI_DONE : CLI_FAILED;
}

/* ---- Measuring ------------------------------------------------------------------------------- */

static void
check_model(const Grade *self, HandedIn *in)
{
  const RegardModelIdentity *model = in->answers->model;
  in->is_same_model = model && regard_model_identity_fits(model, self->base.engine.path);
  if (model && !in->is_same_model)
    cli_complain(
        self->base.command,
        "%s: the model that was asked, '%s', is not this one: what is measured may differ.",
        in->file, model->name);
}

static gboolean
measure(Grade *self, const RegardLessonModels *models, HandedIn *in, mt_error *error)
{
  check_model(self, in);
  for (guint i = 0; i < in->graded->len; i++) {
    Graded *graded = in->graded->pdata[i];
    if (!regard_lesson_walk_again(graded->lesson, models, graded->said, graded->outcomes, error))
      return FALSE;
  }
  regard_runs_forget(models->runs);
  return TRUE;
}

static CliStatus
compute(gpointer user, mt_error *error)
{
  Grade *self = user;
  CliEngine *engine = &self->base.engine;
  g_autoptr(RegardRuns) runs = regard_runs_new(engine->session, &engine->params);
  const RegardLessonModels models = {.runs = runs,
                                     .open = cli_lesson_models_open,
                                     .user = &self->models,
                                     .hooks = &engine->hooks};
  gboolean ok = TRUE;
  self->models.n_threads = (unsigned) self->base.options.threads;
  cli_stop_begin(&engine->hooks);
  for (guint i = 0; ok && i < self->handed_in->len; i++) {
    cli_stop_show("file %u of %u", i + 1, self->handed_in->len);
    ok = measure(self, &models, self->handed_in->pdata[i], error);
  }
  cli_stop_end(&engine->hooks);
  cli_stop_show_end();
  if (!ok && error->code == MT_ERROR_CANCELLED)
    g_strlcpy(error->message, "interrupted: nothing was graded", sizeof error->message);
  return ok ? CLI_DONE : CLI_FAILED;
}

/* ---- Printing -------------------------------------------------------------------------------- */

static char *
say_number(double number)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  return isfinite(number) ? g_strdup(g_ascii_formatd(digits, sizeof digits, "%.6g", number))
                          : g_strdup("");
}

/* Of an option its letter, of a number the number, and of what was found the text and the changes,
 * with a bar between. Caller frees. */
static char *
say_said(const RegardAnswer *said)
{
  if (!said)
    return g_strdup("");
  if (said->question == REGARD_ASK_NUMBER)
    return say_number(said->number);
  if (said->question != REGARD_ASK_FIND)
    return said->letter ? g_strdup_printf("%c", said->letter) : g_strdup("");
  g_auto(GStrv) lines = g_strsplit(said->changes, "\n", -1);
  GString *out = g_string_new(said->text);
  for (guint i = 0; lines[i]; i++)
    if (*lines[i])
      g_string_append_printf(out, " | %s", lines[i]);
  return g_string_free(out, FALSE);
}

static char *
say_measured(const RegardLessonStep *step, const RegardAnswer *said, const RegardOutcome *outcome)
{
  if (outcome->is_lost)
    return g_strdup("");
  if (step->question == REGARD_ASK_FIND)
    return g_strdup(!said || !said->text ? "" : outcome->is_clear ? "not found" : "found");
  if (!outcome->is_clear)
    return g_strdup("");
  return step->question == REGARD_ASK_NUMBER ? say_number(outcome->number)
                                             : g_strdup(outcome->line->text);
}

/* A spreadsheet takes what begins so for a formula. */
static void
append_text(GString *out, const char *text)
{
  g_autofree char *quoted =
      strchr("=+-@\t\r", *text) && *text ? g_strconcat("'", text, NULL) : NULL;
  cli_csv_append_field(out, quoted ? quoted : text);
}

static void
append_question(GString *out, const HandedIn *in, const Graded *graded, guint i)
{
  const RegardLessonStep *step = graded->lesson->steps->pdata[i];
  const RegardAnswer *said = graded->said[i];
  const RegardOutcome *outcome = &graded->outcomes[i];
  g_autofree char *what = say_said(said), *measured = say_measured(step, said, outcome);
  append_text(out, in->file);
  g_string_append_c(out, ',');
  append_text(out, graded->lesson->id);
  g_string_append_printf(out, ",%u,", i + 1);
  append_text(out, step->title);
  g_string_append_printf(out, ",%s,", regard_lesson_question_name(step->question));
  if (step->question == REGARD_ASK_FIND)
    append_text(out, what);
  else
    g_string_append(out, what);
  g_string_append_printf(out, ",%s,%s\n", measured,
                         regard_verdict_name(regard_lesson_grade(step, said, outcome)));
}

static json_object *
describe_question(const Graded *graded, guint i)
{
  const RegardLessonStep *step = graded->lesson->steps->pdata[i];
  const RegardAnswer *said = graded->said[i];
  const RegardOutcome *outcome = &graded->outcomes[i];
  const char letter[] = {said ? said->letter : '\0', '\0'};
  g_autofree char *measured = say_measured(step, said, outcome);
  const gboolean is_number = step->question == REGARD_ASK_NUMBER;
  return regard_json_object(
      {"step", cli_json_size(i + 1)}, {"title", cli_json_text(step->title)},
      {"question", cli_json_text(regard_lesson_question_name(step->question))},
      {"letter", *letter ? cli_json_text(letter) : NULL},
      {"number", said && is_number ? regard_json_double(said->number) : NULL},
      {"text", said ? cli_json_text(said->text) : NULL},
      {"changes", said ? cli_json_text(said->changes) : NULL},
      {"measured", !*measured  ? NULL
                   : is_number ? regard_json_double(outcome->number)
                               : cli_json_text(measured)},
      {"verdict", cli_json_text(regard_verdict_name(regard_lesson_grade(step, said, outcome)))});
}

static json_object *
describe_lesson(const Graded *graded)
{
  json_object *questions = json_object_new_array();
  for (guint i = 0; i < graded->lesson->steps->len; i++)
    if (((const RegardLessonStep *) graded->lesson->steps->pdata[i])->question)
      json_object_array_add(questions, describe_question(graded, i));
  return regard_json_object({"id", cli_json_text(graded->lesson->id)},
                            {"title", cli_json_text(graded->lesson->title)},
                            {"is_same_text", json_object_new_boolean(graded->is_same)},
                            {"lost", cli_json_size(graded->n_lost)}, {"questions", questions});
}

static json_object *
describe(const Grade *self)
{
  json_object *files = json_object_new_array();
  for (guint i = 0; i < self->handed_in->len; i++) {
    const HandedIn *in = self->handed_in->pdata[i];
    json_object *lessons = json_object_new_array();
    for (guint k = 0; k < in->graded->len; k++)
      json_object_array_add(lessons, describe_lesson(in->graded->pdata[k]));
    const RegardModelIdentity *model = in->answers->model;
    json_object_array_add(files,
                          regard_json_object({"file", cli_json_text(in->file)},
                                             {"model", model ? cli_json_text(model->name) : NULL},
                                             {"is_same_model",
                                              model ? json_object_new_boolean(in->is_same_model)
                                                    : NULL},
                                             {"lessons", lessons}));
  }
  return regard_json_object({"files", files});
}

static CliStatus
print(gpointer user)
{
  Grade *self = user;
  self->base.status = self->has_failed ? CLI_FAILED : CLI_DONE;
  if (self->json)
    return cli_json_put(self->base.command, describe(self), TRUE) ? CLI_DONE : CLI_FAILED;
  GString *out = g_string_new("file,lesson,step,title,question,said,measured,verdict\n");
  for (guint i = 0; i < self->handed_in->len; i++) {
    const HandedIn *in = self->handed_in->pdata[i];
    for (guint k = 0; k < in->graded->len; k++) {
      const Graded *graded = in->graded->pdata[k];
      for (guint s = 0; s < graded->lesson->steps->len; s++)
        if (((const RegardLessonStep *) graded->lesson->steps->pdata[s])->question)
          append_question(out, in, graded, s);
    }
  }
  return cli_print(self->base.command, out);
}

static void
clear(gpointer user)
{
  Grade *self = user;
  g_clear_pointer(&self->handed_in, g_ptr_array_unref);
  g_clear_pointer(&self->lessons, g_ptr_array_unref);
  g_clear_pointer(&self->shelf, g_ptr_array_unref);
  cli_lesson_models_clear(&self->models);
}

static const CliAnalysisSteps steps = {
    .check = check,
    .compute = compute,
    .print = print,
    .clear = clear,
};
const CliCommand cli_lesson_grade = {
    CLI_LESSON_ABOUT,
    .second = "grade",
    CLI_ANALYSIS(options, defaults, steps),
};
