/* test-window-animation.c — animations out of the export dialog: the files are those of regard-cli
 * animate, what cannot be written is said before, and what was stopped leaves nothing.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export-dialog-test.h"
#include "formats/regard-animation.h"
#include "parts/regard-banner.h"
#include "suite.h"
#include "window-test.h"

#include <string.h>

#define DOGS     "I have two dogs."
#define LEARNING "today the small cat has seen the old dog"

static void
set_up(WindowTest *t, gconstpointer data)
{
  window_test_set_up(t, NULL);
  window_test_translate(t, DOGS);
}

/* ---- The dialog ---------------------------------------------------------------------------- */

static gpointer
part(const Export *e, const char *name)
{
  return gtk_widget_get_template_child(GTK_WIDGET(e->dialog), REGARD_TYPE_EXPORT_DIALOG, name);
}

/* It can be saved, or why it cannot was said. */
static gboolean
is_looked_at(gpointer data)
{
  Export *e = data;
  return gtk_widget_get_sensitive(part(e, "save")) ||
         regard_banner_get_title(part(e, "banner"), REGARD_BANNER_TEXT);
}

static void
open_dialog(WindowTest *t, Export *e, const char *format, const char *choice)
{
  export_dialog_open(t, e, "export-animation", format, choice);
  app_test_wait(is_looked_at, e);
}

/* As the Save button does with what was chosen; until it is done, or failed. */
static void
save(Export *e, const char *path)
{
  g_autoptr(GFile) file = g_file_new_for_path(path);
  regard_export_dialog_save(e->dialog, file);
  app_test_wait(export_dialog_is_done, e);
}

static void
respond(const Export *e, RegardBannerSubject subject)
{
  g_signal_emit_by_name(part(e, "banner"), "response", subject);
}

static void
show_page(WindowTest *t, const char *page)
{
  guint n = 0;
  adw_view_stack_set_visible_child_name(window_test_child(t, "views"), page);
  window_test_settle(t);
  while (regard_view_get_export_choices(regard_window_get_view(t->window), &n), n == 0)
    g_main_context_iteration(NULL, TRUE);
}

static guint
count_files(const char *folder)
{
  g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
  guint n = 0;
  while (g_dir_read_name(listing))
    n++;
  return n;
}

/* ---- The same files as the command writes --------------------------------------------------- */

static void
run_command(const char *what, const char *path, const char *text, char *const *options)
{
  g_autoptr(GPtrArray) argv = g_ptr_array_new();
  g_autoptr(GError) error = NULL;
  g_autofree char *out = NULL, *err = NULL;
  int status;
  g_ptr_array_add(argv, (gpointer) g_getenv("REGARD_CLI"));
  g_ptr_array_add(argv, (gpointer) "animate");
  g_ptr_array_add(argv, (gpointer) what);
  for (; *options; options++)
    g_ptr_array_add(argv, *options);
  g_ptr_array_add(argv, (gpointer) "-o");
  g_ptr_array_add(argv, (gpointer) path);
  g_ptr_array_add(argv, (gpointer) text);
  g_ptr_array_add(argv, NULL);
  g_spawn_sync(NULL, (char **) argv->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status,
               &error);
  g_assert_no_error(error);
  if (!g_spawn_check_wait_status(status, NULL))
    g_error("%s", err);
}

static void
assert_same(const char *path_a, const char *path_b)
{
  g_autofree char *a = NULL, *b = NULL;
  gsize n_a = 0, n_b = 0;
  g_assert_true(g_file_get_contents(path_a, &a, &n_a, NULL));
  g_assert_true(g_file_get_contents(path_b, &b, &n_b, NULL));
  g_assert_cmpuint(n_a, >, 200);
  if (n_a != n_b || memcmp(a, b, n_a) != 0)
    g_error("%s and %s are not the same", path_a, path_b);
}

/* Numbered files are compared one by one. */
static void
assert_all_same(const char *path_a, const char *path_b, guint n)
{
  if (!n)
    assert_same(path_a, path_b);
  for (guint i = 0; i < n; i++) {
    g_autofree char *a = regard_animation_number_path(path_a, i),
                    *b = regard_animation_number_path(path_b, i);
    assert_same(a, b);
  }
}

