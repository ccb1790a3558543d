/* regard-talk-bar.h — what a room reads below the picture: one line, and what it may choose among.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signal "link" (string): this target was clicked in the line.
 */
#pragma once

#include "talk/regard-talk-show.h"

G_BEGIN_DECLS

#define REGARD_TYPE_TALK_BAR (regard_talk_bar_get_type())
G_DECLARE_FINAL_TYPE(RegardTalkBar, regard_talk_bar, REGARD, TALK_BAR, GtkWidget)

/* A reference is taken. Once. */
void regard_talk_bar_set_show(RegardTalkBar *self, RegardTalkShow *show);

/* Options of the slide that is shown, each with its letter, in two columns where they have room:
 * what came out is marked, with what is said of it. The speaker writes down how
 * many hands were up for each. */
#define REGARD_TYPE_TALK_OPTIONS (regard_talk_options_get_type())
G_DECLARE_FINAL_TYPE(RegardTalkOptions, regard_talk_options, REGARD, TALK_OPTIONS, GtkWidget)
GtkWidget *regard_talk_options_new(RegardTalkShow *show, gboolean is_for_speaker);

G_END_DECLS
