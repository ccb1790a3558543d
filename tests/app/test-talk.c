/* test-talk.c — talks as files: what is recorded, ordered and reworded comes back, and what is no
 * talk is refused with what was expected.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "app-test.h"
#include "base/regard-error.h"
#include "suite.h"
#include "talk/regard-talk-handout.h"

#include <string.h>

/* A session of a text, without a picture. */
static GBytes *
make_state(const char *text)
{
  g_autoptr(RegardSession) session = regard_session_new();
  g_autoptr(GError) error = NULL;
  session->program = g_strdup("test");
  session->state = regard_snapshot_new();
  session->state->text = g_strdup(text);
  session->look = (RegardViewState){.page = g_strdup("attention"),
                                    .colormap = regard_colormap_find("viridis"),
                                    .lines_share = REGARD_LINES_SHARE,
                                    .zoom = 1,
                                    .row = -1,
                                    .col = -1,
                                    .step = -1};
  GBytes *bytes = regard_session_make(session, "state", &error);
  g_assert_no_error(error);
  return bytes;
}

static cairo_status_t
append(void *closure, const unsigned char *data, unsigned int n)
{
  g_byte_array_append(closure, data, n);
  return CAIRO_STATUS_SUCCESS;
}

static GBytes *
make_picture(int width)
{
  GByteArray *bytes = g_byte_array_new();
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, 3);
  g_assert_cmpint(cairo_surface_write_to_png_stream(surface, append, bytes), ==,
                  CAIRO_STATUS_SUCCESS);
  cairo_surface_destroy(surface);
  return g_byte_array_free_to_bytes(bytes);
}

/* next: taken. */
static void
go_on(RegardTalk **talk, RegardTalk *next, const GError *error)
{
  g_assert_no_error(error);
  g_assert_nonnull(next);
  regard_talk_unref(*talk);
  *talk = next;
}

static void
record(RegardTalk **talk, const char *title, const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) state = make_state(text), picture = make_picture(5);
  go_on(talk,
        regard_talk_record(*talk, regard_talk_n_slides(*talk), title, "page layers/lens\n", state,
                           picture, &error),
        error);
}

static char *
titles(const RegardTalk *talk)
{
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < regard_talk_n_slides(talk); i++)
    g_string_append_printf(out, "%s%s", i ? "|" : "", regard_talk_slide(talk, i)->title);
  return g_string_free(out, FALSE);
}

static void
check_titles(const RegardTalk *talk, const char *expected)
{
  g_autofree char *found = titles(talk);
  g_assert_cmpstr(found, ==, expected);
}

/* The text that a slide's state is of. */
static void
check_state(const RegardTalk *talk, guint slide, const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardSession) session = regard_talk_parse_state(talk, slide, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(session->state->text, ==, text);
}

/* Recorded, ordered, reworded, deleted, written and read: each slide keeps its own state. */
static void
test_edit(void)
{
  g_autofree char *folder = app_test_folder(),
                  *path = g_build_filename(folder, "a.regard-talk", NULL);
  g_autoptr(RegardTalk) talk = regard_talk_new();
  g_autoptr(GError) error = NULL;
  g_assert_false(regard_talk_write(talk, path, &error));
  g_assert_nonnull(strstr(error->message, "no slide"));
  g_clear_error(&error);
  record(&talk, "One", "The first.");
  record(&talk, "Two\n\u202e", "The second.");
  record(&talk, "", "The third.");
  check_titles(talk, "One|Two|Slide");
  go_on(&talk, regard_talk_move(talk, 2, 0, &error), error);
  check_titles(talk, "Slide|One|Two");
  go_on(&talk,
        regard_talk_reword(talk, 1, "First", "A *row*\nis a sum.\n\n\nOf what?",
                           "> Ask.\n\nWait for {hands}.", &error),
        error);
  const RegardLessonStep *slide = regard_talk_slide(talk, 1);
  g_autofree char *text = regard_talk_dup_text(slide), *notes = regard_talk_dup_notes(slide);
  g_assert_cmpstr(text, ==, "A *row* is a sum.\n\nOf what?");
  g_assert_cmpstr(notes, ==, "> Ask.\n\nWait for {hands}.");
  go_on(&talk, regard_talk_remove(talk, 2, &error), error);
  /* The name that is free is taken again, and is nobody else's. */
  record(&talk, "Four", "The fourth.");
  go_on(&talk, regard_talk_rename(talk, "Heads", &error), error);
  g_assert_true(regard_talk_write(talk, path, &error));
  g_autoptr(RegardTalk) again = regard_talk_read(path, &error);
  g_assert_no_error(error);
  check_titles(again, "Slide|First|Four");
  g_assert_cmpstr(again->lesson->title, ==, "Heads");
  check_state(again, 0, "The third.");
  check_state(again, 1, "The first.");
  check_state(again, 2, "The fourth.");
  cairo_surface_t *picture = regard_talk_create_picture(again, 2);
  g_assert_nonnull(picture);
  g_assert_cmpint(cairo_image_surface_get_width(picture), ==, 5);
  cairo_surface_destroy(picture);
  g_assert_cmpuint(g_hash_table_size(again->files), ==, 6);
  app_test_remove(folder);
}

