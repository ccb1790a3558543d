/* test-window-talk.c — talks in the window: recorded, edited, saved, and given with the keys of a
 * clicker, with detours, questions, and without the model.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "suite.h"
#include "talk/regard-talk-ahead.h"
#include "talk/regard-talk-bar.h"
#include "talk/regard-talk-panel.h"
#include "window-test.h"
#include "window/regard-window-talk.h"

#include <glib/gstdio.h>
#include <string.h>

#define OWN "I have two dogs."

static const WindowTalk *
talk_of(WindowTest *t)
{
  return t->window->talk;
}

static const RegardTalkShowState *
shown(WindowTest *t)
{
  return regard_talk_show_get_state(talk_of(t)->show);
}

/* A key that is caught before the views; TRUE if it was the talk's. */
static gboolean
press(WindowTest *t, guint keyval)
{
  gboolean is_used = FALSE;
  g_signal_emit_by_name(window_test_controller(window_test_child(t, "root"), "talk-keys"),
                        "key-pressed", keyval, 0u, (GdkModifierType) 0, &is_used);
  return is_used;
}

static void
record(WindowTest *t, const char *text)
{
  const guint n = regard_talk_n_slides(talk_of(t)->talk);
  window_test_translate(t, text);
  window_test_act(t, "win.record-slide", NULL);
  app_test_until(regard_talk_n_slides(talk_of(t)->talk) == n + 1);
}

static gboolean
is_at(WindowTest *t, guint slide, const char *text)
{
  const RegardResult *result = regard_document_get_result(t->document);
  const RegardLessonRunState *run =
      regard_lesson_run_get_state(regard_talk_show_get_run(talk_of(t)->show));
  return run->phase != REGARD_LESSON_SETTING_UP && shown(t)->slide == slide &&
         g_str_equal(regard_document_get_text(t->document), text) && result &&
         g_str_equal(result->text, text) && !regard_document_is_busy(t->document);
}

static char *
titles(WindowTest *t)
{
  GString *out = g_string_new(NULL);
  for (guint i = 0; i < regard_talk_n_slides(talk_of(t)->talk); i++)
    g_string_append_printf(out, "%s|", regard_talk_slide(talk_of(t)->talk, i)->title);
  return g_string_free(out, FALSE);
}

static void
check_titles(WindowTest *t, const char *expected)
{
  g_autofree char *found = titles(t);
  g_assert_cmpstr(found, ==, expected);
}

/* Recorded, ordered, deleted, taken back; a file that has a name is saved with each change. */
static void
test_record(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder(),
                  *path = g_build_filename(folder, "a.regard-talk", NULL);
  window_test_act(t, "win.record-slide", NULL); /* there is nothing yet */
  record(t, OWN);
  window_test_act(t, "win.go-to-view", "s", "positions");
  record(t, "We see it.");
  check_titles(t, "cross 4.1 · I have two dogs.|Positions · We see it.|");
  g_assert_true(gtk_widget_get_visible(window_test_child(t, "talk_panel")));
  window_test_act(t, "win.write-talk", "s", path);
  app_test_until(g_file_test(path, G_FILE_TEST_EXISTS) && !talk_of(t)->is_named);
  g_assert_cmpstr(talk_of(t)->talk->lesson->title, ==, "a");
  window_test_act(t, "win.move-slide", "(uu)", 1u, 0u);
  check_titles(t, "Positions · We see it.|cross 4.1 · I have two dogs.|");
  window_test_act(t, "win.remove-slide", "u", 1u);
  check_titles(t, "Positions · We see it.|");
  window_test_act(t, "win.undo-slide", NULL);
  check_titles(t, "Positions · We see it.|cross 4.1 · I have two dogs.|");
  app_test_until(!regard_work_is_busy(talk_of(t)->writing));
  g_autofree char *handout = g_build_filename(folder, "b.pdf", NULL);
  g_autofree char *named = g_build_filename(folder, "b", NULL); /* it gets its ending */
  window_test_act(t, "win.write-handout", "s", named);
  app_test_until(g_file_test(handout, G_FILE_TEST_EXISTS));
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardTalk) read = regard_talk_read(path, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(regard_talk_n_slides(read), ==, 2);
  g_assert_cmpstr(regard_talk_slide(read, 0)->title, ==, "Positions · We see it.");
  cairo_surface_t *picture = regard_talk_create_picture(read, 0);
  g_assert_nonnull(picture);
  cairo_surface_destroy(picture);
  app_test_remove(folder);
}