/* One choice in one format, by the dialog and by the command. */
static void
compare(WindowTest *t, const char *choice, const char *what, const char *format, const char *name,
        guint n, const char *text, const char *options)
{
  g_autofree char *folder = app_test_folder(), *other = app_test_folder();
  g_autofree char *a = g_build_filename(folder, name, NULL),
                  *b = g_build_filename(other, name, NULL);
  g_auto(GStrv) list = g_strsplit(options, " ", -1);
  Export e;
  open_dialog(t, &e, format, choice);
  g_assert_true(gtk_widget_get_sensitive(part(&e, "save")));
  save(&e, a);
  g_assert_cmpuint(e.n_exported, ==, 1);
  export_dialog_close(&e);
  g_assert_cmpuint(count_files(folder), ==, MAX(n, 1));
  run_command(what, b, text, list);
  assert_all_same(a, b, n);
  app_test_remove(folder);
  app_test_remove(other);
}

/* Each page that has one, and each format once. What the command calls the default is said where
 * the window has another. */
static void
test_same_bytes(WindowTest *t, gconstpointer data)
{
  const char *model = g_getenv("REGARD_TEST_MODEL");
  g_setenv("SOURCE_DATE_EPOCH", "1764201600", TRUE); /* else a PDF says when it was made */
  regard_selection_set_place(t->selection, MT_CROSS, 1, 2);
  regard_selection_set_scale(t->selection, REGARD_SCALE_LINEAR);
  const char *colormap = regard_selection_get_colormap(t->selection)->id;
  g_autofree char *steps = g_strdup_printf("-m %s --top 9 --kind cross --layer 2 --head 3", model),
                  *beam = g_strdup_printf("-m %s --width 160 --dpi 72", model),
                  *inside = g_strdup_printf("-m %s --kind cross --layer 2 --head 3 --query 2 "
                                            "--colormap %s",
                                            model, colormap);
  show_page(t, "steps");
  compare(t, "steps", "steps", "gif", "steps.gif", 0, DOGS, steps);
  compare(t, "steps", "steps", "pdf", "steps.pdf", 0, DOGS, steps);
  g_settings_set_double(t->settings, "export-animation-dpi", 72);
  g_settings_set_double(t->settings, "export-width", 160);
  compare(t, "beam", "beam", "png-files", "beam-{n}.png", 8, DOGS, beam);
  g_settings_reset(t->settings, "export-animation-dpi");
  show_page(t, "inside");
  compare(t, "inside-steps", "inside", "apng", "inside.png", 0, DOGS, inside);
}

static void
test_training(WindowTest *t, gconstpointer data)
{
  g_autofree char *last = g_build_filename(g_getenv("REGARD_TRAINING_DIR"), "step-00001000", NULL);
  g_autofree char *options = g_strdup_printf(
      "-m %s --kind cross --layer 2 --head 1 --scale sqrt --colormap viridis --no-title", last);
  regard_document_open_model(t->document, last);
  window_test_settle(t);
  window_test_translate(t, LEARNING);
  regard_selection_set_place(t->selection, MT_CROSS, 1, 0);
  regard_selection_set_combine(t->selection, REGARD_COMBINE_HEAD);
  regard_selection_set_scale(t->selection, REGARD_SCALE_SQRT);
  regard_selection_set_colormap(t->selection, "viridis");
  g_settings_set_boolean(t->settings, "export-title", FALSE);
  show_page(t, "attention");
  compare(t, "training", "training", "svg-files", "cross-{n}.svg", 16, LEARNING, options);
  g_settings_reset(t->settings, "export-title");

  /* Heads of several layers, which the command does not combine: their mean at each checkpoint. */
  regard_selection_toggle_chosen(t->selection, MT_CROSS, 0, 0);
  regard_selection_toggle_chosen(t->selection, MT_CROSS, 1, 1);
  regard_selection_set_combine(t->selection, REGARD_COMBINE_CHOSEN);
  window_test_settle(t);
  g_autofree char *folder = app_test_folder(),
                  *path = g_build_filename(folder, "chosen-{n}.svg", NULL),
                  *shown = g_build_filename(folder, "shown.svg", NULL),
                  *final = regard_animation_number_path(path, 15), *frame = NULL;
  Export e;
  open_dialog(t, &e, "svg-files", "training");
  save(&e, path);
  g_assert_cmpuint(e.n_exported, ==, 1);
  g_assert_true(g_file_get_contents(final, &frame, NULL, NULL));
  g_assert_nonnull(strstr(frame, "training step 1000"));
  g_assert_nonnull(strstr(frame, "mean of heads 1.1, 2.2"));
  app_test_remove(folder);
}

/* ---- Who offers what -------------------------------------------------------------------------
 */

