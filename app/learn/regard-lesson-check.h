/* regard-lesson-check.h — a lesson gone through from its first step to its last, as by somebody who
 * does all that it says: what its questions come out as.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "learn/regard-lesson.h"

G_BEGIN_DECLS

/* The folder of a model that a lesson names; step: of a training, or -1. NULL: it is none of those
 * that come with the program. Caller frees. */
char *regard_lesson_model_path(const char *name, gint64 step);

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
} RegardOutcome;

/* outcomes [steps], of those without a question {0}. sentence stands in the place of every text
 * that the lesson gives; NULL: none. A model that lacks pieces of it is given the lesson's own.
 * On any thread. FALSE: *error, which names the lesson and the step. */
gboolean regard_lesson_walk(const RegardLesson *lesson, const RegardLessonModels *models,
                            const char *sentence, RegardOutcome *outcomes, mt_error *error);

/* The letter of the option that stands behind the first `right`; 0: the step has none. */
char regard_lesson_step_marked(const RegardLessonStep *step);
/* [steps], caller frees: whether the answer to a step's question can be another with another
 * sentence. */
gboolean *regard_lesson_depends_on_text(const RegardLesson *lesson);

G_END_DECLS
