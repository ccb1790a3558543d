/* regard-lesson-check.c — a lesson gone through from its first step to its last, as by somebody who
 * does all that it says: what its questions come out as.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-lesson-check.h"

#include "base/regard-paths.h"
#include "figures/regard-naming.h"

#include <math.h>
#include <string.h>

char *
regard_lesson_model_path(const char *name, gint64 step)
{
  /* The trainings, and the step that is meant where none is said. */
  static const struct {
    const char *name;
    gint64 usual; /* -1: there is none */
  } trainings[] = {{"learning", -1}, {"no-warmup", -1}, {"no-smoothing", 1000}};
  for (guint i = 0; i < G_N_ELEMENTS(trainings); i++) {
    const gint64 shown = step >= 0 ? step : trainings[i].usual;
    if (strcmp(name, trainings[i].name) != 0 || shown < 0)
      continue;
    g_autofree char *training =
        i == 0 ? regard_paths_bundled_training() : regard_paths_other_training(name);
    g_autofree char *folder = g_strdup_printf("step-%08" G_GINT64_FORMAT, shown);
    return g_build_filename(training, folder, NULL);
  }
  return step >= 0                        ? NULL
         : strcmp(name, "by-hand") == 0   ? regard_paths_by_hand()
         : strcmp(name, "collapsed") == 0 ? regard_paths_collapsed()
                                          : NULL;
}

gint64
regard_lesson_model_checkpoint(const char *path)
{
  g_autofree char *training = regard_paths_bundled_training();
  g_autofree char *folder = path ? g_path_get_dirname(path) : NULL;
  g_autofree char *name = path ? g_path_get_basename(path) : NULL;
  gint64 step;
  return path && strcmp(folder, training) == 0 && g_str_has_prefix(name, "step-") &&
                 g_ascii_string_to_signed(name + strlen("step-"), 10, 0, G_MAXINT32, &step, NULL)
             ? step
             : -1;
}

/* ---- Changes on the way -----------------------------------------------------------------------
 */

/* lines: one or several; none of all take back what there is. */
static void
add_changes(GString *changes, const char *lines)
{
  if (*lines)
    g_string_append_printf(changes, "%s\n", lines);
  else
    g_string_truncate(changes, 0);
}

/* What a directive changes in the model, or waits for, done. FALSE: nothing. */
static gboolean
follow_changes(GString *changes, const RegardDirective *directive)
{
  if (directive->type == REGARD_DIRECTIVE_CHANGE ||
      (directive->type == REGARD_DIRECTIVE_WAIT && directive->event == REGARD_WAIT_CHANGE)) {
    add_changes(changes, mt_interventions_text(directive->interventions));
    return TRUE;
  }
  if (directive->type != REGARD_DIRECTIVE_WAIT || directive->event != REGARD_WAIT_SWITCHED)
    return FALSE;
  g_autofree char *head = regard_naming_head(directive->kind, directive->layer, directive->head);
  g_autofree char *line = g_strconcat(head, " zero", NULL);
  add_changes(changes, line);
  return TRUE;
}

/* ---- The state of somebody who does it ------------------------------------------------------- */

typedef struct {
  const RegardLesson *lesson;
  const RegardLessonModels *models;
  const char *sentence;
  RegardRuns *runs;
  const char *text; /* that the lesson gave last; NULL: none */
  GString *changes; /* a line each */
  mt_interventions *interventions;
  RegardValue *values;      /* of names */
  const RegardAnswer *said; /* to the step that is gone through; NULL: nothing */
} Walk;

/* NULL: there is none yet. */
static const char *
text_of(const Walk *walk)
{
  mt_error refused = {0};
  const char *wanted = walk->said && walk->said->text ? walk->said->text
                       : walk->sentence               ? walk->sentence
                                                      : walk->text;
  if (!wanted || !walk->text || walk->said)
    return wanted;
  g_autoptr(mt_tokens) tokens =
      mt_model_tokenize(regard_runs_get_model(walk->runs), MT_STACK_ENCODER, wanted, &refused);
  return tokens && !*mt_tokens_unknown(tokens) ? wanted : walk->text;
}