/* Only what moves, under names of its own, which are those of the list. */
static void
test_offered(WindowTest *t, gconstpointer data)
{
  static const struct {
    const char *page, *animations;
  } pages[] = {{"attention", ""},
               {"inside", "inside-steps"},
               {"layers", ""},
               {"steps", "steps beam"},
               {"positions", ""}};
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
    guint n = 0;
    show_page(t, pages[i].page);
    RegardView *view = regard_window_get_view(t->window);
    const RegardPicture *animations = regard_view_get_animations(view, &n);
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint a = 0; a < n; a++) {
      g_autoptr(RegardFigure) figure = regard_view_create_figure(view, animations[a].id);
      g_assert_null(figure);
      g_string_append_printf(names, "%s%s", a ? " " : "", animations[a].id);
    }
    g_assert_cmpstr(names->str, ==, pages[i].animations);
    g_assert_null(regard_view_create_frames(view, "head"));
  }
}

static const char *
title(const Export *e)
{
  return adw_preferences_row_get_title(part(e, "frames_row"));
}

/* What it will be stands there before it is made; formats of pictures and of animations have their
 * own lists, and each remembers its choice. */
static void
test_told_before(WindowTest *t, gconstpointer data)
{
  Export e;
  show_page(t, "steps");
  g_settings_set_string(t->settings, "export-format", "svg");
  open_dialog(t, &e, "gif", "steps");
  g_assert_cmpstr(title(&e), ==, "7 frames, seen for 8.5 seconds");
  g_assert_nonnull(strstr(adw_action_row_get_subtitle(part(&e, "frames_row")),
                          "At most 500 frames of 4096 pixels a side\nNever more than three"));
  g_assert_false(gtk_widget_get_visible(part(&e, "film_row")));
  g_assert_true(gtk_widget_get_sensitive(part(&e, "dpi_row")));
  g_assert_false(gtk_widget_get_sensitive(part(&e, "height_row")));
  g_assert_cmpfloat(gtk_spin_button_get_value(part(&e, "dpi")), ==, 200);

  adw_combo_row_set_selected(part(&e, "format"), 3);
  app_test_wait(is_looked_at, &e);
  g_assert_cmpstr(title(&e), ==, "7 frames");
  g_assert_true(gtk_widget_get_visible(part(&e, "film_row")));
  g_assert_cmpstr(adw_action_row_get_subtitle(part(&e, "film_row")), ==,
                  "ffmpeg -framerate 1 -i regard-steps-i-have-two-dogs-%03d.png -pix_fmt yuv420p "
                  "-vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' regard-steps-i-have-two-dogs.mp4");

  /* Too many pixels, and few enough again. */
  gtk_spin_button_set_value(part(&e, "dpi"), 1200);
  app_test_wait(is_looked_at, &e);
  g_assert_false(gtk_widget_get_sensitive(part(&e, "save")));
  g_assert_nonnull(strstr(regard_banner_get_title(part(&e, "banner"), REGARD_BANNER_TEXT),
                          "at most 4096 a side"));
  adw_combo_row_set_selected(part(&e, "format"), 2); /* a PDF has none */
  app_test_wait(is_looked_at, &e);
  g_assert_true(gtk_widget_get_sensitive(part(&e, "save")));
  g_assert_null(regard_banner_get_title(part(&e, "banner"), REGARD_BANNER_TEXT));
  g_assert_false(gtk_widget_get_sensitive(part(&e, "dpi_row")));

  adw_combo_row_set_selected(part(&e, "what"), 1);
  app_test_wait(is_looked_at, &e);
  g_assert_false(gtk_widget_get_visible(part(&e, "frames_row")));
  g_assert_cmpfloat(gtk_spin_button_get_value(part(&e, "dpi")), ==, 300);
  export_dialog_close(&e);
  g_autofree char *format = g_settings_get_string(t->settings, "export-format"),
                  *animation = g_settings_get_string(t->settings, "export-animation");
  g_assert_cmpstr(format, ==, "svg");
  g_assert_cmpstr(animation, ==, "pdf");
  g_settings_reset(t->settings, "export-animation-dpi");
}

static GdkPaintable *
seen(Export *e)
{
  return gtk_picture_get_paintable(part(e, "preview"));
}

/* The dialog plays it, unless the desktop wants nothing to move: then its last frame stands there.
 */
