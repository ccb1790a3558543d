/* regard-window-talk.h — what the files of the window share that are about talks: -talk.c and
 * -give.c.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "talk/regard-speaker-window.h"
#include "talk/regard-talk-states.h"
#include "window/regard-window-private.h"

G_BEGIN_DECLS

typedef struct _RegardWindowTalk {
  /* recorded and edited */
  RegardTalk *talk;
  GPtrArray *before;     /* of RegardTalk *: what it was before each change */
  char *path;            /* its file; NULL: it has none */
  gboolean is_named;     /* somebody chose the file just now */
  gboolean owns_unsaved; /* the talk that was kept for the next start is this window's */
  gboolean is_recording;
  RegardWork *reading, *writing, *printing;
  GSimpleAction *action; /* the panel */

  /* given */
  RegardTalkShow *show;
  RegardTalkStates *preview;    /* shows a slide that was chosen in the list; NULL: none was yet */
  RegardSession *look;          /* before it; NULL: none is given */
  RegardSpeakerWindow *speaker; /* NULL: there is none */
  gconstpointer monitor;        /* that the window was on, to compare only */
  gboolean is_swapped;          /* the room has the screen that the window was on */
  char *lesson;                 /* file of the lesson that is given; NULL: none is */
  GtkWidget *cover;             /* over all of it, black; NULL: none was given yet */
} WindowTalk;

/* -give.c */
void regard_window_install_give_actions(GtkWidgetClass *klass);
void regard_window_observe_giving(RegardWindow *self);
void regard_window_forget_giving(RegardWindow *self);
/* The talk has other slides. */
void regard_window_update_giving(RegardWindow *self);

G_END_DECLS
