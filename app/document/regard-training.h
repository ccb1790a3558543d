/* regard-training.h — the training that the model is of: its checkpoints, and the text that the
 * example of the training that comes with Regard stands in place of.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The other checkpoints are opened as any model is. A translation can be kept: then every
 * checkpoint is given it, and attention is that of teacher forcing.
 */
#pragma once

#include "models/regard-training-steps.h"

G_BEGIN_DECLS

/* The sentence that the training that comes with Regard knows. */
#define REGARD_TRAINING_EXAMPLE "today the small cat has seen the old dog"

/* Begins as {0}. To be read by whoever has it, and changed by the functions below. */
typedef struct {
  GArray *steps;     /* of RegardTrainingStep; NULL: the model is of none */
  gboolean keeps;    /* every checkpoint is given the translation that stands there */
  char *own_text;    /* in whose place the example stands; NULL: none */
  gsize own_caret;   /* in it */
  char *before;      /* folder of the model before the training that comes with Regard; NULL */
  gboolean is_begun; /* the example stands there, and its model is on its way */
} RegardTraining;

void regard_training_clear(RegardTraining *self);

/* The checkpoints beside the model in dir, which runs, if it is one of them; steps may be NULL.
 * Returns whether it is of the training that the model before was of. */
gboolean regard_training_set_steps(RegardTraining *self, GArray *steps, const char *dir);
/* Whether the folder is a checkpoint of it, and which one; dir and at may be NULL. */
gboolean regard_training_find(const RegardTraining *self, const char *dir, guint *at);

/* Whether a folder is a checkpoint of the training that comes with Regard; dir may be NULL. */
gboolean regard_training_is_bundled(const char *dir);
/* Its first one. Caller frees. */
char *regard_training_first(void);
/* The model in dir is the one to go back to, unless it is of that training. */
void regard_training_begin(RegardTraining *self, const char *dir);

/* Whether that training runs, dir being the model's; and with another text than its own. */
gboolean regard_training_is_learning(const RegardTraining *self, const char *dir);
gboolean regard_training_needs_example(const RegardTraining *self, const char *dir,
                                       const char *text);

gboolean regard_training_is_example(const char *text);
/* text: in whose place the example will stand, a copy of which is taken; NULL: none. */
void regard_training_set_own(RegardTraining *self, const char *text, gsize caret);
/* The text to come back with its caret, in the place of what is shown, which is kept where it was
 * typed over the example. Caller frees; NULL: none. */
char *regard_training_take_own(RegardTraining *self, const char *shown, gsize *caret);

G_END_DECLS
