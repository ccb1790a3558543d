/* regard-lesson-check.h — a lesson gone through from its first step to its last, as by somebody who
 * does all that it says: what its questions come out as.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "learn/regard-answers.h"

G_BEGIN_DECLS

/* The folder of a model that a lesson names; step: of a training, or -1. NULL: it is none of those
 * that come with the program. Caller frees. */
char *regard_lesson_model_path(const char *name, gint64 step);
/* The step of the training that comes with the program whose folder this is; -1: it is of none; may
 * be NULL. */
gint64 regard_lesson_model_checkpoint(const char *path);

/* ---- Where directives lead ------------------------------------------------------------------- */

/* What a lesson is measured in, as its directives set it up. Nothing of it is opened or run. */
typedef struct {
  const char *model; /* as `model` names it, or "any"; borrowed of the lesson */
  gint64 step;       /* of a training, or -1 */
  const char *text;  /* that the lesson gave last; borrowed of it; NULL: none … */
  gboolean is_own;   /* … or it asked for the person's own after that */
  GString *changes;  /* a line each */
} RegardLessonPlace;

/* As a lesson begins. For regard_lesson_place_clear. */
void regard_lesson_place_init(RegardLessonPlace *place, const RegardLesson *lesson);
void regard_lesson_place_copy(RegardLessonPlace *out, const RegardLessonPlace *place);
void regard_lesson_place_clear(RegardLessonPlace *place);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RegardLessonPlace, regard_lesson_place_clear)
/* Does what a directive says; what it waits for is done. Those that only show something, ask or
 * measure do nothing here. */
void regard_lesson_place_follow(RegardLessonPlace *place, const RegardDirective *directive);

/* ---- Questions ------------------------------------------------------------------------------- */

/* The line of a step that decides its question: the first `right`, `unclear` or `found` whose
 * condition holds, or the `answer`. */
typedef struct {
  const RegardDirective *line; /* borrowed of the step; NULL: none holds, and it is not clear */
  double number;               /* of `answer`; NaN: it is not there */
} RegardDecision;

/* Of a step with a question. On any thread. FALSE: *error. */
gboolean regard_lesson_step_decide(const RegardLessonStep *step, const RegardSetting *setting,
                                   RegardDecision *decision, mt_error *error);

/* ---- A walk ---------------------------------------------------------------------------------- */

/* Where models come from. */
typedef struct {
  RegardRuns *runs; /* of the model that the lesson is done with; borrowed */
  /* One that a step names, borrowed. NULL: *error. */
  RegardRuns *(*open)(const char *name, gint64 step, gpointer user, mt_error *error);
  gpointer user;
  const mt_hooks *hooks; /* should_stop; NULL: none */
} RegardLessonModels;

/* What the question of a step came out as. */
typedef struct {
  /* Of options: something is right, the letter of the first that is. Of a number: there is one. Of
   * what is to be found: it is not there already. */
  gboolean is_clear;
  char letter;
  double number;
  const RegardDirective *line; /* of the step, which decided it; NULL: none did */
  gboolean is_lost;            /* it could not be measured again with what somebody answered */
} RegardOutcome;

/* outcomes [steps], of those without a question {0}. sentence stands in the place of every text
 * that the lesson gives; NULL: none. A model that lacks pieces of it is given the lesson's own.
 * On any thread. FALSE: *error, which names the lesson and the step. */
gboolean regard_lesson_walk(const RegardLesson *lesson, const RegardLessonModels *models,
                            const char *sentence, RegardOutcome *outcomes, mt_error *error);

/* The same with what somebody did: answers [steps], NULL where nothing was said, give a step the
 * text, the cell and the checkpoint that were there, and one that asks to find something the
 * changes. With one that cannot be measured so, the step is_lost, and is gone through as if nothing
 * had been said. */
gboolean regard_lesson_walk_again(const RegardLesson *lesson, const RegardLessonModels *models,
                                  const RegardAnswer *const *answers, RegardOutcome *outcomes,
                                  mt_error *error);
/* What an answer is worth, NULL: nothing was said, by what its step came out as. */
RegardVerdict regard_lesson_grade(const RegardLessonStep *step, const RegardAnswer *answer,
                                  const RegardOutcome *outcome);

/* The letter of the option that stands behind the first `right`; 0: the step has none. */
char regard_lesson_step_marked(const RegardLessonStep *step);
/* [steps], caller frees: whether the answer to a step's question can be another with another
 * sentence. */
gboolean *regard_lesson_depends_on_text(const RegardLesson *lesson);

G_END_DECLS
