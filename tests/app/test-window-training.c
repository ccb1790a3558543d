/* test-window-training.c — dragging through the checkpoints of a training.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "suite.h"
#include "window-test.h"

#include "models/regard-training-steps.h"
#include <glib/gstdio.h>
#include <string.h>

#define SENTENCE "today the small cat has seen the old dog"
#define RIGHT    "heute hat die kleine Katze den alten Hund gesehen"

static char *
checkpoint(guint step)
{
  return g_strdup_printf("%s/models/learning/checkpoints/step-%08u", REGARD_SOURCE_ROOT, step);
}

/* Another model, then the end of the training. */
static void
set_up(WindowTest *t, gconstpointer data)
{
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  window_test_set_up(t, small);
  g_assert_false(gtk_widget_get_visible(GTK_WIDGET(window_test_child(t, "training_bar"))));
  g_autofree char *last = checkpoint(1000);
  regard_document_open_model(t->document, last);
  window_test_settle(t);
  g_assert_true(gtk_widget_get_visible(GTK_WIDGET(window_test_child(t, "training_bar"))));
  window_test_translate(t, SENTENCE);
}

/* Beside a lesson, in a window of 1024 pixels; each mark with a number of its own took 35. */
static void
test_width(WindowTest *t, gconstpointer data)
{
  int least;
  gtk_widget_measure(window_test_child(t, "training_bar"), GTK_ORIENTATION_HORIZONTAL, -1, &least,
                     NULL, NULL, NULL);
  g_assert_cmpint(least, <=, 1024 - 308);
}

static void
choose(WindowTest *t, int at)
{
  regard_training_bar_choose(window_test_child(t, "training_bar"), at);
  window_test_settle(t);
}

static void
assert_at(WindowTest *t, guint step, guint at)
{
  g_autofree char *name = g_strdup_printf("step-%08u", step);
  g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, name);
  g_assert_cmpuint(regard_training_bar_get_at(window_test_child(t, "training_bar")), ==, at);
  mt_capture *capture = regard_selection_get_capture(t->selection);
  g_assert_nonnull(capture);
  g_assert_cmpstr(mt_capture_model_name(capture), ==, name);
}

static guint
count_recent(WindowTest *t)
{
  g_auto(GStrv) recent = g_settings_get_strv(t->settings, "recent-models");
  return g_strv_length(recent);
}

static void
test_drag(WindowTest *t, gconstpointer data)
{
  assert_at(t, 1000, 15);
  g_autofree char *right = window_test_target(t);
  g_assert_cmpstr(right, ==, RIGHT);
  regard_selection_set_place(t->selection, MT_CROSS, 1, 3);

  choose(t, 0);
  assert_at(t, 0, 0);
  g_autofree char *source = window_test_source(t), *other = window_test_target(t);
  g_assert_cmpstr(source, ==, SENTENCE);
  g_assert_cmpstr(other, !=, RIGHT);
  /* The same head is looked at, without a word about opening. */
  g_assert_cmpint(regard_selection_get_kind(t->selection), ==, MT_CROSS);
  g_assert_cmpuint(regard_selection_get_layer(t->selection), ==, 1);
  g_assert_cmpuint(regard_selection_get_head(t->selection), ==, 3);
  regard_training_bar_choose(window_test_child(t, "training_bar"), 3);
  g_assert_null(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_LOADING));
  g_assert_true(regard_document_is_busy(t->document));
  window_test_settle(t);
  assert_at(t, 80, 3);

  /* One entry for all of them, of the last. */
  g_assert_cmpuint(count_recent(t), ==, 1);
  g_auto(GStrv) recent = g_settings_get_strv(t->settings, "recent-models");
  g_autofree char *path = checkpoint(80);
  g_assert_cmpstr(recent[0], ==, path);
}

/* Faster than checkpoints are opened: the last one counts. */
static void
test_fast(WindowTest *t, gconstpointer data)
{
  for (int i = 14; i >= 2; i--) {
    regard_training_bar_choose(window_test_child(t, "training_bar"), i);
    while (g_main_context_iteration(NULL, FALSE))
      ;
  }
  window_test_settle(t);
  assert_at(t, 50, 2);
  g_assert_cmpuint(count_recent(t), ==, 1);
}

