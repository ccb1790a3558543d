/* test-window-answers.c — what the window keeps of somebody's way through lessons, where it goes
 * on, and the answers that it saves.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "learn/regard-learn-panel.h"
#include "learn/regard-progress.h"
#include "suite.h"
#include "window-test.h"

#include <string.h>

static gpointer
part(WindowTest *t, const char *name)
{
  GtkWidget *panel = window_test_child(t, "learn_panel");
  GObject *found = gtk_widget_get_template_child(panel, REGARD_TYPE_LEARN_PANEL, name);
  g_assert_nonnull(found);
  return found;
}

static gboolean
shows(WindowTest *t, const char *name, const char *label)
{
  return gtk_widget_get_mapped(part(t, name)) &&
         g_str_equal(gtk_label_get_label(part(t, name)), label);
}

static gboolean
can_go_on(WindowTest *t)
{
  return gtk_widget_is_sensitive(part(t, "next"));
}

static void
begin_lesson(WindowTest *t, const char *progress)
{
  window_test_act(t, "win.lesson", "s", "pieces");
  app_test_until(shows(t, "progress", progress));
  window_test_settle(t);
}

static void
answer(WindowTest *t, const char *number)
{
  gtk_editable_set_text(part(t, "number"), number);
  g_signal_emit_by_name(part(t, "number"), "activate");
}

static const RegardAnswer *
find(guint step, const RegardLesson *lesson)
{
  const RegardLessonRecord *record = regard_progress_get(regard_progress_get_default(), "pieces");
  return record ? regard_lesson_record_find(record, lesson, step) : NULL;
}

static RegardLesson *
read_lesson(void)
{
  g_autofree char *path =
      g_build_filename(g_getenv("REGARD_LESSONS_DIR"), "01-pieces.lesson.md", NULL);
  mt_error error = {0};
  RegardLesson *lesson = regard_lesson_read(path, &error);
  g_assert_cmpstr(error.message, ==, "");
  return lesson;
}

static void
test_kept(WindowTest *t, gconstpointer data)
{
  RegardProgress *progress = regard_progress_get_default();
  g_autoptr(RegardLesson) lesson = read_lesson();
  app_test_until(regard_progress_is_loaded(progress));
  window_test_translate(t, "I have two dogs.");
  begin_lesson(t, "1 of 5");
  window_test_act(t, "win.lesson-next", NULL);
  app_test_until(shows(t, "progress", "2 of 5"));
  window_test_settle(t);
  gtk_check_button_set_active(window_test_find(part(t, "prose"), GTK_TYPE_CHECK_BUTTON), TRUE);
  g_signal_emit_by_name(part(t, "ask"), "clicked");
  app_test_until(find(1, lesson));
  /* The first option is that it is one piece; the small model of the tests cuts it, too. */
  g_assert_cmpint(find(1, lesson)->letter, ==, 'a');
  g_assert_cmpint(find(1, lesson)->verdict, ==, REGARD_VERDICT_NOT);
  g_assert_cmpstr(find(1, lesson)->right, ==, "b");
  g_assert_cmpstr(find(1, lesson)->text, ==, "My cat sleeps on the sofa.");
  app_test_until(can_go_on(t));
  window_test_act(t, "win.lesson-next", NULL);
  app_test_until(shows(t, "progress", "3 of 5"));
  window_test_translate(t, "I have a dog.");
  answer(t, "99");
  app_test_until(find(2, lesson));
  g_assert_cmpfloat(find(2, lesson)->number, ==, 99);
  g_assert_cmpfloat(find(2, lesson)->measured, ==, 1);
  g_assert_cmpint(find(2, lesson)->verdict, ==, REGARD_VERDICT_NOT);
  answer(t, "1");
  app_test_until(find(2, lesson)->verdict == REGARD_VERDICT_AS_MEASURED);
  g_assert_cmpstr(find(2, lesson)->text, ==, "I have a dog.");

  /* Left in the middle: another window of another day goes on there. */
  window_test_act(t, "win.leave-lesson", NULL);
  window_test_settle(t);
  begin_lesson(t, "3 of 5");
  window_test_act(t, "win.leave-lesson", NULL);
  g_assert_true(regard_progress_flush(progress, NULL));
  g_autofree char *path = g_build_filename(g_get_user_data_dir(), "regard", "lessons.json", NULL);
  g_autoptr(RegardProgress) again = regard_progress_new(path);
  app_test_until(regard_progress_is_loaded(again));
  g_assert_cmpuint(regard_lesson_record_step(regard_progress_get(again, "pieces"), lesson), ==, 2);

  /* One that has been done begins at its beginning. */
  regard_progress_note_done(progress, lesson);
  window_test_settle(t);
  begin_lesson(t, "1 of 5");
}

static void
test_saved(WindowTest *t, gconstpointer data)
{
  RegardProgress *progress = regard_progress_get_default();
  g_autoptr(RegardLesson) lesson = read_lesson();
  g_autofree char *folder = app_test_folder();
  g_autofree char *path = g_build_filename(folder, "mine.regard-answers", NULL);
  window_test_act(t, "win.learn", NULL);
  window_test_settle(t);
  GtkWidget *button =
      window_test_find_action(window_test_child(t, "learn_panel"), "win.save-answers");
  g_assert_false(gtk_widget_is_sensitive(button)); /* nothing was said yet */
  RegardAnswer *said = regard_answer_new(lesson, 3);
  said->letter = 'b';
  regard_progress_note_answer(progress, lesson, said);
  app_test_until(gtk_widget_is_sensitive(button));
  window_test_act(t, "win.write-answers", "s", path);
  app_test_until(g_file_test(path, G_FILE_TEST_EXISTS));
  g_autoptr(GError) error = NULL;
  g_autoptr(RegardAnswers) answers = regard_answers_read(path, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(answers->records->len, ==, 1);
  g_assert_cmpint(regard_lesson_record_find(answers->records->pdata[0], lesson, 3)->letter, ==,
                  'b');
  g_assert_true(regard_model_identity_fits(answers->model, app_test_model_dir()));
  app_test_remove(folder);
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-answers/kept", test_kept);
  WINDOW_TEST("/window-answers/saved", test_saved);
}
