/* regard-lesson-run.c — a lesson as somebody goes through it: what a step sets up, what it waits
 * for, and what becomes of its question.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A step is set up in this order: the model, if it is another one; text and changes; what is to be
 * seen; and when the translation is there what is compared with, and the names behind `let`. After
 * that one thing happens again and again: something changes, it is quiet for a moment, the answer
 * is there, and what is not known of this sentence and model is measured (on_quiet).
 *
 * This file is long because set-up, waiting, measuring and verdict are one state: each says what
 * the others may do next, and what is dropped when the text becomes another one.
 */
#include "learn/regard-lesson-run.h"

#include "base/regard-signals.h"
#include "figures/regard-intervention-edit.h"
#include "figures/regard-naming.h"
#include "learn/regard-lesson-markup.h"
#include "runner/regard-work.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* For so long something has to hold, in ms. */
#define HOLDS_FOR 300

/* Numbers of gestures of the document are told apart from those of drags by this. */
#define GESTURES (G_GUINT64_CONSTANT(1) << 48)

typedef enum {
  STAGE_NOTHING,
  STAGE_MODEL,   /* a model is being opened */
  STAGE_STATE,   /* the state of a slide is on its way (talk/regard-talk.h) */
  STAGE_ANSWER,  /* the document translates */
  STAGE_MEASURE, /* names are measured */
} SettingUp;

/* What was there when a step was set up: what happens after that is the person's. */
typedef struct {
  char *text, *model, *setting, *page;
  RegardHeadRef place;
  int step;
} Before;

struct _RegardLessonRun {
  GObject parent_instance;
  RegardStage *stage; /* NULL: closed */
  RegardDocument *document;
  RegardSelection *selection;
  RegardLessonRunState state;
  RegardWork *work;
  guint quiet; /* timer */

  char *model; /* folder of the one before the lesson */
  char *own;   /* the person's own text */
  char *page;  /* that the person looked at before */

  SettingUp setting_up;
  guint64 gesture;
  RegardLessonPlace place; /* that the step is set up at */
  char *wanted;            /* folder of its model */
  GPtrArray *lets;         /* of RegardLessonLet *: to be measured; NULL: none */
  Before before;

  /* What is measured now, and what it was measured in. */
  gboolean wants_decision, is_silent; /* silent: nobody asked, and a no is not said */
  gboolean is_deciding;
  char *measured_in; /* of what runs: dup_setting */
  char *decided_in;  /* of the verdict */
  char *decided_of;  /* of it, what it stands or falls with: dup_subject */
  char *decided_text, *decided_model;
  char *waited_in; /* of the conditions that are waited for */
  char *let_text, *let_model;
  gboolean leaves_text;  /* the step says nothing of the text */
  gboolean is_file;      /* the step shows a state without its model, as one from a file */
  gboolean is_revealing; /* nobody answers: what is so is to be shown to a room */
  gboolean is_answered;  /* the question has come out so that the step can be done */
  char *answer;          /* the number as it was written */
  char *said;            /* what was found, or is missing; NULL: nothing was looked for yet */
};

G_DEFINE_FINAL_TYPE(RegardLessonRun, regard_lesson_run, G_TYPE_OBJECT)

static void on_changed(RegardLessonRun *self);

const RegardLessonRunState *
regard_lesson_run_get_state(RegardLessonRun *self)
{
  return &self->state;
}

const RegardLessonStep *
regard_lesson_run_get_step(RegardLessonRun *self)
{
  return self->state.lesson ? self->state.lesson->steps->pdata[self->state.step] : NULL;
}

static const RegardDirective *
get_directive(const RegardLessonStep *step, guint i)
{
  return step->directives->pdata[i];
}

/* Whether a directive of the step is due: not what would show the answer before it was given. */
static gboolean
is_due(RegardLessonRun *self, const RegardDirective *directive)
{
  return !directive->is_after || self->is_answered;
}

/* What its step points at; NULL: at nothing. Borrowed. */
static const RegardDirective *
get_point(RegardLessonRun *self)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  for (guint i = step ? step->directives->len : 0; i > 0; i--)
    if (get_directive(step, i - 1)->type == REGARD_DIRECTIVE_POINT &&
        is_due(self, get_directive(step, i - 1)))
      return get_directive(step, i - 1);
  return NULL;
}

/* ---- What is there --------------------------------------------------------------------------- */

/* The answer to the text that is there has come, with the model that was asked for. */
static gboolean
is_settled(RegardLessonRun *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  const char *text = regard_document_get_text(self->document);
  if (self->is_file && regard_document_get_imported_capture(self->document))
    return TRUE;
  if (regard_document_is_busy(self->document) || regard_document_is_waiting(self->document) ||
      !regard_document_get_model(self->document))
    return FALSE;
  return result ? result->complete && g_str_equal(result->text, text)
                : text[strspn(text, " \t\n")] == '\0';
}

/* The sentence that is looked at. Caller frees; NULL: there is none. */
static char *
dup_sentence(RegardLessonRun *self)
{
  const RegardResult *result = regard_document_get_result(self->document);
  const RegardResultSentence *active = result ? regard_result_active(result) : NULL;
  if (active)
    return g_strndup(result->text + active->begin, active->end - active->begin);
  const char *text = regard_document_get_text(self->document);
  return *text ? g_strdup(text) : NULL;
}

static const char *
get_changes(RegardLessonRun *self)
{
  const mt_interventions *changes = regard_document_get_search(self->document)->interventions;
  return changes ? mt_interventions_text(changes) : "";
}

static const char *
get_model(RegardLessonRun *self)
{
  const char *dir = regard_document_get_model_dir(self->document);
  return dir ? dir : "";
}

/* What an answer is about, as a text. Caller frees. */
static char *
dup_subject(RegardLessonRun *self)
{
  g_autofree char *sentence = dup_sentence(self);
  return g_strdup_printf("%s\n%s\n%s", sentence ? sentence : "", get_model(self),
                         get_changes(self));
}

/* The folder of the model that runs, or is about to. */
static const char *
get_newest_model(RegardLessonRun *self)
{
  const RegardModelSlotState *slot = regard_document_get_slot(self->document);
  return slot->loading ? slot->loading : slot->ready.dir ? slot->ready.dir : get_model(self);
}

/* All that a measurement follows from, as a text. Caller frees. */
static char *
dup_setting(RegardLessonRun *self)
{
  g_autofree char *subject = dup_subject(self);
  const RegardCell pin = regard_selection_get_pin(self->selection);
  const RegardHeadRef *place = regard_document_get_place(self->document);
  return g_strdup_printf("%s\n%d %d %d %u %u", subject, pin.row, pin.col, place->kind, place->layer,
                         place->head);
}

static void
clear_before(Before *before)
{
  g_free(before->text);
  g_free(before->model);
  g_free(before->setting);
  g_free(before->page);
  *before = (Before){0};
}

