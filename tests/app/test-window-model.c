/* test-window-model.c — models opened, swapped, broken, dropped, missing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "suite.h"
#include "window-test.h"

#include "models/regard-model-chooser.h"
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

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
  mt_capture *capture = regard_selection_get_capture(t->selection);
  g_assert_nonnull(capture);
  g_assert_cmpstr(mt_capture_model_name(capture), ==, model);
  g_assert_true(regard_selection_get_model(t->selection) == regard_document_get_model(t->document));
  window_test_translate(t, "");
}

static void
test_swap(WindowTest *t, gconstpointer data)
{
  g_autofree char *other = app_test_checkpoint("pre-norm-gelu-learned");
  check_works(t, "post-norm-relu");
  window_test_translate(t, "I have two dogs.");
  regard_document_open_model(t->document, other);
  g_assert_true(regard_document_is_busy(t->document));
  g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, "post-norm-relu");
  window_test_settle(t);
  /* The text was translated again, by the new one. */
  mt_capture *capture = regard_selection_get_capture(t->selection);
  g_assert_cmpstr(mt_capture_model_name(capture), ==, "pre-norm-gelu-learned");
  g_autofree char *source = window_test_source(t);
  g_assert_cmpstr(source, ==, "I have two dogs.");
  g_autofree char *first = recent(t, 0);
  g_assert_cmpstr(first, ==, other);
  g_autofree char *setting = g_settings_get_string(t->settings, "model");
  g_assert_cmpstr(setting, ==, other);

  window_test_act(t, "win.model", "s", "");
  window_test_settle(t);
  check_works(t, "post-norm-relu");
  g_assert_true(
      g_str_has_prefix(gtk_label_get_text(window_test_child(t, "model_detail")), "bundled"));
  g_signal_emit_by_name(window_test_popover(window_test_child(t, "model_button")), "forgotten",
                        other);
  g_assert_null(recent(t, 0));
}

/* What a model asks of the search and does not get is said where the model is. */
static void
test_not_honoured(WindowTest *t, gconstpointer data)
{
  static const char *const files[] = {"config.json", "model.safetensors", "vocab.json",
                                      "source.spm", "target.spm"};
  g_autofree char *folder = g_dir_make_tmp("regard-asks-XXXXXX", NULL);
  g_autofree char *from_folder = app_test_checkpoint("zero-pad");
  g_autofree char *own = g_build_filename(folder, "generation_config.json", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *from = g_build_filename(from_folder, files[i], NULL);
    g_autofree char *to = g_build_filename(folder, files[i], NULL);
    g_assert_cmpint(symlink(from, to), ==, 0);
  }
  g_assert_true(g_file_set_contents(own,
                                    "{\"do_sample\": true, \"max_length\": 20,"
                                    " \"bad_words_ids\": [[124]], \"forced_eos_token_id\": 0,"
                                    " \"num_beams\": 4, \"renormalize_logits\": true}",
                                    -1, NULL));
  GtkWidget *detail = GTK_WIDGET(window_test_child(t, "model_detail"));
  g_assert_null(strstr(gtk_widget_get_tooltip_text(detail), "searched without"));
  regard_document_open_model(t->document, folder);
  window_test_settle(t);
  g_assert_nonnull(strstr(gtk_widget_get_tooltip_text(detail), "searched without it: do_sample"));
  g_assert_true(g_str_has_suffix(gtk_widget_get_tooltip_text(detail), ": do_sample"));
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *to = g_build_filename(folder, files[i], NULL);
    g_unlink(to);
  }
  g_unlink(own);
  g_rmdir(folder);
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
    regard_document_open_model(t->document, broken);
    window_test_settle(t);
    const char *title =
        regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_MODEL);
    g_assert_nonnull(title);
    g_test_message("%s", title);
    g_assert_nonnull(strstr(title, cases[i].file));
    g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, "post-norm-relu");
    g_assert_null(recent(t, 0));
    g_assert_null(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_LOADING));
    app_test_remove(parent);
  }
  g_autofree char *source = window_test_source(t);
  g_assert_cmpstr(source, ==, "I have two dogs.");
  g_assert_nonnull(regard_selection_get_capture(t->selection));
  /* A good one takes the message away. */
  g_autofree char *other = app_test_checkpoint("pre-norm-plain");
  regard_document_open_model(t->document, other);
  window_test_settle(t);
  g_assert_null(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_MODEL));
  check_works(t, "pre-norm-plain");
}

