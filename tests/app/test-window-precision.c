/* test-window-precision.c — the precision of translations: chosen, remembered, and said.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "../engine/model-dir.h"
#include "base/regard-paths.h"
#include "suite.h"
#include "window-test.h"
#include "window/regard-preferences.h"

#include <string.h>

#define DOGS "I have two dogs."

/* The wording that is to be seen. */
static const char *
shown_wording(gpointer label)
{
  AdwSqueezer *squeezer = window_test_find(label, ADW_TYPE_SQUEEZER);
  GtkWidget *shown = adw_squeezer_get_visible_child(squeezer);
  return shown ? gtk_label_get_text(GTK_LABEL(shown)) : "";
}

/* A label that can be seen and holds these words, or NULL. */
static GtkLabel *
find_label(gpointer root, const char *words)
{
  if (GTK_IS_LABEL(root) && gtk_widget_get_mapped(root) && strstr(gtk_label_get_text(root), words))
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child(root); child;
       child = gtk_widget_get_next_sibling(child)) {
    GtkLabel *found = find_label(child, words);
    if (found)
      return found;
  }
  return NULL;
}

static void
set_precision(WindowTest *t, const char *name)
{
  g_settings_set_string(t->settings, "precision", name);
  window_test_settle(t);
}

/* Model, translation, status, title, tooltip and capture agree. */
static void
assert_says(WindowTest *t, mt_precision precision, const char *name)
{
  g_assert_cmpint(mt_model_precision(regard_document_get_model(t->document)), ==, precision);
  const RegardResultSentence *active =
      regard_result_active(regard_document_get_result(t->document));
  g_assert_cmpint(mt_translation_precision(active->translation), ==, precision);
  mt_capture *capture = regard_selection_get_capture(t->selection);
  g_assert_cmpint(mt_capture_precision(capture), ==, MT_PRECISION_STORED);
  g_assert_cmpint(mt_capture_translation_precision(capture), ==, precision);

  gboolean is_rounded = precision != MT_PRECISION_STORED;
  g_autofree char *status = window_test_name(window_test_part(t, "target", "status"));
  g_autofree char *end = g_strdup_printf(" ms · %s", name);
  g_assert_nonnull(strstr(status, "log p −"));
  g_assert_nonnull(strstr(status, end));
  const char *tip =
      gtk_widget_get_tooltip_text(GTK_WIDGET(window_test_part(t, "target", "status")));
  g_autofree char *weights = g_strdup_printf("Weights of the model: %s.", name);
  g_assert_nonnull(strstr(tip, weights));
  g_assert_true(g_str_has_prefix(tip, "The model gives this translation, word for word, a "));
  g_assert_cmpstr(shown_wording(window_test_part(t, "target", "status")), ==,
                  is_rounded ? name : "");

  g_autofree char *middle = g_strdup_printf(" · %s · ", name);
  const char *detail =
      gtk_widget_get_tooltip_text(GTK_WIDGET(window_test_child(t, "model_detail")));
  g_autofree char *how = g_strdup_printf("Translates in %s", name);
  g_assert_cmpint(strstr(gtk_label_get_text(window_test_child(t, "model_detail")), middle) != NULL,
                  ==, is_rounded);
  g_assert_nonnull(strstr(detail, how));
}

/* The same model comes in another precision behind the running one, and translates the text that is
 * there; going back finds nothing of the other. */
static void
test_switch(WindowTest *t, gconstpointer data)
{
  static const struct {
    const char *setting;
    mt_precision precision;
    const char *name;
  } all[] = {
      {"int8", MT_PRECISION_INT8, "int8"}, {"stored", MT_PRECISION_STORED, "F32"},
      {"bf16", MT_PRECISION_BF16, "BF16"}, {"f16", MT_PRECISION_F16, "F16"},
      {"int8", MT_PRECISION_INT8, "int8"},
  };
  window_test_translate(t, DOGS);
  assert_says(t, MT_PRECISION_STORED, "F32");
  for (guint i = 0; i < G_N_ELEMENTS(all); i++) {
    mt_model *before = regard_document_get_model(t->document);
    g_settings_set_string(t->settings, "precision", all[i].setting);
    g_assert_true(regard_document_is_busy(t->document));
    g_assert_true(regard_document_get_model(t->document) == before);
    window_test_settle(t);
    assert_says(t, all[i].precision, all[i].name);
    g_autofree char *source = window_test_source(t), *target = window_test_target(t);
    g_assert_cmpstr(source, ==, DOGS);
    g_assert_cmpstr(target, ==, "Ich habe zwei Hunde.");
    /* What was translated before is known, and still says how. */
    window_test_translate(t, "Thank you.");
    window_test_translate(t, DOGS);
    assert_says(t, all[i].precision, all[i].name);
  }
  g_autofree char *model = g_settings_get_string(t->settings, "model");
  g_assert_cmpstr(model, ==, "");
}

