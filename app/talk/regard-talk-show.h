/* regard-talk-show.h — a talk that is given: which slide is shown, what a press of the clicker
 * does, and what the room said.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * It has no widgets of its own. A slide is a step of a lesson, which a RegardLessonRun sets up on a
 * copy of the document; that copy is gone when the talk ends. Nothing is waited for: who speaks
 * goes on. Where something is asked, the first press measures and shows what is so, and the next
 * one goes on.
 *
 * Signals:
 *   "changed"        something of the state below, or of the run
 *   "focus"          the keyboard is to leave the text that was typed into
 *   "ended"          the talk is over, and what was there before it is back
 */
#pragma once

#include "learn/regard-lesson-run.h"
#include "talk/regard-talk.h"

G_BEGIN_DECLS

typedef struct {
  RegardTalk *talk; /* NULL: none is given; then nothing else counts */
  guint slide;
  gboolean is_black;  /* the room sees nothing */
  gboolean has_notes; /* they are on the screen that the room sees, too */
  guint number;       /* of a slide, that is being typed; 0: none is */
  gint64 began;       /* g_get_monotonic_time */
} RegardTalkShowState;

#define REGARD_TYPE_TALK_SHOW (regard_talk_show_get_type())
G_DECLARE_FINAL_TYPE(RegardTalkShow, regard_talk_show, REGARD, TALK_SHOW, GObject)

/* The stage is borrowed, and lives as long as this does, or until regard_talk_show_close. */
RegardTalkShow *regard_talk_show_new(RegardStage *stage);
/* Ends the talk, and lets go of the stage. */
void regard_talk_show_close(RegardTalkShow *self);
/* Borrowed, and the same one always. */
const RegardTalkShowState *regard_talk_show_get_state(RegardTalkShow *self);
/* What sets the slides up; borrowed. */
RegardLessonRun *regard_talk_show_get_run(RegardTalkShow *self);

/* Begins at a slide. A reference is taken. recent: models opened lately; may be NULL. */
void regard_talk_show_start(RegardTalkShow *self, RegardTalk *talk, guint slide,
                            const char *const *recent);
void regard_talk_show_end(RegardTalkShow *self);
/* What is so is shown, or the next slide is; the slide before; back to the slide by who went
 * elsewhere. */
void regard_talk_show_next(RegardTalkShow *self);
void regard_talk_show_back(RegardTalkShow *self);
void regard_talk_show_return(RegardTalkShow *self);
void regard_talk_show_toggle_black(RegardTalkShow *self);

/* A key of a clicker or a keyboard that was pressed in a window of the talk, whatever has the
 * keyboard there. While somebody types, the talk waits: only keys that write nothing are the
 * talk's. TRUE: it was used. */
gboolean regard_talk_show_use_key(RegardTalkShow *self, GtkWindow *window, guint keyval,
                                  GdkModifierType state);

/* The picture of the next slide, where that has none of its own and it was drawn already; NULL:
 * there is none, or not yet. Borrowed. */
GdkTexture *regard_talk_show_get_next_picture(RegardTalkShow *self);

/* Hands that were up for an option of the slide that is shown. */
guint regard_talk_show_get_hands(RegardTalkShow *self, guint option);
void regard_talk_show_set_hands(RegardTalkShow *self, guint option, guint hands);
/* Whether what is so is shown. */
gboolean regard_talk_show_is_revealed(RegardTalkShow *self);

/* A directive `state`, which the stage is asked for. FALSE: *error says why there is none. */
gboolean regard_talk_show_show_state(RegardTalkShow *self, const RegardDirective *state,
                                     GError **error);

/* What a room reads below the picture: the question of a slide, else the beginning of its text, as
 * many whole sentences as two lines hold, else its title. As markup; caller frees. */
char *regard_talk_show_dup_line(RegardTalkShow *self);

G_END_DECLS
