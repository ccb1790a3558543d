/* fuzz-talk.c — a talk: a zip archive as it is, anything else as the lesson in one. What was read
 * can be edited, and is the same when it was written and read again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "engine-test.h"
#include "fuzz.h"
#include "talk/regard-talk.h"

#include <string.h>

static void
put(const char *path, const uint8_t *data, size_t size)
{
  const mt_archive_file file = {.name = "talk.md", .data = data, .size = size};
  mt_error error = {0};
  if (size >= 2 && memcmp(data, "PK", 2) == 0)
    fuzz_model_put("x.regard-talk", data, size);
  else if (!mt_archive_write(path, &file, 1, &error))
    g_error("%s", error.message);
}

/* A picture is one or none; nothing of it is larger than it may be. */
static void
look_at(const RegardTalk *talk)
{
  g_assert_cmpuint(regard_talk_n_slides(talk), >, 0);
  for (guint i = 0; i < regard_talk_n_slides(talk); i++) {
    const RegardLessonStep *slide = regard_talk_slide(talk, i);
    g_autofree char *notes = regard_talk_dup_notes(slide);
    fuzz_sink += (double) strlen(notes);
    g_assert_true((regard_lesson_find_state(slide) != NULL) ==
                  (regard_talk_get_state(talk, i) != NULL));
    cairo_surface_t *picture = regard_talk_create_picture(talk, i);
    if (picture) {
      g_assert_cmpint(cairo_image_surface_get_width(picture), <=, 4096);
      cairo_surface_destroy(picture);
    }
  }
}

static void
edit(const RegardTalk *talk)
{
  const guint n = regard_talk_n_slides(talk);
  g_autoptr(RegardTalk) moved = regard_talk_move(talk, 0, n - 1, NULL);
  g_autoptr(RegardTalk) less = regard_talk_remove(talk, n - 1, NULL);
  g_assert_true(!moved || regard_talk_n_slides(moved) == n);
  g_assert_true(!less || regard_talk_n_slides(less) == n - 1);
}

static void
write_again(const RegardTalk *talk, const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *once = regard_lesson_write(talk->lesson);
  if (!regard_talk_write(talk, path, &error))
    g_error("%s", error->message);
  g_autoptr(RegardTalk) again = regard_talk_read(path, &error);
  if (!again) {
    /* A line of it may be longer, where each sign stands by itself now. */
    g_assert_nonnull(strstr(error->message, "at most"));
    return;
  }
  g_autofree char *twice = regard_lesson_write(again->lesson);
  g_assert_cmpstr(once, ==, twice);
  g_assert_cmpuint(g_hash_table_size(talk->files), ==, g_hash_table_size(again->files));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char *path, *copy;
  if (!path) {
    path = g_build_filename(fuzz_model_path(), "x.regard-talk", NULL);
    copy = g_build_filename(fuzz_model_path(), "copy.regard-talk", NULL);
  }
  put(path, data, size);
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardTalk) talk = regard_talk_read(path, &error);
  g_assert_true((talk != NULL) == (error == NULL));
  g_assert_true(talk || g_utf8_validate(error->message, -1, NULL));
  if (talk) {
    look_at(talk);
    edit(talk);
    write_again(talk, copy);
  }
  return 0;
}
