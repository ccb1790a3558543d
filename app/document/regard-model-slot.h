/* regard-model-slot.h — the model that runs, and the one that is on its way to its place.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A model is opened beside the one that runs. Only when the worker has a session for it does it
 * take the place; until then, and if anything fails, the old one works on. The bundled model is the
 * empty string, so that it is found again after the program has moved.
 *
 * Signals:
 *   "loading"                       one began to be opened, or does not any longer
 *   "share"                         more of it is done
 *   "load-failed" (string, GArray, GError)  it could not be opened: its folder, and the training
 *                                   (of RegardTrainingStep, may be NULL) that lies there
 *   "changed"                       another one runs
 *   "failed" (GError)               there was no room to run it; the old one goes on
 */
#pragma once

#include "document/regard-translator.h"
#include "models/regard-first-head.h"

G_BEGIN_DECLS

/* A model, and what comes with it. */
typedef struct {
  mt_model *model;            /* NULL: none */
  char *dir;                  /* folder or archive, "": the bundled one; NULL: none */
  char *title;                /* "English → German" */
  GArray *steps;              /* its training, as it was found when it was opened; NULL: none */
  mt_means *means;            /* beside its weights; NULL: there are none that can be used … */
  char *why_no_means;         /* … and why; NULL without a model */
  RegardFirstHead first_head; /* that is looked at as long as nobody has chosen one */
} RegardSlotModel;

typedef struct {
  RegardSlotModel own;    /* the one that runs */
  RegardSlotModel ready;  /* the one that was opened, and waits for the worker */
  char *loading;          /* where the one is that is being opened; NULL: none is */
  double share;           /* of it that is done */
  mt_precision precision; /* that models are opened in from now on */
  gboolean caches;        /* whether what is rounded for that is kept in a file */
} RegardModelSlotState;

#define REGARD_TYPE_MODEL_SLOT (regard_model_slot_get_type())
G_DECLARE_FINAL_TYPE(RegardModelSlot, regard_model_slot, REGARD, MODEL_SLOT, GObject)

/* The worker, which runs the model, must live until regard_model_slot_close(). */
RegardModelSlot *regard_model_slot_new(RegardTranslator *translator);
void regard_model_slot_close(RegardModelSlot *self);

/* Open the folder or archive, "": the bundled one, in place of one that is being opened. */
void regard_model_slot_open(RegardModelSlot *self, const char *dir);
/* The one that is being opened is not wanted any more. */
void regard_model_slot_cancel(RegardModelSlot *self);
/* The precision that models are opened in from now on. */
void regard_model_slot_set_precision(RegardModelSlot *self, mt_precision precision);
/* Whether rounded weights are kept in a file from now on. */
void regard_model_slot_set_caches(RegardModelSlot *self, gboolean caches);
/* What the old model answered is let go, so that it is out of memory: the next may be opened. */
void regard_model_slot_end_swap(RegardModelSlot *self);

/* Borrowed, and the same one always. */
const RegardModelSlotState *regard_model_slot_get_state(RegardModelSlot *self);
/* From opening until the worker runs it. */
gboolean regard_model_slot_is_opening(RegardModelSlot *self);
/* Where the one lies that will run if all goes well; NULL: none. Borrowed. */
const char *regard_model_slot_get_newest(RegardModelSlot *self);
/* Where all of them lie: the one that runs, and those that are about to. Caller frees. */
char **regard_model_slot_list(RegardModelSlot *self);

/* ---- Changes of the model that runs ---------------------------------------------------------- */

/* The same with this model's means, where "mean" wants them. Caller unrefs. */
mt_interventions *regard_model_slot_with_means(RegardModelSlot *self,
                                               const mt_interventions *interventions);
/* Changes of a text, with the means that they want. NULL and *error: it cannot be read, or the
 * model does not have what it names. Caller unrefs. */
mt_interventions *regard_model_slot_parse_interventions(RegardModelSlot *self, const char *text,
                                                        mt_error *error);

G_END_DECLS