static void
take_before(RegardLessonRun *self)
{
  clear_before(&self->before);
  self->before = (Before){
      .text = g_strdup(regard_document_get_text(self->document)),
      .model = g_strdup(get_model(self)),
      .setting = dup_setting(self),
      .page = regard_stage_dup_page(self->stage),
      .place = *regard_document_get_place(self->document),
      .step = regard_selection_get_step(self->selection),
  };
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* All rows of one list are rows of the other. */
static gboolean
has_changes(const char *rows, const char *wanted)
{
  g_auto(GStrv) there = g_strsplit(rows, "\n", -1), lines = g_strsplit(wanted, "\n", -1);
  for (guint i = 0; lines[i]; i++)
    if (*lines[i] && !g_strv_contains((const char *const *) there, lines[i]))
      return FALSE;
  return TRUE;
}

static gboolean
is_switched_off(RegardLessonRun *self, const RegardDirective *wait)
{
  const mt_interventions *changes = regard_document_get_search(self->document)->interventions;
  mt_intervention_row row;
  return changes &&
         regard_interventions_of_head(changes, wait->kind, wait->layer, wait->head, &row) &&
         g_strcmp0(row.how, "zero") == 0;
}

/* A page, or one of its parts, or any part of it. */
static gboolean
is_on_page(RegardLessonRun *self, const char *page)
{
  g_autofree char *now = regard_stage_dup_page(self->stage);
  const gsize n = strlen(page);
  return now && strncmp(now, page, n) == 0 && (now[n] == '\0' || now[n] == '/');
}

/* What can be seen in what is there. What happened once is noted when it happens. */
static gboolean
is_so(RegardLessonRun *self, const RegardDirective *wait)
{
  switch (wait->event) {
  case REGARD_WAIT_SWITCHED:
    return is_switched_off(self, wait);
  case REGARD_WAIT_CHANGE:
    return has_changes(get_changes(self), mt_interventions_text(wait->interventions));
  case REGARD_WAIT_PAGE:
    return is_on_page(self, wait->text);
  case REGARD_WAIT_TEXT:
    return !g_str_equal(regard_document_get_text(self->document), self->before.text);
  case REGARD_WAIT_HEAD:
    return memcmp(regard_document_get_place(self->document), &self->before.place,
                  sizeof(RegardHeadRef)) != 0;
  case REGARD_WAIT_STEP:
    return regard_selection_get_step(self->selection) != self->before.step;
  case REGARD_WAIT_CHECKPOINT:
    return !g_str_equal(get_model(self), self->before.model) &&
           regard_training_find(regard_document_get_training(self->document), get_model(self),
                                NULL);
  case REGARD_WAIT_CELL:
  case REGARD_WAIT_CONDITION:
    return FALSE;
  }
  g_assert_not_reached();
}

/* What the step still waits for: a condition, or something that happens. Borrowed; NULL: nothing.
 */
static const RegardDirective *
find_open_wait(RegardLessonRun *self, gboolean is_condition)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  for (guint i = 0; i < step->directives->len; i++) {
    const RegardDirective *directive = get_directive(step, i);
    if (directive->type == REGARD_DIRECTIVE_WAIT && !self->state.waits[i] &&
        (directive->event == REGARD_WAIT_CONDITION) == is_condition)
      return directive;
  }
  return NULL;
}

static gboolean
has_open_wait(RegardLessonRun *self, gboolean is_condition)
{
  return find_open_wait(self, is_condition) != NULL;
}

static void
note_waits(RegardLessonRun *self)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  for (guint i = 0; i < step->directives->len; i++) {
    const RegardDirective *directive = get_directive(step, i);
    if (directive->type == REGARD_DIRECTIVE_WAIT && !self->state.waits[i] && is_so(self, directive))
      self->state.waits[i] = TRUE;
  }
}

/* ---- The state ------------------------------------------------------------------------------- */

/* The last directive of a type up to a step that was due. Borrowed; NULL: there is none. */
static const RegardDirective *
find_last(RegardLessonRun *self, RegardDirectiveType type, guint n_steps)
{
  for (guint s = n_steps; s > 0; s--) {
    const RegardLessonStep *step = self->state.lesson->steps->pdata[s - 1];
    for (guint i = step->directives->len; i > 0; i--)
      if (get_directive(step, i - 1)->type == type &&
          (s <= self->state.step || is_due(self, get_directive(step, i - 1))))
        return get_directive(step, i - 1);
  }
  return NULL;
}

static gboolean
waits_for(const RegardLessonStep *step, RegardWait event)
{
  for (guint i = 0; i < step->directives->len; i++)
    if (get_directive(step, i)->type == REGARD_DIRECTIVE_WAIT &&
        get_directive(step, i)->event == event)
      return TRUE;
  return FALSE;
}

/* The person is elsewhere than the lesson is: on another page, with another model that is no
 * checkpoint of the same training, with a file. */
static gboolean
is_away(RegardLessonRun *self)
{
  const RegardTraining *training = regard_document_get_training(self->document);
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  const gboolean is_file = regard_document_get_imported_capture(self->document) != NULL;
  if (self->setting_up != STAGE_NOTHING)
    return FALSE;
  const char *page = self->before.page;
  if (!regard_lesson_find_state(step)) {
    const RegardDirective *last =
        waits_for(step, REGARD_WAIT_PAGE)
            ? NULL
            : find_last(self, REGARD_DIRECTIVE_PAGE, self->state.step + 1);
    page = last ? last->text : NULL;
  }
  g_autofree char *whole = page ? g_strndup(page, strcspn(page, "/")) : NULL;
  return is_file != self->is_file || (whole && !is_on_page(self, whole)) ||
         (!regard_document_is_opening(self->document) &&
          !g_str_equal(get_model(self), self->before.model) &&
          !(regard_training_find(training, get_model(self), NULL) &&
            regard_training_find(training, self->before.model, NULL)));
}

static RegardLessonPhase
find_phase(RegardLessonRun *self)
{
  if (self->state.done[self->state.step] && self->setting_up == STAGE_NOTHING &&
      !self->wants_decision)
    return REGARD_LESSON_DONE;
  if (self->setting_up != STAGE_NOTHING && !self->wants_decision)
    return REGARD_LESSON_SETTING_UP;
  if (self->wants_decision && !self->is_silent)
    return REGARD_LESSON_MEASURING;
  if (self->state.verdict != REGARD_SAID_NONE)
    return REGARD_LESSON_ANSWERED;
  return regard_lesson_run_get_step(self)->question ? REGARD_LESSON_ASKED : REGARD_LESSON_DOING;
}

/* The verdict is of what is not there any more, or not yet. */
static gboolean
is_stale(RegardLessonRun *self)
{
  g_autofree char *now = dup_subject(self);
  return self->state.verdict != REGARD_SAID_NONE && self->decided_of &&
         (!is_settled(self) || !g_str_equal(now, self->decided_of));
}

static void
update(RegardLessonRun *self)
{
  if (!self->state.lesson)
    return;
  self->state.is_stale = is_stale(self);
  self->state.phase = find_phase(self);
  self->state.is_away = is_away(self);
  g_signal_emit_by_name(self, "changed");
}

/* All that the step waits for has been, and its question has come out. */
static void
check_done(RegardLessonRun *self)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  gboolean *done = &self->state.done[self->state.step];
  if (*done || self->setting_up != STAGE_NOTHING || has_open_wait(self, FALSE) ||
      has_open_wait(self, TRUE) || (step->question && !self->is_answered))
    return;
  *done = TRUE;
  if (self->state.step + 1 == self->state.lesson->steps->len)
    g_signal_emit_by_name(self, "finished");
}

static void
set_problem(RegardLessonRun *self, const char *problem)
{
  g_free(self->state.problem);
  self->state.problem = g_strdup(problem);
}

/* ---- Showing -------------------------------------------------------------------------------- */

static void
show(RegardLessonRun *self, const RegardDirective *directive)
{
  g_autoptr(GError) error = NULL;
  if (!regard_stage_show(self->stage, directive, &error))
    set_problem(self, error ? error->message : _("This cannot be shown here."));
}

/* What is shown once the translation is there. */
static gboolean
is_of_translation(const RegardDirective *directive)
{
  return directive->type == REGARD_DIRECTIVE_REFERENCE ||
         directive->type == REGARD_DIRECTIVE_COMPARE;
}

/* The question came out: what would have told the answer is shown, once. */
static void
note_answered(RegardLessonRun *self)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  gboolean points = FALSE;
  if (self->is_answered)
    return;
  self->is_answered = TRUE;
  for (guint i = 0; i < step->directives->len; i++)
    if (get_directive(step, i)->is_after) {
      show(self, get_directive(step, i));
      points = points || get_directive(step, i)->type == REGARD_DIRECTIVE_POINT;
    }
  if (points)
    g_signal_emit_by_name(self, "point", get_point(self));
}

