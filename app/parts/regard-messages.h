/* regard-messages.h — what is to be said of a document in the banner above the texts: a model that
 * is being opened, what failed and what was kept, what comes from a file, what is changed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It observes the document. Of the buttons those that need a window activate its actions
 * "win.open-model", "win.close-capture" and "win.export".
 */
#pragma once

#include "document/regard-document.h"
#include "parts/regard-banner.h"
#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_MESSAGES (regard_messages_get_type())
G_DECLARE_FINAL_TYPE(RegardMessages, regard_messages, REGARD, MESSAGES, GObject)

/* banner is borrowed and must live as long; what is said in passing is a toast in its window. */
RegardMessages *regard_messages_new(RegardDocument *document, RegardBanner *banner);

/* A picture or a capture could not be written or copied; advice may be NULL. */
void regard_messages_file_failed(RegardMessages *self, const char *title, const char *advice);
/* One was: what failed before is of no interest. */
void regard_messages_file_stands(RegardMessages *self);

/* ==== Something said in passing =============================================================== */

/* Show a text for some seconds in the window of a widget, at once, not behind what was said before;
 * it is no markup, and an error may have a second line. Nothing happens where there is no
 * AdwToastOverlay around the widget, as there is none around the window itself. */
void regard_toast(GtkWidget *widget, const char *text);
/* The same with a button that takes it back, and not read aloud: who calls knows whether something
 * else says it. */
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
