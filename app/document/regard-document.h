/* regard-document.h — what is being worked on: a text, a model, how it is asked, what it answered,
 * and what is looked at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It knows no widget. It owns the worker (RegardTranslator) and the loaders of models and captures;
 * windows and their parts observe it and do not know each other. A change asks the worker by
 * itself, at the next turn of the main loop.
 *
 * Signal "changed", with what changed as its detail ("changed::text"):
 *   text, caret    the text as it was typed, which stays while a capture from a file is shown, and
 *                  the byte of it at which the caret stands
 *   model          another one runs
 *   loading, share    a model is being opened, and how much of it is done
 *   language, changes, search    how it is searched: in which language, with what changed in the
 *                  model, and the rest
 *   copy-unknown   whether words of the source stand in the place of <unk>
 *   precision      that models are opened in
 *   place          the RegardHeadRef that is wanted, of which the selection shows what there is
 *   waiting, result    an answer is on its way, or there
 *   foreign, reading    a capture from a file is shown in place of the translation, or being read
 *   training, keeps    the training that the model is of; every checkpoint is given the translation
 *                  that stands there
 *   constraints    of the sentence that is looked at
 *   can-undo, can-redo
 *   aside    what is the person's own is put aside, and a copy is worked on; or it is back
 *   reference, compare, comparison    what others are compared with, which side is looked at, and
 *                  both sides for the present answer
 *
 * Other signals:
 *   "load-failed" (string, GError)  the model of this path could not be opened; the old one goes on
 *   "model-failed" (GError)         there was no room to run it; likewise
 *   "read-failed" (GError)          a capture could not be read; nothing changed
 *   "session-opened" (pointer)      this RegardSession was read; its text, or its capture, is there
 *   "session-lacks" (string, string)  what a session that was opened needs is not there: what, and
 *                                   how to get it; ("", ""): nothing any more
 *   "constraints-dropped" (string)  these words, which a translation had to begin with, do not fit
 *                                   any longer; "": another model does not know them
 */
#pragma once

#include "document/regard-comparer.h"
#include "document/regard-model-slot.h"
#include "document/regard-opened-file.h"
#include "document/regard-session.h"
#include "document/regard-snapshot.h"
#include "document/regard-training.h"
#include "document/regard-translator.h"
#include "figures/regard-intervention-edit.h"
#include "runner/regard-runner.h"
#include "widgets/regard-selection.h"
#include <gio/gio.h>

G_BEGIN_DECLS

#define REGARD_TYPE_DOCUMENT (regard_document_get_type())
G_DECLARE_FINAL_TYPE(RegardDocument, regard_document, REGARD, DOCUMENT, GObject)

RegardDocument *regard_document_new(void);
/* Stop whatever is under way, wait for the worker, and tell nobody of anything any more. */
void regard_document_close(RegardDocument *self);
gboolean regard_document_is_closed(RegardDocument *self);

/* What is looked at; it follows the result and the file. Borrowed. */
RegardSelection *regard_document_get_selection(RegardDocument *self);
/* TRUE while anything is under way whose end will be told. */
gboolean regard_document_is_busy(RegardDocument *self);

/* ---- The text ------------------------------------------------------------------------------ */

const char *regard_document_get_text(RegardDocument *self); /* borrowed; valid UTF-8 */
gsize regard_document_get_caret(RegardDocument *self);
/* Another text, from elsewhere: a file that is shown goes, and the caret stands behind the first
 * sentence. */
void regard_document_set_text(RegardDocument *self, const char *text);
/* What is typed. Neither does anything while a file is shown. */
void regard_document_edit(RegardDocument *self, const char *text, gsize caret);
void regard_document_set_caret(RegardDocument *self, gsize caret);
/* The caret to the beginning of the next (1) or previous (-1) sentence, if there is one. */
void regard_document_step_sentence(RegardDocument *self, int step);
/* The person's own text: not the example of a training, nor a copy, that stands in its place.
 * Borrowed. */
const char *regard_document_get_own_text(RegardDocument *self);

/* ---- The request and its answer ------------------------------------------------------------ */

/* How to search; its languages, its task and its changes are not looked at. What is got has them,
 * and is borrowed until the next set. */
void regard_document_set_search(RegardDocument *self, const mt_request *search);
const mt_request *regard_document_get_search(RegardDocument *self);
/* Where a translation has <unk>, show the word of the source that attention names. */
void regard_document_set_copy_unknown(RegardDocument *self, gboolean copies);
gboolean regard_document_get_copy_unknown(RegardDocument *self);
/* Codes as the model has them, "" if it has none or is not told; NULL: as it is. */
void regard_document_set_languages(RegardDocument *self, const char *source, const char *target);
/* The name of a task of the model, "" for none, and what stands before the text; prefix NULL: what
 * the task has. prefix: UTF-8 of at most MT_PREFIX_SIZE - 1 bytes. */