/* ---- Answers --------------------------------------------------------------------------------- */

/* "24,001" with the comma between thousands. */
static gboolean
read_grouped(const char *text, double *number)
{
  GString *digits = g_string_new(NULL);
  const char *at = text;
  const gboolean is_negative = *at == '-';
  at += is_negative;
  gsize n = strspn(at, "0123456789");
  gboolean ok = n >= 1 && n <= 3 && at[n] != '\0' && at[0] != '0';
  while (ok && n) {
    g_string_append_len(digits, at, (gssize) n);
    at += n;
    n = 0;
    if (*at) {
      ok = *at == ',' || *at == '.';
      n = ok ? strspn(++at, "0123456789") : 0;
      ok = ok && n == 3;
    }
  }
  *number = g_ascii_strtod(digits->str, NULL) * (is_negative ? -1 : 1);
  g_string_free(digits, TRUE);
  return ok;
}

gboolean
regard_lesson_read_number(const char *text, double measured, double *number)
{
  GString *plain = g_string_new(NULL);
  for (const char *at = text; *at; at = g_utf8_next_char(at)) {
    const gunichar c = g_utf8_get_char(at);
    if (c == 0x2212) /* − */
      g_string_append_c(plain, '-');
    else if (!g_unichar_isspace(c) && c != '\'')
      g_string_append_unichar(plain, c);
  }
  double grouped = 0;
  const gboolean is_grouped = read_grouped(plain->str, &grouped);
  char *comma = strchr(plain->str, ',');
  if (comma)
    *comma = '.';
  char *end = NULL;
  *number = g_ascii_strtod(plain->str, &end);
  gboolean ok = end != plain->str && *end == '\0' && isfinite(*number) &&
                strspn(plain->str, "+-.0123456789eE") == plain->len;
  if (is_grouped && (!ok || fabs(grouped - measured) < fabs(*number - measured))) {
    *number = grouped;
    ok = TRUE;
  }
  g_string_free(plain, TRUE);
  return ok;
}

/* The second time its place is shown. */
static void
note_wrong(RegardLessonRun *self, RegardLessonSaid verdict)
{
  const RegardDirective *point = get_point(self);
  self->state.verdict = verdict;
  self->is_answered = FALSE;
  if (++self->state.n_wrong >= 2 && point)
    g_signal_emit_by_name(self, "point", point);
}

static void
judge_option(RegardLessonRun *self, RegardQuestion question, const RegardDirective *line)
{
  if (self->is_revealing) {
    self->state.measured = line->text[0];
    self->state.verdict = REGARD_SAID_MEASURED;
    note_answered(self);
    return;
  }
  const gboolean is_right = strchr(line->text, self->state.chosen) != NULL;
  self->state.measured = is_right ? self->state.chosen : line->text[0];
  if (question == REGARD_ASK_CHOOSE && !is_right) {
    note_wrong(self, REGARD_SAID_WRONG);
    return;
  }
  self->state.verdict = question == REGARD_ASK_PREDICT ? REGARD_SAID_MEASURED : REGARD_SAID_RIGHT;
  note_answered(self);
}

static void
judge_number(RegardLessonRun *self, const RegardDirective *line, double measured)
{
  double number = measured;
  self->state.number = measured;
  if (!self->is_revealing && !regard_lesson_read_number(self->answer, measured, &number)) {
    self->state.verdict = REGARD_SAID_NO_NUMBER;
    return;
  }
  /* What is written in decimals is off by rounding, and so is its difference. */
  if (fabs(number - measured) > line->within + 1e-9 * fmax(1, fabs(measured)))
    note_wrong(self, number > measured ? REGARD_SAID_TOO_LARGE : REGARD_SAID_TOO_SMALL);
  else {
    self->state.verdict = REGARD_SAID_RIGHT;
    note_answered(self);
  }
}

static gboolean
is_wrong(RegardLessonSaid verdict)
{
  return verdict == REGARD_SAID_WRONG || verdict == REGARD_SAID_TOO_LARGE ||
         verdict == REGARD_SAID_TOO_SMALL;
}

/* What was answered was of something else: nobody was wrong about what is there now. */
static void
ask_anew(RegardLessonRun *self)
{
  self->state.verdict = REGARD_SAID_NONE;
  self->state.chosen = self->state.measured = '\0';
  self->state.number = NAN;
  self->state.n_wrong = 0;
  self->is_answered = FALSE;
  g_clear_pointer(&self->decided_of, g_free);
}

/* holds: it does, but the step wants more, such as another text than the one that was there. */
static void
judge_not_found(RegardLessonRun *self, gboolean holds)
{
  const RegardDirective *open = holds ? find_open_wait(self, FALSE) : NULL;
  g_autofree char *wait = open ? regard_lesson_run_say_wait(self, open) : NULL;
  if (wait) {
    g_free(self->said);
    self->said = g_strdup_printf(_("That holds. Still to do: %s."), wait);
  }
  if (wait || !self->is_silent)
    self->state.verdict = REGARD_SAID_NOT_FOUND;
  else if (self->state.verdict == REGARD_SAID_FOUND)
    self->state.verdict = REGARD_SAID_NONE; /* it was found in something else, and stays done */
}

static void
judge(RegardLessonRun *self, const RegardDecision *decision)
{
  const RegardQuestion question = regard_lesson_run_get_step(self)->question;
  const RegardDirective *line = decision->line;
  const RegardLessonSaid before = self->state.verdict;
  self->state.measured = '\0';
  self->state.number = NAN;
  if (question == REGARD_ASK_FIND && (!line || has_open_wait(self, FALSE))) {
    judge_not_found(self, line != NULL);
    return;
  }
  if (!line || line->type == REGARD_DIRECTIVE_UNCLEAR) {
    self->state.verdict = REGARD_SAID_UNCLEAR;
    note_answered(self);
  } else if (line->type == REGARD_DIRECTIVE_RIGHT)
    judge_option(self, question, line);
  else if (line->type == REGARD_DIRECTIVE_ANSWER)
    judge_number(self, line, decision->number);
  else {
    self->state.verdict = REGARD_SAID_FOUND;
    note_answered(self);
  }
  if (self->is_silent && is_wrong(self->state.verdict))
    ask_anew(self);
  else if (!self->is_silent || before != self->state.verdict)
    g_signal_emit_by_name(self, "answered");
}

/* ---- Measuring ------------------------------------------------------------------------------- */

/* The cell that is pinned, if it is one of one head. */
static void
take_cell(RegardLessonRun *self, RegardLessonInquiry *inquiry)
{
  RegardSelection *s = self->selection;
  const mt_capture *capture = regard_selection_get_capture(s);
  const RegardMatrix *matrix = regard_selection_get_matrix(s);
  const RegardCell pin = regard_selection_get_pin(s);
  if (!matrix || !capture || regard_selection_get_combine(s) != REGARD_COMBINE_HEAD ||
      pin.row < 0 || pin.col < 0 || pin.row >= (int) matrix->rows || pin.col >= (int) matrix->cols)
    return;
  const RegardLabel *row = &matrix->row_labels[pin.row], *col = &matrix->col_labels[pin.col];
  if (row->n_tokens != 1 || col->n_tokens != 1)
    return;
  inquiry->has_cell = TRUE;
  inquiry->kind = regard_selection_get_kind(s);
  inquiry->layer =
      (guint) mt_capture_first_layer(capture, inquiry->kind) + regard_selection_get_layer(s);
  inquiry->head =
      (guint) mt_capture_first_head(capture, inquiry->kind) + regard_selection_get_head(s);
  inquiry->row = row->first_token;
  inquiry->column = col->first_token;
}