/* The last choice counts, however fast they follow each other; the same choice does nothing. */
static void
test_hasty(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  g_settings_set_string(t->settings, "precision", "int8");
  g_settings_set_string(t->settings, "precision", "f16");
  g_settings_set_string(t->settings, "precision", "bf16");
  window_test_settle(t);
  assert_says(t, MT_PRECISION_BF16, "BF16");
  mt_model *model = regard_document_get_model(t->document);
  g_settings_set_string(t->settings, "precision", "bf16");
  g_assert_false(regard_document_is_busy(t->document));
  g_assert_true(regard_document_get_model(t->document) == model);

  /* Also while another model is on its way. */
  g_autofree char *other = app_test_checkpoint("post-norm-relu");
  regard_document_open_model(t->document, other);
  g_settings_set_string(t->settings, "precision", "int8");
  window_test_settle(t);
  g_assert_cmpstr(mt_model_name(regard_document_get_model(t->document)), ==, "post-norm-relu");
  g_assert_cmpint(mt_model_precision(regard_document_get_model(t->document)), ==,
                  MT_PRECISION_INT8);
}

/* Chosen in the preferences, and there at the next start. */
static void
test_remembered(WindowTest *t, gconstpointer data)
{
  g_autoptr(RegardPreferences) preferences = g_object_ref_sink(regard_preferences_new(t->settings));
  AdwComboRow *row = ADW_COMBO_ROW(
      gtk_widget_get_template_child(GTK_WIDGET(preferences), REGARD_TYPE_PREFERENCES, "precision"));
  g_assert_cmpuint(adw_combo_row_get_selected(row), ==, MT_PRECISION_STORED);
  adw_combo_row_set_selected(row, MT_PRECISION_INT8);
  g_autofree char *setting = g_settings_get_string(t->settings, "precision");
  g_assert_cmpstr(setting, ==, "int8");
  window_test_settle(t);
  window_test_translate(t, DOGS);
  assert_says(t, MT_PRECISION_INT8, "int8");

  WindowTest second = window_test_another(t);
  gtk_window_present(GTK_WINDOW(second.window));
  window_test_translate(&second, DOGS);
  assert_says(&second, MT_PRECISION_INT8, "int8");
  gtk_window_destroy(GTK_WINDOW(second.window));
}

static gboolean
has_subtitle(gpointer row)
{
  return adw_action_row_get_subtitle(row) && *adw_action_row_get_subtitle(row);
}

static gboolean
has_none(gpointer row)
{
  return g_strcmp0(adw_action_row_get_subtitle(row), "None") == 0;
}

/* Rounded weights are kept if the preferences say so, which say how much there is, and remove it.
 */