/* An error has two lines where the window's language has a sentence for it: the engine's own stands
 * below what was kept. */
static void
test_details(WindowTest *t, gconstpointer data)
{
  RegardBanner *banner = window_test_child(t, "banner");
  GtkLabel *detail = GTK_LABEL(window_test_part(t, "banner", "detail"));
  regard_banner_show(banner, REGARD_BANNER_FILE, "Une phrase.\nDétails : a.npz is missing.",
                     "Rien n’a changé.", NULL);
  g_assert_cmpstr(regard_banner_get_title(banner, REGARD_BANNER_FILE), ==, "Une phrase.");
  g_assert_cmpstr(gtk_label_get_text(detail), ==, "Rien n’a changé.\nDétails : a.npz is missing.");
  regard_banner_show(banner, REGARD_BANNER_FILE, "Une phrase.\nDétails : a.npz is missing.", NULL,
                     NULL);
  g_assert_cmpstr(gtk_label_get_text(detail), ==, "Détails : a.npz is missing.");
  regard_banner_show(banner, REGARD_BANNER_FILE, "a.npz is missing.", NULL, NULL);
  g_assert_false(gtk_widget_get_visible(GTK_WIDGET(detail)));
}

static void
test_cancelled(WindowTest *t, gconstpointer data)
{
  regard_document_open_model(t->document, app_test_model_dir());
  g_assert_nonnull(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_LOADING));
  g_signal_emit_by_name(window_test_child(t, "banner"), "response", REGARD_BANNER_LOADING);
  g_assert_null(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_LOADING));
  g_assert_false(regard_document_is_busy(t->document));
  app_test_run_for(500);
  g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, "post-norm-relu");
  g_assert_null(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_MODEL));
}

/* Two in a row: the second is what was wanted. */
static void
test_overtaken(WindowTest *t, gconstpointer data)
{
  g_autofree char *other = app_test_checkpoint("separate-vocabularies");
  regard_document_open_model(t->document, app_test_model_dir());
  regard_document_open_model(t->document, other);
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
  g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, "odd-sizes-swish");
  drop(t, file);
  g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, "pre-norm-plain");
  check_works(t, "pre-norm-plain");
}

/* What is wrong with a half-copied folder is said in the words of the list of models. */
static void
test_half_copied(WindowTest *t, gconstpointer data)
{
  static const struct {
    const char *file, *text, *message;
  } cases[] = {
      {"target.spm", NULL, "broken-target.spm: target.spm is missing."},
      {"model.safetensors",
       "version https://git-lfs.github.com/spec/v1\noid sha256:0123456789\nsize 298000000\n",
       "broken-model.safetensors: model.safetensors is a Git LFS pointer, not the file itself: run "
       "“git lfs pull”."},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *parent = app_test_folder();
    g_autofree char *broken = app_test_broken_model(parent, cases[i].file, cases[i].text);
    regard_document_open_model(t->document, broken);
    window_test_settle(t);
    g_assert_cmpstr(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_MODEL),
                    ==, cases[i].message);
    app_test_remove(parent);
  }
  check_works(t, "post-norm-relu");
}

/* Mappings of a checkpoint's weights in this process. */
static guint
count_mapped(const char *name)
{
  g_autofree char *maps = NULL, *path = g_strdup_printf("/%s/model.safetensors", name);
  guint n = 0;
  g_assert_true(g_file_get_contents("/proc/self/maps", &maps, NULL, NULL));
  for (const char *at = maps; (at = strstr(at, path)); at++)
    n++;
  return n;
}

/* The most models that were in memory at the same time. */
static gboolean
count_models(gpointer most)
{
  static const char *const names[] = {"post-norm-relu", "pre-norm-plain", "odd-sizes-swish",
                                      "en-de"};
  g_autofree char *maps = NULL;
  guint n = 0;
  g_assert_true(g_file_get_contents("/proc/self/maps", &maps, NULL, NULL));
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = g_strdup_printf("/%s/model.safetensors", names[i]);
    n += strstr(maps, path) != NULL;
  }
  *(guint *) most = MAX(*(guint *) most, n);
  return G_SOURCE_CONTINUE;
}

/* A model that is not shown any more is not in memory any more, whatever was done with it; two are
 * there while one takes the place of the other, and never a third. */