/* What cannot be read changes nothing; what can takes the place of what was there. */
static void
test_open(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder(),
                  *path = g_build_filename(folder, "a.regard-talk", NULL);
  record(t, OWN);
  window_test_act(t, "win.write-talk", "s", path);
  app_test_until(g_file_test(path, G_FILE_TEST_EXISTS) && !talk_of(t)->is_named);
  g_autofree char *broken = g_build_filename(folder, "b.regard-talk", NULL);
  g_assert_true(g_file_set_contents(broken, "no zip", -1, NULL));
  regard_window_open_path(t->window, broken);
  app_test_until(!regard_work_is_busy(talk_of(t)->reading));
  check_titles(t, "cross 4.1 · I have two dogs.|");
  window_test_act(t, "win.close-talk", NULL);
  g_assert_cmpuint(regard_talk_n_slides(talk_of(t)->talk), ==, 0);
  regard_window_open_path(t->window, path);
  app_test_until(regard_talk_n_slides(talk_of(t)->talk) == 1);
  window_test_translate(t, "We see it.");
  window_test_act(t, "win.show-slide", "u", 0u);
  app_test_until(g_str_equal(regard_document_get_text(t->document), OWN));
  app_test_remove(folder);
}

/* How many talks are kept by their time. */
static guint
count_kept(gboolean removes)
{
  g_autofree char *folder = g_build_filename(g_get_user_data_dir(), "regard", NULL);
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  guint n = 0;
  for (const char *name; dir && (name = g_dir_read_name(dir));) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    const gboolean is_one = g_str_has_prefix(name, "talk-") && regard_talk_has_ending(name);
    n += is_one;
    if (is_one && removes)
      g_unlink(path);
  }
  return n;
}

/* One that has no file is there again when the program is started next; a second one that has none
 * is kept beside it, and neither is lost by opening another. */
static void
test_kept(WindowTest *t, gconstpointer data)
{
  g_autofree char *path =
      g_build_filename(g_get_user_data_dir(), "regard", "unsaved.regard-talk", NULL);
  WindowTest other = window_test_another(t);
  gtk_window_present(GTK_WINDOW(other.window));
  regard_document_open_model(other.document, "");
  window_test_settle(&other);
  record(&other, OWN);
  other.window->talk->owns_unsaved = TRUE;
  t->window->talk->owns_unsaved = FALSE;
  gtk_window_close(GTK_WINDOW(other.window));
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardTalk) kept = regard_talk_read(path, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(regard_talk_n_slides(kept), ==, 1);
  record(t, "We see it.");
  const guint before = count_kept(FALSE);
  regard_window_open_path(t->window, path);
  app_test_until(t->window->talk->path);
  check_titles(t, "cross 4.1 · I have two dogs.|");
  g_assert_cmpuint(count_kept(TRUE), ==, before + 1);
  g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
  g_assert_cmpint(g_unlink(path), ==, 0);
}