static gboolean
begin_setting(const Walk *walk, RegardSetting *setting, mt_error *error)
{
  *setting = (RegardSetting){
      .here = {.runs = walk->runs,
               .text = text_of(walk),
               .interventions = walk->interventions,
               .hooks = walk->models->hooks},
      .values = walk->values,
  };
  if (walk->said && walk->said->has_cell) {
    setting->here.has_cell = TRUE;
    setting->here.kind = walk->said->kind;
    setting->here.layer = walk->said->layer;
    setting->here.head = walk->said->head;
    setting->here.row = walk->said->row;
    setting->here.column = walk->said->column;
  }
  if (setting->here.text)
    return TRUE;
  error->code = MT_ERROR_INPUT;
  g_strlcpy(error->message, "There is no text to measure: the lesson gives none before.",
            sizeof error->message);
  return FALSE;
}

static gboolean
use_changes(Walk *walk, mt_error *error)
{
  mt_interventions_unref(walk->interventions);
  walk->interventions = mt_interventions_parse("changes", walk->changes->str, error);
  return walk->interventions != NULL;
}

static gboolean
use_model(Walk *walk, const RegardDirective *directive, mt_error *error)
{
  walk->runs =
      strcmp(directive->text, "any") == 0
          ? walk->models->runs
          : walk->models->open(directive->text, directive->number, walk->models->user, error);
  return walk->runs != NULL;
}

static gboolean
follow(Walk *walk, const RegardDirective *directive, mt_error *error)
{
  RegardSetting setting;
  switch (directive->type) {
  case REGARD_DIRECTIVE_TEXT:
    walk->text = directive->text ? directive->text : walk->text;
    return TRUE;
  case REGARD_DIRECTIVE_MODEL:
    return use_model(walk, directive, error);
  case REGARD_DIRECTIVE_CHANGE:
  case REGARD_DIRECTIVE_WAIT:
    return !follow_changes(walk->changes, directive) || use_changes(walk, error);
  case REGARD_DIRECTIVE_LET:
    return begin_setting(walk, &setting, error) &&
           regard_term_compute(directive->term, &setting, &walk->values[directive->number], error);
  case REGARD_DIRECTIVE_STATE:
  case REGARD_DIRECTIVE_PAGE:
  case REGARD_DIRECTIVE_HEAD:
  case REGARD_DIRECTIVE_CELL:
  case REGARD_DIRECTIVE_STEP:
  case REGARD_DIRECTIVE_FORM:
  case REGARD_DIRECTIVE_PANES:
  case REGARD_DIRECTIVE_REFERENCE:
  case REGARD_DIRECTIVE_COMPARE:
  case REGARD_DIRECTIVE_POINT:
  case REGARD_DIRECTIVE_ASK:
  case REGARD_DIRECTIVE_RIGHT:
  case REGARD_DIRECTIVE_UNCLEAR:
  case REGARD_DIRECTIVE_ANSWER:
  case REGARD_DIRECTIVE_FOUND:
    return TRUE;
  }
  g_assert_not_reached();
}

/* ---- Where directives lead ------------------------------------------------------------------- */

void
regard_lesson_place_init(RegardLessonPlace *place, const RegardLesson *lesson)
{
  *place = (RegardLessonPlace){
      .model = "any",
      .step = -1,
      .text = lesson->text,
      .is_own = lesson->text == NULL,
      .changes = g_string_new(NULL),
  };
}

void
regard_lesson_place_copy(RegardLessonPlace *out, const RegardLessonPlace *place)
{
  *out = *place;
  out->changes = g_string_new(place->changes->str);
}

void
regard_lesson_place_clear(RegardLessonPlace *place)
{
  if (place->changes)
    g_string_free(place->changes, TRUE);
  *place = (RegardLessonPlace){0};
}

void
regard_lesson_place_follow(RegardLessonPlace *place, const RegardDirective *directive)
{
  follow_changes(place->changes, directive);
  if (directive->type == REGARD_DIRECTIVE_TEXT) {
    place->is_own = directive->text == NULL;
    place->text = directive->text ? directive->text : place->text;
  } else if (directive->type == REGARD_DIRECTIVE_MODEL) {
    place->model = directive->text;
    place->step = directive->number;
  }
}

/* ---- Questions ------------------------------------------------------------------------------- */

/* Whether a line decides: its condition, if there is one, holds. */
static gboolean
decides(const RegardDirective *directive, const RegardSetting *setting, gboolean *holds,
        mt_error *error)
{
  *holds = TRUE;
  return !directive->condition ||
         regard_condition_holds(directive->condition, setting, holds, error);
}