static void
test_kept(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = regard_paths_weights_cache();
  g_autoptr(RegardPreferences) preferences = g_object_ref_sink(regard_preferences_new(t->settings));
  GtkWidget *widget = GTK_WIDGET(preferences);
  GtkSwitch *keeps =
      GTK_SWITCH(gtk_widget_get_template_child(widget, REGARD_TYPE_PREFERENCES, "cache_weights"));
  AdwActionRow *row =
      ADW_ACTION_ROW(gtk_widget_get_template_child(widget, REGARD_TYPE_PREFERENCES, "caches"));
  GObject *button = gtk_widget_get_template_child(widget, REGARD_TYPE_PREFERENCES, "remove_caches");
  app_test_wait(has_subtitle, row);
  g_assert_cmpstr(adw_action_row_get_subtitle(row), ==, "None");
  g_assert_false(gtk_widget_get_sensitive(GTK_WIDGET(button)));
  set_precision(t, "int8");
  g_assert_cmpint(mt_model_cache(regard_document_get_model(t->document), NULL), ==, MT_CACHE_NONE);
  gtk_switch_set_active(keeps, TRUE);
  static const mt_cache_state states[] = {MT_CACHE_WRITTEN, MT_CACHE_READ};
  for (guint i = 0; i < G_N_ELEMENTS(states); i++) {
    regard_document_open_model(t->document, "");
    window_test_settle(t);
    g_assert_cmpint(mt_model_cache(regard_document_get_model(t->document), NULL), ==, states[i]);
  }
  g_autoptr(RegardPreferences) again = g_object_ref_sink(regard_preferences_new(t->settings));
  widget = GTK_WIDGET(again);
  row = ADW_ACTION_ROW(gtk_widget_get_template_child(widget, REGARD_TYPE_PREFERENCES, "caches"));
  button = gtk_widget_get_template_child(widget, REGARD_TYPE_PREFERENCES, "remove_caches");
  app_test_wait(has_subtitle, row);
  g_assert_true(g_str_has_suffix(adw_action_row_get_subtitle(row), " in 1 file"));
  g_signal_emit_by_name(button, "clicked");
  app_test_wait(has_none, row);
  g_assert_false(gtk_widget_get_sensitive(GTK_WIDGET(button)));
  gsize n_files, n_bytes;
  mt_error error = {0};
  g_assert_true(mt_cache_measure(folder, &n_files, &n_bytes, &error));
  g_assert_cmpuint(n_files, ==, 0);
}

/* Numbers that F16 does not hold: the model runs as it is stored, and the window says so. */
static void
test_cannot_be_had(WindowTest *t, gconstpointer data)
{
  model_dir *dir = model_dir_new();
  dir_tensor *tensor = model_dir_tensor(dir, "model.decoder.layers.1.fc2.weight");
  tensor->values[0] = 1e6f;
  model_dir_write_tensors(dir, "model.safetensors", 0, dir->tensors->len, DIR_F32, 0);
  set_precision(t, "f16");
  regard_document_open_model(t->document, dir->path);
  window_test_settle(t);
  g_assert_cmpstr(mt_model_directory(regard_document_get_model(t->document)), ==, dir->path);
  g_assert_cmpint(mt_model_precision(regard_document_get_model(t->document)), ==,
                  MT_PRECISION_STORED);
  g_assert_nonnull(
      find_label(window_test_find(t->window, ADW_TYPE_TOAST_OVERLAY), "cannot be had in F16"));
  window_test_translate(t, "the cat");
  assert_says(t, MT_PRECISION_STORED, "F32");
  /* The next model is asked for in F16 again. */
  regard_document_open_model(t->document, "");
  window_test_settle(t);
  window_test_translate(t, DOGS);
  assert_says(t, MT_PRECISION_F16, "F16");
  model_dir_free(dir);
}

