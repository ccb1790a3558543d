/* regard-opened-file.h — a file that was opened: a capture, which is shown in place of the
 * translation, or a session.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One file is read at a time, in a task; one that cannot be read changes nothing. A session names
 * its models by their files, which are looked for on this machine. Where its own is missing, its
 * capture is shown as one from a file, and what is missing is said; when that model runs, the
 * session goes on.
 *
 * Signals:
 *   "reading"                 a file began to be read, or is not any longer
 *   "failed" (GError)         it could not be read
 *   "capture" (pointer)       this mt_capture was read
 *   "model" (string)          the file of this path is no capture, but a model
 *   "session" (pointer)       a session was read, and its model is there: a RegardSessionOpening
 *   "stored" (pointer, pointer)  this RegardSession was read, and its model is missing; with what
 *                             is shown of it, an mt_capture
 *   "lacks" (string, string)  what a session needs is not there: what, and how to get it; ("", ""):
 *                             nothing any more
 */
#pragma once

#include "document/regard-session.h"
#include "runner/regard-runner.h"

G_BEGIN_DECLS

#define REGARD_TYPE_OPENED_FILE (regard_opened_file_get_type())
G_DECLARE_FINAL_TYPE(RegardOpenedFile, regard_opened_file, REGARD, OPENED_FILE, GObject)

RegardOpenedFile *regard_opened_file_new(void);

/* ---- Reading, in the place of any file that is being read ----------------------------------- */

/* may_be_model: a model is told, and not read (regard_capture_file_recognises). */
void regard_opened_file_read_capture(RegardOpenedFile *self, const char *path,
                                     gboolean may_be_model);
/* recent: models opened lately; NULL: none. first: those that are most likely the ones; taken. */
void regard_opened_file_read_session(RegardOpenedFile *self, const char *path,
                                     const char *const *recent, char **first);
gboolean regard_opened_file_is_reading(RegardOpenedFile *self);
/* Whether a file is read, or a session's model is looked for. */
gboolean regard_opened_file_is_busy(RegardOpenedFile *self);
/* No file is wanted any more; and, where nobody is told of anything any more, no session either. */
void regard_opened_file_stop(RegardOpenedFile *self);
void regard_opened_file_drop(RegardOpenedFile *self);

/* ---- The capture that is shown --------------------------------------------------------------- */

mt_capture *regard_opened_file_get_capture(RegardOpenedFile *self); /* borrowed; NULL: none */
/* A reference is taken. before: where one looked in the text. */
void regard_opened_file_show(RegardOpenedFile *self, mt_capture *capture, RegardHeadRef before);
/* Where one looked before it was shown. */
RegardHeadRef regard_opened_file_get_place(RegardOpenedFile *self);
/* FALSE: none was shown. */
gboolean regard_opened_file_close(RegardOpenedFile *self);

/* ---- Sessions -------------------------------------------------------------------------------- */

/* A session's two models: of its text, and of its reference. */
enum { REGARD_SESSION_MODEL, REGARD_SESSION_OTHER_MODEL, REGARD_SESSION_N_MODELS };

/* A session that was read, with where its models are, and ones of the same names that are others
 * (regard_model_identity_find); NULL: not there. */
typedef struct {
  RegardSession *session;
  char *path;
  char **recent, **first;
  char *found[REGARD_SESSION_N_MODELS], *other[REGARD_SESSION_N_MODELS];
} RegardSessionOpening;

/* Looks for its models. Reads them where sizes agree, so in the window call it in a thread. */
void regard_session_opening_find(RegardSessionOpening *opening);
void regard_session_opening_clear(gpointer opening);

/* The state of the text or of the reference, with the model that was found for it. Caller unrefs.
 */
RegardSnapshot *regard_session_opening_state(const RegardSessionOpening *opening, guint model);

/* Its reference is left out, as its model is missing: "lacks" says so. */
void regard_opened_file_leave_reference(RegardOpenedFile *self,
                                        const RegardSessionOpening *opening);
/* What it lacks, said by somebody else. */
void regard_opened_file_say_lacks(RegardOpenedFile *self, const char *title, const char *detail);
/* The session that is shown without its model; borrowed, NULL: none is. */
RegardSession *regard_opened_file_get_unfinished(RegardOpenedFile *self);
/* Another model runs: is it the one of that session? first: as above; taken. */
void regard_opened_file_follow(RegardOpenedFile *self, char **first);
/* Nobody waits for its model any more, and nothing is lacking. */
void regard_opened_file_forget_session(RegardOpenedFile *self);

/* Write a session after the files of its models were hashed. All of it is taken. */
typedef struct {
  RegardSession *session;
  mt_model *models[REGARD_SESSION_N_MODELS]; /* NULL: none, or the session says what it is */
  char *path;
} RegardSessionSaving;
extern const RegardTask regard_session_save_task;
/* The same into memory, where path is what errors call it → GBytes *. */
extern const RegardTask regard_session_make_task;

G_END_DECLS