/* What would not be read as it was meant, or hangs on what goes, is refused, and nothing changes.
 */
static void
test_refused(void)
{
  static const char lesson[] =
      "---\nregard-lesson: 1\nid: a\ntitle: A\n---\n\n## One\n\n```regard\nlet n = tokens\n```\n\n"
      "## Two\n\nThere are {n}.\n";
  mt_error failure = {0};
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardLesson) read = regard_lesson_parse("a", lesson, strlen(lesson), &failure);
  g_autoptr(RegardTalk) talk = regard_talk_new_from_lesson(read);
  g_assert_null(regard_talk_remove(talk, 0, &error));
  g_assert_nonnull(strstr(error->message, "n}"));
  g_clear_error(&error);
  g_assert_null(regard_talk_move(talk, 1, 0, &error));
  g_clear_error(&error);
  g_assert_null(regard_talk_reword(talk, 0, "One", "# Two", "", &error));
  g_assert_nonnull(strstr(error->message, "“#”"));
  g_clear_error(&error);
  g_assert_null(regard_talk_parse_state(talk, 0, &error));
  g_assert_error(error, REGARD_ERROR, REGARD_ERROR_INPUT);
  /* As many as there may be, and not one more. */
  g_clear_error(&error);
  for (guint i = regard_talk_n_slides(talk); i < REGARD_LESSON_MOST_STEPS; i++)
    record(&talk, "More", "More.");
  g_autoptr(GBytes) state = make_state("Too many.");
  g_assert_null(regard_talk_record(talk, 0, "No", NULL, state, NULL, &error));
  g_assert_nonnull(strstr(error->message, "at most 60"));
}

static void
check_refused(const char *path, const mt_archive_file *files, gsize n, const char *expected)
{
  mt_error failure = {0};
  g_autoptr(GError) error = NULL;
  g_assert_true(mt_archive_write(path, files, n, &failure));
  g_assert_null(regard_talk_read(path, &error));
  if (!strstr(error->message, expected))
    g_error("expected “%s” in: %s", expected, error->message);
}

#define FILE_OF(name, text)             \
  {                                     \
    name, text, sizeof(text) - 1, FALSE \
  }
#define HEAD   "---\nregard-lesson: 1\nid: a\ntitle: A\n---\n\n"
#define STATED HEAD "## One\n\n```regard\nstate 01.regard\n```\n"

static void
test_hostile(void)
{
  g_autofree char *folder = app_test_folder(),
                  *path = g_build_filename(folder, "a.regard-talk", NULL);
  const mt_archive_file none[] = {FILE_OF("01.regard", "x")};
  const mt_archive_file stranger[] = {FILE_OF("talk.md", HEAD "## One\n"), FILE_OF("a.sh", "x")};
  const mt_archive_file above[] = {FILE_OF("talk.md", HEAD "## One\n"),
                                   FILE_OF("../01.regard", "x")};
  const mt_archive_file missing[] = {FILE_OF("talk.md", STATED)};
  const mt_archive_file broken[] = {FILE_OF("talk.md", STATED), FILE_OF("01.regard", "x")};
  const mt_archive_file wrong[] = {
      FILE_OF("talk.md", HEAD "## One\n\n```regard\nstate a.png\n```\n")};
  g_autofree char *long_text = g_strnfill(REGARD_LESSON_MOST_BYTES + 1, '\n');
  const mt_archive_file large[] = {{"talk.md", long_text, REGARD_LESSON_MOST_BYTES + 1, TRUE}};
  check_refused(path, none, 1, "without \"talk.md\"");
  check_refused(path, stranger, 2, "\"a.sh\"");
  check_refused(path, above, 2, "a.regard-talk");
  check_refused(path, missing, 1, "line 10: expected “01.regard” in the file");
  check_refused(path, broken, 2, "a.regard-talk/01.regard");
  check_refused(path, wrong, 1, "a state of a talk, from 01.regard to 99.regard, found 'a.png'");
  check_refused(path, large, 1, "at most 262144 bytes");
  app_test_remove(folder);
}

