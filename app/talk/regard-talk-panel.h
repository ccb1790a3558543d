/* regard-talk-panel.h — the slides of a talk in a list, to be ordered, reworded and deleted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It shows a talk; what a person does are actions of the window, whose slides count from 0:
 * "win.record-slide", "win.show-slide" (u), "win.edit-slide" (u), "win.move-slide" ((uu)),
 * "win.remove-slide" (u), "win.undo-slide", "win.give-talk", "win.open-talk", "win.save-talk-as",
 * "win.save-handout" and "win.close-talk".
 */
#pragma once

#include "talk/regard-talk.h"
#include <gtk/gtk.h>

G_BEGIN_DECLS

#define REGARD_TYPE_TALK_PANEL (regard_talk_panel_get_type())
G_DECLARE_FINAL_TYPE(RegardTalkPanel, regard_talk_panel, REGARD, TALK_PANEL, GtkWidget)

/* A reference is taken. name: of its file; NULL: it has none yet. selected: the slide that has the
 * eye. */
void regard_talk_panel_set_talk(RegardTalkPanel *self, RegardTalk *talk, const char *name,
                                guint selected);
/* The slide that is chosen; 0 if none is. */
guint regard_talk_panel_get_selected(RegardTalkPanel *self);
/* The keyboard goes to the list, or to the button that records. */
void regard_talk_panel_focus(RegardTalkPanel *self);

G_END_DECLS