static void
test_only_one_resident(WindowTest *t, gconstpointer data)
{
  guint most = 0, sampler = g_timeout_add(20, count_models, &most);
  static const char *const names[] = {"pre-norm-plain", "odd-sizes-swish", "pre-norm-plain"};
  window_test_translate(t, "I have two dogs. It rains.");
  g_assert_cmpuint(count_mapped("post-norm-relu"), >, 0);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *next = app_test_checkpoint(names[i]);
    regard_document_open_model(t->document, next);
    /* Chosen again and again, and another one: they are opened one after the other. */
    regard_document_open_model(t->document, app_test_model_dir());
    regard_document_open_model(t->document, next);
    window_test_settle(t);
    app_test_run_for(200);
    g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, names[i]);
    g_assert_cmpuint(count_mapped(names[i]), >, 0);
    g_assert_cmpuint(count_mapped("post-norm-relu"), ==, 0);
    g_assert_cmpuint(count_mapped("en-de"), ==, 0);
    if (i > 0)
      g_assert_cmpuint(count_mapped(names[i - 1]), ==, 0);
  }
  g_source_remove(sampler);
  g_assert_cmpuint(most, >=, 1);
  g_assert_cmpuint(most, <=, 2);
}

/* ---- The list to choose from --------------------------------------------------------------- */

static void
open_chooser(WindowTest *t)
{
  window_test_act(t, "win.show-models", NULL);
  g_assert_true(gtk_widget_get_visible(
      GTK_WIDGET(window_test_popover(window_test_child(t, "model_button")))));
  app_test_until(
      !regard_model_chooser_is_busy(window_test_popover(window_test_child(t, "model_button"))));
}

static GtkWidget *
find_widget(GtkWidget *widget, GType type, const char *name)
{
  if (g_type_is_a(G_OBJECT_TYPE(widget), type) &&
      (!name || g_str_equal(regard_model_row_get_info(REGARD_MODEL_ROW(widget))->name, name)))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child)) {
    GtkWidget *found = find_widget(child, type, name);
    if (found)
      return found;
  }
  return NULL;
}

static GtkListBoxRow *
find_row(WindowTest *t, const char *name)
{
  return GTK_LIST_BOX_ROW(
      find_widget(GTK_WIDGET(window_test_popover(window_test_child(t, "model_button"))),
                  REGARD_TYPE_MODEL_ROW, name));
}

static gboolean
is_closed(WindowTest *t)
{
  return !gtk_widget_get_visible(
      GTK_WIDGET(window_test_popover(window_test_child(t, "model_button"))));
}

static void
activate(WindowTest *t, const char *name)
{
  GtkListBoxRow *row = find_row(t, name);
  g_assert_nonnull(row);
  g_signal_emit_by_name(gtk_widget_get_parent(GTK_WIDGET(row)), "row-activated", row);
}

/* Links to a checkpoint where models are found. */
static void
put_model(const char *folder, const char *name, const char *lacks)
{
  static const char *const files[] = {"config.json",       "generation_config.json",
                                      "model.safetensors", "vocab.json",
                                      "source.spm",        "target.spm"};
  g_autofree char *path = g_build_filename(folder, "regard", "models", name, NULL);
  g_autofree char *from_folder = app_test_checkpoint("pre-norm-plain");
  g_assert_cmpint(g_mkdir_with_parents(path, 0700), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *from = g_build_filename(from_folder, files[i], NULL);
    g_autofree char *to = g_build_filename(path, files[i], NULL);
    g_unlink(to);
    if (g_strcmp0(files[i], lacks) != 0 && g_file_test(from, G_FILE_TEST_EXISTS))
      g_assert_cmpint(symlink(from, to), ==, 0);
  }
}

static char *data_home; /* of this program */

