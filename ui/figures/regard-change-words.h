/* regard-change-words.h — what became of the model, as a sentence to be heard: "Cross-attention,
 * layer 5, head 5 is switched off."
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <glib.h>
#include <mt.h>

G_BEGIN_DECLS

/* What one list of changes has that the other had not, or lacks; where that is more than one thing,
 * how many changes there are now. Either may be NULL. Caller frees; NULL: they are the same. */
char *regard_change_words(const mt_interventions *before, const mt_interventions *now);

G_END_DECLS