static RegardVerdict
get_verdict(const RegardLessonRunState *state)
{
  switch (state->verdict) {
  case REGARD_SAID_MEASURED:
    return state->chosen == state->measured ? REGARD_VERDICT_AS_MEASURED : REGARD_VERDICT_NOT;
  case REGARD_SAID_RIGHT:
  case REGARD_SAID_FOUND:
    return REGARD_VERDICT_AS_MEASURED;
  case REGARD_SAID_WRONG:
  case REGARD_SAID_TOO_LARGE:
  case REGARD_SAID_TOO_SMALL:
  case REGARD_SAID_NOT_FOUND:
    return REGARD_VERDICT_NOT;
  case REGARD_SAID_UNCLEAR:
    return REGARD_VERDICT_NOT_CLEAR;
  case REGARD_SAID_NONE:
  case REGARD_SAID_NO_NUMBER:
    return REGARD_VERDICT_UNANSWERED;
  }
  g_assert_not_reached();
}

RegardAnswer *
regard_lesson_run_take_answer(RegardLessonRun *self)
{
  const RegardLessonRunState *state = &self->state;
  const RegardVerdict verdict = state->lesson ? get_verdict(state) : REGARD_VERDICT_UNANSWERED;
  if (verdict == REGARD_VERDICT_UNANSWERED)
    return NULL;
  RegardAnswer *answer = regard_answer_new(state->lesson, state->step);
  const char measured[] = {state->measured, '\0'};
  g_autofree char *sentence = dup_sentence(self);
  RegardLessonInquiry inquiry = {0};
  take_cell(self, &inquiry);
  answer->verdict = verdict;
  answer->letter = state->chosen;
  if (answer->question == REGARD_ASK_NUMBER &&
      !regard_lesson_read_number(self->answer, state->number, &answer->number))
    answer->number = NAN;
  answer->measured = state->number;
  g_free(answer->right);
  answer->right = g_strdup(measured);
  regard_answer_set_text(&answer->text, sentence);
  regard_answer_set_text(&answer->changes, get_changes(self));
  answer->checkpoint =
      regard_lesson_model_checkpoint(regard_document_get_model_dir(self->document));
  answer->has_cell = inquiry.has_cell;
  answer->kind = inquiry.kind;
  answer->layer = inquiry.layer;
  answer->head = inquiry.head;
  answer->row = inquiry.row;
  answer->column = inquiry.column;
  return answer;
}

/* findings NULL: they could not be measured. */
static void
take_values(RegardLessonRun *self, RegardLessonFindings *findings)
{
  if (findings) {
    regard_lesson_values_free(self->state.values, findings->n);
    self->state.values = g_steal_pointer(&findings->values);
  }
  g_free(self->let_text);
  g_free(self->let_model);
  self->let_text = dup_sentence(self);
  self->let_model = g_strdup(get_model(self));
}

static void
take_decision(RegardLessonRun *self, const RegardLessonFindings *findings)
{
  g_free(self->decided_in);
  g_free(self->decided_of);
  g_free(self->decided_text);
  g_free(self->decided_model);
  self->decided_in = g_strdup(self->measured_in);
  self->decided_of = dup_subject(self);
  self->decided_text = dup_sentence(self);
  self->decided_model = g_strdup(get_model(self));
  self->wants_decision = FALSE;
  g_free(self->said);
  self->said = g_strdup(findings->said);
  judge(self, &findings->decision);
}

static void
take_waits(RegardLessonRun *self, gboolean holds)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  g_free(self->waited_in);
  self->waited_in = g_strdup(self->measured_in);
  for (guint i = 0; holds && i < step->directives->len; i++) {
    const RegardDirective *directive = get_directive(step, i);
    if (directive->type == REGARD_DIRECTIVE_WAIT && directive->event == REGARD_WAIT_CONDITION)
      self->state.waits[i] = TRUE;
  }
}

static void
end_setting_up(RegardLessonRun *self)
{
  if (self->setting_up == STAGE_NOTHING)
    return;
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  for (guint i = 0; i < step->directives->len; i++)
    if (is_of_translation(get_directive(step, i)) && !get_directive(step, i)->is_after)
      show(self, get_directive(step, i));
  self->setting_up = STAGE_NOTHING;
  take_before(self);
  regard_document_set_gesture(self->document, 0);
  g_signal_emit_by_name(self, "point", get_point(self));
}

static void
on_measured(gpointer owner, RegardRun *run)
{
  RegardLessonRun *self = owner;
  const RegardLessonInquiry *inquiry = regard_run_get_params(run);
  g_autoptr(GError) error = NULL;
  RegardLessonFindings *findings = regard_run_finish(run, &error);
  g_autofree char *now = dup_setting(self);
  /* What was asked of another sentence or model says nothing of this one. */
  const gboolean is_current = g_str_equal(now, self->measured_in);
  set_problem(self, findings || !is_current ? NULL : error->message);
  if (is_current) {
    if (inquiry->lets)
      take_values(self, findings);
    g_clear_pointer(&self->lets, g_ptr_array_unref);
    end_setting_up(self);
    if (findings && inquiry->is_decision)
      take_decision(self, findings);
    if (findings && inquiry->has_waits)
      take_waits(self, findings->holds);
    if (!findings) {
      self->wants_decision = FALSE;
      g_free(self->waited_in);
      self->waited_in = g_strdup(now);
      g_free(self->decided_in);
      self->decided_in = g_strdup(now);
      if (inquiry->is_decision && self->is_silent)
        ask_anew(self);
    }
    check_done(self);
  }
  g_clear_pointer(&findings, regard_lesson_findings_free);
  on_changed(self);
}

/* The folder of the model that a place names. Caller frees; NULL: there is none. */
static char *
find_model(RegardLessonRun *self, const RegardLessonPlace *place)
{
  return g_str_equal(place->model, "any") ? g_strdup(self->model)
                                          : regard_lesson_model_path(place->model, place->step);
}

/* What a name of this step was measured in before: the changes it was set up with, the model that
 * stands before it, else the one that is there now, and the text that is there now. */
static void
want_lets_anew(RegardLessonRun *self)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  g_autofree char *sentence = dup_sentence(self);
  if (self->lets || !self->let_text ||
      (g_strcmp0(sentence, self->let_text) == 0 && g_str_equal(get_model(self), self->let_model)))
    return;
  g_auto(RegardLessonPlace) place = {0};
  g_autofree char *other = NULL;
  regard_lesson_place_copy(&place, &self->place);
  self->lets = g_ptr_array_new_with_free_func(regard_lesson_let_free);
  for (guint i = 0; i < step->directives->len; i++) {
    const RegardDirective *directive = get_directive(step, i);
    if (directive->type == REGARD_DIRECTIVE_MODEL) {
      regard_lesson_place_follow(&place, directive);
      g_free(other);
      other = find_model(self, &place);
      if (g_strcmp0(other, self->wanted) == 0)
        g_clear_pointer(&other, g_free);
    } else if (directive->type == REGARD_DIRECTIVE_LET) {
      RegardLessonLet *let = regard_lesson_let_new(directive);
      let->model = g_strdup(other);
      let->changes = g_strdup(self->place.changes->str);
      g_ptr_array_add(self->lets, let);
    }
  }
  if (self->lets->len == 0)
    g_clear_pointer(&self->lets, g_ptr_array_unref);
}

static gpointer
copy_let(gconstpointer data, gpointer user)
{
  const RegardLessonLet *let = data;
  RegardLessonLet *copy = regard_lesson_let_new(let->directive);
  copy->model = g_strdup(let->model);
  copy->text = g_strdup(let->text);
  copy->changes = g_strdup(let->changes);
  return copy;
}

/* Of a state without its model nothing can be measured. */
static void
give_up_measuring(RegardLessonRun *self)
{
  set_problem(self, _("There is no model to measure with."));
  g_clear_pointer(&self->lets, g_ptr_array_unref);
  self->wants_decision = FALSE;
  end_setting_up(self);
  update(self);
}