static void
test_chooser(WindowTest *t, gconstpointer data)
{
  put_model(data_home, "opus-mt-en-fr", NULL);
  put_model(data_home, "opus-mt-en-mg", "source.spm");
  open_chooser(t);
  RegardModelRow *running = REGARD_MODEL_ROW(find_row(t, "post-norm-relu"));
  g_assert_nonnull(running);
  g_assert_cmpint(regard_model_row_get_info(running)->place, ==, REGARD_MODEL_BUNDLED);
  g_assert_true(
      gtk_test_accessible_has_property(GTK_ACCESSIBLE(running), GTK_ACCESSIBLE_PROPERTY_LABEL));

  /* A found one is opened, and is a recent one then. */
  activate(t, "opus-mt-en-fr");
  g_assert_false(is_closed(t));
  window_test_settle(t);
  g_assert_true(is_closed(t));
  g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, "opus-mt-en-fr");
  g_assert_cmpstr(gtk_label_get_text(window_test_child(t, "model_label")), ==, "English → French");
  open_chooser(t);
  RegardModelRow *recent_row = REGARD_MODEL_ROW(find_row(t, "opus-mt-en-fr"));
  g_assert_cmpint(regard_model_row_get_info(recent_row)->place, ==, REGARD_MODEL_RECENT);

  /* The one that runs needs no opening. */
  activate(t, "opus-mt-en-fr");
  g_assert_true(is_closed(t));
  g_assert_false(regard_document_is_busy(t->document));

  /* One that is not whole says why, and the other goes on. */
  open_chooser(t);
  GtkListBoxRow *broken = find_row(t, "opus-mt-en-mg");
  g_assert_true(gtk_widget_has_css_class(GTK_WIDGET(broken), "broken"));
  activate(t, "opus-mt-en-mg");
  window_test_settle(t);
  g_assert_true(is_closed(t));
  g_assert_cmpstr(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_MODEL), ==,
                  "opus-mt-en-mg: source.spm is missing.");
  g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, "opus-mt-en-fr");
  /* Once other pictures have been looked at, it does not come back behind them. */
  g_autofree char *file =
      g_build_filename(g_getenv("REGARD_TEST_DATA"), "foreign-encoder.npz", NULL);
  regard_document_open_path(t->document, file);
  window_test_settle(t);
  regard_document_close_capture(t->document);
  window_test_settle(t);
  g_assert_null(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_MODEL));

  /* Taken out of the recent ones it is still where it was found. */
  open_chooser(t);
  g_signal_emit_by_name(find_row(t, "opus-mt-en-fr"), "forgotten");
  app_test_until(
      !regard_model_chooser_is_busy(window_test_popover(window_test_child(t, "model_button"))));
  g_assert_null(recent(t, 0));
  RegardModelRow *found = REGARD_MODEL_ROW(find_row(t, "opus-mt-en-fr"));
  g_assert_cmpint(regard_model_row_get_info(found)->place, ==, REGARD_MODEL_FOUND);
  gtk_popover_popdown(GTK_POPOVER(window_test_popover(window_test_child(t, "model_button"))));
}

static void
test_chooser_watches(WindowTest *t, gconstpointer data)
{
  g_autofree char *models = g_build_filename(data_home, "regard", "models", NULL);
  g_assert_cmpint(g_mkdir_with_parents(models, 0700), ==, 0);
  open_chooser(t);
  g_assert_null(find_row(t, "opus-mt-en-new"));
  put_model(data_home, "opus-mt-en-new", NULL);
  app_test_until(find_row(t, "opus-mt-en-new") != NULL);
  gtk_popover_popdown(GTK_POPOVER(window_test_popover(window_test_child(t, "model_button"))));
}

/* The row of what is being opened has a bar and Cancel. */
static void
test_chooser_cancel(WindowTest *t, gconstpointer data)
{
  put_model(data_home, "opus-mt-en-fr", NULL);
  open_chooser(t);
  GtkWidget *row = GTK_WIDGET(find_row(t, "opus-mt-en-fr"));
  GtkWidget *bar = find_widget(row, GTK_TYPE_PROGRESS_BAR, NULL);
  g_assert_false(gtk_widget_get_visible(bar));
  activate(t, "opus-mt-en-fr");
  g_assert_nonnull(regard_document_get_slot(t->document)->loading);
  g_assert_true(gtk_widget_get_visible(bar));
  g_signal_emit_by_name(row, "cancelled");
  g_assert_null(regard_document_get_slot(t->document)->loading);
  g_assert_false(gtk_widget_get_visible(bar));
  app_test_run_for(200);
  g_assert_false(is_closed(t));
  check_works(t, "post-norm-relu");
  /* By Cancel or by choosing another, the first one never comes. */
  activate(t, "opus-mt-en-fr");
  activate(t, "post-norm-relu");
  g_assert_false(gtk_widget_get_visible(bar));
  window_test_settle(t);
  check_works(t, "post-norm-relu");
}

