/* regard-slide-editor.h — the words of a slide in a dialog: its title, what the room reads, and
 * what the speaker reads.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "talk/regard-talk.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

/* What was written. FALSE with an error, which the dialog says, and stays. */
typedef gboolean (*RegardSlideEdited)(gpointer user, guint slide, const char *title,
                                      const char *text, const char *notes, GError **error);

/* Opens the dialog above a window. user, a GObject, is kept alive by nobody: the dialog goes with
 * its window. */
GtkWindow *regard_slide_editor_open(GtkWindow *parent, const RegardTalk *talk, guint slide,
                                    RegardSlideEdited edited, gpointer user);

G_END_DECLS