/* The keys of a clicker, a detour in which somebody types, and what is back when it ends. */
static void
test_give(WindowTest *t, gconstpointer data)
{
  record(t, OWN);
  record(t, "We see it.");
  record(t, "The sun is warm.");
  window_test_translate(t, "He is tired.");
  g_settings_set_string(t->settings, "colormap", "magma");
  window_test_act(t, "win.present", NULL);
  app_test_until(is_at(t, 0, OWN));
  g_assert_false(gtk_widget_get_visible(window_test_child(t, "talk_panel")));
  g_assert_true(gtk_widget_get_visible(window_test_child(t, "talk_bar")));
  g_assert_cmpstr(window_test_label(window_test_child(t, "talk_bar"), "talk-place"), ==, "1 / 3");
  /* In the colours of the slide, not in those of every room. */
  g_assert_cmpstr(regard_selection_get_colormap(t->selection)->id, ==, "viridis");
  g_assert_true(press(t, GDK_KEY_Page_Down));
  app_test_until(is_at(t, 1, "We see it."));
  g_assert_true(press(t, GDK_KEY_space));
  app_test_until(is_at(t, 2, "The sun is warm."));
  g_assert_true(press(t, GDK_KEY_Page_Down)); /* behind the last one is none */
  g_assert_true(press(t, GDK_KEY_Left));
  app_test_until(is_at(t, 1, "We see it."));
  /* A detour. */
  window_test_act(t, "win.focus-source", NULL);
  g_assert_false(press(t, GDK_KEY_space));
  g_assert_false(press(t, GDK_KEY_b));
  regard_document_edit(t->document, "He is tired.", 0);
  window_test_settle(t);
  g_assert_true(regard_lesson_run_is_changed(regard_talk_show_get_run(talk_of(t)->show)));
  g_assert_true(press(t, GDK_KEY_Escape)); /* the keyboard leaves the text, and the talk goes on */
  g_assert_nonnull(shown(t)->talk);
  g_assert_true(press(t, GDK_KEY_Home));
  app_test_until(is_at(t, 1, "We see it."));
  /* Black, and light again without going on. */
  g_assert_true(press(t, GDK_KEY_period));
  g_assert_true(gtk_widget_get_visible(talk_of(t)->cover));
  g_assert_true(press(t, GDK_KEY_Page_Down));
  g_assert_false(gtk_widget_get_visible(talk_of(t)->cover));
  g_assert_cmpuint(shown(t)->slide, ==, 1);
  /* To a number. */
  g_assert_false(press(t, GDK_KEY_Return));
  g_assert_true(press(t, GDK_KEY_9));
  g_assert_true(press(t, GDK_KEY_3));
  g_assert_cmpuint(shown(t)->number, ==, 3);
  g_assert_true(press(t, GDK_KEY_Return));
  app_test_until(is_at(t, 2, "The sun is warm."));
  g_assert_true(press(t, GDK_KEY_n));
  g_assert_cmpstr(window_test_label(window_test_child(t, "talk_bar"), "talk-notes"), ==,
                  "There are no notes for this slide.");
  g_assert_true(press(t, GDK_KEY_Escape));
  g_assert_null(shown(t)->talk);
  window_test_settle(t);
  g_assert_cmpstr(regard_document_get_text(t->document), ==, "He is tired.");
  g_assert_cmpstr(regard_selection_get_colormap(t->selection)->id, ==, "magma");
  g_assert_true(gtk_widget_get_visible(window_test_child(t, "talk_panel")));
  g_assert_false(gtk_widget_get_visible(window_test_child(t, "talk_bar")));
  g_assert_false(press(t, GDK_KEY_Page_Down));
}

/* A lesson of one's own whose first text is this, as a talk, from its first slide. */
static void
present_lesson(WindowTest *t, const char *folder, const char *lesson)
{
  g_autofree char *path = g_build_filename(folder, "a.lesson.md", NULL);
  g_assert_true(g_file_set_contents(path, lesson, -1, NULL));
  window_test_translate(t, OWN);
  regard_window_open_path(t->window, path);
  app_test_until(regard_window_get_lesson(t->window));
  window_test_act(t, "win.present", NULL);
  app_test_until(is_at(t, 0, "We see it."));
}

/* Any lesson is a talk: nothing is waited for, and a question is answered by the press that goes
 * on. After it the lesson is where it was. */
