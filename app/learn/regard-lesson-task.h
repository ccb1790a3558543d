/* regard-lesson-task.h — what a step of a running lesson has measured, in a task of the runner.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A task is handed all that it needs and changes nothing: who runs a lesson drops the findings of
 * another text, model or step. No GTK.
 */
#pragma once

#include "learn/regard-lesson-check.h"
#include "runner/regard-runner.h"

G_BEGIN_DECLS

/* A `let` of this step or an earlier one, and what it is measured in. */
typedef struct {
  const RegardDirective *directive; /* borrowed of the lesson */
  char *model;                      /* folder of another model; NULL: the one of the pass */
  char *text;                       /* NULL: the text of the inquiry */
  char *changes;                    /* a line each; NULL: the changes of the inquiry */
} RegardLessonLet;
RegardLessonLet *regard_lesson_let_new(const RegardDirective *directive);
void regard_lesson_let_free(gpointer let);

/* The parameters, of which all is taken. Of the pass only the model counts. */
typedef struct {
  RegardLesson *lesson;
  guint step;
  GPtrArray *lets;      /* of RegardLessonLet *, measured first, in their order; NULL: none */
  gboolean has_waits;   /* the conditions that are waited for are wanted … */
  gboolean is_decision; /* … and what the question comes out as */
  RegardValue *values;  /* [names]: that names have already */
  char *text;           /* that is measured; NULL: none, which is an error where one is needed */
  char *own;            /* the person's own; NULL: the same */
  mt_request search;    /* how the text is searched for, with its changes */
  gboolean has_cell;    /* as in RegardSituation */
  mt_attention_kind kind;
  guint layer, head, row, column;
} RegardLessonInquiry;

typedef struct {
  guint n;
  RegardValue *values; /* [n]: of all names, with what was measured now */
  gboolean holds;      /* all that is waited for */
  RegardDecision decision;
  char *said; /* of what was to be found: regard_lesson_say_found; else NULL */
} RegardLessonFindings;
void regard_lesson_findings_free(gpointer findings);

/* RegardLessonInquiry → RegardLessonFindings *. */
extern const RegardTask regard_lesson_task;

/* [n], of values [n]. Caller frees them by regard_lesson_values_free. */
RegardValue *regard_lesson_values_copy(const RegardValue *values, guint n);
void regard_lesson_values_free(RegardValue *values, guint n);

G_END_DECLS
