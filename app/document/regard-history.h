/* regard-history.h — what a document was, step by step, for undo and redo.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It knows nothing of the document, which says what it is at a moment, and takes on what an entry
 * says it was.
 */
#pragma once

#include "mt/search.h"
#include <glib.h>

G_BEGIN_DECLS

/* The document at one moment. */
typedef struct {
  char *text;
  gsize caret;
  char *own_text; /* in whose place the example of a training stands; NULL: none */
  gsize own_caret;
  char *model; /* folder or archive, "": the bundled one; NULL: none ran yet */
  mt_request search;
  GHashTable *given, *constraints; /* of sentences, never changed; NULL: none */
} RegardHistoryEntry;

typedef struct _RegardHistory RegardHistory;

/* With one entry, of which a copy is taken, as everywhere here. */
RegardHistory *regard_history_new(const RegardHistoryEntry *now);
void regard_history_free(RegardHistory *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardHistory, regard_history_free)

/* The entry that the document is at; borrowed until the next call. */
const RegardHistoryEntry *regard_history_current(const RegardHistory *self);
/* A step to now if it differs from the current entry; it may become one with the step before.
 * gesture: changes of one drag have one number, 0: none. Returns whether it differs; else only the
 * caret is taken over. What was undone is forgotten. */
gboolean regard_history_record(RegardHistory *self, const RegardHistoryEntry *now, guint64 gesture);
/* The current entry becomes now, without a step. */
void regard_history_replace(RegardHistory *self, const RegardHistoryEntry *now);

/* -1: undo, 1: redo. */
gboolean regard_history_can_go(const RegardHistory *self, int steps);
/* Move, and return the new current entry. */
const RegardHistoryEntry *regard_history_go(RegardHistory *self, int steps);

G_END_DECLS