static void
test_lesson(WindowTest *t, gconstpointer data)
{
  static const char lesson[] =
      "---\nregard-lesson: 1\nid: mine\ntitle: Mine\ntext: We see it.\n---\n\n"
      "## One\n\nWait.\n\n```regard\npanes heads\nwait cell\n```\n\n"
      "## Two\n\nWhat is it?\n\n- [ ] Nothing {b}\n- [ ] Something {a}\n      Yes.\n\n"
      "```regard\nask predict\nright a if tokens > 1\n```\n\n"
      "## Three\n\nHow many?\n\n```regard\nask number\nanswer tokens within 0\n```\n";
  g_autofree char *folder = app_test_folder();
  present_lesson(t, folder, lesson);
  g_assert_false(gtk_widget_get_visible(window_test_child(t, "learn_panel")));
  /* What the room sees of panes is the talk's, and no setting. */
  g_assert_cmpuint(t->window->presented, ==, REGARD_WINDOW_HEADS);
  g_assert_true(press(t, GDK_KEY_Page_Down));
  g_assert_cmpuint(shown(t)->slide, ==, 1);
  GtkWidget *bar = window_test_child(t, "talk_bar");
  g_assert_cmpstr(window_test_label(bar, "talk-line"), ==, "What is it?");
  g_assert_cmpstr(window_test_label(bar, "talk-letter"), ==, "A");
  regard_talk_show_set_hands(talk_of(t)->show, 1, 12);
  g_assert_true(press(t, GDK_KEY_Page_Down));
  app_test_until(regard_talk_show_is_revealed(talk_of(t)->show));
  const RegardLessonRunState *run =
      regard_lesson_run_get_state(regard_talk_show_get_run(talk_of(t)->show));
  g_assert_cmpint(run->measured, ==, 'a');
  g_autofree char *verdict =
      regard_lesson_run_say_verdict(regard_talk_show_get_run(talk_of(t)->show));
  g_assert_cmpstr(verdict, ==, "Measured: Something"); /* its letter, not its place */
  g_assert_cmpuint(regard_talk_show_get_hands(talk_of(t)->show, 1), ==, 12);
  g_assert_true(press(t, GDK_KEY_Page_Down));
  g_assert_cmpuint(shown(t)->slide, ==, 2);
  g_assert_true(press(t, GDK_KEY_Page_Down));
  app_test_until(regard_talk_show_is_revealed(talk_of(t)->show));
  g_assert_true(g_str_has_prefix(window_test_label(bar, "talk-verdict"), "Measured: "));
  g_assert_true(press(t, GDK_KEY_Escape));
  app_test_until(regard_window_get_lesson_state(t->window)->lesson);
  g_assert_true(gtk_widget_get_visible(window_test_child(t, "learn_panel")));
  window_test_act(t, "win.learn", NULL);
  window_test_settle(t);
  g_assert_cmpstr(regard_document_get_text(t->document), ==, OWN);
  app_test_remove(folder);
}

/* The step of Inside is the slide's own, and comes back after a detour. */
static void
test_inside(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, OWN);
  window_test_act(t, "win.go-to-view", "s", "inside");
  window_test_settle(t);
  RegardView *inside = regard_window_get_page(t->window);
  g_assert_cmpuint(regard_view_get_step(inside), ==, 1);
  g_assert_true(regard_view_set_step(inside, 5));
  g_assert_false(regard_view_set_step(inside, 9));
  record(t, OWN);
  g_assert_true(regard_view_set_step(inside, 2));
  g_autofree char *directives = regard_stage_dup_directives(REGARD_STAGE(t->window));
  g_assert_nonnull(strstr(directives, "page inside\n"));
  g_assert_nonnull(strstr(directives, "\nstep 2\n"));
  window_test_act(t, "win.go-to-view", "s", "attention");
  record(t, "We see it.");
  window_test_act(t, "win.give-talk", NULL);
  app_test_until(is_at(t, 0, OWN) && regard_view_get_step(inside) == 5);
  g_assert_true(regard_window_get_page(t->window) == inside);
  g_assert_true(regard_view_set_step(inside, 1));
  g_assert_true(press(t, GDK_KEY_Home));
  app_test_until(is_at(t, 0, OWN) && regard_view_get_step(inside) == 5);
  g_assert_true(press(t, GDK_KEY_Page_Down));
  app_test_until(is_at(t, 1, "We see it."));
  g_assert_cmpuint(regard_view_get_step(regard_window_get_page(t->window)), ==, 0);
  g_assert_true(press(t, GDK_KEY_Page_Up));
  app_test_until(is_at(t, 0, OWN) && regard_view_get_step(inside) == 5);
  g_assert_true(press(t, GDK_KEY_Escape));
  window_test_settle(t);
}

