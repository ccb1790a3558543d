/* regard-welcome.h — three doors, in place of the pictures: at the first start, and from the menu.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whatever is behind a door is an action of the window; one that there is not, or that cannot be
 * done now, is grey. Signal "explore" (boolean): a person goes on to the pictures, with few
 * controls (TRUE) or with all.
 */
#pragma once

#include <gio/gio.h>
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_WELCOME (regard_welcome_get_type())
G_DECLARE_FINAL_TYPE(RegardWelcome, regard_welcome, REGARD, WELCOME, GtkWidget)

/* Sentences to begin with, of RegardExampleSentence, in the place of those before; copied. */
void regard_welcome_set_examples(RegardWelcome *self, const GPtrArray *examples);

G_END_DECLS