gboolean
regard_lesson_step_decide(const RegardLessonStep *step, const RegardSetting *setting,
                          RegardDecision *decision, mt_error *error)
{
  RegardValue value = {0};
  gboolean holds = FALSE;
  *decision = (RegardDecision){.number = NAN};
  for (guint i = 0; i < step->directives->len && !decision->line; i++) {
    const RegardDirective *directive = step->directives->pdata[i];
    switch ((guint) directive->type) {
    case REGARD_DIRECTIVE_ANSWER:
      if (!regard_term_compute(directive->term, setting, &value, error))
        return FALSE;
      decision->number = value.number;
      decision->line = isfinite(value.number) ? directive : NULL;
      break;
    case REGARD_DIRECTIVE_RIGHT:
    case REGARD_DIRECTIVE_UNCLEAR:
    case REGARD_DIRECTIVE_FOUND:
      if (!decides(directive, setting, &holds, error))
        return FALSE;
      decision->line = holds ? directive : NULL;
      break;
    default:
      break;
    }
  }
  return TRUE;
}

static gboolean
answer(const Walk *walk, const RegardLessonStep *step, RegardOutcome *outcome, mt_error *error)
{
  RegardSetting setting;
  RegardDecision decision;
  if (step->question == REGARD_ASK_NOTHING)
    return TRUE;
  if (!begin_setting(walk, &setting, error) ||
      !regard_lesson_step_decide(step, &setting, &decision, error))
    return FALSE;
  const RegardDirective *line = decision.line;
  const gboolean is_right = line && line->type == REGARD_DIRECTIVE_RIGHT;
  outcome->number = step->question == REGARD_ASK_NUMBER ? decision.number : 0;
  outcome->line = line;
  outcome->letter = is_right ? line->text[0] : '\0';
  outcome->is_clear = step->question == REGARD_ASK_FIND
                          ? !line
                          : is_right || (line && line->type == REGARD_DIRECTIVE_ANSWER);
  return TRUE;
}

char
regard_lesson_step_marked(const RegardLessonStep *step)
{
  for (guint i = 0; i < step->directives->len; i++) {
    const RegardDirective *directive = step->directives->pdata[i];
    if (directive->type == REGARD_DIRECTIVE_RIGHT)
      return directive->text[0];
  }
  return '\0';
}

/* ---- All steps ------------------------------------------------------------------------------- */

/* What was to be found, as it was when somebody had found it. */
static gboolean
restore(Walk *walk, mt_error *error)
{
  const RegardAnswer *said = walk->said;
  g_auto(RegardScanner) scanner = {.at = ""};
  if (said->checkpoint >= 0) {
    walk->runs = walk->models->open("learning", said->checkpoint, walk->models->user, error);
    if (!walk->runs)
      return FALSE;
  }
  /* A stranger's: what needs a file or another run is refused. */
  mt_interventions *made =
      regard_scanner_parse_changes(&scanner, *said->changes ? said->changes : "none");
  if (!made) {
    error->code = MT_ERROR_INPUT;
    g_snprintf(error->message, sizeof error->message, "%s", scanner.problem);
    return FALSE;
  }
  mt_interventions_unref(walk->interventions);
  walk->interventions = made;
  g_string_assign(walk->changes, mt_interventions_text(made));
  if (walk->changes->len > 0 && walk->changes->str[walk->changes->len - 1] != '\n')
    g_string_append_c(walk->changes, '\n');
  return TRUE;
}

static gboolean
walk_step(Walk *walk, const RegardLessonStep *step, RegardOutcome *outcome, mt_error *error)
{
  for (guint i = 0; i < step->directives->len; i++)
    if (!follow(walk, step->directives->pdata[i], error))
      return FALSE;
  return (!walk->said || step->question != REGARD_ASK_FIND || restore(walk, error)) &&
         answer(walk, step, outcome, error);
}

/* With what was said to it, and if that cannot be, without. */
static gboolean
walk_said(Walk *walk, const RegardLessonStep *step, const RegardAnswer *said,
          RegardOutcome *outcome, mt_error *error)
{
  const gsize n_changes = walk->changes->len;
  RegardRuns *runs = walk->runs;
  mt_interventions *before = walk->interventions ? mt_interventions_ref(walk->interventions) : NULL;
  walk->said = said;
  gboolean ok = walk_step(walk, step, outcome, error);
  walk->said = NULL;
  if (!ok && said && error->code != MT_ERROR_CANCELLED) {
    g_string_truncate(walk->changes, n_changes);
    mt_interventions_unref(walk->interventions);
    walk->interventions = g_steal_pointer(&before);
    walk->runs = runs;
    *error = (mt_error){0};
    *outcome = (RegardOutcome){0};
    ok = walk_step(walk, step, outcome, error);
    outcome->is_lost = TRUE;
  }
  mt_interventions_unref(before);
  return ok;
}