void regard_document_set_task(RegardDocument *self, const char *task, const char *prefix);
/* What is changed in the model, of which a reference is taken; NULL: nothing. What the model or a
 * sentence does not have is an error of the result. */
void regard_document_set_interventions(RegardDocument *self, const mt_interventions *interventions);
/* The same as a text. FALSE and an error that names row and word, and nothing was done: it cannot
 * be read, or the model does not have what it names. */
gboolean regard_document_set_interventions_text(RegardDocument *self, const char *text,
                                                GError **error);
/* A line made, taken back, or switched, in the place of others of its family (change-edit.h).
 * FALSE as above. */
gboolean regard_document_edit_interventions(RegardDocument *self, const char *line,
                                            RegardInterventionEdit edit, GError **error);
/* What is done in one gesture, such as a drag, is one step of the history, text and model, too.
 * Numbers are the caller's; 0: each is a step. */
void regard_document_set_gesture(RegardDocument *self, guint64 gesture);
/* Show another hypothesis of the sentence that is looked at. */
void regard_document_choose_alternative(RegardDocument *self, guint alternative);
/* Ask once more, although nothing changed. */
void regard_document_ask(RegardDocument *self);
/* Stop the worker; there is no answer until something changes. */
void regard_document_stop(RegardDocument *self);
RegardResult *regard_document_get_result(RegardDocument *self); /* borrowed; may be NULL */
gboolean regard_document_is_waiting(RegardDocument *self);
gboolean regard_document_is_translating(RegardDocument *self); /* a model is at work on it */

const RegardHeadRef *regard_document_get_place(RegardDocument *self); /* borrowed */
void regard_document_set_place(RegardDocument *self, RegardHeadRef place);
/* FALSE: nobody has gone anywhere yet, and the place is the head that is looked at first of the
 * model that runs (regard-first-head.h). */
gboolean regard_document_is_place_chosen(RegardDocument *self);

/* Where all attention of a sentence takes more bytes only that of the kind and layer that are
 * looked at is computed; 0: all is, whatever it takes. */
void regard_document_set_most_captured(RegardDocument *self, gsize bytes);
/* All attention of the sentence that is looked at is wanted nevertheless. */
void regard_document_compute_whole(RegardDocument *self);

/* The translation of the sentence that is looked at is the person's own from now on: it is scored
 * and captured instead of searched for, wherever this sentence stands. NULL or "": the model's
 * again. Nothing happens without a sentence. */
void regard_document_give_translation(RegardDocument *self, const char *translation);
/* What was given for the sentence that is looked at; borrowed, NULL: nothing. */
const char *regard_document_get_user_translation(RegardDocument *self);

/* The translation of the sentence that is looked at begins with what these force and has nothing
 * that they forbid, and so as it is typed on, as long as they fit; a translation of the person's
 * own is none any longer. NULL, or empty: the model's own way. A reference is taken. */
void regard_document_constrain(RegardDocument *self, const mt_constraints *constraints);
/* Those of the sentence that is looked at; borrowed, NULL: none. */
const mt_constraints *regard_document_get_constraints(RegardDocument *self);

/* The translation of the sentence that is looked at has these terms somewhere, between which are
 * commas, semicolons or line ends; what it begins with and must not have stays. "": none. FALSE,
 * and nothing is changed: one cannot be said. */
gboolean regard_document_want_terms(RegardDocument *self, const char *text, GError **error);

/* ---- Undo ---------------------------------------------------------------------------------- */

/* Of text, model, request, and given translations, together. Nothing while a file is shown. */
gboolean regard_document_can_undo(RegardDocument *self);
gboolean regard_document_can_redo(RegardDocument *self);
void regard_document_undo(RegardDocument *self);
void regard_document_redo(RegardDocument *self);
/* What is there now is what it begins with. */
void regard_document_forget_history(RegardDocument *self);

/* ---- A copy to work on --------------------------------------------------------------------- */

/* What is there is put aside, with its history and reference, and a copy of it is worked on, whose
 * history begins here. Nothing happens while one is worked on. */
void regard_document_put_aside(RegardDocument *self);
/* What was put aside is back, all of it, though a model takes its time; the copy is forgotten. */
void regard_document_bring_back(RegardDocument *self);
gboolean regard_document_is_aside(RegardDocument *self);

/* ---- The reference ------------------------------------------------------------------------- */

/* All of it as it is now. Caller unrefs. */
RegardSnapshot *regard_document_take_snapshot(RegardDocument *self);
/* What is there now, with its answer, is kept to compare with, whatever becomes of the document.
 * Nothing happens while there is no capture of the text to keep, as when a file is shown. */
