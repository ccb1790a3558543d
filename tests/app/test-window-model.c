/* test-window-model.c — models opened, swapped, broken, dropped, missing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "window-test.h"

#include <string.h>

static char *
recent(WindowTest *t, guint i)
{
  g_auto(GStrv) list = g_settings_get_strv(t->settings, "recent-models");
  return i < g_strv_length(list) ? g_strdup(list[i]) : NULL;
}

/* Tests begin with a small model, which loads at once. */
static void
set_up(WindowTest *t, gconstpointer data)
{
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  window_test_set_up(t, small);
}

static void
check_works(WindowTest *t, const char *model)
{
  window_test_translate(t, "I have two dogs.");
  mt_capture *capture = regard_selection_get_capture(t->window->selection);
  g_assert_nonnull(capture);
  g_assert_cmpstr(mt_capture_model_name(capture), ==, model);
  g_assert_true(regard_selection_get_model(t->window->selection) == t->window->model);
  window_test_translate(t, "");
}

static void
test_swap(WindowTest *t, gconstpointer data)
{
  g_autofree char *other = app_test_checkpoint("pre-norm-gelu-learned");
  check_works(t, "post-norm-relu");
  window_test_translate(t, "I have two dogs.");
  regard_window_open_model(t->window, other);
  g_assert_true(regard_window_is_busy(t->window));
  g_assert_cmpstr(mt_model_name(t->window->model), ==, "post-norm-relu");
  window_test_settle(t);
  /* The text was translated again, by the new one. */
  mt_capture *capture = regard_selection_get_capture(t->window->selection);
  g_assert_cmpstr(mt_capture_model_name(capture), ==, "pre-norm-gelu-learned");
  g_autofree char *source = window_test_source(t);
  g_assert_cmpstr(source, ==, "I have two dogs.");
  g_autofree char *first = recent(t, 0);
  g_assert_cmpstr(first, ==, other);
  g_autofree char *setting = g_settings_get_string(t->settings, "model");
  g_assert_cmpstr(setting, ==, other);

  gtk_widget_activate_action(GTK_WIDGET(t->window), "win.model", "s", "");
  window_test_settle(t);
  check_works(t, "post-norm-relu");
  g_assert_true(g_str_has_prefix(gtk_label_get_text(t->window->model_detail), "bundled"));
  gtk_widget_activate_action(GTK_WIDGET(t->window), "win.forget-models", NULL);
  g_assert_null(recent(t, 0));
}

/* Whatever is wrong with a folder: the file is named, and the old model goes on. */
static void
test_broken(WindowTest *t, gconstpointer data)
{
  static const struct {
    const char *file, *text;
  } cases[] = {
      {"config.json", NULL},       {"config.json", "{ this is no JSON"},
      {"model.safetensors", NULL}, {"model.safetensors", "not a safetensors file"},
      {"vocab.json", "[]"},        {"source.spm", "nonsense"},
  };
  window_test_translate(t, "I have two dogs.");
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *parent = app_test_folder();
    g_autofree char *broken = app_test_broken_model(parent, cases[i].file, cases[i].text);
    regard_window_open_model(t->window, broken);
    window_test_settle(t);
    const char *title = regard_banner_get_title(t->window->banner, REGARD_BANNER_MODEL);
    g_assert_nonnull(title);
    g_test_message("%s", title);
    g_assert_nonnull(strstr(title, cases[i].file));
    g_assert_cmpstr(mt_model_name(t->window->model), ==, "post-norm-relu");
    g_assert_null(recent(t, 0));
    g_assert_null(regard_banner_get_title(t->window->banner, REGARD_BANNER_LOADING));
    app_test_remove(parent);
  }
  g_autofree char *source = window_test_source(t);
  g_assert_cmpstr(source, ==, "I have two dogs.");
  g_assert_nonnull(regard_selection_get_capture(t->window->selection));
  /* A good one takes the message away. */
  g_autofree char *other = app_test_checkpoint("pre-norm-plain");
  regard_window_open_model(t->window, other);
  window_test_settle(t);
  g_assert_null(regard_banner_get_title(t->window->banner, REGARD_BANNER_MODEL));
  check_works(t, "pre-norm-plain");
}

static void
test_cancelled(WindowTest *t, gconstpointer data)
{
  regard_window_open_model(t->window, app_test_model_dir());
  g_assert_nonnull(regard_banner_get_title(t->window->banner, REGARD_BANNER_LOADING));
  g_signal_emit_by_name(t->window->banner, "response", REGARD_BANNER_LOADING);
  g_assert_null(regard_banner_get_title(t->window->banner, REGARD_BANNER_LOADING));
  g_assert_false(regard_window_is_busy(t->window));
  app_test_run_for(500);
  g_assert_cmpstr(mt_model_name(t->window->model), ==, "post-norm-relu");
  g_assert_null(regard_banner_get_title(t->window->banner, REGARD_BANNER_MODEL));
}

