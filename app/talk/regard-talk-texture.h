/* regard-talk-texture.h — the picture of a slide on the screen.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#pragma once

#include "talk/regard-talk.h"
#include <gdk/gdk.h>

G_BEGIN_DECLS

/* At most so many pixels wide and high; NULL: the slide has none. Caller unrefs. */
GdkTexture *regard_talk_create_texture(const RegardTalk *talk, guint slide, int width, int height);

G_END_DECLS