void regard_document_keep_reference(RegardDocument *self);
void regard_document_drop_reference(RegardDocument *self);
/* The reference, which side is looked at, and both sides for the present answer. Borrowed, and the
 * same one always. */
const RegardComparerState *regard_document_get_compared(RegardDocument *self);

/* Whether there is a reference, or something is changed. */
gboolean regard_document_can_compare(RegardDocument *self);
/* Nothing happens where that is not so; it is off again when that is no longer so. */
void regard_document_set_compare(RegardDocument *self, RegardCompare compare);

/* ---- The model ----------------------------------------------------------------------------- */

/* Open a model beside the running one and swap when it is ready; failure keeps the old one.
 * dir "": the bundled one. If none runs yet and this one fails the bundled one is opened. */
void regard_document_open_model(RegardDocument *self, const char *dir);
void regard_document_cancel_loading(RegardDocument *self);
mt_model *regard_document_get_model(RegardDocument *self); /* borrowed; may be NULL */
/* Its folder or archive, "" for the bundled one; NULL: none runs. Borrowed. */
const char *regard_document_get_model_dir(RegardDocument *self);
/* All of it: what comes with the model, the one that is being opened, the precision. Borrowed, and
 * the same one always. */
const RegardModelSlotState *regard_document_get_slot(RegardDocument *self);
/* TRUE from opening until the worker runs it. */
gboolean regard_document_is_opening(RegardDocument *self);
void regard_document_set_precision(RegardDocument *self, mt_precision precision);
/* Whether models that are opened from now on keep rounded weights in a file. */
void regard_document_set_caches(RegardDocument *self, gboolean caches);

/* ---- A capture from a file ----------------------------------------------------------------- */

/* Show a capture from a file in place of the live translation; failure changes nothing. */
void regard_document_open_capture(RegardDocument *self, const char *path);
/* A capture or a model, by what the file is. */
void regard_document_open_path(RegardDocument *self, const char *path);
/* Back to the typed text, at the place that was looked at before. */
void regard_document_close_capture(RegardDocument *self);
mt_capture *regard_document_get_imported_capture(RegardDocument *self); /* borrowed; may be NULL */
gboolean regard_document_is_reading(RegardDocument *self);

/* ---- Sessions ------------------------------------------------------------------------------ */

/* All that a picture follows from, with the captures that are there, into a file
 * (regard-session.h), by the runner; done finds an error, or none. An earlier file survives any
 * failure. */
void regard_document_save_session(RegardDocument *self, const char *path,
                                  const RegardViewState *look, RegardRunDone done, gpointer data);
/* The same into memory: done finds GBytes *, or an error. label: what errors call it. */
void regard_document_make_session(RegardDocument *self, const char *label,
                                  const RegardViewState *look, RegardRunDone done, gpointer data);
/* What a session has of the document, but for where one looks, as a text: two that are equal are
 * the same session. Caller frees. */
char *regard_document_dup_content(RegardDocument *self);
/* Go on with what is in a file; that can be undone. Where its model is not on this machine its
 * capture is shown, as one from a file, until the model runs. What is no session changes nothing.
 * recent: models opened lately, to look among; may be NULL. */
void regard_document_open_session(RegardDocument *self, const char *path,
                                  const char *const *recent);

/* Shows a session that was read and whose models were looked for, in the copy that is worked on, if
 * one is; "session-opened" tells of it. Where its model is missing its capture is shown. FALSE:
 * there is none either. */
gboolean regard_document_show_session(RegardDocument *self, const RegardSessionOpening *opening,
                                      GError **error);
/* The answer to a state that is likely to be shown next is made ready while nothing else is asked
 * for, if its model, by its folder or archive, is the one that runs. */
void regard_document_prepare(RegardDocument *self, const RegardSnapshot *state, const char *model);
/* What a session whose model is looked for may find first: the models that run, or are about to.
 * Caller frees. */
char **regard_document_list_models(RegardDocument *self);

/* ---- A training ---------------------------------------------------------------------------- */

/* The training that the model is of, if it is of one. Borrowed, and the same one always. */
const RegardTraining *regard_document_get_training(RegardDocument *self);
void regard_document_set_keeps(RegardDocument *self, gboolean keeps);
/* Watch the training that comes with Regard from its first checkpoint, on its own sentence. With
 * the next model that is not of it the text that was there is back. */
void regard_document_learn(RegardDocument *self);
/* From there back to the model before it; nothing if another runs. */
void regard_document_stop_learning(RegardDocument *self);
/* The sentence that this training knows. */
void regard_document_show_example(RegardDocument *self);

G_END_DECLS
