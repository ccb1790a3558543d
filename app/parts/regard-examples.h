/* regard-examples.h — sentences to begin with.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  char *text, *note; /* note: what to look for, "" for none */
} RegardExampleSentence;

/* Those made for a model of that name (NULL: of none); else those in a language ("en", or with a
 * region behind it), in the order shown; where there are none, or the language is "" or NULL, all
 * of them that are for no model. Array of RegardExampleSentence; free with g_ptr_array_unref. */
GPtrArray *regard_examples_list(const char *language, const char *model);

G_END_DECLS