static void
measure(RegardLessonRun *self)
{
  const mt_request *search = regard_document_get_search(self->document);
  RegardLessonInquiry inquiry = {
      .lesson = regard_lesson_ref(self->state.lesson),
      .step = self->state.step,
      .lets = self->lets ? g_ptr_array_copy(self->lets, (GCopyFunc) copy_let, NULL) : NULL,
      .has_waits = self->setting_up == STAGE_NOTHING && has_open_wait(self, TRUE),
      .is_decision = self->wants_decision,
      .values = regard_lesson_values_copy(self->state.values, self->state.lesson->names->len),
      .text = dup_sentence(self),
      .own = g_strdup(self->own && *self->own ? self->own : NULL),
      .search = mt_request_copy(search),
  };
  if (!inquiry.text && self->place.text)
    inquiry.text = g_strdup(self->place.text);
  take_cell(self, &inquiry);
  g_free(self->measured_in);
  self->measured_in = dup_setting(self);
  g_autoptr(RegardPass) pass =
      regard_pass_new(NULL, regard_document_get_model(self->document), NULL, 0);
  regard_work_run(self->work, &regard_lesson_task, pass, &inquiry, on_measured);
}

/* Somebody changed something after a question came out, or while it waits to be found. */
static gboolean
is_to_be_decided_anew(RegardLessonRun *self, const char *setting)
{
  const RegardQuestion question = regard_lesson_run_get_step(self)->question;
  g_autofree char *subject = dup_subject(self);
  if (question == REGARD_ASK_FIND)
    return (self->state.verdict != REGARD_SAID_NONE ||
            !g_str_equal(setting, self->before.setting)) &&
           g_strcmp0(setting, self->decided_in) != 0;
  return self->decided_of && self->is_answered && !g_str_equal(subject, self->decided_of);
}

static void queue_quiet(RegardLessonRun *self, guint milliseconds);

/* Nothing changed for a moment. */
static gboolean
on_quiet(gpointer data)
{
  RegardLessonRun *self = data;
  self->quiet = 0;
  if (!is_settled(self) || self->setting_up == STAGE_MODEL || self->setting_up == STAGE_STATE)
    return G_SOURCE_REMOVE; /* what is on its way will be told of */
  g_autofree char *setting = dup_setting(self);
  if (self->setting_up == STAGE_NOTHING) {
    note_waits(self);
    want_lets_anew(self);
    if (is_wrong(self->state.verdict) && is_stale(self))
      ask_anew(self);
    if (!self->wants_decision && is_to_be_decided_anew(self, setting))
      self->wants_decision = self->is_silent = TRUE;
  }
  const gboolean wants_waits = self->setting_up == STAGE_NOTHING && has_open_wait(self, TRUE) &&
                               g_strcmp0(setting, self->waited_in) != 0;
  if (regard_work_is_busy(self->work) && g_strcmp0(setting, self->measured_in) == 0)
    return G_SOURCE_REMOVE;
  regard_work_drop(self->work);
  if (!regard_document_get_model(self->document) && (self->lets || self->wants_decision))
    give_up_measuring(self);
  else if (self->lets || self->wants_decision || wants_waits)
    measure(self);
  else if (self->setting_up != STAGE_NOTHING) {
    end_setting_up(self);
    queue_quiet(self, HOLDS_FOR); /* it may be so already */
  }
  check_done(self);
  update(self);
  return G_SOURCE_REMOVE;
}

static void
queue_quiet(RegardLessonRun *self, guint milliseconds)
{
  g_clear_handle_id(&self->quiet, g_source_remove);
  self->quiet = g_timeout_add(milliseconds, on_quiet, self);
}

/* ---- Setting up ------------------------------------------------------------------------------ */

/* The text of a place; NULL: what is there. Borrowed. */
static const char *
find_text(RegardLessonRun *self, const RegardLessonPlace *place)
{
  return self->leaves_text         ? NULL
         : !place->is_own          ? place->text
         : self->own && *self->own ? self->own
                                   : NULL;
}

/* What a step shows. For who did not come from the step before, the last page, head and form of
 * those before it, too. */
static void
show_step(RegardLessonRun *self, gboolean anew)
{
  static const RegardDirectiveType kept[] = {REGARD_DIRECTIVE_PAGE, REGARD_DIRECTIVE_PANES,
                                             REGARD_DIRECTIVE_HEAD, REGARD_DIRECTIVE_FORM};
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  for (guint k = 0; anew && k < G_N_ELEMENTS(kept); k++) {
    const RegardDirective *last = find_last(self, kept[k], self->state.step);
    if (last)
      show(self, last);
  }
  for (guint i = 0; i < step->directives->len; i++)
    if (!is_of_translation(get_directive(step, i)) && !get_directive(step, i)->is_after)
      show(self, get_directive(step, i));
}

static void
set_up_document(RegardLessonRun *self, gboolean anew)
{
  const char *text = find_text(self, &self->place);
  g_autoptr(GError) error = NULL;
  self->setting_up = STAGE_ANSWER; /* what follows is told of at once */
  if (text && !g_str_equal(text, regard_document_get_text(self->document)))
    regard_document_set_text(self->document, text);
  if (!regard_document_set_interventions_text(self->document, self->place.changes->str, &error))
    set_problem(self, error->message);
  show_step(self, anew);
  queue_quiet(self, 0);
}

static void
set_up_model(RegardLessonRun *self, gboolean anew)
{
  const RegardDirective *state = regard_lesson_find_state(regard_lesson_run_get_step(self));
  if (state) { /* which has all of it */
    g_autoptr(GError) error = NULL;
    self->setting_up = STAGE_STATE;
    if (regard_stage_show(self->stage, state, &error))
      return;
    set_problem(self, error->message);
    set_up_document(self, anew);
    return;
  }
  if (!self->wanted) {
    g_autofree char *problem = g_strdup_printf(_("There is no model “%s”."), self->place.model);
    set_problem(self, problem);
  }
  if (!self->wanted || g_str_equal(self->wanted, get_model(self)) ||
      regard_document_is_closed(self->document)) {
    set_up_document(self, anew);
    return;
  }
  self->setting_up = STAGE_MODEL;
  regard_document_open_model(self->document, self->wanted);
}

/* A name of a step, to be measured at a place. */
static void
add_let(RegardLessonRun *self, const RegardDirective *directive, const RegardLessonPlace *place)
{
  RegardLessonLet *let = regard_lesson_let_new(directive);
  g_autofree char *model = find_model(self, place);
  let->model = g_strcmp0(model, self->wanted) == 0 ? NULL : g_steal_pointer(&model);
  let->text = place->is_own ? NULL : g_strdup(place->text);
  let->changes = g_strdup(place->changes->str);
  g_ptr_array_add(self->lets, let);
}

/* What is there, as a place: where the steps so far have led, and the person after them. */
static void
take_place(RegardLessonRun *self, RegardLessonPlace *place)
{
  RegardLessonPlace now;
  regard_lesson_place_copy(&now, &self->place);
  g_string_assign(now.changes, get_changes(self));
  now.is_own = TRUE; /* whatever it is, it stays */
  regard_lesson_place_clear(place);
  *place = now;
}

static gboolean
has_value(RegardLessonRun *self, const RegardDirective *let)
{
  const RegardValue *value = &self->state.values[let->number];
  return value->text || !isnan(value->number);
}

static gboolean
is_of_step(RegardLessonRun *self, const RegardDirective *directive)
{
  return g_ptr_array_find(regard_lesson_run_get_step(self)->directives, directive, NULL);
}

/* Where the directives up to this step lead, and what has to be measured on the way. anew: as if
 * each step before had been done. */