static void
test_still(WindowTest *t, gconstpointer data)
{
  GtkSettings *desktop = gtk_settings_get_default();
  gboolean was_moving;
  g_object_get(desktop, "gtk-enable-animations", &was_moving, NULL);
  show_page(t, "steps");
  for (guint moving = 0; moving < 2; moving++) {
    Export e;
    g_object_set(desktop, "gtk-enable-animations", moving == 1, NULL);
    open_dialog(t, &e, "gif", "steps");
    app_test_until(seen(&e));
    g_autoptr(GdkPaintable) first = g_object_ref(seen(&e));
    if (moving)
      app_test_until(seen(&e) != first);
    else {
      app_test_run_for(1500); /* a frame is seen for one second */
      g_assert_true(seen(&e) == first);
    }
    export_dialog_close(&e);
  }
  g_object_set(desktop, "gtk-enable-animations", was_moving, NULL);
}

/* A tree that has no room is offered some. */
static void
test_wide(WindowTest *t, gconstpointer data)
{
  Export e;
  show_page(t, "steps");
  g_settings_set_double(t->settings, "export-width", 60);
  open_dialog(t, &e, "gif", "beam");
  g_assert_nonnull(
      strstr(regard_banner_get_title(part(&e, "banner"), REGARD_BANNER_TEXT), "this tree needs "));
  respond(&e, REGARD_BANNER_TEXT);
  app_test_wait(is_looked_at, &e);
  g_assert_null(regard_banner_get_title(part(&e, "banner"), REGARD_BANNER_TEXT));
  g_assert_cmpfloat(g_settings_get_double(t->settings, "export-width"), >=, 160);
  export_dialog_close(&e);
  g_settings_reset(t->settings, "export-width");
}

/* ---- What goes wrong ------------------------------------------------------------------------- */

/* Stopped, closed, or where nobody can write: no file, and no half one. */
static void
test_stopped(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  g_autofree char *gif = g_build_filename(folder, "steps.gif", NULL),
                  *missing = g_build_filename(folder, "missing", "steps.gif", NULL);
  g_autoptr(GFile) file = g_file_new_for_path(gif);
  Export e;
  show_page(t, "steps");
  open_dialog(t, &e, "gif", "steps");
  regard_export_dialog_save(e.dialog, file);
  g_assert_false(gtk_widget_get_sensitive(part(&e, "save")));
  g_assert_cmpstr(regard_banner_get_title(part(&e, "banner"), REGARD_BANNER_LOADING), ==,
                  "Drawing 7 frames");
  respond(&e, REGARD_BANNER_LOADING);
  g_assert_cmpstr(regard_export_dialog_get_error(e.dialog), ==, "Saving was stopped");
  g_assert_true(gtk_widget_get_sensitive(part(&e, "save")));
  window_test_settle(t);

  save(&e, missing);
  g_assert_cmpuint(e.n_exported, ==, 0);
  g_assert_nonnull(strstr(regard_export_dialog_get_error(e.dialog), missing));

  regard_export_dialog_save(e.dialog, file);
  export_dialog_close(&e);
  window_test_settle(t);
  g_assert_cmpuint(count_files(folder), ==, 0);
  app_test_remove(folder);
}

/* No numbered file is replaced that nobody was asked about; a name gets the place of the number. */
static void
test_numbered(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  g_autofree char *plain = g_build_filename(folder, "tree.svg", NULL),
                  *third = g_build_filename(folder, "tree-003.svg", NULL), *content = NULL;
  Export e;
  show_page(t, "steps");
  g_assert_true(g_file_set_contents(third, "mine", -1, NULL));
  open_dialog(t, &e, "svg-files", "beam");
  save(&e, plain);
  g_assert_cmpuint(e.n_exported, ==, 0);
  g_assert_cmpstr(regard_export_dialog_get_error(e.dialog), ==, "“tree-003.svg” is there already");
  g_assert_true(g_file_get_contents(third, &content, NULL, NULL));
  g_assert_cmpstr(content, ==, "mine");
  g_assert_cmpuint(count_files(folder), ==, 1);
  respond(&e, REGARD_BANNER_FILE);
  app_test_until(e.n_exported == 1);
  g_assert_cmpuint(count_files(folder), ==, 8);
  export_dialog_close(&e);
  app_test_remove(folder);
}

TESTS(.begin = window_test_begin)
{
#define ADD(path, function) \
  g_test_add(path, WindowTest, NULL, set_up, function, window_test_tear_down)
  ADD("/window/animation/same-bytes", test_same_bytes);
  ADD("/window/animation/training", test_training);
  ADD("/window/animation/offered", test_offered);
  ADD("/window/animation/told-before", test_told_before);
  ADD("/window/animation/still", test_still);
  ADD("/window/animation/wide", test_wide);
  ADD("/window/animation/stopped", test_stopped);
  ADD("/window/animation/numbered", test_numbered);
}
