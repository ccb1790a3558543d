/* regard-session.h — a session in a file: what was worked on, how it was looked at, and the
 * captures that were seen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file, NAME.regard, is a zip archive of session.json and up to four NumPy archives;
 * docs/sessions.md describes it. It holds no path: models are named by what they are. It needs no
 * GTK, so that the command line can say what is in one.
 */
#pragma once

#include "document/regard-snapshot.h"
#include "figures/regard-colormap.h"
#include "figures/regard-lines.h"
#include "figures/regard-matrix-attention.h"
#include "figures/regard-scale.h"
#include "models/regard-model-identity.h"
#include <glib.h>

G_BEGIN_DECLS

/* ==== How something is looked at: the page, the picture's colours, the cell ======================
 *
 * What a RegardSnapshot is not about: nothing of it changes a number.
 */

/* Which side of a comparison: RegardCompare of the document, by these names. */
extern const char *const regard_compare_ids[];

typedef struct {
  char *page; /* id of a view: "attention" */
  RegardScale scale;
  const RegardColormap *colormap;
  RegardCombine combine;
  RegardLabelBy label_by;
  RegardForm form;
  double lines_share; /* of a row, that strong lines hold */
  gboolean merge_words, hide_special;
  gboolean show_heads, show_details, show_tokens;
  double zoom;      /* of the large picture; 1: it fits */
  double top, left; /* cells of a zoomed one that lie above and to the left of what is seen */
  int row, col;     /* the kept cell; -1: none */
  int step;         /* token of the translation up to which it is looked at; -1: all of it */
  int compare;      /* RegardCompare */
  GArray *chosen;   /* of guint16 [2]: layer and head of those that are combined; NULL: none */
} RegardViewState;

void regard_view_state_copy(RegardViewState *out, const RegardViewState *look);
void regard_view_state_clear(RegardViewState *look);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RegardViewState, regard_view_state_clear)

/* Caller puts it. */
struct json_object;
struct json_object *regard_view_state_write(const RegardViewState *look);

/* ==== The session ============================================================================= */

/* The captures of a session. */
typedef enum {
  REGARD_SESSION_CAPTURE, /* of the translation */
  REGARD_SESSION_A,       /* of the reference */
  REGARD_SESSION_B,       /* of the model as it was, with the words of the reference */
  REGARD_SESSION_FILE,    /* from a file, in place of the translation */
  REGARD_SESSION_N_CAPTURES,
} RegardSessionCapture;

typedef struct {
  char *program;                    /* that wrote it: "regard 0.1.0" */
  RegardSnapshot *state;            /* without a result, and, when it was read, without a model */
  RegardSnapshot *reference;        /* likewise; NULL: nothing was kept */
  RegardModelIdentity *model;       /* of the state; NULL: none ran */
  RegardModelIdentity *other_model; /* of the reference; NULL: likewise */
  RegardViewState look;
  mt_capture *captures[REGARD_SESSION_N_CAPTURES]; /* NULL: not there */
} RegardSession;

/* Empty, for the caller to fill before anybody else sees it; from then on it is not changed.
 * Counted atomically. */
RegardSession *regard_session_new(void);
RegardSession *regard_session_ref(RegardSession *session);
void regard_session_unref(RegardSession *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardSession, regard_session_unref)

/* The one that was looked at: of the file, of a side of the comparison (for the difference it is
 * made), or of the translation. Caller releases; NULL: it is not there. */
mt_capture *regard_session_take_shown(const RegardSession *session);

/* Its description, all but the captures. Caller frees. */
char *regard_session_to_json(const RegardSession *session);
/* Write it, in place of an earlier file only when it is whole. Takes as long as the disk does. */
gboolean regard_session_write(const RegardSession *session, const char *path, GError **error);
/* The same into memory, of a session that lies in another file. Caller unrefs. */
GBytes *regard_session_make(const RegardSession *session, const char *label, GError **error);
/* NULL with an error that names the file and what was expected. All of it is checked before. */
RegardSession *regard_session_read(const char *path, GError **error);
/* The same of n bytes, which errors call by a label. On any thread. */
RegardSession *regard_session_parse(const void *bytes, gsize n, const char *label, GError **error);

G_END_DECLS
