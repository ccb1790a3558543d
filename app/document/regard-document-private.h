/* regard-document-private.h — the inside of the document, for its files.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-document.h"
#include "document/regard-session.h"
#include "runner/regard-work.h"

G_BEGIN_DECLS

/* What the newest change in the history was, for what goes on with it. */
typedef enum {
  REGARD_STEP_OTHER,
  REGARD_STEP_TYPED,
  REGARD_STEP_DELETED,
  REGARD_STEP_TRAINING, /* from one checkpoint to another */
  REGARD_STEP_SEARCH,
  REGARD_STEP_GIVEN,   /* a translation is being typed */
  REGARD_STEP_GESTURE, /* changes in the model, by a drag */
} RegardStepKind;
typedef struct {
  RegardStepKind kind;
  guint64 at; /* byte where it goes on; of the search, the rows that changed; the gesture */
} RegardDocumentStep;

typedef struct _RegardRevival RegardRevival; /* regard-document-revive.c */

struct _RegardDocument {
  GObject parent_instance;

  RegardTranslator *translator; /* NULL: closed */
  RegardSelection *selection;

  /* regard-document.c: the text, the request, the answer */
  char *text;
  gsize caret;
  mt_request search;
  gboolean copies_unknown;
  RegardPlace place;
  guint request_idle;    /* a request is about to be sent */
  int next_alternative;  /* with the next request; -1: as it was */
  int later_alternative; /* with the first one to the model that is being opened; -1 */
  char *asked_text;      /* of the newest request; NULL: none */
  int asked_active;
  gboolean is_waiting;
  RegardResult *result; /* NULL: nothing */

  /* regard-document-model.c */
  mt_model *model;
  char *model_dir, *model_title;
  mt_precision precision;
  RegardWork *loading; /* of a model */
  char *loading_dir;
  double share;
  char *ready_dir; /* opened, and handed to the worker; NULL: none */
  char *ready_title;
  GArray *ready_training;
  mt_means *ready_means;
  char *ready_why_no_means;
  gboolean is_swapping; /* no other model may be opened before this one has its place */
  gboolean is_changing; /* those who hear of the model set what belongs to it; it is asked after */

  /* regard-document-foreign.c */
  mt_capture *foreign;
  char *foreign_path;
  RegardWork *reading;    /* of a file */
  RegardPlace kept_place; /* looked at before */

  /* regard-document-training.c */
  GArray *training;
  gboolean keeps;
  char *own_text;        /* in whose place the example stands; NULL: none */
  char *before_learning; /* folder of the model before the training that comes with Regard */
  gsize own_caret;
  gboolean is_learning_next; /* the example stands there, and its model is on its way */
  GHashTable *kept;          /* sentences to the translations that are kept; NULL: none */

  /* regard-document-given.c: sentences to the translations that the person gave; never changed,
   * only replaced; NULL: none */
  GHashTable *given;

  /* regard-document-constraints.c: likewise, sentences to mt_constraints of a model */
  GHashTable *constraints;
  char *constraints_model; /* its folder; NULL: there never were any */
  mt_constraints *fitting; /* those last seen in an answer, and how many … */
  guint most_unlikely;     /* … of their tokens were not likely when they were seen first */

  /* regard-document-history.c */
  GPtrArray *history;
  guint history_at;
  RegardDocumentStep last_step;
  gboolean is_restoring;
  char *restored_dir; /* the model that was asked for by an undo and does not run yet; NULL */

  /* regard-document-changes.c */
  guint64 gesture;
  mt_means *means; /* of the model; NULL: there are none, and … */
  char *why_no_means;

  /* regard-document-reference.c */
  RegardState *reference; /* NULL: none */

  /* regard-document-compare.c */
  RegardCompare compare;
  RegardWork *comparing;
  RegardComparison *comparison; /* NULL: none yet */
  char *comparison_error;       /* why there is none */

  /* regard-document-session.c */
  RegardSession *unfinished; /* its model is not there, and its capture is shown; NULL */
  char *unfinished_path;
  RegardWork *retrying; /* whether the model that runs now is the one */

  /* regard-document-revive.c */
  RegardRevival *revival; /* the reference is being answered again; NULL: it is not */
};

enum {
  REGARD_DOCUMENT_TEXT = 1,
  REGARD_DOCUMENT_CARET,
  REGARD_DOCUMENT_MODEL,
  REGARD_DOCUMENT_LOADING,
  REGARD_DOCUMENT_SHARE,
  REGARD_DOCUMENT_LANGUAGE,
  REGARD_DOCUMENT_CHANGES,
  REGARD_DOCUMENT_PRECISION,
  REGARD_DOCUMENT_PLACE,
  REGARD_DOCUMENT_RESULT,
  REGARD_DOCUMENT_WAITING,
  REGARD_DOCUMENT_FOREIGN,
  REGARD_DOCUMENT_READING,
  REGARD_DOCUMENT_TRAINING,
  REGARD_DOCUMENT_KEEPS,
  REGARD_DOCUMENT_SEARCH,
  REGARD_DOCUMENT_CONSTRAINTS,
  REGARD_DOCUMENT_CAN_UNDO,
  REGARD_DOCUMENT_CAN_REDO,
  REGARD_DOCUMENT_REFERENCE,
  REGARD_DOCUMENT_COMPARE,
  REGARD_DOCUMENT_COMPARISON,
  REGARD_DOCUMENT_N_PROPS,
};
enum {
  REGARD_DOCUMENT_LOAD_FAILED,
  REGARD_DOCUMENT_MODEL_FAILED,
  REGARD_DOCUMENT_READ_FAILED,
  REGARD_DOCUMENT_CONSTRAINTS_DROPPED,
  REGARD_DOCUMENT_SESSION_OPENED,
  REGARD_DOCUMENT_SESSION_LACKS,
  REGARD_DOCUMENT_N_SIGNALS,
};
extern guint regard_document_signals[REGARD_DOCUMENT_N_SIGNALS];
void regard_document_notify(RegardDocument *self, guint property);

