/* regard-failure.h — what a person is told of an error of the engine.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine says in English which file it was, what it expected and what it found. Who reads the
 * window in another language is told first, in that language, what kind of trouble it is and what
 * to do, which is known by the error's code; the engine's own sentence stands below it, since only
 * that names the file. In English it says all, and stands alone.
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* The sentence of a code in the language of the window; NULL where the language has none, and of
 * MT_OK. */
const char *regard_failure_sentence(mt_error_code code);

/* One line, or two: the sentence of its code, and below it the engine's own as details. Valid
 * UTF-8, whatever paths and texts the engine's own quotes. Caller frees. */
char *regard_failure_say(const mt_error *error);

G_END_DECLS
