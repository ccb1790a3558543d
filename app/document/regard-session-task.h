/* regard-session-task.h — sessions written and read by the runner, and their models on this
 * machine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-session.h"
#include "runner/regard-runner.h"

G_BEGIN_DECLS

/* A session's two models: of its text, and of its reference. */
enum { REGARD_SESSION_MODEL, REGARD_SESSION_OTHER_MODEL, REGARD_SESSION_N_MODELS };

/* Write a session after the files of its models were hashed. All of it is taken. */
typedef struct {
  RegardSession *session;
  mt_model *models[REGARD_SESSION_N_MODELS]; /* NULL: none, or the session says what it is */
  char *path;
} RegardSessionSaving;
extern const RegardTask regard_session_save_task;

/* Read a session and look for its models. All of it is taken. */
typedef struct {
  RegardSession *session; /* NULL: to be read */
  char *path;
  char **recent, **first; /* models opened lately, and those that are most likely the ones */
  /* Of regard_model_identity_find: where the models are, and ones of the same names that are
   * others; NULL: not there. */
  char *found[REGARD_SESSION_N_MODELS], *other[REGARD_SESSION_N_MODELS];
} RegardSessionOpening;
extern const RegardTask regard_session_open_task;

/* The file's name as it is shown. Caller frees, as below. */
char *regard_session_opening_name(const RegardSessionOpening *opening);
/* "opus-mt-en-de (English → German)"; NULL: the session does not say. */
char *regard_session_opening_model(const RegardSessionOpening *opening, guint model);
/* How a model that is missing is known, and what to do; %s of that is the folder of models. */
char *regard_session_opening_advice(const RegardSessionOpening *opening, guint model,
                                    const char *what_to_do);
/* The state of the text or of the reference, with the model that was found for it. Caller unrefs.
 */
RegardState *regard_session_opening_state(const RegardSessionOpening *opening, guint model);

G_END_DECLS