/* regard-document.c */
/* Text and caret as they are given, whatever is shown; the worker is asked. */
void regard_document_take_text(RegardDocument *self, const char *text, gsize caret);
void regard_document_set_waiting(RegardDocument *self, gboolean waiting);
void regard_document_update_request(RegardDocument *self, gboolean force);
void regard_document_clear_result(RegardDocument *self);
/* What was answered, into the selection, and those who observe it. */
void regard_document_show_result(RegardDocument *self);
/* Into the selection only: the answer, or what it is compared with. */
void regard_document_show_answer(RegardDocument *self);

/* regard-document-json.c */
/* All of a state but its result, as if a person had set it; its model is opened. */
void regard_document_take_on(RegardDocument *self, const RegardState *state);

/* regard-document-foreign.c */
/* In place of the translation; path may be NULL. */
void regard_document_show_capture(RegardDocument *self, mt_capture *capture, const char *path);
/* Read a file by a task, in the place of any that is being read; done notifies "reading". */
void regard_document_read(RegardDocument *self, const RegardTask *task, gconstpointer params,
                          RegardRunDone done);

/* regard-document-session.c */
void regard_document_connect_session(RegardDocument *self);
/* What it lacks is not waited for any longer. */
void regard_document_forget_session(RegardDocument *self);
void regard_document_free_session(RegardDocument *self);

/* regard-document-revive.c */
/* The reference, which has no result, is answered by its model, and then this side is looked at. */
void regard_document_revive_reference(RegardDocument *self, RegardCompare compare);
/* The model that runs is another one, or there is another reference. */
void regard_document_continue_revival(RegardDocument *self);
void regard_document_stop_revival(RegardDocument *self);

/* regard-document-model.c */
void regard_document_connect_model(RegardDocument *self);
void regard_document_end_swap(RegardDocument *self); /* if the old model is out of memory */
void regard_document_close_model(RegardDocument *self);
void regard_document_free_model(RegardDocument *self);

/* regard-document-training.c */
/* Those beside the model that runs, if it is one of them; steps may be NULL. */
void regard_document_set_training(RegardDocument *self, GArray *steps);
/* Unless that training runs, or a model is on its way, the text that its example replaced is back.
 * What was typed to it goes, but for where there was no text before. */
void regard_document_give_back_text(RegardDocument *self);

/* regard-document-given.c */
/* A table that nobody changes any more, of which a reference is taken; NULL: none. */
void regard_document_set_given(RegardDocument *self, GHashTable *given);
/* A sentence is translated again; nothing is asked for. */
void regard_document_forget_given(RegardDocument *self, const char *sentence);
/* The sentence that is looked at. Caller frees; NULL: there is none. */
char *regard_document_dup_sentence(RegardDocument *self);
/* To the worker: what is kept, and what was given. */
void regard_document_update_targets(RegardDocument *self);

/* regard-document-constraints.c */
/* Tables as those of what was given; model: the folder of the one whose ids they have. */
void regard_document_set_all_constraints(RegardDocument *self, GHashTable *constraints,
                                         const char *model);
/* Of one sentence; nothing is asked for. */
void regard_document_forget_constraints(RegardDocument *self, const char *sentence);
/* The text is about to be another one, typed. */
void regard_document_move_constraints(RegardDocument *self, const char *text);
/* There is another answer: do they fit? */
void regard_document_check_constraints(RegardDocument *self);
/* Another model runs: its own, or none. */
void regard_document_follow_model(RegardDocument *self);

/* regard-document-changes.c */
/* Another model runs: "mean" means its own. */
void regard_document_follow_means(RegardDocument *self);
void regard_document_free_means(RegardDocument *self);

/* regard-document-reference.c */
/* All of it as it is now. Caller releases. */
RegardState *regard_document_take_state(RegardDocument *self);
/* A reference is taken; NULL: none. */
void regard_document_set_reference(RegardDocument *self, RegardState *state);

/* regard-document-compare.c */
/* Into the selection; FALSE: nothing is compared. */
gboolean regard_document_show_comparison(RegardDocument *self);
/* There is another answer: it is compared, if that is wanted. */
void regard_document_update_comparison(RegardDocument *self);
/* There is another reference, or there are other changes. */
void regard_document_check_comparison(RegardDocument *self);
void regard_document_stop_comparing(RegardDocument *self);

/* regard-document-history.c */
void regard_document_init_history(RegardDocument *self);
/* A new step if something changed. */
void regard_document_record(RegardDocument *self);
/* The present state is what is as it is now, without a step. */
void regard_document_settle_history(RegardDocument *self);
/* The model of an undo runs, or cannot be had. */
void regard_document_end_restoring(RegardDocument *self);

G_END_DECLS
