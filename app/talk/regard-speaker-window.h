/* regard-speaker-window.h — what the speaker of a talk sees beside the room: text, notes, the
 * picture of the next slide, clock and time, and hands.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Signals: "swap" (the two windows are to change places), "end" (of the talk) and "closed" (this
 * window alone is to go).
 */
#pragma once

#include "talk/regard-talk-show.h"
#include <adwaita.h>

G_BEGIN_DECLS

#define REGARD_TYPE_SPEAKER_WINDOW (regard_speaker_window_get_type())
G_DECLARE_FINAL_TYPE(RegardSpeakerWindow, regard_speaker_window, REGARD, SPEAKER_WINDOW, AdwWindow)

/* A reference is taken. It is to be destroyed when the talk ends. */
RegardSpeakerWindow *regard_speaker_window_new(RegardTalkShow *show);

/* "12:34", or "1:02:03", of so many microseconds. Caller frees. */
char *regard_speaker_say_time(gint64 elapsed);

G_END_DECLS
