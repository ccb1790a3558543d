/* regard-talk.h — a talk: slides in an order, each with what is on the screen. Files .regard-talk.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file is a zip archive of talk.md, which is a lesson (learn/regard-lesson.h) whose steps are
 * the slides, and of what `state 03.regard` in a step names: the session of that name, and 03.png,
 * a picture of it for speaker and handout. docs/talks.md describes it. Sessions carry their
 * captures, so that a talk can be given where a model is missing. No GTK.
 */
#pragma once

#include "document/regard-session.h"
#include "learn/regard-lesson.h"
#include <cairo.h>

G_BEGIN_DECLS

#define REGARD_TALK_ENDING ".regard-talk"

/* TRUE for a name that ends so, whether there is such a file or not. */
gboolean regard_talk_has_ending(const char *path);

/* Never changed; counted. Who edits a talk has another one then, and the old one to go back to. */
typedef struct {
  int ref_count;        /* private */
  RegardLesson *lesson; /* NULL: there is no slide yet */
  GHashTable *files;    /* "03.regard" and "03.png" to GBytes */
} RegardTalk;

/* Without a slide. */
RegardTalk *regard_talk_new(void);
/* Any lesson is a talk. A reference is taken. */
RegardTalk *regard_talk_new_from_lesson(RegardLesson *lesson);
RegardTalk *regard_talk_ref(RegardTalk *talk);
void regard_talk_unref(RegardTalk *talk);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RegardTalk, regard_talk_unref)

/* NULL with an error that names the file and what was expected. All states of it are looked at
 * before. On any thread. */
RegardTalk *regard_talk_read(const char *path, GError **error);
/* In the place of an earlier file only when it is whole. Without a slide there is nothing to write,
 * which is an error. */
gboolean regard_talk_write(const RegardTalk *talk, const char *path, GError **error);

guint regard_talk_n_slides(const RegardTalk *talk);
/* Borrowed. */
const RegardLessonStep *regard_talk_slide(const RegardTalk *talk, guint slide);
/* What is said to the speaker, and the text of a slide, with an empty line between paragraphs.
 * Caller frees. */
char *regard_talk_dup_notes(const RegardLessonStep *slide);
char *regard_talk_dup_text(const RegardLessonStep *slide);

/* The session of a slide as bytes; NULL: it has none. Borrowed. */
GBytes *regard_talk_get_state(const RegardTalk *talk, guint slide);
/* Its session. NULL with an error. On any thread. */
RegardSession *regard_talk_parse_state(const RegardTalk *talk, guint slide, GError **error);
/* Its picture, to be destroyed; NULL: it has none, or one that cannot be shown. On any thread. */
cairo_surface_t *regard_talk_create_picture(const RegardTalk *talk, guint slide);

/* ---- Editing ---------------------------------------------------------------------------------
 *
 * Each returns a talk that differs in this, or NULL with an error: what a slide says may hang on
 * one before it, as on a name that is measured there. */

/* One more slide at this place, from 0. directives: more lines for its fence; picture: a PNG file,
 * or NULL. A title that is too long is cut. */
RegardTalk *regard_talk_record(const RegardTalk *talk, guint at, const char *title,
                               const char *directives, GBytes *session, GBytes *picture,
                               GError **error);
RegardTalk *regard_talk_move(const RegardTalk *talk, guint from, guint to, GError **error);
RegardTalk *regard_talk_remove(const RegardTalk *talk, guint at, GError **error);
/* Other words of a slide; text and notes have an empty line between paragraphs. */
RegardTalk *regard_talk_reword(const RegardTalk *talk, guint at, const char *title,
                               const char *text, const char *notes, GError **error);
/* What the talk is called. */
RegardTalk *regard_talk_rename(const RegardTalk *talk, const char *title, GError **error);

G_END_DECLS
