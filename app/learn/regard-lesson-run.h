/* regard-lesson-run.h — a lesson as somebody goes through it: what a step sets up, what it waits
 * for, and what becomes of its question.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It has no widgets. It works on a copy of the stage's document, which is gone when the lesson is
 * left. What is measured is measured in tasks, in the model and sentence that are there when it is
 * asked; findings of another sentence or model are dropped, and taken again. A step is done when
 * all that it waits for has held for a moment, with its question answered; then it stays done.
 *
 * Signals:
 *   "changed"          something of the state below
 *   "point" (pointer)  this RegardDirective is to be looked at; NULL: nothing is any more
 *   "answered"         a question has come out
 *   "finished"         the last step is done
 *   "left"             no lesson runs any more
 */
#pragma once

#include "learn/regard-answers.h"
#include "learn/regard-lesson-task.h"
#include "learn/regard-stage.h"

G_BEGIN_DECLS

typedef enum {
  REGARD_LESSON_SETTING_UP, /* model, text and names are on their way */
  REGARD_LESSON_DOING,      /* it waits for something that is to be done */
  REGARD_LESSON_ASKED,
  REGARD_LESSON_MEASURING, /* the answer was given, and is measured */
  REGARD_LESSON_ANSWERED,  /* but there is more to do, or it was wrong */
  REGARD_LESSON_DONE,
} RegardLessonPhase;

typedef enum {
  REGARD_SAID_NONE,
  REGARD_SAID_MEASURED, /* a prediction, which is neither right nor wrong */
  REGARD_SAID_RIGHT,
  REGARD_SAID_WRONG,
  REGARD_SAID_TOO_LARGE,
  REGARD_SAID_TOO_SMALL,
  REGARD_SAID_NO_NUMBER, /* what was written is none */
  REGARD_SAID_FOUND,
  REGARD_SAID_NOT_FOUND,
  REGARD_SAID_UNCLEAR, /* not in this sentence: that counts as done */
} RegardLessonSaid;

typedef struct {
  RegardLesson *lesson; /* NULL: none runs; then nothing else counts */
  guint step;
  RegardLessonPhase phase;
  gboolean *done;  /* [steps] */
  gboolean *waits; /* [directives of the step]: that has happened */
  gboolean is_away;
  RegardLessonSaid verdict;
  gboolean is_stale;     /* it is of what is not there any more, and is taken again */
  char chosen, measured; /* letters of options; 0: none, or not known */
  double number;         /* that was measured; NaN: none */
  guint n_wrong;         /* wrong answers to the question, one after the other */
  RegardValue *values;   /* [names] */
  char *problem;         /* why something could not be set up or measured; NULL: it could */
} RegardLessonRunState;

#define REGARD_TYPE_LESSON_RUN (regard_lesson_run_get_type())
G_DECLARE_FINAL_TYPE(RegardLessonRun, regard_lesson_run, REGARD, LESSON_RUN, GObject)

/* The stage is borrowed, and lives as long as this does, or until regard_lesson_run_close. */
RegardLessonRun *regard_lesson_run_new(RegardStage *stage);
/* Leaves the lesson, and lets go of the stage. */
void regard_lesson_run_close(RegardLessonRun *self);
/* Borrowed, and the same one always. */
const RegardLessonRunState *regard_lesson_run_get_state(RegardLessonRun *self);
/* The step that is shown; NULL: no lesson runs. Borrowed. */
const RegardLessonStep *regard_lesson_run_get_step(RegardLessonRun *self);

/* Begins at its first step, on a copy. A reference is taken. */
void regard_lesson_run_start(RegardLessonRun *self, RegardLesson *lesson);
/* The same at a later step, from 0. */
void regard_lesson_run_start_at(RegardLessonRun *self, RegardLesson *lesson, guint step);
/* The same lesson, written anew: it goes on at the same step. */
void regard_lesson_run_replace(RegardLessonRun *self, RegardLesson *lesson);
/* What was there before it is back. */
void regard_lesson_run_leave(RegardLessonRun *self);

/* To a step, from 0. One that lies behind steps that were not done is set up as they would have
 * left it, with what they measure. */
void regard_lesson_run_go(RegardLessonRun *self, guint step);
/* To the last question, or the last step, by who knows this. */
void regard_lesson_run_go_to_last(RegardLessonRun *self);
/* Back to the step by who went on elsewhere. */
void regard_lesson_run_return(RegardLessonRun *self);

/* An option, by its letter. */
void regard_lesson_run_choose(RegardLessonRun *self, char letter);
/* A number, with a comma or a point. */
void regard_lesson_run_answer(RegardLessonRun *self, const char *text);
/* What was to be found is there, somebody thinks. */
void regard_lesson_run_check(RegardLessonRun *self);

/* What is so is measured and shown to a room, whose answer nobody writes down. Nothing happens
 * where something is to be found, or nothing is asked. */
void regard_lesson_run_reveal(RegardLessonRun *self);
/* Whether text, model, changes, cell or page are others than the step left them. */
gboolean regard_lesson_run_is_changed(RegardLessonRun *self);

/* What somebody said to the question of the step, with the sentence, the changes, the cell and the
 * checkpoint that are there, and what came of it. Caller frees; NULL: nothing has come out. */
RegardAnswer *regard_lesson_run_take_answer(RegardLessonRun *self);

/* What no signal of document or selection tells: a cell or a step was chosen on a page that has its
 * own; another page is looked at. */
void regard_lesson_run_note(RegardLessonRun *self, RegardWait event);
void regard_lesson_run_look(RegardLessonRun *self);

/* Where a step would begin that is gone to now, as if each before had been done, and the last of
 * what it shows; borrowed of the lesson, NULL: it stays. */
typedef struct {
  char *text, *changes;
  char *model; /* its folder, "" the bundled one; NULL: there is none of that name */
  const RegardDirective *page, *head, *form, *step;
} RegardLessonAhead;
void regard_lesson_run_look_ahead(RegardLessonRun *self, guint step, RegardLessonAhead *ahead);
void regard_lesson_ahead_clear(RegardLessonAhead *ahead);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RegardLessonAhead, regard_lesson_ahead_clear)

/* What has come out, in a sentence or two; NULL: nothing yet. Caller frees. */
char *regard_lesson_run_say_verdict(RegardLessonRun *self);
/* What a step waits for, as "Click a cell"; NULL: the text of the step says it. Caller frees. */
char *regard_lesson_run_say_wait(RegardLessonRun *self, const RegardDirective *wait);

/* A number as people write it. Both readings of "24,001" are one: the nearer to `measured` counts.
 * FALSE: it is none. */
gboolean regard_lesson_read_number(const char *text, double measured, double *number);

G_END_DECLS