static void
plan(RegardLessonRun *self, gboolean anew)
{
  g_auto(RegardLessonPlace) place = {0};
  const guint first = anew ? 0 : self->state.step;
  regard_lesson_place_init(&place, self->state.lesson);
  /* The folder of the model has to be known before the names are planned. */
  for (guint pass = 0; pass < 2; pass++) {
    if (!anew)
      take_place(self, &place);
    else {
      regard_lesson_place_clear(&place);
      regard_lesson_place_init(&place, self->state.lesson);
    }
    for (guint s = first; s <= self->state.step; s++) {
      const RegardLessonStep *step = self->state.lesson->steps->pdata[s];
      const gboolean is_this = s == self->state.step;
      for (guint i = 0; i < step->directives->len; i++) {
        const RegardDirective *directive = get_directive(step, i);
        if (!is_this || directive->type != REGARD_DIRECTIVE_WAIT)
          regard_lesson_place_follow(&place, directive);
        if (pass == 1 && directive->type == REGARD_DIRECTIVE_LET &&
            (is_this || !has_value(self, directive)))
          add_let(self, directive, &place);
      }
    }
    if (pass == 0) {
      g_free(self->wanted);
      self->wanted = find_model(self, &place);
    }
  }
  regard_lesson_place_clear(&self->place);
  regard_lesson_place_copy(&self->place, &place);
  /* In the text of the step, whatever somebody makes of it before that is measured. */
  for (guint i = 0; i < self->lets->len; i++) {
    RegardLessonLet *let = self->lets->pdata[i];
    if (is_of_step(self, let->directive) && g_strcmp0(let->text, place.text) == 0)
      g_clear_pointer(&let->text, g_free);
  }
}

void
regard_lesson_run_look_ahead(RegardLessonRun *self, guint step, RegardLessonAhead *ahead)
{
  const GPtrArray *steps = self->state.lesson->steps;
  g_auto(RegardLessonPlace) place = {0};
  regard_lesson_place_init(&place, self->state.lesson);
  for (guint s = 0; s <= step; s++) {
    const GPtrArray *directives = ((const RegardLessonStep *) steps->pdata[s])->directives;
    for (guint i = 0; i < directives->len; i++) {
      const RegardDirective *directive = directives->pdata[i];
      if (s < step || directive->type != REGARD_DIRECTIVE_WAIT)
        regard_lesson_place_follow(&place, directive);
    }
  }
  const char *own = self->own && *self->own ? self->own : regard_document_get_text(self->document);
  const RegardDirective *at = find_last(self, REGARD_DIRECTIVE_STEP, step + 1);
  *ahead = (RegardLessonAhead){
      .text = g_strdup(place.is_own || !place.text ? own : place.text),
      .changes = g_strdup(place.changes->str),
      .model = find_model(self, &place),
      .page = find_last(self, REGARD_DIRECTIVE_PAGE, step + 1),
      .head = find_last(self, REGARD_DIRECTIVE_HEAD, step + 1),
      .form = find_last(self, REGARD_DIRECTIVE_FORM, step + 1),
      .step = at && g_ptr_array_find(((const RegardLessonStep *) steps->pdata[step])->directives,
                                     at, NULL)
                  ? at
                  : NULL,
  };
}

void
regard_lesson_ahead_clear(RegardLessonAhead *ahead)
{
  g_free(ahead->text);
  g_free(ahead->changes);
  g_free(ahead->model);
  *ahead = (RegardLessonAhead){0};
}

/* Whatever the step before was about. */
static void
forget_step(RegardLessonRun *self)
{
  g_clear_handle_id(&self->quiet, g_source_remove);
  regard_work_drop(self->work);
  g_clear_pointer(&self->lets, g_ptr_array_unref);
  g_clear_pointer(&self->measured_in, g_free);
  g_clear_pointer(&self->decided_in, g_free);
  g_clear_pointer(&self->decided_of, g_free);
  g_clear_pointer(&self->decided_text, g_free);
  g_clear_pointer(&self->decided_model, g_free);
  g_clear_pointer(&self->waited_in, g_free);
  g_clear_pointer(&self->let_text, g_free);
  g_clear_pointer(&self->let_model, g_free);
  g_clear_pointer(&self->answer, g_free);
  g_clear_pointer(&self->said, g_free);
  g_clear_pointer(&self->state.problem, g_free);
  g_clear_pointer(&self->state.waits, g_free);
  self->wants_decision = self->is_silent = self->is_answered = FALSE;
  self->is_file = self->is_revealing = FALSE;
  self->state.verdict = REGARD_SAID_NONE;
  self->state.chosen = self->state.measured = '\0';
  self->state.number = NAN;
  self->state.n_wrong = 0;
}

/* What was typed where one's own text was asked for is that from now on. */
static void
keep_own(RegardLessonRun *self)
{
  const char *text = regard_document_get_text(self->document);
  if (self->setting_up != STAGE_NOTHING || !self->before.text || !self->place.is_own ||
      g_str_equal(text, self->before.text))
    return;
  g_free(self->own);
  self->own = g_strdup(text);
}

static gboolean
has_text(const RegardLessonStep *step)
{
  for (guint i = 0; i < step->directives->len; i++)
    if (get_directive(step, i)->type == REGARD_DIRECTIVE_TEXT)
      return TRUE;
  return FALSE;
}

static void
enter(RegardLessonRun *self, guint step, gboolean anew)
{
  const gboolean follows =
      step == self->state.step + 1 && self->state.done[self->state.step] && !self->state.is_away;
  keep_own(self);
  forget_step(self);
  self->state.step = step;
  self->state.waits = g_new0(gboolean, regard_lesson_run_get_step(self)->directives->len + 1);
  self->state.is_away = FALSE;
  self->lets = g_ptr_array_new_with_free_func(regard_lesson_let_free);
  self->leaves_text = !anew && follows && !has_text(regard_lesson_run_get_step(self));
  plan(self, anew || !follows);
  if (self->lets->len == 0)
    g_clear_pointer(&self->lets, g_ptr_array_unref);
  regard_document_set_gesture(self->document, GESTURES + ++self->gesture);
  self->setting_up = STAGE_MODEL;
  g_signal_emit_by_name(self, "point", NULL);
  set_up_model(self, anew || !follows);
  update(self);
}

/* ---- What happens ---------------------------------------------------------------------------- */

/* The model of the step runs, or could not be had. */
static void
check_model(RegardLessonRun *self)
{
  if (self->setting_up != STAGE_MODEL || regard_document_is_opening(self->document))
    return;
  if (!g_str_equal(self->wanted, get_model(self)))
    set_problem(self, _("The model of this step could not be opened."));
  set_up_document(self, TRUE);
}

/* The state of the slide is there, as a text with its request, or as a file. */
static void
on_state(RegardLessonRun *self)
{
  if (!self->state.lesson || self->setting_up != STAGE_STATE)
    return;
  g_free(self->wanted);
  self->wanted = g_strdup(get_newest_model(self));
  self->is_file = regard_document_get_imported_capture(self->document) != NULL;
  take_place(self, &self->place);
  self->setting_up = STAGE_ANSWER;
  show_step(self, FALSE);
  queue_quiet(self, 0);
  update(self);
}

static void
on_changed(RegardLessonRun *self)
{
  if (!self->state.lesson || !self->stage)
    return;
  check_model(self);
  if (self->setting_up == STAGE_MODEL || self->setting_up == STAGE_STATE)
    return;
  g_autofree char *setting = dup_setting(self);
  /* It is of what was there before. */
  if (regard_work_is_busy(self->work) && g_strcmp0(setting, self->measured_in) != 0)
    regard_work_drop(self->work);
  queue_quiet(self, self->setting_up == STAGE_NOTHING && !self->wants_decision ? HOLDS_FOR : 0);
  update(self);
}

static void
on_load_failed(RegardLessonRun *self, const char *dir, const GError *error)
{
  if (!self->state.lesson || g_strcmp0(dir, self->wanted) != 0)
    return;
  check_model(self);
  set_problem(self, error->message);
  update(self);
}