/* Two in a row: the second is what was wanted. */
static void
test_overtaken(WindowTest *t, gconstpointer data)
{
  g_autofree char *other = app_test_checkpoint("separate-vocabularies");
  regard_window_open_model(t->window, app_test_model_dir());
  regard_window_open_model(t->window, other);
  window_test_settle(t);
  app_test_run_for(300);
  check_works(t, "separate-vocabularies");
}

static void
drop(WindowTest *t, const char *path)
{
  g_autoptr(GFile) file = g_file_new_for_path(path);
  g_auto(GValue) value = G_VALUE_INIT;
  GSList *files = g_slist_append(NULL, file);
  gboolean is_taken = FALSE;
  g_value_init(&value, GDK_TYPE_FILE_LIST);
  g_value_set_boxed(&value, files);
  g_signal_emit_by_name(window_test_controller(t->window, "drop"), "drop", &value, 10.0, 10.0,
                        &is_taken);
  g_assert_true(is_taken);
  g_slist_free(files);
  window_test_settle(t);
}

static void
test_dropped(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_checkpoint("odd-sizes-swish");
  g_autofree char *other = app_test_checkpoint("pre-norm-plain");
  g_autofree char *file = g_build_filename(other, "config.json", NULL);
  drop(t, folder);
  g_assert_cmpstr(mt_model_name(t->window->model), ==, "odd-sizes-swish");
  drop(t, file);
  g_assert_cmpstr(mt_model_name(t->window->model), ==, "pre-norm-plain");
  check_works(t, "pre-norm-plain");
}

/* Fewer layers and heads than were looked at. */
static void
test_smaller(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  regard_window_open_model(t->window, app_test_model_dir());
  window_test_settle(t);
  regard_selection_set_place(t->window->selection, MT_CROSS, 5, 7);
  regard_window_open_model(t->window, "");
  window_test_settle(t);
  mt_capture *capture = regard_selection_get_capture(t->window->selection);
  g_assert_cmpuint(regard_selection_get_layer(t->window->selection), <,
                   mt_capture_n_layers(capture, MT_CROSS));
  g_assert_cmpuint(regard_selection_get_head(t->window->selection), <,
                   mt_capture_n_heads(capture, MT_CROSS));
}

static void
set_up_without_model(WindowTest *t, gconstpointer data)
{
  window_test_set_up(t, "/nonexistent/model");
}

static void
test_no_model(WindowTest *t, gconstpointer data)
{
  g_assert_null(t->window->model);
  const char *title = regard_banner_get_title(t->window->banner, REGARD_BANNER_MODEL);
  g_assert_nonnull(title);
  g_assert_nonnull(strstr(title, "/nonexistent/model"));
  g_assert_cmpint(regard_start_page_get_state(t->window->start), ==, REGARD_START_NO_MODEL);
  /* What is typed waits. */
  regard_window_set_text(t->window, "I have two dogs.");
  app_test_run_for(50);
  g_assert_cmpstr(gtk_stack_get_visible_child_name(t->window->content), ==, "start");
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  regard_window_open_model(t->window, small);
  window_test_settle(t);
  g_assert_nonnull(regard_selection_get_capture(t->window->selection));
  g_assert_cmpstr(gtk_stack_get_visible_child_name(t->window->content), ==, "views");
}

/* The remembered model is gone: the bundled one is opened, and the loss is told. */
static void
test_remembered_model_gone(WindowTest *t, gconstpointer data)
{
  g_settings_set_string(t->settings, "model", "/nonexistent/other");
  RegardWindow *window = regard_window_new(GTK_APPLICATION(t->application), t->settings);
  regard_window_open_first_model(window);
  WindowTest other = {t->application, t->settings, window};
  gtk_window_present(GTK_WINDOW(window));
  window_test_settle(&other);
  g_assert_cmpstr(mt_model_name(window->model), ==, "post-norm-relu");
  const char *title = regard_banner_get_title(window->banner, REGARD_BANNER_MODEL);
  g_assert_nonnull(title);
  g_assert_nonnull(strstr(title, "/nonexistent/other"));
  gtk_window_destroy(GTK_WINDOW(window));
}

int
main(int argc, char **argv)
{
  if (!window_test_init(&argc, &argv))
    return 0;
#define ADD(path, function) \
  g_test_add(path, WindowTest, NULL, set_up, function, window_test_tear_down)
  ADD("/window/model/swap", test_swap);
  ADD("/window/model/broken", test_broken);
  ADD("/window/model/cancelled", test_cancelled);
  ADD("/window/model/overtaken", test_overtaken);
  ADD("/window/model/dropped", test_dropped);
  ADD("/window/model/smaller", test_smaller);
  ADD("/window/model/remembered-gone", test_remembered_model_gone);
  g_test_add("/window/model/none", WindowTest, NULL, set_up_without_model, test_no_model,
             window_test_tear_down);
  return g_test_run();
}