/* What a slide of a lesson will show is known before, and is drawn. */
static void
test_lesson_ahead(WindowTest *t, gconstpointer data)
{
  static const char lesson[] =
      "---\nregard-lesson: 1\nid: mine\ntitle: Mine\ntext: We see it.\n---\n\n"
      "## One\n\nA.\n\n"
      "## Two\n\nB.\n\n```regard\ntext He is tired.\nhead encoder 1.2\n"
      "change cross 1.1 zero\nform lines\n```\n\n"
      "## Three\n\nC.\n\n```regard\npage steps\nstep 2\n```\n\n"
      "## Four\n\nD.\n\n```regard\nchanges none\npage inside\nstep 3\n```\n\n"
      "## Five\n\nE.\n\n```regard\npage layers/lens\n```\n\n"
      "## Six\n\nF.\n\n```regard\npage positions/bench\n```\n";
  static const struct {
    const char *page, *text, *changes;
    guint step;
  } slides[] = {{"attention", "He is tired.", "cross 1.1 zero\n", 0},
                {"steps", "He is tired.", "cross 1.1 zero\n", 2},
                {"inside", "He is tired.", "", 3},
                {"layers/lens", "He is tired.", "", 0}};
  g_autofree char *folder = app_test_folder();
  present_lesson(t, folder, lesson);
  RegardTalkShow *show = talk_of(t)->show;
  window_test_act(t, "win.swap-screens", NULL);
  GtkPicture *picture = window_test_find(talk_of(t)->speaker, GTK_TYPE_PICTURE);
  for (guint i = 0; i < G_N_ELEMENTS(slides); i++) {
    RegardTalkAheadJob job;
    g_assert_true(regard_talk_ahead_init(&job, regard_talk_show_get_run(show), i + 1,
                                         REGARD_STAGE(t->window)));
    g_assert_cmpstr(job.page, ==, slides[i].page);
    g_assert_cmpstr(job.text, ==, slides[i].text);
    g_assert_cmpstr(job.changes, ==, slides[i].changes);
    g_assert_cmpuint(job.step, ==, slides[i].step);
    g_assert_true(job.model == regard_document_get_model(t->document) && job.is_lines);
    g_assert_true(job.spec.kind == MT_ENCODER_SELF && job.spec.layer == 0 && job.spec.head == 1);
    regard_talk_ahead_task.clear_params(&job);
    app_test_until(regard_talk_show_get_next_picture(show));
    g_assert_true(gtk_picture_get_paintable(picture) ==
                  GDK_PAINTABLE(regard_talk_show_get_next_picture(show)));
    g_assert_true(press(t, GDK_KEY_Page_Down));
    g_assert_null(regard_talk_show_get_next_picture(show));
    app_test_until(is_at(t, i + 1, "He is tired."));
  }
  /* A page that is not drawn ahead has none. */
  window_test_settle(t);
  g_assert_null(gtk_picture_get_paintable(picture));
  g_assert_true(press(t, GDK_KEY_Escape));
  app_test_until(regard_window_get_lesson_state(t->window)->lesson);
  window_test_act(t, "win.learn", NULL);
  window_test_settle(t);
  app_test_remove(folder);
}

/* What the first label of this class says in the speaker's window. */
static const char *
speaker_says(WindowTest *t, const char *css)
{
  return window_test_label(talk_of(t)->speaker, css);
}

/* On one screen the speaker's window comes and goes by a key: notes, what comes next, the keys of
 * the talk, and hands, which are not keys of it while they are typed. */
static void
test_speaker(WindowTest *t, gconstpointer data)
{
  record(t, OWN);
  record(t, "We see it.");
  GError *error = NULL;
  WindowTalk *talk = t->window->talk;
  RegardTalk *noted =
      regard_talk_reword(talk->talk, 0, "One", "Look at the *end*.", "Ask.", &error);
  g_assert_no_error(error);
  regard_talk_unref(talk->talk);
  talk->talk = noted;
  window_test_act(t, "win.swap-screens", NULL); /* nobody gives a talk */
  g_assert_null(talk->speaker);
  window_test_act(t, "win.give-talk", NULL);
  app_test_until(is_at(t, 0, OWN));
  window_test_act(t, "win.swap-screens", NULL);
  g_assert_nonnull(talk->speaker);
  g_assert_cmpstr(speaker_says(t, "title-2"), ==, "One");
  g_assert_cmpstr(speaker_says(t, "speaker-text"), ==, "Look at the end.");
  g_assert_cmpstr(speaker_says(t, "speaker-notes"), ==, "Ask.");
  GtkPicture *picture = window_test_find(talk->speaker, GTK_TYPE_PICTURE);
  g_assert_nonnull(gtk_picture_get_paintable(picture));
  gboolean is_used = FALSE;
  g_signal_emit_by_name(window_test_controller(talk->speaker, "talk-keys"), "key-pressed",
                        GDK_KEY_Page_Down, 0u, (GdkModifierType) 0, &is_used);
  g_assert_true(is_used);
  app_test_until(is_at(t, 1, "We see it."));
  g_assert_null(gtk_picture_get_paintable(picture));
  regard_document_edit(t->document, "He is tired.", 0);
  app_test_until(g_str_has_prefix(speaker_says(t, "speaker-said"), "This is a detour."));
  gtk_window_close(GTK_WINDOW(talk->speaker));
  g_assert_null(talk->speaker);
  g_assert_nonnull(shown(t)->talk);
  window_test_act(t, "win.swap-screens", NULL);
  g_assert_true(press(t, GDK_KEY_Escape));
  g_assert_null(talk->speaker);
  window_test_settle(t);
}

