/* regard-toast.h — something said in passing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Show a text for some seconds in the window of a widget, at once, not behind what was said before.
 * Nothing happens where there is no AdwToastOverlay around it. */
void regard_toast(GtkWidget *widget, const char *text);
/* The same with a button that takes it back. */
void regard_toast_with_undo(GtkWidget *widget, const char *text, const char *action);
/* Whether that is still there. */
gboolean regard_toast_is_undoable(GtkWidget *widget);
/* The same again, of what goes on: in the place of the last one, without another coming and going.
 */
void regard_toast_go_on(GtkWidget *widget, const char *text, const char *action);
/* The same with a button that activates a detailed action with this target. */
void regard_toast_with_button(GtkWidget *widget, const char *text, const char *button,
                              const char *action, const char *target);

G_END_DECLS
