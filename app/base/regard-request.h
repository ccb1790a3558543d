/* regard-request.h — what a search is asked for, as the settings keep it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A row of mt_search_field_at with a label has a key in the schema: "beam_size" is kept as
 * "beam-size". What lies below the least that is shown is no request; the schema's default does.
 */
#pragma once

#include <gio/gio.h>
#include <mt.h>

G_BEGIN_DECLS

/* The key of a row. Caller frees. */
char *regard_request_dup_key(gsize row);
/* Whether a key of the settings is one of these. */
gboolean regard_request_is_key(const char *key);

/* What is kept of a row; FALSE: nothing, the model decides. */
gboolean regard_request_get_kept(GSettings *settings, gsize row, double *value);
/* Keep a value of a row, or, if it is NULL, let the model decide. */
void regard_request_keep(GSettings *settings, gsize row, const double *value);
/* All that is kept; the language, which no setting says, stays. */
void regard_request_load(GSettings *settings, mt_request *request);

G_END_DECLS