static void
test_times(void)
{
  static const struct {
    gint64 seconds;
    const char *said;
  } times[] = {{-1, "0:00"}, {0, "0:00"}, {61, "1:01"}, {3599, "59:59"}, {3600 + 62, "1:01:02"}};
  for (guint i = 0; i < G_N_ELEMENTS(times); i++) {
    g_autofree char *said = regard_speaker_say_time(times[i].seconds * G_TIME_SPAN_SECOND);
    g_assert_cmpstr(said, ==, times[i].said);
  }
}

/* A talk with one slide more, of a model that nobody has. */
static void
add_strange_slide(WindowTest *t)
{
  WindowTalk *talk = t->window->talk;
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardSession) session = regard_talk_parse_state(talk->talk, 0, &error);
  g_assert_no_error(error);
  g_array_index(session->model->files, RegardModelFile, 0).sha256[0] ^= 1;
  g_autoptr(GBytes) bytes = regard_session_make(session, "strange", &error);
  RegardTalk *more = regard_talk_record(talk->talk, 1, "Strange", NULL, bytes, NULL, &error);
  g_assert_no_error(error);
  regard_talk_unref(talk->talk);
  talk->talk = more;
}

/* A slide whose model is missing shows the capture that came with it, and the next one is live. */
static void
test_without_model(WindowTest *t, gconstpointer data)
{
  record(t, OWN);
  record(t, "We see it.");
  add_strange_slide(t);
  window_test_act(t, "win.present", NULL);
  app_test_until(is_at(t, 0, OWN));
  g_assert_true(press(t, GDK_KEY_Page_Down));
  app_test_until(regard_document_get_imported_capture(t->document));
  const RegardLessonRunState *run =
      regard_lesson_run_get_state(regard_talk_show_get_run(talk_of(t)->show));
  app_test_until(run->phase == REGARD_LESSON_DONE);
  g_assert_false(run->is_away);
  g_assert_null(run->problem);
  g_assert_true(press(t, GDK_KEY_Page_Down));
  app_test_until(is_at(t, 2, "We see it."));
  g_assert_null(regard_document_get_imported_capture(t->document));
  g_assert_true(press(t, GDK_KEY_Page_Up));
  app_test_until(regard_document_get_imported_capture(t->document));
  g_assert_true(press(t, GDK_KEY_Escape));
  window_test_settle(t);
  g_assert_null(regard_document_get_imported_capture(t->document));
  g_assert_cmpstr(regard_document_get_text(t->document), ==, "We see it.");
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-talk/record", test_record);
  WINDOW_TEST("/window-talk/open", test_open);
  WINDOW_TEST("/window-talk/kept", test_kept);
  WINDOW_TEST("/window-talk/give", test_give);
  WINDOW_TEST("/window-talk/lesson", test_lesson);
  WINDOW_TEST("/window-talk/inside", test_inside);
  WINDOW_TEST("/window-talk/lesson-ahead", test_lesson_ahead);
  WINDOW_TEST("/window-talk/speaker", test_speaker);
  g_test_add_func("/window-talk/times", test_times);
  WINDOW_TEST("/window-talk/without-model", test_without_model);
}