/* With many there is a search; a long list does no harm. */
static void
test_chooser_search(WindowTest *t, gconstpointer data)
{
  for (guint i = 0; i < 60; i++) {
    g_autofree char *name = g_strdup_printf("many/model-%02u", i);
    put_model(data_home, name, i % 2 ? NULL : "target.spm");
  }
  open_chooser(t);
  GtkWidget *search =
      find_widget(GTK_WIDGET(window_test_popover(window_test_child(t, "model_button"))),
                  GTK_TYPE_SEARCH_ENTRY, NULL);
  g_assert_true(gtk_widget_get_visible(search));
  GtkWidget *some = GTK_WIDGET(find_row(t, "model-07")),
            *other = GTK_WIDGET(find_row(t, "model-08"));
  /* With a hyphen: the name of the temporary folder, which is searched too, has none there. */
  gtk_editable_set_text(GTK_EDITABLE(search), "MANY L-07");
  g_signal_emit_by_name(search, "search-changed");
  g_assert_true(gtk_widget_get_child_visible(some));
  g_assert_false(gtk_widget_get_child_visible(other));
  g_signal_emit_by_name(search, "activate");
  window_test_settle(t);
  g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, "model-07");
  g_assert_true(is_closed(t));
}

/* Fewer layers and heads than were looked at. */
static void
test_smaller(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "I have two dogs.");
  regard_document_open_model(t->document, app_test_model_dir());
  window_test_settle(t);
  regard_selection_set_place(t->selection, MT_CROSS, 5, 7);
  regard_document_open_model(t->document, "");
  window_test_settle(t);
  mt_capture *capture = regard_selection_get_capture(t->selection);
  g_assert_cmpuint(regard_selection_get_layer(t->selection), <,
                   mt_capture_n_layers(capture, MT_CROSS));
  g_assert_cmpuint(regard_selection_get_head(t->selection), <,
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
  g_assert_null(regard_document_get_model(t->document));
  const char *title = regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_MODEL);
  g_assert_nonnull(title);
  g_assert_nonnull(strstr(title, "/nonexistent/model"));
  g_assert_cmpstr(gtk_stack_get_visible_child_name(window_test_part(t, "start", "stack")), ==,
                  "no-model");
  /* What is typed waits. */
  regard_document_set_text(t->document, "I have two dogs.");
  app_test_run_for(50);
  g_assert_cmpstr(gtk_stack_get_visible_child_name(window_test_child(t, "content")), ==, "start");
  g_autofree char *small = app_test_checkpoint("post-norm-relu");
  regard_document_open_model(t->document, small);
  window_test_settle(t);
  g_assert_nonnull(regard_selection_get_capture(t->selection));
  g_assert_cmpstr(gtk_stack_get_visible_child_name(window_test_child(t, "content")), ==, "views");
}

/* The remembered model is gone: the bundled one is opened, and the loss is told. */
static void
test_remembered_model_gone(WindowTest *t, gconstpointer data)
{
  g_settings_set_string(t->settings, "model", "/nonexistent/other");
  WindowTest other = window_test_another(t);
  gtk_window_present(GTK_WINDOW(other.window));
  window_test_settle(&other);
  g_assert_cmpstr(mt_model_name(regard_document_get_model(other.document)), ==, "post-norm-relu");
  const char *title =
      regard_banner_get_title(window_test_child(&other, "banner"), REGARD_BANNER_MODEL);
  g_assert_nonnull(title);
  g_assert_nonnull(strstr(title, "/nonexistent/other"));
  gtk_window_destroy(GTK_WINDOW(other.window));
}

/* The application looks for models where this says. */
static gboolean
begin(void)
{
  data_home = app_test_folder();
  g_setenv("XDG_DATA_HOME", data_home, TRUE);
  return window_test_begin();
}

static void
tear_down(void)
{
  app_test_remove(data_home);
  g_free(data_home);
}

/* A folder may lie on another machine: whatever is opened from it, the main thread does not look at
 * it, so that one can go on typing. */
static void
test_main_thread(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  g_autofree char *model = app_test_broken_model(folder, "note.txt", "");
  g_autofree char *config = g_build_filename(model, "config.json", NULL);
  static const char *const files[][2] = {{"foreign-encoder.npz", "a.npz"},
                                         {"session.regard", "1.regard"},
                                         {"session.regard", "2.regard"}};
  char *paths[G_N_ELEMENTS(files)];
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *from = g_build_filename(g_getenv("REGARD_TEST_DATA"), files[i][0], NULL);
    paths[i] = g_build_filename(folder, files[i][1], NULL);
    g_assert_cmpint(symlink(from, paths[i]), ==, 0);
  }
  window_test_watch(folder);
  regard_document_open_path(t->document, config);
  window_test_settle(t);
  g_assert_cmpstr(regard_document_get_model_dir(t->document), ==, model);
  regard_document_open_path(t->document, paths[0]);
  g_assert_true(regard_document_is_reading(t->document));
  window_test_settle(t);
  g_assert_nonnull(regard_document_get_imported_capture(t->document));
  window_test_act(t, "win.read-session", "s", paths[1]);
  window_test_settle(t);
  window_test_act(t, "win.step-session", "i", 1);
  app_test_until(strstr(gtk_window_get_title(GTK_WINDOW(t->window)), "2.regard") &&
                 !regard_document_is_busy(t->document));
  g_assert_cmpuint(window_test_looks(FALSE), >, 0);
  g_assert_cmpuint(window_test_looks(TRUE), ==, 0);
  window_test_watch(NULL);
  for (guint i = 0; i < G_N_ELEMENTS(files); i++)
    g_free(paths[i]);
  app_test_remove(folder);
}

