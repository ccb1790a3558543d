/* regard-snapshot.h — all that a picture follows from, at one moment: a text, a model, how it was
 * asked, what was looked at, and the answer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Immutable and atomically reference-counted, as the answer is: to keep a state costs nothing but
 * the memory of its capture.
 */
#pragma once

#include "document/regard-result.h"

G_BEGIN_DECLS

/* Layer and head count from 0. */
typedef struct {
  mt_attention_kind kind;
  guint layer, head;
} RegardHeadRef;

typedef struct {
  /*< private >*/
  gatomicrefcount ref_count;
  /*< public, read only >*/
  char *text;
  gsize caret;         /* byte of the text */
  char *model, *title; /* folder or archive ("": the bundled one), and its name; NULL: none */
  gint64 checkpoint;   /* step of the training that the model is of; -1: it is of none */
  mt_request search;   /* with language and changes */
  int copies_unknown;  /* words of the source in the place of <unk>: TRUE or FALSE, or -1, where a
                        * state that was read does not say */
  mt_precision precision; /* that was wanted */
  guint alternative;      /* which hypothesis is shown */
  RegardHeadRef place;
  GHashTable *given;       /* sentences to the person's own translations; NULL: none */
  GHashTable *constraints; /* sentences to mt_constraints with ids of the model; NULL: none */
  RegardResult *result;    /* NULL: not there, as in a state that was read */
} RegardSnapshot;

#define REGARD_TYPE_STATE (regard_snapshot_get_type())
GType regard_snapshot_get_type(void);
/* Empty, for the caller to fill before anybody else sees it. */
RegardSnapshot *regard_snapshot_new(void);
RegardSnapshot *regard_snapshot_ref(RegardSnapshot *state);
void regard_snapshot_unref(RegardSnapshot *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardSnapshot, regard_snapshot_unref)

/* A copy for the caller to change before anybody else sees it; without the result. */
RegardSnapshot *regard_snapshot_copy(const RegardSnapshot *state);

/* The person's own translation of a sentence, and what its translation is held to; NULL: none, as
 * of the sentence NULL. Borrowed. */
const char *regard_snapshot_get_given(const RegardSnapshot *state, const char *sentence);
const mt_constraints *regard_snapshot_get_constraints(const RegardSnapshot *state,
                                                      const char *sentence);

/* Its members but the result into a JSON object (of json-c). */
struct json_object;
void regard_snapshot_write(const RegardSnapshot *state, struct json_object *object);
/* What a session has of it and of a reference, which may be NULL, but for where one looks, as a
 * text: two that are equal are the same session. Caller frees. */
char *regard_snapshot_dup_content(const RegardSnapshot *state, const RegardSnapshot *reference);
/* And back, with keys that are not of a state left alone; NULL with an error that says what was
 * expected and found where. */
RegardSnapshot *regard_snapshot_read(struct json_object *object, GError **error);

G_END_DECLS