/* What was to be shown when a translation is there is not there then. */
static void
on_lacks(RegardLessonRun *self, const GError *error)
{
  if (!self->state.lesson)
    return;
  set_problem(self, error->message);
  if (self->setting_up == STAGE_STATE) { /* the words of the slide are there without it */
    self->setting_up = STAGE_ANSWER;
    show_step(self, FALSE);
    queue_quiet(self, 0);
  }
  update(self);
}

static void
on_model_failed(RegardLessonRun *self, const GError *error)
{
  if (self->state.lesson)
    on_load_failed(self, self->wanted, error);
}

void
regard_lesson_run_note(RegardLessonRun *self, RegardWait event)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  if (!step || self->setting_up != STAGE_NOTHING)
    return;
  for (guint i = 0; i < step->directives->len; i++) {
    const RegardDirective *directive = get_directive(step, i);
    if (directive->type == REGARD_DIRECTIVE_WAIT && directive->event == event)
      self->state.waits[i] = TRUE;
  }
  on_changed(self);
}

static void
on_pin(RegardLessonRun *self)
{
  const RegardCell pin = regard_selection_get_pin(self->selection);
  if (pin.row >= 0 && pin.col >= 0)
    regard_lesson_run_note(self, REGARD_WAIT_CELL);
  else
    on_changed(self);
}

void
regard_lesson_run_look(RegardLessonRun *self)
{
  on_changed(self);
}

/* A session was opened: what was put aside is back, and no lesson runs. */
static void
on_aside(RegardLessonRun *self)
{
  if (self->state.lesson && !regard_document_is_aside(self->document))
    regard_lesson_run_leave(self);
}

/* ---- What somebody does ---------------------------------------------------------------------- */

static void
decide(RegardLessonRun *self)
{
  self->wants_decision = TRUE;
  self->is_silent = FALSE;
  if (self->setting_up == STAGE_NOTHING)
    queue_quiet(self, 0);
  update(self);
}

/* By its letter, whatever the order in which they stand. Borrowed; NULL: there is none. */
static const RegardLessonOption *
find_option(const RegardLessonStep *step, char letter)
{
  for (guint i = 0; i < step->options->len; i++) {
    const RegardLessonOption *option = step->options->pdata[i];
    if (option->letter == letter)
      return option;
  }
  return NULL;
}

void
regard_lesson_run_choose(RegardLessonRun *self, char letter)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  if (!step || (step->question != REGARD_ASK_PREDICT && step->question != REGARD_ASK_CHOOSE) ||
      !find_option(step, letter))
    return;
  self->state.chosen = letter;
  decide(self);
}

void
regard_lesson_run_answer(RegardLessonRun *self, const char *text)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  double number;
  if (!step || step->question != REGARD_ASK_NUMBER)
    return;
  g_free(self->answer);
  self->answer = g_strdup(text);
  if (regard_lesson_read_number(text, 0, &number)) {
    decide(self);
    return;
  }
  self->state.verdict = REGARD_SAID_NO_NUMBER;
  update(self);
}

void
regard_lesson_run_check(RegardLessonRun *self)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  if (step && step->question == REGARD_ASK_FIND)
    decide(self);
}

void
regard_lesson_run_reveal(RegardLessonRun *self)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  if (!step || step->question == REGARD_ASK_NOTHING || step->question == REGARD_ASK_FIND)
    return;
  self->is_revealing = TRUE;
  decide(self);
}

gboolean
regard_lesson_run_is_changed(RegardLessonRun *self)
{
  if (!self->state.lesson || self->setting_up != STAGE_NOTHING)
    return FALSE;
  g_autofree char *setting = dup_setting(self);
  return self->state.is_away || g_strcmp0(setting, self->before.setting) != 0;
}

void
regard_lesson_run_go(RegardLessonRun *self, guint step)
{
  if (self->state.lesson && step < self->state.lesson->steps->len)
    enter(self, step, FALSE);
}

void
regard_lesson_run_go_to_last(RegardLessonRun *self)
{
  if (!self->state.lesson)
    return;
  guint last = self->state.lesson->steps->len - 1;
  for (guint i = 0; i < self->state.lesson->steps->len; i++)
    if (((const RegardLessonStep *) self->state.lesson->steps->pdata[i])->question)
      last = i;
  enter(self, last, TRUE);
}

void
regard_lesson_run_return(RegardLessonRun *self)
{
  if (self->state.lesson)
    enter(self, self->state.step, TRUE);
}

/* ---- The lesson ------------------------------------------------------------------------------ */

static void
forget_lesson(RegardLessonRun *self)
{
  RegardLesson *lesson = self->state.lesson;
  g_signal_emit_by_name(self, "point", NULL); /* what was pointed at is the lesson's */
  forget_step(self);
  clear_before(&self->before);
  regard_lesson_place_clear(&self->place);
  if (lesson)
    regard_lesson_values_free(self->state.values, lesson->names->len);
  g_free(self->state.done);
  self->state = (RegardLessonRunState){.number = NAN};
  self->setting_up = STAGE_NOTHING;
  regard_lesson_unref(lesson);
}

static void
take_lesson(RegardLessonRun *self, RegardLesson *lesson)
{
  const guint n = lesson->names->len;
  self->state.lesson = regard_lesson_ref(lesson);
  self->state.done = g_new0(gboolean, lesson->steps->len + 1);
  self->state.values = g_new0(RegardValue, n + 1);
  for (guint i = 0; i < n; i++)
    self->state.values[i].number = NAN;
}

static void
put_aside(RegardLessonRun *self)
{
  g_free(self->model);
  g_free(self->own);
  g_free(self->page);
  self->model = g_strdup(get_newest_model(self));
  self->own = g_strdup(regard_document_get_own_text(self->document));
  self->page = regard_stage_dup_page(self->stage);
  regard_document_put_aside(self->document);
}

void
regard_lesson_run_start_at(RegardLessonRun *self, RegardLesson *lesson, guint step)
{
  g_return_if_fail(REGARD_IS_LESSON_RUN(self) && self->stage && lesson);
  g_autoptr(RegardLesson) kept = regard_lesson_ref(lesson);
  if (self->state.lesson)
    forget_lesson(self); /* what was put aside before it stays there */
  else
    put_aside(self);
  /* The person's, or that of the lesson before. */
  regard_document_set_compare(self->document, REGARD_COMPARE_OFF);
  regard_document_drop_reference(self->document);
  take_lesson(self, kept);
  enter(self, step, TRUE);
}

void
regard_lesson_run_start(RegardLessonRun *self, RegardLesson *lesson)
{
  regard_lesson_run_start_at(self, lesson, 0);
}

void
regard_lesson_run_replace(RegardLessonRun *self, RegardLesson *lesson)
{
  g_return_if_fail(self->state.lesson && lesson);
  const guint step = MIN(self->state.step, lesson->steps->len - 1);
  g_autofree gboolean *done = g_steal_pointer(&self->state.done);
  const guint n = MIN(self->state.lesson->steps->len, lesson->steps->len);
  g_autoptr(RegardLesson) kept = regard_lesson_ref(lesson);
  keep_own(self);
  forget_lesson(self);
  take_lesson(self, kept);
  memcpy(self->state.done, done, n * sizeof *done);
  self->state.step = step;
  enter(self, step, TRUE);
}

void
regard_lesson_run_leave(RegardLessonRun *self)
{
  if (!self->state.lesson)
    return;
  forget_lesson(self);
  regard_document_set_gesture(self->document, 0);
  regard_document_bring_back(self->document);
  if (self->page && self->stage) {
    const RegardDirective page = {.type = REGARD_DIRECTIVE_PAGE, .text = self->page, .number = -1};
    regard_stage_show(self->stage, &page, NULL);
  }
  g_signal_emit_by_name(self, "left");
  g_signal_emit_by_name(self, "changed");
}

/* ---- What is said of it ---------------------------------------------------------------------- */

