/* regard-lesson-task.c — what a step of a running lesson has measured, in a task of the runner.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-lesson-task.h"

#include "learn/regard-lesson-found.h"

#include <string.h>

/* ---- What is handed over --------------------------------------------------------------------- */

RegardLessonLet *
regard_lesson_let_new(const RegardDirective *directive)
{
  RegardLessonLet *let = g_new0(RegardLessonLet, 1);
  let->directive = directive;
  return let;
}

void
regard_lesson_let_free(gpointer data)
{
  RegardLessonLet *let = data;
  g_free(let->model);
  g_free(let->text);
  g_free(let->changes);
  g_free(let);
}

RegardValue *
regard_lesson_values_copy(const RegardValue *values, guint n)
{
  RegardValue *copy = g_new0(RegardValue, n + 1);
  for (guint i = 0; i < n; i++)
    copy[i] = (RegardValue){values[i].number, g_strdup(values[i].text)};
  return copy;
}

void
regard_lesson_values_free(RegardValue *values, guint n)
{
  for (guint i = 0; values && i < n; i++)
    regard_value_clear(&values[i]);
  g_free(values);
}

void
regard_lesson_findings_free(gpointer data)
{
  RegardLessonFindings *findings = data;
  regard_lesson_values_free(findings->values, findings->n);
  g_free(findings->said);
  g_free(findings);
}

static void
clear_inquiry(gpointer data)
{
  RegardLessonInquiry *inquiry = data;
  regard_lesson_values_free(inquiry->values, inquiry->lesson->names->len);
  g_clear_pointer(&inquiry->lets, g_ptr_array_unref);
  g_free(inquiry->text);
  g_free(inquiry->own);
  mt_request_clear(&inquiry->search);
  regard_lesson_unref(inquiry->lesson);
}

/* ---- In the thread --------------------------------------------------------------------------- */

/* A model, and what it made of texts. */
typedef struct {
  mt_model *model;     /* a reference; NULL: it is the pass's, and so is the session */
  mt_session *session; /* likewise */
  RegardRuns *runs;
} Bench;

static void
clear_bench(Bench *bench)
{
  regard_runs_free(bench->runs);
  if (bench->model) {
    mt_session_free(bench->session);
    mt_model_unref(bench->model);
  }
  *bench = (Bench){0};
}

/* As the document searches; the changes of a situation are handed over with it. */
static void
begin_runs(Bench *bench, const RegardLessonInquiry *inquiry)
{
  mt_request search = mt_request_copy(&inquiry->search);
  mt_request_set_interventions(&search, NULL);
  g_clear_pointer(&search.constraints, mt_constraints_unref); /* of a sentence */
  const mt_search_params params = mt_request_resolve(&search, mt_session_model(bench->session));
  bench->runs = regard_runs_new(bench->session, &params);
  mt_request_clear(&search);
}

static gboolean
open_bench(Bench *bench, const RegardLessonInquiry *inquiry, const char *model, mt_error *error)
{
  bench->model = mt_model_open(model, NULL, error);
  bench->session = bench->model ? mt_session_new(bench->model, NULL, error) : NULL;
  if (bench->session)
    begin_runs(bench, inquiry);
  return bench->session != NULL;
}

static gboolean
refuse_text(mt_error *error)
{
  error->code = MT_ERROR_INPUT;
  g_strlcpy(error->message, "There is no text to measure.", sizeof error->message);
  return FALSE;
}

static gboolean
measure_let(const RegardLessonLet *let, RegardSetting setting, Bench *bench, Bench *other,
            const RegardLessonInquiry *inquiry, RegardValue *values, mt_error *error)
{
  g_autoptr(mt_interventions) changes =
      let->changes ? mt_interventions_parse("changes", let->changes, error) : NULL;
  if (let->changes && !changes)
    return FALSE;
  /* Names of one step are mostly of one model. */
  if (let->model) {
    clear_bench(other);
    if (!open_bench(other, inquiry, let->model, error))
      return FALSE;
  }
  setting.here.runs = let->model ? other->runs : bench->runs;
  setting.here.text = let->text ? let->text : inquiry->text;
  if (let->changes)
    setting.here.interventions = changes;
  if (!setting.here.text)
    return refuse_text(error);
  RegardValue *value = &values[let->directive->number];
  regard_value_clear(value);
  return regard_term_compute(let->directive->term, &setting, value, error);
}

static gboolean
measure_waits(const RegardLessonStep *step, const RegardSetting *setting, gboolean *holds,
              mt_error *error)
{
  *holds = TRUE;
  for (guint i = 0; i < step->directives->len && *holds; i++) {
    const RegardDirective *directive = step->directives->pdata[i];
    if (directive->type == REGARD_DIRECTIVE_WAIT && directive->event == REGARD_WAIT_CONDITION &&
        !regard_condition_holds(directive->condition, setting, holds, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
decide(const RegardLessonStep *step, const RegardSetting *setting, RegardLessonFindings *findings,
       mt_error *error)
{
  if (!regard_lesson_step_decide(step, setting, &findings->decision, error))
    return FALSE;
  if (step->question != REGARD_ASK_FIND)
    return TRUE;
  findings->said = regard_lesson_say_found(step, setting, findings->decision.line != NULL, error);
  return findings->said != NULL;
}

static gboolean
measure(const RegardLessonInquiry *inquiry, Bench *bench, Bench *other, const mt_hooks *hooks,
        RegardLessonFindings *findings, mt_error *error)
{
  const RegardLessonStep *step = inquiry->lesson->steps->pdata[inquiry->step];
  const RegardSetting setting = {
      .here = {.runs = bench->runs,
               .text = inquiry->text,
               .interventions = inquiry->search.interventions,
               .hooks = hooks,
               .has_cell = inquiry->has_cell,
               .kind = inquiry->kind,
               .layer = inquiry->layer,
               .head = inquiry->head,
               .row = inquiry->row,
               .column = inquiry->column},
      .own = inquiry->own,
      .values = findings->values,
  };
  for (guint i = 0; inquiry->lets && i < inquiry->lets->len; i++)
    if (!measure_let(inquiry->lets->pdata[i], setting, bench, other, inquiry, findings->values,
                     error))
      return FALSE;
  if (!inquiry->has_waits && !inquiry->is_decision)
    return TRUE;
  if (!inquiry->text)
    return refuse_text(error);
  return (!inquiry->has_waits || measure_waits(step, &setting, &findings->holds, error)) &&
         (!inquiry->is_decision || decide(step, &setting, findings, error));
}

static gpointer
compute(RegardRun *run, mt_error *error)
{
  const RegardLessonInquiry *inquiry = regard_run_get_params(run);
  const mt_hooks hooks = regard_run_hooks(run, NULL);
  Bench bench = {.session = regard_run_get_session(run, error)}, other = {0};
  if (!bench.session)
    return NULL;
  RegardLessonFindings *findings = g_new0(RegardLessonFindings, 1);
  findings->n = inquiry->lesson->names->len;
  findings->values = regard_lesson_values_copy(inquiry->values, findings->n);
  begin_runs(&bench, inquiry);
  if (!measure(inquiry, &bench, &other, &hooks, findings, error))
    g_clear_pointer(&findings, regard_lesson_findings_free);
  clear_bench(&other);
  clear_bench(&bench);
  return findings;
}

const RegardTask regard_lesson_task = {
    .priority = REGARD_RUN_SHOWN,
    .params_size = sizeof(RegardLessonInquiry),
    .compute = compute,
    .clear_params = clear_inquiry,
    .free_result = regard_lesson_findings_free,
};