/* A picture that says it is larger than any screen is none. */
static void
test_picture(void)
{
  g_autoptr(RegardTalk) talk = regard_talk_new();
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) state = make_state("A."), wide = make_picture(4097), torn = NULL;
  gsize n;
  const guchar *data = g_bytes_get_data(wide, &n);
  go_on(&talk, regard_talk_record(talk, 0, "Wide", NULL, state, wide, &error), error);
  torn = g_bytes_new(data, 40);
  go_on(&talk, regard_talk_record(talk, 1, "Torn", NULL, state, torn, &error), error);
  go_on(&talk, regard_talk_record(talk, 2, "None", NULL, state, NULL, &error), error);
  for (guint i = 0; i < 3; i++)
    g_assert_null(regard_talk_create_picture(talk, i));
}

/* What a program reads of a PDF file, its pages with form feeds between. Caller frees; NULL: there
 * is no such program. */
static char *
read_pdf(GBytes *pdf)
{
  g_autofree char *program = g_find_program_in_path("pdftotext");
  g_autofree char *folder = app_test_folder(), *path = g_build_filename(folder, "a.pdf", NULL);
  g_autoptr(GError) error = NULL;
  char *text = NULL;
  gsize n;
  const char *bytes = g_bytes_get_data(pdf, &n);
  const char *argv[] = {program, "-layout", path, "-", NULL};
  if (!program)
    return NULL;
  g_assert_true(g_file_set_contents(path, bytes, (gssize) n, &error));
  g_assert_true(g_spawn_sync(NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, NULL,
                             NULL, &error));
  app_test_remove(folder);
  return text;
}

/* A page a slide with all its words; what has no room goes on on a page of its own. */
static void
test_handout(void)
{
  static const char question[] =
      "---\nregard-lesson: 1\nid: a\ntitle: All <heads>\n---\n\n## What & why\n\nWhich *one*?\n\n"
      "- [ ] This {b}\n- [ ] That {a}\n      It is so.\n\n```regard\nask choose\nright a\n```\n";
  mt_error failure = {0};
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardLesson) lesson = regard_lesson_parse("a", question, strlen(question), &failure);
  g_autoptr(RegardTalk) talk = regard_talk_new_from_lesson(lesson);
  g_autoptr(GString) notes = g_string_new(NULL);
  record(&talk, "Long", "Words.");
  for (guint i = 0; i < 18; i++) {
    for (guint k = 0; k < 200; k++)
      g_string_append(notes, "so ");
    g_string_append_printf(notes, "%u.\n\n", i);
  }
  go_on(&talk, regard_talk_reword(talk, 1, "Long", "", notes->str, &error), error);
  g_autoptr(GBytes) pdf = regard_talk_make_handout(talk, &error);
  g_assert_no_error(error);
  g_autofree char *text = read_pdf(pdf);
  if (!text) {
    g_test_skip("pdftotext (poppler-utils) is not installed");
    return;
  }
  g_auto(GStrv) pages = g_strsplit(text, "\f", -1);
  static const char *const words[] = {"All <heads>", "1 / 2",  "What & why", "Which one?",
                                      "A This",      "B That", "It is so."};
  for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
    g_auto(GStrv) parts = g_strsplit(words[i], " ", 2);
    if (!strstr(pages[0], parts[0]) || (parts[1] && !strstr(pages[0], parts[1])))
      g_error("expected “%s” in: %s", words[i], pages[0]);
  }
  g_assert_cmpuint(g_strv_length(pages), >=, 4); /* and nothing behind the last form feed */
  g_assert_nonnull(strstr(pages[1], "Long"));
  g_assert_nonnull(strstr(pages[g_strv_length(pages) - 2], "17."));
  g_assert_nonnull(strstr(pages[2], "All <heads>"));
}

TESTS()
{
  g_test_add_func("/talk/edit", test_edit);
  g_test_add_func("/talk/refused", test_refused);
  g_test_add_func("/talk/hostile", test_hostile);
  g_test_add_func("/talk/picture", test_picture);
  g_test_add_func("/talk/handout", test_handout);
}
