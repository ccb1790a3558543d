/* regard-error.h — the application's error domain, and the one place where the engine's errors
 * become GErrors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

#define REGARD_ERROR (regard_error_quark())
GQuark regard_error_quark(void);

typedef enum {
  REGARD_ERROR_IO,          /* a file is missing, unreadable or unwritable */
  REGARD_ERROR_FORMAT,      /* a file is damaged or contradicts another */
  REGARD_ERROR_UNSUPPORTED, /* a model of a kind that is not run */
  REGARD_ERROR_INPUT,       /* the text cannot be used */
  REGARD_ERROR_TOO_LONG,    /* the sentence has more pieces than the model has positions */
  REGARD_ERROR_NO_MEMORY,
} RegardError;

/* Fill a GError from the engine's error. MT_ERROR_CANCELLED becomes G_IO_ERROR_CANCELLED, so that
 * callers test for one code only. Always returns FALSE, to be used in a return statement. */
gboolean regard_error_set_from_mt(GError **error, const mt_error *from);

/* TRUE if the error only says that somebody changed their mind. */
gboolean regard_error_is_cancelled(const GError *error);

/* What a person can do about it; a whole sentence, or NULL where the message says it all. */
const char *regard_error_advice(const GError *error);

/* A sentence and the one after it, which may be NULL. Caller frees. */
char *regard_two_sentences(const char *first, const char *second);

G_END_DECLS
