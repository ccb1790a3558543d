/* regard-talk-handout.h — a talk on paper: a page a slide, with its picture, its words and the
 * notes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "talk/regard-talk.h"

G_BEGIN_DECLS

/* A PDF file of pages of A4. A slide whose words have no room goes on on the next page. NULL with
 * an error. On any thread. */
GBytes *regard_talk_make_handout(const RegardTalk *talk, GError **error);

G_END_DECLS