/* What leaves the window says it too. */
static void
test_exported(WindowTest *t, gconstpointer data)
{
  set_precision(t, "int8");
  window_test_translate(t, DOGS);
  guint n;
  RegardView *view = regard_window_get_view(t->window);
  const RegardPicture *choices = regard_view_get_export_choices(view, &n);
  g_autoptr(RegardFigure) figure = regard_view_create_figure(view, choices[0].id);
  g_autofree char *caption = regard_figure_caption(figure);
  g_assert_nonnull(strstr(caption, " Precision: F32, translation found in int8. "));

  g_autofree char *folder = app_test_folder();
  g_autofree char *path = g_build_filename(folder, "capture.npz", NULL);
  window_test_act(t, "win.save-capture", "s", path);
  app_test_until(g_file_test(path, G_FILE_TEST_EXISTS));
  mt_error error = {0};
  char *meta = NULL;
  g_autoptr(mt_capture) capture = mt_capture_read_npz(path, &meta, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpint(mt_capture_precision(capture), ==, MT_PRECISION_STORED);
  g_assert_cmpint(mt_capture_translation_precision(capture), ==, MT_PRECISION_INT8);
  g_assert_nonnull(strstr(meta, "\"precision\":\"int8\",\"attention_precision\":\"stored\""));
  g_assert_nonnull(strstr(meta, "\"kernels\":"));
  mt_string_free(meta);
  app_test_remove(folder);
}

/* ---- The line that says it ------------------------------------------------------------------- */

/* As much as fits, whole; only what may be cut off is cut off. */
static void
test_wordings(WindowTest *t, gconstpointer data)
{
  static const char *const texts[] = {"as long as can be", "long", "l", NULL};
  GtkWidget *widget = g_object_ref_sink(g_object_new(REGARD_TYPE_ADAPTIVE_LABEL, NULL));
  RegardAdaptiveLabel *wordings = REGARD_ADAPTIVE_LABEL(widget);
  g_assert_cmpstr(window_test_label(wordings, NULL), ==, "");
  int least[4], natural[4], of_one;
  for (guint i = 0; i < 3; i++) {
    regard_adaptive_label_set(wordings, texts + i, FALSE);
    gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, &least[i], &natural[i], NULL, NULL);
  }
  g_assert_cmpint(least[0], ==, least[2]);
  g_assert_cmpint(least[2], ==, natural[2]);
  g_assert_cmpint(natural[0], >, natural[1]);
  g_assert_cmpint(natural[1], >, natural[2]);
  const char *const one[] = {texts[0], NULL};
  regard_adaptive_label_set(wordings, one, FALSE);
  gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, &of_one, NULL, NULL, NULL);
  g_assert_cmpint(of_one, ==, natural[0]);
  regard_adaptive_label_set(wordings, one, TRUE);
  gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, &of_one, NULL, NULL, NULL);
  g_assert_cmpint(of_one, <, natural[0]);

  const struct {
    int width;
    const char *shown;
  } rooms[] = {{natural[0], texts[0]},     {natural[0] - 1, texts[1]}, {natural[1], texts[1]},
               {natural[1] - 1, texts[2]}, {least[0], texts[2]},       {natural[0] + 9, texts[0]}};
  regard_adaptive_label_set(wordings, texts, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS(rooms); i++) {
    int height;
    gtk_widget_measure(widget, GTK_ORIENTATION_VERTICAL, rooms[i].width, NULL, &height, NULL, NULL);
    gtk_widget_size_allocate(widget, &(GtkAllocation){0, 0, rooms[i].width, height}, -1);
    g_assert_cmpstr(shown_wording(wordings), ==, rooms[i].shown);
    g_assert_cmpstr(window_test_label(wordings, NULL), ==, texts[0]);
  }
  gtk_test_accessible_assert_role(widget, GTK_ACCESSIBLE_ROLE_LABEL);
  gtk_test_accessible_assert_property(widget, GTK_ACCESSIBLE_PROPERTY_LABEL, texts[0]);
  g_object_unref(widget);
}

/* In a narrow window with a list of languages a rounded precision is there. */
static void
test_narrow(WindowTest *t, gconstpointer data)
{
  g_autofree char *multi = app_test_checkpoint("multi-target");
  g_settings_set_int(t->settings, "window-width", 1024);
  g_settings_set_int(t->settings, "window-height", 700);
  for (guint i = 0; i < 2; i++) {
    g_settings_set_string(t->settings, "precision", i ? "int8" : "stored");
    WindowTest narrow = window_test_another(t);
    regard_document_open_model(narrow.document, multi);
    gtk_window_present(GTK_WINDOW(narrow.window));
    window_test_translate(&narrow, "the cat sat .");
    g_assert_cmpint(gtk_widget_get_width(GTK_WIDGET(narrow.window)), <=, 1024);
    const char *shown = shown_wording(window_test_part(&narrow, "target", "status"));
    g_assert_cmpstr(shown, ==, i ? "int8" : "");
    GtkLabel *label = find_label(window_test_part(&narrow, "target", "status"), shown);
    g_assert_nonnull(label);
    g_assert_false(pango_layout_is_ellipsized(gtk_label_get_layout(label)));
    gtk_window_destroy(GTK_WINDOW(narrow.window));
  }
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-precision/switch", test_switch);
  WINDOW_TEST("/window-precision/hasty", test_hasty);
  WINDOW_TEST("/window-precision/remembered", test_remembered);
  WINDOW_TEST("/window-precision/kept", test_kept);
  WINDOW_TEST("/window-precision/cannot-be-had", test_cannot_be_had);
  WINDOW_TEST("/window-precision/exported", test_exported);
  WINDOW_TEST("/window-precision/wordings", test_wordings);
  WINDOW_TEST("/window-precision/narrow", test_narrow);
}
