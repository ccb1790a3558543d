/* regard-wordings.h — a label in several wordings: the longest that there is room for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_WORDINGS (regard_wordings_get_type())
G_DECLARE_FINAL_TYPE(RegardWordings, regard_wordings, REGARD, WORDINGS, GtkWidget)

#define REGARD_MOST_WORDINGS 3

GtkWidget *regard_wordings_new(void);
/* texts: the longest first, up to NULL, at most REGARD_MOST_WORDINGS. The widget asks for room for
 * the last one, unless that may be cut off. */
void regard_wordings_set(RegardWordings *self, const char *const *texts, gboolean may_cut);
/* The longest one, "" before there is any; borrowed. */
const char *regard_wordings_get_text(RegardWordings *self);
/* The one that is to be seen; borrowed. */
const char *regard_wordings_get_shown(RegardWordings *self);

G_END_DECLS