static void
test_actions(WindowTest *t, gconstpointer data)
{
  GtkWidget *widget = GTK_WIDGET(t->window);
  gtk_widget_activate_action(widget, "win.step-training", "i", -1);
  window_test_settle(t);
  assert_at(t, 500, 14);
  gtk_widget_activate_action(widget, "win.step-training", "i", 1);
  window_test_settle(t);
  gtk_widget_activate_action(widget, "win.step-training", "i", 1); /* there is none */
  window_test_settle(t);
  assert_at(t, 1000, 15);

  /* Another model: nothing to drag through, and nothing to do. */
  gtk_widget_activate_action(widget, "win.model", "s", "");
  window_test_settle(t);
  g_assert_false(gtk_widget_get_visible(GTK_WIDGET(window_test_child(t, "training_bar"))));
  g_assert_false(gtk_widget_activate_action(widget, "win.step-training", "i", -1) &&
                 regard_document_is_busy(t->document));
}

/* The right translation, as all of them see it. */
static void
test_keep(WindowTest *t, gconstpointer data)
{
  regard_document_set_keeps(t->document, TRUE);
  window_test_settle(t);
  double last = 0;
  const int order[] = {0, 8, 15};
  for (guint i = 0; i < G_N_ELEMENTS(order); i++) {
    choose(t, order[i]);
    g_autofree char *target = window_test_target(t);
    g_assert_cmpstr(target, ==, RIGHT);
    const RegardResult *result = regard_document_get_result(t->document);
    g_assert_true(result->sentences[0].is_given);
    g_assert_nonnull(
        strstr(window_test_label(window_test_part(t, "target", "status"), NULL), "kept"));
    /* It finds the translation ever more likely. */
    double log_p = regard_result_hypothesis(result, 0)->sum_logprob;
    g_assert_true(i == 0 || log_p > last + 1);
    last = log_p;
    mt_matrix w = mt_capture_weights(regard_selection_get_capture(t->selection), MT_CROSS, 0, 0);
    g_assert_cmpuint(w.rows, ==, 10);
    g_assert_cmpuint(w.cols, ==, 10);
  }
  /* Another sentence is translated; the one that was kept is kept still. */
  choose(t, 0);
  window_test_translate(t, "the dog sees the cat");
  g_assert_false(regard_document_get_result(t->document)->sentences[0].is_given);
  window_test_translate(t, SENTENCE);
  g_assert_true(regard_document_get_result(t->document)->sentences[0].is_given);
  regard_document_set_keeps(t->document, FALSE);
  window_test_settle(t);
  g_assert_false(regard_document_get_result(t->document)->sentences[0].is_given);
  g_autofree char *target = window_test_target(t);
  g_assert_cmpstr(target, !=, RIGHT);

  /* Nothing is kept for another model. */
  regard_document_set_keeps(t->document, TRUE);
  window_test_act(t, "win.model", "s", "");
  window_test_settle(t);
  g_assert_false(regard_document_get_training(t->document)->keeps);
  g_assert_false(regard_document_get_result(t->document)->sentences[0].is_given);
}

static void
test_play(WindowTest *t, gconstpointer data)
{
  choose(t, 13);
  regard_training_bar_set_playing(window_test_child(t, "training_bar"), TRUE);
  app_test_until(!regard_training_bar_get_playing(window_test_child(t, "training_bar")));
  window_test_settle(t);
  assert_at(t, 1000, 15);
  /* From the end it begins anew, and stops when told. */
  regard_training_bar_set_playing(window_test_child(t, "training_bar"), TRUE);
  g_assert_cmpuint(regard_training_bar_get_at(window_test_child(t, "training_bar")), ==, 0);
  regard_training_bar_set_playing(window_test_child(t, "training_bar"), FALSE);
  app_test_run_for(1200);
  window_test_settle(t);
  assert_at(t, 0, 0);
}

/* Pictures of a file do not change with a model. */
static void
test_file(WindowTest *t, gconstpointer data)
{
  g_autofree char *root = app_test_folder(), *path = g_build_filename(root, "x.npz", NULL);
  mt_error error = {0};
  g_assert_true(
      mt_capture_write_npz(regard_selection_get_capture(t->selection), path, NULL, &error));
  GtkWidget *bar = GTK_WIDGET(window_test_child(t, "training_bar"));
  regard_training_bar_set_playing(window_test_child(t, "training_bar"), TRUE);
  window_test_settle(t);
  regard_document_open_path(t->document, path);
  window_test_settle(t);
  g_assert_false(gtk_widget_get_visible(bar));
  g_assert_false(regard_training_bar_get_playing(window_test_child(t, "training_bar")));
  regard_document_close_capture(t->document);
  window_test_settle(t);
  g_assert_true(gtk_widget_get_visible(bar));
  choose(t, 3);
  assert_at(t, 80, 3);
  app_test_remove(root);
}