static gboolean
walk_all(const RegardLesson *lesson, const RegardLessonModels *models, const char *sentence,
         const RegardAnswer *const *answers, RegardOutcome *outcomes, mt_error *error)
{
  Walk walk = {
      .lesson = lesson,
      .models = models,
      .sentence = sentence,
      .runs = models->runs,
      .text = lesson->text,
      .changes = g_string_new(NULL),
      .values = g_new0(RegardValue, lesson->names->len + 1),
  };
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < lesson->steps->len; i++) {
    const RegardLessonStep *step = lesson->steps->pdata[i];
    outcomes[i] = (RegardOutcome){0};
    ok = walk_said(&walk, step, answers ? answers[i] : NULL, &outcomes[i], error);
    if (!ok) {
      g_autofree char *message = g_strdup(error->message);
      g_snprintf(error->message, sizeof error->message, "lesson %s, line %u, “%s”: %s", lesson->id,
                 step->line, step->title, message);
    }
  }
  for (guint i = 0; i < lesson->names->len; i++)
    regard_value_clear(&walk.values[i]);
  g_free(walk.values);
  g_string_free(walk.changes, TRUE);
  mt_interventions_unref(walk.interventions);
  return ok;
}

gboolean
regard_lesson_walk(const RegardLesson *lesson, const RegardLessonModels *models,
                   const char *sentence, RegardOutcome *outcomes, mt_error *error)
{
  return walk_all(lesson, models, sentence, NULL, outcomes, error);
}

gboolean
regard_lesson_walk_again(const RegardLesson *lesson, const RegardLessonModels *models,
                         const RegardAnswer *const *answers, RegardOutcome *outcomes,
                         mt_error *error)
{
  return walk_all(lesson, models, NULL, answers, outcomes, error);
}

/* ---- Grading --------------------------------------------------------------------------------- */

RegardVerdict
regard_lesson_grade(const RegardLessonStep *step, const RegardAnswer *answer,
                    const RegardOutcome *outcome)
{
  gboolean is_said = answer != NULL, is_right = FALSE, is_clear = outcome->is_clear;
  switch (step->question) {
  case REGARD_ASK_NOTHING:
    return REGARD_VERDICT_UNANSWERED;
  case REGARD_ASK_PREDICT:
  case REGARD_ASK_CHOOSE:
    is_said = is_said && answer->letter;
    is_right = is_said && is_clear && strchr(outcome->line->text, answer->letter);
    break;
  case REGARD_ASK_NUMBER:
    is_said = is_said && isfinite(answer->number);
    /* 0.3 is within 0.1 of 0.2. */
    is_right = is_said && is_clear &&
               fabs(answer->number - outcome->number) <=
                   outcome->line->within + 1e-9 * fmax(1, fabs(outcome->number));
    break;
  case REGARD_ASK_FIND:
    is_right = is_said && !is_clear;
    is_clear = is_said && answer->text;
    break;
  }
  if (!is_said)
    return REGARD_VERDICT_UNANSWERED;
  if (!is_clear || outcome->is_lost)
    return REGARD_VERDICT_NOT_CLEAR;
  return is_right ? REGARD_VERDICT_AS_MEASURED : REGARD_VERDICT_NOT;
}

gboolean *
regard_lesson_depends_on_text(const RegardLesson *lesson)
{
  gboolean *steps = g_new0(gboolean, lesson->steps->len + 1);
  g_autofree gboolean *names = g_new0(gboolean, lesson->names->len + 1);
  for (guint i = 0; i < lesson->steps->len; i++) {
    const RegardLessonStep *step = lesson->steps->pdata[i];
    for (guint k = 0; k < step->directives->len; k++) {
      const RegardDirective *directive = step->directives->pdata[k];
      const gboolean depends = regard_term_is_of_text(directive->term, names) ||
                               regard_condition_is_of_text(directive->condition, names);
      if (directive->type == REGARD_DIRECTIVE_LET)
        names[directive->number] = depends;
      else if (directive->type != REGARD_DIRECTIVE_WAIT)
        steps[i] = steps[i] || depends;
    }
  }
  return steps;
}