/* Every page, with each head kind, of models whose norms, positions and networks are not the
 * paper's: what is shown is drawn, and nothing warns. */
static void
test_families(WindowTest *t, gconstpointer data)
{
  static const char *const models[] = {"t5-gated-tiny", "umt5-tiny", "bart-tiny", "mbart-tiny"};
  static const char *const pages[] = {"attention", "inside", "layers", "steps",
                                      "positions", "heads",  "measure"};
  for (guint i = 0; i < G_N_ELEMENTS(models); i++) {
    g_autofree char *dir = app_test_checkpoint(models[i]);
    regard_document_open_model(t->document, dir);
    window_test_settle(t);
    g_assert_cmpstr(regard_document_get_model_dir(t->document), ==, dir);
    if (g_str_has_prefix(models[i], "mbart"))
      regard_document_set_languages(t->document, "en_XX", "de_DE");
    window_test_translate(t, "the cat sat .");
    g_assert_nonnull(regard_selection_get_capture(t->selection));
    for (guint p = 0; p < G_N_ELEMENTS(pages); p++) {
      window_test_act(t, "win.show-view", "s", pages[p]);
      for (int kind = 0; kind < MT_N_KINDS; kind++) {
        regard_selection_set_place(t->selection, kind, 1, 0);
        window_test_settle(t);
      }
    }
  }
}

static void
on_loading(guint *n)
{
  ++*n;
}

/* What was begun before the window is what it shows, and is not begun again. */
static void
test_early(WindowTest *t, gconstpointer data)
{
  regard_application_open_early(t->application);
  WindowTest other = window_test_another(t);
  guint n = 0;
  g_assert_true(regard_document_is_opening(other.document));
  g_signal_connect_swapped(other.document, "changed::loading", G_CALLBACK(on_loading), &n);
  regard_document_set_precision(other.document, MT_PRECISION_STORED);
  g_assert_cmpuint(n, ==, 0);
  gtk_window_present(GTK_WINDOW(other.window));
  window_test_translate(&other, "I have two dogs.");
  g_assert_cmpuint(n, ==, 1); /* it is there */
  g_assert_nonnull(regard_selection_get_capture(regard_document_get_selection(other.document)));
  g_signal_handlers_disconnect_by_data(other.document, &n);
  gtk_window_destroy(GTK_WINDOW(other.window));
}

TESTS(.begin = begin, .end = tear_down)
{
#define ADD(path, function) \
  g_test_add(path, WindowTest, NULL, set_up, function, window_test_tear_down)
  ADD("/window/model/swap", test_swap);
  ADD("/window/model/not-honoured", test_not_honoured);
  ADD("/window/model/broken", test_broken);
  ADD("/window/model/details", test_details);
  ADD("/window/model/cancelled", test_cancelled);
  ADD("/window/model/overtaken", test_overtaken);
  ADD("/window/model/dropped", test_dropped);
  ADD("/window/model/half-copied", test_half_copied);
  ADD("/window/model/only-one-resident", test_only_one_resident);
  ADD("/window/model/chooser", test_chooser);
  ADD("/window/model/chooser-watches", test_chooser_watches);
  ADD("/window/model/chooser-cancel", test_chooser_cancel);
  ADD("/window/model/chooser-search", test_chooser_search);
  ADD("/window/model/smaller", test_smaller);
  ADD("/window/model/main-thread", test_main_thread);
  ADD("/window/model/remembered-gone", test_remembered_model_gone);
  ADD("/window/model/families", test_families);
  ADD("/window/model/early", test_early);
  g_test_add("/window/model/none", WindowTest, NULL, set_up_without_model, test_no_model,
             window_test_tear_down);
}
