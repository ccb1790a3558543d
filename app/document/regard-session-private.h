/* regard-session-private.h — the description of a session as JSON, for the file that it is in.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "document/regard-session.h"

G_BEGIN_DECLS

/* Caller frees. */
char *regard_session_to_json(const RegardSession *session);
/* n bytes, with a zero after them, into an empty session. FALSE with an error; then it may be
 * filled in part. */
gboolean regard_session_from_json(RegardSession *session, const char *json, gsize n,
                                  GError **error);

G_END_DECLS