/* A training that goes on, and a checkpoint that is gone when one gets to it. */
static void
test_growing(WindowTest *t, gconstpointer data)
{
  static const char *const files[] = {"config.json",       "generation_config.json",
                                      "model.safetensors", "vocab.json",
                                      "source.spm",        "target.spm"};
  const guint steps[] = {0, 120, 1000};
  g_autofree char *root = app_test_folder();
  char *folders[3] = {NULL};
  for (guint i = 0; i < 3; i++) {
    g_autofree char *from = checkpoint(steps[i]);
    folders[i] = g_strdup_printf("%s/step-%u", root, i + 1);
    g_assert_cmpint(g_mkdir(folders[i], 0700), ==, 0);
    for (guint k = 0; k < G_N_ELEMENTS(files); k++) {
      g_autofree char *source = g_build_filename(from, files[k], NULL), *contents = NULL;
      g_autofree char *target = g_build_filename(folders[i], files[k], NULL);
      gsize length;
      g_assert_true(g_file_get_contents(source, &contents, &length, NULL));
      g_assert_true(g_file_set_contents(target, contents, (gssize) length, NULL));
    }
    if (i == 1) {
      regard_document_open_model(t->document, folders[0]);
      window_test_settle(t);
      g_assert_cmpuint(regard_document_get_training(t->document)->steps->len, ==, 2);
    }
  }
  choose(t, 1);
  g_assert_cmpuint(regard_document_get_training(t->document)->steps->len, ==, 3);

  g_autofree char *config = g_build_filename(folders[2], "config.json", NULL);
  g_assert_cmpint(g_remove(config), ==, 0);
  choose(t, 2);
  const char *title = regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_MODEL);
  g_assert_nonnull(title);
  g_assert_nonnull(strstr(title, "config.json"));
  g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, "step-2");
  /* The slider is where the model is, among those that there are. */
  g_assert_cmpuint(regard_document_get_training(t->document)->steps->len, ==, 2);
  g_assert_cmpuint(regard_training_bar_get_at(window_test_child(t, "training_bar")), ==, 1);
  choose(t, 0);
  g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, "step-1");
  g_assert_null(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_MODEL));

  /* What has nothing to do with it leaves it alone. */
  g_autofree char *elsewhere = g_build_filename(root, "elsewhere", NULL);
  regard_document_open_model(t->document, elsewhere);
  window_test_settle(t);
  g_assert_nonnull(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_MODEL));
  g_assert_cmpuint(regard_document_get_training(t->document)->steps->len, ==, 2);
  g_assert_true(gtk_widget_get_visible(GTK_WIDGET(window_test_child(t, "training_bar"))));

  /* With the only other one gone there is nothing left to drag through. */
  g_autofree char *other = g_build_filename(folders[1], "config.json", NULL);
  g_assert_cmpint(g_remove(other), ==, 0);
  choose(t, 1);
  g_assert_null(regard_document_get_training(t->document)->steps);
  g_assert_false(gtk_widget_get_visible(GTK_WIDGET(window_test_child(t, "training_bar"))));
  g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, "step-1");
  for (guint i = 0; i < 3; i++) {
    app_test_remove(folders[i]);
    g_free(folders[i]);
  }
  app_test_remove(root);
}

TESTS(.begin = window_test_begin)
{
#define ADD(path, function) \
  g_test_add(path, WindowTest, NULL, set_up, function, window_test_tear_down)
  ADD("/window-training/drag", test_drag);
  ADD("/window-training/fast", test_fast);
  ADD("/window-training/actions", test_actions);
  ADD("/window-training/keep", test_keep);
  ADD("/window-training/play", test_play);
  ADD("/window-training/file", test_file);
  ADD("/window-training/growing", test_growing);
  ADD("/window-training/width", test_width);
#undef ADD
}
