/* test-window-capture.c — captures from files in the window: shown, looked at, left again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window-test.h"

#include <string.h>

static void
set_up(WindowTest *t, gconstpointer data)
{
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  window_test_set_up(t, small);
}

static char *
data_file(const char *name)
{
  return g_build_filename(g_getenv("REGARD_TEST_DATA"), name, NULL);
}

static mt_capture *
shown(WindowTest *t)
{
  return regard_selection_get_capture(t->window->selection);
}

static void
open_file(WindowTest *t, const char *name)
{
  g_autofree char *path = data_file(name);
  gtk_widget_activate_action(GTK_WIDGET(t->window), "win.read-capture", "s", path);
  g_assert_true(regard_window_is_busy(t->window));
  window_test_settle(t);
}

/* A key in the source text, as the person's. */
static void
type(WindowTest *t, guint keyval)
{
  GtkEventController *keys =
      window_test_controller(regard_text_card_get_view(t->window->source), "typing-again");
  gboolean used = TRUE;
  g_signal_emit_by_name(keys, "key-pressed", keyval, 0, 0, &used);
  g_assert_false(used);
  window_test_settle(t);
}

static void
test_show_and_return(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  g_settings_set_string(t->settings, "kind", "decoder");

  open_file(t, "foreign-encoder.npz");
  g_assert_cmpstr(mt_capture_file_name(shown(t)), ==, "foreign-encoder.npz");
  g_assert_cmpint(regard_selection_get_kind(t->window->selection), ==, MT_ENCODER_SELF);
  const char *title = regard_banner_get_title(t->window->banner, REGARD_BANNER_CAPTURE);
  g_assert_cmpstr(title, ==, "foreign-encoder.npz (tiny-bert) – 2 layers × 3 heads, 11 tokens");
  g_autofree char *text = window_test_source(t);
  g_assert_cmpstr(text, ==, "the dogs were playing in the rain .");
  /* There is no second text, and it is read only. */
  g_assert_false(gtk_widget_get_visible(GTK_WIDGET(t->window->target)));
  g_assert_false(gtk_text_view_get_editable(regard_text_card_get_view(t->window->source)));
  g_autofree char *card = NULL;
  g_object_get(t->window->source, "title", &card, NULL);
  g_assert_cmpstr(card, ==, "Tokens");
  g_assert_cmpstr(regard_selection_get_matrix(t->window->selection)->row_title, ==,
                  "queries: tokens");

  /* Settings and models change, and what is shown stays. */
  g_settings_set_uint(t->settings, "beam-size", 2);
  window_test_settle(t);
  g_assert_cmpstr(mt_capture_file_name(shown(t)), ==, "foreign-encoder.npz");

  /* Another file, then a key: the text is back, with its picture. */
  open_file(t, "foreign-translation.npz");
  g_assert_true(gtk_widget_get_visible(GTK_WIDGET(t->window->target)));
  type(t, GDK_KEY_Left);
  g_assert_cmpstr(mt_capture_file_name(shown(t)), ==, "foreign-translation.npz");
  type(t, GDK_KEY_x);
  g_autofree char *again = window_test_source(t), *target = window_test_target(t);
  g_assert_cmpstr(again, ==, "I have two dogs.");
  g_assert_cmpstr(mt_capture_file_name(shown(t)), ==, "");
  g_assert_cmpstr(mt_tokens_text(mt_capture_source(shown(t))), ==, "I have two dogs.");
  g_assert_null(regard_banner_get_title(t->window->banner, REGARD_BANNER_CAPTURE));
  g_assert_true(gtk_text_view_get_editable(regard_text_card_get_view(t->window->source)));
  g_assert_cmpint(regard_selection_get_kind(t->window->selection), ==, MT_DECODER_SELF);
  g_assert_cmpstr(target, !=, "");
}

static void
test_button_and_text(WindowTest *t, gconstpointer data)
{
  /* Without any text before: back to the start page. */
  open_file(t, "foreign-encoder.npz");
  g_assert_true(gtk_widget_activate_action(GTK_WIDGET(t->window), "win.close-capture", NULL));
  window_test_settle(t);
  g_assert_null(shown(t));
  g_assert_cmpstr(gtk_stack_get_visible_child_name(t->window->content), ==, "start");
  /* A text from a second start takes its place too. */
  open_file(t, "foreign-encoder.npz");
  window_test_translate(t, "I have two dogs.");
  g_assert_cmpstr(mt_capture_file_name(shown(t)), ==, "");
}

/* What cannot be read changes nothing. */
static void
test_refused(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  mt_capture *live = shown(t);
  open_file(t, "README.md");
  g_assert_true(shown(t) == live);
  g_assert_cmpstr(regard_banner_get_title(t->window->banner, REGARD_BANNER_FILE), ==,
                  "README.md: expected a NumPy archive (.npz), found another file.");
  g_autofree char *text = window_test_source(t);
  g_assert_cmpstr(text, ==, "I have two dogs.");
  open_file(t, "foreign-encoder.npz");
  g_assert_null(regard_banner_get_title(t->window->banner, REGARD_BANNER_FILE));
  mt_capture *file = shown(t);
  open_file(t, "no-such.npz");
  g_assert_true(shown(t) == file);
  g_assert_nonnull(strstr(regard_banner_get_title(t->window->banner, REGARD_BANNER_FILE),
                          "no-such.npz: expected this file, found nothing there."));
}

/* The window goes while a file is being read. */
static void
test_closed_while_reading(WindowTest *t, gconstpointer data)
{
  g_autofree char *path = data_file("foreign-encoder.npz");
  regard_window_open_capture(t->window, path);
}

int
main(int argc, char **argv)
{
  if (!window_test_init(&argc, &argv))
    return 0;
#define ADD(name, function) \
  g_test_add("/window-capture/" name, WindowTest, NULL, set_up, function, window_test_tear_down)
  ADD("show-and-return", test_show_and_return);
  ADD("button-and-text", test_button_and_text);
  ADD("refused", test_refused);
  ADD("closed-while-reading", test_closed_while_reading);
  return g_test_run();
}