/* As it is read aloud: without marks. Caller frees. */
static char *
say_option(RegardLessonRun *self, char letter)
{
  const RegardLesson *lesson = self->state.lesson;
  const RegardLessonOption *option = find_option(regard_lesson_run_get_step(self), letter);
  g_autofree char *markup =
      regard_lesson_markup(lesson, option->text, self->state.values, lesson->names->len);
  char *text = NULL;
  pango_parse_markup(markup, -1, 0, NULL, &text, NULL, NULL);
  return text ? text : g_strdup(option->text);
}

static char *
say_prediction(RegardLessonRun *self)
{
  g_autofree char *measured = say_option(self, self->state.measured);
  if (!self->state.chosen)
    return g_strdup_printf(_("Measured: %s"), measured);
  g_autofree char *said = say_option(self, self->state.chosen);
  return g_strdup_printf(_("You said: %s\nMeasured: %s"), said, measured);
}

/* In what it was measured, where that may be doubted: not in the text that the step began with, or
 * in one sentence of several; or at another step of a training. Caller frees; NULL: it may not. */
static char *
say_where(RegardLessonRun *self)
{
  const RegardTraining *training = regard_document_get_training(self->document);
  guint at;
  if (!self->decided_of || !self->decided_text || !self->before.text)
    return NULL;
  g_autofree char *begun = g_strstrip(g_strdup(self->before.text)),
                  *sentence = g_strstrip(g_strdup(self->decided_text));
  if (!g_str_equal(self->decided_model, self->before.model) &&
      regard_training_find(training, self->decided_model, &at)) {
    g_autofree char *step =
        g_strdup_printf("%" G_GUINT64_FORMAT,
                        g_array_index(training->steps, RegardTrainingStep, at).step);
    return g_strdup_printf(_("Measured at step %s of the training, in: %s"), step, sentence);
  }
  return g_str_equal(begun, sentence) ? NULL : g_strdup_printf(_("Measured in: %s"), sentence);
}

static char *
say_verdict(RegardLessonRun *self)
{
  const RegardLessonStep *step = regard_lesson_run_get_step(self);
  const char *said = NULL;
  switch (self->state.verdict) {
  case REGARD_SAID_NONE:
    return NULL;
  case REGARD_SAID_MEASURED:
    return say_prediction(self);
  case REGARD_SAID_RIGHT:
    if (step->question == REGARD_ASK_NUMBER) {
      const RegardValue value = {.number = self->state.number};
      g_autofree char *number = regard_value_say(&value);
      return g_strdup_printf(_("Right: %s."), number);
    }
    said = _("Right.");
    break;
  case REGARD_SAID_WRONG:
    said = _("That is not so. Choose again.");
    break;
  case REGARD_SAID_TOO_LARGE:
    said = self->state.n_wrong < 2 ? _("Too large. Try again.")
                                   : _("Too large. Look where the orange frame is.");
    break;
  case REGARD_SAID_TOO_SMALL:
    said = self->state.n_wrong < 2 ? _("Too small. Try again.")
                                   : _("Too small. Look where the orange frame is.");
    break;
  case REGARD_SAID_NO_NUMBER:
    said = _("Write a number, such as 12 or 0.35.");
    break;
  case REGARD_SAID_FOUND:
    said = self->said;
    break;
  case REGARD_SAID_NOT_FOUND:
    return g_strdup_printf("%s\n%s", self->said,
                           _("It is measured again when you change something."));
  case REGARD_SAID_UNCLEAR:
    said = _("Not clear in this sentence, which happens. Type another one, and it is measured "
             "again; or go on.");
    break;
  }
  return g_strdup(said);
}

char *
regard_lesson_run_say_verdict(RegardLessonRun *self)
{
  if (!regard_lesson_run_get_step(self) || self->state.verdict == REGARD_SAID_NONE)
    return NULL;
  if (self->state.is_stale)
    return g_strdup(_("That was of something else. It is measured again."));
  g_autofree char *said = say_verdict(self), *where = say_where(self);
  return where && said ? g_strdup_printf("%s\n%s", said, where) : g_steal_pointer(&said);
}

char *
regard_lesson_run_say_wait(RegardLessonRun *self, const RegardDirective *wait)
{
  switch (wait->event) {
  case REGARD_WAIT_CONDITION:
    return NULL;
  case REGARD_WAIT_CELL:
    return g_strdup(_("Click a cell of the picture"));
  case REGARD_WAIT_TEXT:
    return g_strdup(_("Change the text"));
  case REGARD_WAIT_HEAD:
    return g_strdup(_("Choose another head"));
  case REGARD_WAIT_SWITCHED: {
    g_autofree char *head = regard_naming_head(wait->kind, wait->layer, wait->head);
    return g_strdup_printf(_("Switch off the head %s"), head);
  }
  case REGARD_WAIT_CHANGE: {
    g_autofree char *line = g_strstrip(g_strdup(mt_interventions_text(wait->interventions)));
    return g_strdup_printf(_("Make the change “%s”"), line);
  }
  case REGARD_WAIT_PAGE:
    return g_strdup_printf(_("Go to the page %s"), wait->text);
  case REGARD_WAIT_STEP:
    return g_strdup(_("Go to another step"));
  case REGARD_WAIT_CHECKPOINT:
    return g_strdup(_("Choose another checkpoint"));
  }
  g_assert_not_reached();
}

/* ---- The object ------------------------------------------------------------------------------ */

void
regard_lesson_run_close(RegardLessonRun *self)
{
  if (!self->stage)
    return;
  regard_lesson_run_leave(self);
  self->stage = NULL;
}

static void
regard_lesson_run_dispose(GObject *object)
{
  RegardLessonRun *self = REGARD_LESSON_RUN(object);
  if (self->stage)
    regard_lesson_run_close(self);
  g_clear_object(&self->work);
  G_OBJECT_CLASS(regard_lesson_run_parent_class)->dispose(object);
}

static void
regard_lesson_run_finalize(GObject *object)
{
  RegardLessonRun *self = REGARD_LESSON_RUN(object);
  g_free(self->model);
  g_free(self->own);
  g_free(self->page);
  g_free(self->wanted);
  g_object_unref(self->document);
  G_OBJECT_CLASS(regard_lesson_run_parent_class)->finalize(object);
}

static void
regard_lesson_run_class_init(RegardLessonRunClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = regard_lesson_run_dispose;
  G_OBJECT_CLASS(klass)->finalize = regard_lesson_run_finalize;
  regard_add_signal(klass, "changed", 0);
  regard_add_signal(klass, "point", 1, G_TYPE_POINTER);
  regard_add_signal(klass, "answered", 0);
  regard_add_signal(klass, "finished", 0);
  regard_add_signal(klass, "left", 0);
}

static void
regard_lesson_run_init(RegardLessonRun *self)
{
  self->work = regard_work_new(self);
  self->state.number = NAN;
}

RegardLessonRun *
regard_lesson_run_new(RegardStage *stage)
{
  RegardLessonRun *self = g_object_new(REGARD_TYPE_LESSON_RUN, NULL);
  self->stage = stage;
  self->document = g_object_ref(regard_stage_get_document(stage));
  self->selection = regard_document_get_selection(self->document);
  regard_observe(self->document, self, on_changed, "changed::text", "changed::result",
                 "changed::waiting", "changed::model", "changed::loading", "changed::changes",
                 "changed::place", "changed::foreign", "changed::training");
  regard_observe(self->document, self, on_aside, "changed::aside");
  regard_observe(self->document, self, on_load_failed, "load-failed");
  regard_observe(self->document, self, on_model_failed, "model-failed");
  regard_observe(self->document, self, on_state, "session-opened");
  regard_observe(stage, self, on_lacks, "lacks");
  regard_observe(self->selection, self, on_pin, "pin-changed");
  regard_observe(self->selection, self, on_changed, "notify::step");
  return self;
}
