/* test-window-export.c — pictures and numbers out of the window: dialog, clipboard, capture.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "disk-full.h"
#include "export-dialog-test.h"
#include "export/regard-export-job.h"
#include "figures/regard-language.h"
#include "formats/regard-export.h"
#include "locale-test.h"
#include "parts/regard-banner.h"
#include "sample-capture.h"
#include "suite.h"
#include "widgets/regard-live-attribution.h"
#include "window-test.h"
#include "window/regard-composer.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static void
set_up(WindowTest *t, gconstpointer data)
{
  window_test_set_up(t, NULL);
  window_test_translate(t, "I have two dogs.");
}

/* ---- The dialog ---------------------------------------------------------------------------- */

static void
open_dialog(WindowTest *t, Export *e, const char *format, const char *choice)
{
  export_dialog_open(t, e, "export-format", format, choice);
}

/* Every choice of every view in every format is a file that begins as it should. */
static void
test_formats(WindowTest *t, gconstpointer data)
{
  static const char *const begins[][2] = {{"png", "\x89PNG\r\n"}, {"svg", "<?xml"},
                                          {"pdf", "%PDF-"},       {"csv", ""},
                                          {"npz", "PK"},          {"json", "{"},
                                          {"dot", "digraph"},     {"tikz", "%"},
                                          {"pgfplots", "%"}};
  g_autofree char *folder = app_test_folder();
  guint n_views, n_formats, n_choices;
  const RegardViewInfo *views = regard_view_registry(&n_views);
  const RegardExportFormat *const *formats = regard_export_formats(&n_formats);
  for (guint v = 0; v < n_views; v++) {
    if (g_str_equal(views[v].id, "measure")) /* a text's, not a sentence's: test-view-measure */
      continue;
    adw_view_stack_set_visible_child_name(window_test_child(t, "views"), views[v].id);
    window_test_settle(t);
    const RegardPicture *choices =
        regard_view_get_export_choices(regard_window_get_view(t->window), &n_choices);
    while (n_choices == 0) { /* some pages compute what they show */
      g_main_context_iteration(NULL, TRUE);
      choices = regard_view_get_export_choices(regard_window_get_view(t->window), &n_choices);
    }
    for (guint c = 0; c < n_choices; c++)
      for (guint f = 0; f < n_formats; f++) {
        /* The first of a page in every format, the others once; test-export has more of each. */
        if (c > 0 && !g_test_slow() && !g_str_equal(formats[f]->id, "svg"))
          continue;
        g_autoptr(RegardFigure) figure =
            regard_view_create_figure(regard_window_get_view(t->window), choices[c].id);
        if (!regard_export_format_fits(formats[f], figure))
          continue;
        g_autofree char *name = g_strdup_printf("%u-%u.%s", v, c, formats[f]->id);
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_autoptr(GFile) file = g_file_new_for_path(path);
        Export e;
        open_dialog(t, &e, formats[f]->id, choices[c].id);
        regard_export_dialog_save(e.dialog, file);
        app_test_wait(export_dialog_is_done, &e);
        g_assert_cmpuint(e.n_exported, ==, 1);
        export_dialog_close(&e);
        g_autofree char *content = NULL;
        gsize length = 0;
        g_assert_true(g_file_get_contents(path, &content, &length, NULL));
        g_assert_cmpuint(length, >, 40);
        for (guint b = 0; b < G_N_ELEMENTS(begins); b++)
          if (g_str_equal(begins[b][0], formats[f]->id))
            g_assert_true(g_str_has_prefix(content, begins[b][1]));
      }
  }
  app_test_remove(folder);
}

/* A picture as it is made in a language, with the numbers of a locale. NULL: the format has nothing
 * to say of it. */
static GBytes *
render_in(RegardView *view, const char *choice, const RegardExportFormat *format,
          RegardLanguage language, const char *locale)
{
  const RegardExportOptions options = REGARD_EXPORT_OPTIONS_INIT;
  regard_language_set_numbers(locale);
  REGARD_IN_LANGUAGE(language);
  g_autoptr(RegardFigure) figure = regard_view_create_figure(view, choice);
  if (!figure || !regard_export_format_fits(format, figure))
    return NULL;
  g_autoptr(GError) error = NULL;
  GBytes *bytes = format->render(figure, &options, &error);
  g_assert_no_error(error);
  return bytes;
}

/* A decimal comma, but no separator of thousands. */
static gboolean
has_comma(GBytes *bytes)
{
  gsize n;
  const char *text = g_bytes_get_data(bytes, &n);
  g_autofree char *copy = g_strndup(text, n);
  return g_regex_match_simple(">[^<]*[0-9],[0-9]{1,2}(?![0-9])[^<]*<", copy, 0, 0);
}

/* What programs read is the same in every locale, and so is a figure in English, also of what was
 * computed and shown while the locale was in force; a figure of the window has its numbers. */
static void
test_locales(WindowTest *t, gconstpointer data)
{
  guint n_views, n_formats, n_choices, n_files = 0, n_commas = 0;
  const RegardViewInfo *views = regard_view_registry(&n_views);
  const RegardExportFormat *const *formats = regard_export_formats(&n_formats);
  if (!locale_test_begin())
    return;
  regard_language_set_numbers(locale_test_names[0]);
  window_test_translate(t, "A dog.");
  window_test_translate(t, "I have two dogs.");
  for (guint v = 0; v < n_views; v++) {
    if (g_str_equal(views[v].id, "measure")) /* a text's, not a sentence's */
      continue;
    regard_language_set_numbers(locale_test_names[0]);
    adw_view_stack_set_visible_child_name(window_test_child(t, "views"), views[v].id);
    window_test_settle(t);
    RegardView *view = regard_window_get_view(t->window);
    const RegardPicture *choices = regard_view_get_export_choices(view, &n_choices);
    for (; n_choices == 0; choices = regard_view_get_export_choices(view, &n_choices))
      g_main_context_iteration(NULL, TRUE);
    for (guint c = 0; c < n_choices; c++)
      for (guint f = 0; f < n_formats; f++) {
        const gboolean is_svg = g_str_equal(formats[f]->id, "svg");
        g_autoptr(GBytes) plain =
            formats[f]->is_picture && !is_svg /* they say the same in other ways */
                ? NULL
                : render_in(view, choices[c].id, formats[f], REGARD_LANGUAGE_WINDOW, "C");
        if (!plain)
          continue;
        g_assert_false(is_svg && has_comma(plain));
        n_files++;
        /* The first picture of a page in each locale, the others where there is a comma. */
        for (guint i = 0; i < (c == 0 || g_test_slow() ? LOCALE_TEST_N : 1); i++) {
          const char *locale = locale_test_names[i];
          g_autoptr(GBytes) english =
              render_in(view, choices[c].id, formats[f], REGARD_LANGUAGE_ENGLISH, locale);
          g_autoptr(GBytes) shown =
              render_in(view, choices[c].id, formats[f], REGARD_LANGUAGE_WINDOW, locale);
          if (!g_bytes_equal(english, plain) || (!is_svg && !g_bytes_equal(shown, plain)))
            g_error("%s/%s.%s is another file in %s", views[v].id, choices[c].id, formats[f]->id,
                    locale);
          n_commas += is_svg && has_comma(shown);
          g_assert_false(is_svg && i >= 2 && has_comma(shown));
        }
      }
  }
  g_assert_cmpuint(n_files, >, 100);
  g_assert_cmpuint(n_commas, >, 25);
  locale_test_end();
}

/* The dialog asks where it makes a difference, and what is saved is as it was answered. */
static void
test_in_english(WindowTest *t, gconstpointer data)
{
  if (!locale_test_begin())
    return;
  g_autofree char *folder = app_test_folder();
  for (int i = 0; i < 3; i++) { /* in C; in German; in German, in English */
    g_autofree char *name = g_strdup_printf("%d.svg", i);
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autoptr(GFile) file = g_file_new_for_path(path);
    Export e;
    regard_language_set_numbers(i == 0 ? "C" : locale_test_names[0]);
    open_dialog(t, &e, "svg", "head");
    GObject *row = gtk_widget_get_template_child(GTK_WIDGET(e.dialog), REGARD_TYPE_EXPORT_DIALOG,
                                                 "english_row");
    GObject *answer = gtk_widget_get_template_child(GTK_WIDGET(e.dialog), REGARD_TYPE_EXPORT_DIALOG,
                                                    "is_english");
    GObject *font =
        gtk_widget_get_template_child(GTK_WIDGET(e.dialog), REGARD_TYPE_EXPORT_DIALOG, "font");
    g_assert_cmpint(gtk_widget_get_visible(GTK_WIDGET(row)), ==, i > 0);
    g_assert_cmpstr(gtk_editable_get_text(GTK_EDITABLE(font)), ==, i == 0 ? "7.0" : "7,0");
    gtk_editable_set_text(GTK_EDITABLE(font), i == 1 ? "7.5" : "7,5");
    gtk_spin_button_update(GTK_SPIN_BUTTON(font));
    g_assert_cmpfloat(g_settings_get_double(t->settings, "export-font"), ==, 7.5);
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(font), 7);
    gtk_switch_set_active(GTK_SWITCH(answer), i == 2);
    regard_export_dialog_save(e.dialog, file);
    app_test_wait(export_dialog_is_done, &e);
    g_assert_cmpuint(e.n_exported, ==, 1);
    export_dialog_close(&e);
    char *content;
    gsize length;
    g_assert_true(g_file_get_contents(path, &content, &length, NULL));
    g_autoptr(GBytes) bytes = g_bytes_new_take(content, length);
    g_assert_cmpint(has_comma(bytes), ==, i == 1);
  }
  g_settings_reset(t->settings, "export-english");
  app_test_remove(folder);
  locale_test_end();
}

static RegardExportDialog *
find_dialog(void)
{
  RegardExportDialog *dialog = NULL;
  g_autoptr(GList) windows = gtk_window_list_toplevels();
  for (GList *l = windows; l && !dialog; l = l->next)
    if (REGARD_IS_EXPORT_DIALOG(l->data))
      dialog = l->data;
  return dialog;
}

/* What is asked of a picture that is still being computed is done when it is there; not after the
 * page was left, nor after Escape. */
static void
test_waits(WindowTest *t, gconstpointer data)
{
  RegardLiveAttribution *shown = regard_live_attribution_of(t->selection);
  GtkWidget *window = GTK_WIDGET(t->window);
  guint n;
  for (int i = 0; i < 3; i++) {
    regard_live_attribution_set_method(shown,
                                       (int) mt_attribution_find(i % 2 ? "norms" : "occlusion"));
    regard_view_get_export_choices(regard_window_get_view(t->window), &n);
    g_assert_cmpuint(n, ==, 0);
    g_assert_true(gtk_widget_activate_action(window, "win.export", NULL));
    g_assert_null(find_dialog());
    if (i == 0)
      gtk_widget_activate_action(window, "win.let-go", NULL);
    else if (i == 1) {
      adw_view_stack_set_visible_child_name(window_test_child(t, "views"), "positions");
      window_test_settle(t);
      adw_view_stack_set_visible_child_name(window_test_child(t, "views"), "attention");
    }
    if (i < 2) {
      app_test_until(regard_live_attribution_get_matrix(shown));
      window_test_settle(t);
      g_assert_null(find_dialog());
    }
  }
  app_test_until(find_dialog() != NULL);
  gtk_window_destroy(GTK_WINDOW(find_dialog()));
  window_test_settle(t);
}

static void
test_unwritable(WindowTest *t, gconstpointer data)
{
  g_autoptr(GFile) file = g_file_new_for_path("/nonexistent/folder/picture.png");
  Export e;
  open_dialog(t, &e, "png", NULL);
  regard_export_dialog_save(e.dialog, file);
  app_test_wait(export_dialog_is_done, &e);
  g_assert_cmpuint(e.n_exported, ==, 0);
  g_assert_nonnull(strstr(regard_export_dialog_get_error(e.dialog), "/nonexistent/folder"));

  /* The dialog is still there, and the next try succeeds. */
  g_autofree char *folder = app_test_folder();
  g_autofree char *path = g_build_filename(folder, "picture.png", NULL);
  g_autoptr(GFile) good = g_file_new_for_path(path);
  regard_export_dialog_save(e.dialog, good);
  g_assert_null(regard_export_dialog_get_error(e.dialog));
  app_test_wait(export_dialog_is_done, &e);
  g_assert_cmpuint(e.n_exported, ==, 1);
  g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
  g_autofree char *remembered = g_settings_get_string(t->settings, "export-folder");
  g_assert_true(g_str_has_suffix(remembered, strrchr(folder, '/')));
  export_dialog_close(&e);
  app_test_remove(folder);
}

/* Closed while it draws and writes: no crash, and either the whole file or none. */
static void
test_closed(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  g_autofree char *path = g_build_filename(folder, "picture.png", NULL);
  g_autoptr(GFile) file = g_file_new_for_path(path);
  Export e;
  open_dialog(t, &e, "png", NULL);
  regard_export_dialog_save(e.dialog, file);
  gtk_window_destroy(GTK_WINDOW(e.dialog));
  app_test_until(e.dialog == NULL);
  g_assert_cmpuint(e.n_exported, ==, 0);
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
  app_test_remove(folder);
}

static gboolean
says_size(gpointer data)
{
  RegardBanner *banner =
      (RegardBanner *) gtk_widget_get_template_child(data, REGARD_TYPE_EXPORT_DIALOG, "banner");
  const char *title = regard_banner_get_title(banner, REGARD_BANNER_TEXT);
  return title && strstr(title, "more than a page");
}

/* The page of the heads measures them before it has a list. */
static gboolean
has_list_of_heads(gpointer data)
{
  WindowTest *t = data;
  guint n;
  const RegardPicture *choices =
      regard_view_get_export_choices(regard_window_get_view(t->window), &n);
  return n > 0 && g_str_equal(choices[0].id, "heads-table");
}

/* All heads of a model are a strip that no page holds: that is said before it is saved. */
static void
test_high(WindowTest *t, gconstpointer data)
{
  Export e;
  g_settings_set_string(t->settings, "view", "heads");
  window_test_settle(t);
  app_test_wait(has_list_of_heads, t);
  open_dialog(t, &e, "png", "heads-table");
  app_test_wait(says_size, e.dialog);
  export_dialog_close(&e);
}

static void
test_suggestion(void)
{
  g_autofree char *plain = regard_export_name("I don't have two dogs.", "head", "png");
  g_assert_cmpstr(plain, ==, "regard-head-i-dont-have-two-dogs.png");
  g_autofree char *long_ = regard_export_name("a b c d e f g h", NULL, "svg");
  g_assert_cmpstr(long_, ==, "regard-a-b-c-d-e-f.svg");
  g_autofree char *hostile = regard_export_name("../../etc/passwd", "head", "csv");
  g_assert_null(strchr(hostile, '/'));
  g_assert_null(strstr(hostile, ".."));
  g_autofree char *nothing = regard_export_name_for(NULL, "head", "pdf");
  g_assert_cmpstr(nothing, ==, "regard-head.pdf");
  g_autoptr(mt_capture) live = sample_capture_of("▁It ▁rain s </s>", "▁Es ▁regnet </s>", 1, 1);
  g_autofree char *by_text = regard_export_name_for(live, "head", "pdf");
  g_assert_cmpstr(by_text, ==, "regard-head-it-rains.pdf");
  /* What has no source, as a decoder alone. */
  g_autoptr(mt_capture) file = sample_capture_through_file(sample_decoder_capture("▁a ▁b", 1, 1));
  g_autofree char *by_file = regard_export_name_for(file, "head", "pdf");
  g_assert_cmpstr(by_file, ==, "regard-head-sample.pdf");
  g_autofree char *none = regard_export_name(NULL, NULL, "pdf");
  g_assert_cmpstr(none, ==, "regard.pdf");
}

/* Kind, layer and head are in the name, and no file that is there has it. */
static void
test_offered_name(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  g_autofree char *taken = g_build_filename(folder, "regard-cross-2.3.png", NULL);
  g_autofree char *uri = g_filename_to_uri(folder, NULL, NULL);
  window_test_translate(t, "I have two dogs.");
  RegardSelection *s = t->selection;
  RegardView *view = window_test_find(window_test_child(t, "views"), REGARD_TYPE_VIEW);
  const struct {
    RegardCombine combine;
    const char *choice, *name;
  } cases[] = {
      {REGARD_COMBINE_HEAD, "head", "cross-2.3"},      {REGARD_COMBINE_HEAD, "layer", "cross-2"},
      {REGARD_COMBINE_HEAD, "kind", "cross"},          {REGARD_COMBINE_HEAD, "all", "all"},
      {REGARD_COMBINE_MEAN, "head", "cross-2-mean"},   {REGARD_COMBINE_MAX, "head", "cross-2-max"},
      {REGARD_COMBINE_CHOSEN, "head", "cross-chosen"},
  };
  regard_selection_set_place(s, MT_CROSS, 1, 2);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    regard_selection_set_combine(s, cases[i].combine);
    g_autofree char *name = regard_view_name_choice(view, cases[i].choice);
    g_assert_cmpstr(name, ==, cases[i].name);
  }
  g_assert_true(g_file_set_contents(taken, "", 0, NULL));
  g_autofree char *second = regard_export_name_unused(uri, "regard-cross-2.3.png");
  g_assert_cmpstr(second, ==, "regard-cross-2.3-2.png");
  g_autofree char *other = regard_export_name_unused(uri, "regard-cross-2.4.png");
  g_assert_cmpstr(other, ==, "regard-cross-2.4.png");
  g_autofree char *anywhere = regard_export_name_unused("", "regard-cross-2.3.png");
  g_assert_cmpstr(anywhere, ==, "regard-cross-2.3.png");
  app_test_remove(folder);
}

/* ---- The clipboard ------------------------------------------------------------------------- */

static GdkTexture *texture;
static char *text;
static gboolean is_read;

static void
on_texture(GObject *clipboard, GAsyncResult *result, gpointer data)
{
  texture = gdk_clipboard_read_texture_finish(GDK_CLIPBOARD(clipboard), result, NULL);
  is_read = TRUE;
}

static void
on_text(GObject *clipboard, GAsyncResult *result, gpointer data)
{
  text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(clipboard), result, NULL);
  is_read = TRUE;
}

static gboolean
was_read(gpointer data)
{
  return is_read;
}

static GBytes *drawing;

static void
on_drawing(GObject *clipboard, GAsyncResult *result, gpointer data)
{
  g_autoptr(GInputStream) stream =
      gdk_clipboard_read_finish(GDK_CLIPBOARD(clipboard), result, NULL, NULL);
  drawing = stream ? g_input_stream_read_bytes(stream, 1 << 20, NULL, NULL) : NULL;
  is_read = TRUE;
}

/* What is on the clipboard begins like this in that format. */
static void
assert_drawing(GdkClipboard *clipboard, const char *mime_type, const char *beginning)
{
  const char *types[] = {mime_type, NULL};
  is_read = FALSE;
  gdk_clipboard_read_async(clipboard, types, G_PRIORITY_DEFAULT, NULL, on_drawing, NULL);
  app_test_wait(was_read, NULL);
  g_assert_nonnull(drawing);
  g_assert_cmpuint(g_bytes_get_size(drawing), >, 100);
  g_assert_cmpmem(g_bytes_get_data(drawing, NULL), strlen(beginning), beginning, strlen(beginning));
  g_clear_pointer(&drawing, g_bytes_unref);
}

static void
test_clipboard(WindowTest *t, gconstpointer data)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard(GTK_WIDGET(t->window));
  gdk_clipboard_set_text(clipboard, "before");
  /* In a text Ctrl+C is the text's. */
  gtk_widget_grab_focus(GTK_WIDGET(regard_text_card_get_view(window_test_card(t, "source"))));
  g_assert_false(window_test_key(t, GDK_KEY_c, GDK_CONTROL_MASK));
  gtk_widget_grab_focus(window_test_find_action(t->window, "win.copy"));
  g_assert_true(window_test_key(t, GDK_KEY_c, GDK_CONTROL_MASK));
  app_test_until(
      gdk_content_formats_contain_gtype(gdk_clipboard_get_formats(clipboard), GDK_TYPE_TEXTURE));
  is_read = FALSE;
  gdk_clipboard_read_texture_async(clipboard, NULL, on_texture, NULL);
  app_test_wait(was_read, NULL);
  g_assert_nonnull(texture);
  g_assert_cmpint(gdk_texture_get_width(texture), >, 600);
  g_clear_object(&texture);
  assert_drawing(clipboard, "image/svg+xml", "<?xml");
  assert_drawing(clipboard, "application/pdf", "%PDF");

  window_test_act(t, "win.copy-caption", NULL);
  is_read = FALSE;
  gdk_clipboard_read_text_async(clipboard, NULL, on_text, NULL);
  app_test_wait(was_read, NULL);
  g_assert_nonnull(strstr(text, "I have two dogs."));
  g_clear_pointer(&text, g_free);

  window_test_act(t, "win.copy-values", NULL);
  is_read = FALSE;
  gdk_clipboard_read_text_async(clipboard, NULL, on_text, NULL);
  app_test_wait(was_read, NULL);
  g_assert_nonnull(strstr(text, "two"));
  g_assert_nonnull(strchr(text, ','));
  g_clear_pointer(&text, g_free);
}

/* ---- The capture --------------------------------------------------------------------------- */

static gboolean
is_told(WindowTest *t)
{
  return regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_FILE) != NULL;
}

static void
test_capture(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder();
  g_autofree char *path = g_build_filename(folder, "capture.npz", NULL);
  window_test_act(t, "win.save-capture", "s", "/nonexistent/folder/capture.npz");
  app_test_until(is_told(t));
  g_assert_nonnull(
      strstr(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_FILE),
             "/nonexistent/folder/capture.npz"));

  window_test_act(t, "win.save-capture", "s", path);
  app_test_until(g_file_test(path, G_FILE_TEST_EXISTS));
  app_test_until(!is_told(t)); /* success takes the message away */
  g_autofree char *content = NULL;
  gsize length = 0;
  g_assert_true(g_file_get_contents(path, &content, &length, NULL));
  g_assert_true(g_str_has_prefix(content, "PK"));
  g_assert_nonnull(memmem(content, length, "cross_scores.npy", strlen("cross_scores.npy")));

  /* The numbers on the screen, bit for bit, and the scores that belong to them. */
  mt_error error = {0};
  mt_capture *shown = regard_document_get_result(t->document)->capture;
  g_autoptr(mt_capture) read = mt_capture_read_npz(path, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  for (mt_attention_kind k = 0; k < MT_N_KINDS; k++)
    for (guint l = 0; l < mt_capture_n_layers(shown, k); l++)
      for (guint h = 0; h < mt_capture_n_heads(shown, k); h++) {
        mt_matrix a = mt_capture_weights(shown, k, l, h), b = mt_capture_weights(read, k, l, h);
        g_assert_cmpmem(a.data, a.rows * a.cols * sizeof *a.data, b.data,
                        b.rows * b.cols * sizeof *b.data);
        g_assert_cmpfloat_with_epsilon(mt_capture_score_at(shown, k, l, h, 0, 0),
                                       mt_capture_score_at(read, k, l, h, 0, 0), 1e-3);
      }
  app_test_remove(folder);
}

/* ---- A full disk ------------------------------------------------------------------------------
 */

static const char earlier[] = "the earlier file";

/* The one file in its folder, as it was. */
static void
assert_untouched(const char *folder, const char *path)
{
  g_autofree char *content = NULL;
  g_assert_true(g_file_get_contents(path, &content, NULL, NULL));
  g_assert_cmpstr(content, ==, earlier);
  g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
  g_autofree char *name = g_path_get_basename(path);
  g_assert_cmpstr(g_dir_read_name(listing), ==, name);
  g_assert_null(g_dir_read_name(listing));
}

/* Also through a link, which GIO would write in place. */
static void
test_disk_full(WindowTest *t, gconstpointer data)
{
  g_autofree char *folder = app_test_folder(), *links = app_test_folder();
  g_autofree char *path = g_build_filename(folder, "file", NULL);
  g_autofree char *link = g_build_filename(links, "link", NULL);
  g_assert_true(g_file_set_contents(path, earlier, -1, NULL));
  g_assert_cmpint(symlink(path, link), ==, 0);
  guint n_formats;
  const RegardExportFormat *const *formats = regard_export_formats(&n_formats);
  for (guint i = 0; i < 2 * n_formats; i++) {
    const char *wanted = i % 2 ? link : path;
    g_autoptr(GFile) file = g_file_new_for_path(wanted);
    Export e;
    open_dialog(t, &e, formats[i / 2]->id, NULL);
    disk_full_begin(500);
    regard_export_dialog_save(e.dialog, file);
    app_test_wait(export_dialog_is_done, &e);
    disk_full_end();
    g_assert_cmpuint(e.n_exported, ==, 0);
    g_assert_nonnull(strstr(regard_export_dialog_get_error(e.dialog), wanted));
    assert_untouched(folder, path);
    export_dialog_close(&e);
  }
  g_assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));

  disk_full_begin(500);
  window_test_act(t, "win.save-capture", "s", path);
  app_test_until(is_told(t));
  disk_full_end();
  g_assert_nonnull(
      strstr(regard_banner_get_title(window_test_child(t, "banner"), REGARD_BANNER_FILE), path));
  assert_untouched(folder, path);
  app_test_remove(links);
  app_test_remove(folder);
}

/* Nothing to export: nothing is offered. */
static void
test_nothing(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "");
  g_assert_null(regard_window_get_view(t->window));
  g_assert_false(gtk_widget_get_sensitive(window_test_find_action(t->window, "win.copy")));
  window_test_act(t, "win.export", NULL);
  g_assert_null(find_dialog());
}

/* ---- A figure of several ---- */

/* A picture of each page is added, undone, saved and opened again, and looks the same. */
static void
test_figure(WindowTest *t, gconstpointer data)
{
  static const char *const pages[] = {"attention", "steps", "positions"};
  RegardComposer *composer = regard_composer_get(GTK_APPLICATION(t->application), t->settings);
  g_autofree char *folder = app_test_folder();
  g_autofree char *file = g_build_filename(folder, "three.regard-figure", NULL),
                  *one = g_build_filename(folder, "one.png", NULL),
                  *two = g_build_filename(folder, "two.png", NULL), *a = NULL, *b = NULL;
  gsize n, m;
  for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
    guint n_choices = 0;
    adw_view_stack_set_visible_child_name(window_test_child(t, "views"), pages[i]);
    window_test_settle(t);
    while (regard_view_get_export_choices(regard_window_get_view(t->window), &n_choices),
           n_choices == 0)
      g_main_context_iteration(NULL, TRUE);
    window_test_act(t, "win.add-to-figure", NULL);
    app_test_until(regard_composer_get_sheet(composer)->panels->len == i + 1);
  }
  const RegardSheet *sheet = regard_composer_get_sheet(composer);
  g_assert_true(regard_sheet_find(sheet, 'A')->is_attention);
  g_assert_false(regard_sheet_find(sheet, 'B')->is_attention);
  g_assert_true(regard_composer_undo(composer));
  g_assert_cmpuint(regard_composer_get_sheet(composer)->panels->len, ==, 2);
  g_assert_true(regard_composer_redo(composer));
  g_assert_false(regard_composer_redo(composer));
  regard_composer_save(composer, file);
  regard_composer_export(composer, one);
  app_test_until(!regard_composer_is_busy(composer));
  while (regard_composer_undo(composer))
    ;
  g_assert_cmpuint(regard_composer_get_sheet(composer)->panels->len, ==, 0);
  window_test_act(t, "win.show-figure", "s", file);
  app_test_until(!regard_composer_is_busy(composer));
  g_assert_cmpuint(regard_composer_get_sheet(composer)->panels->len, ==, 3);
  regard_composer_export(composer, two);
  app_test_until(!regard_composer_is_busy(composer));
  g_assert_true(g_file_get_contents(one, &a, &n, NULL));
  g_assert_true(g_file_get_contents(two, &b, &m, NULL));
  g_assert_cmpmem(a, n, b, m);
  regard_composer_open(composer, one); /* no archive */
  app_test_until(!regard_composer_is_busy(composer));
  g_assert_cmpuint(regard_composer_get_sheet(composer)->panels->len, ==, 3);
  window_test_settle(t);
  gtk_window_destroy(GTK_WINDOW(composer));
  app_test_remove(folder);
}

/* The same head of another text, heads by texts, a label for a text, and a panel computed anew. */
static void
test_figure_texts(WindowTest *t, gconstpointer data)
{
  RegardComposer *composer = regard_composer_get(GTK_APPLICATION(t->application), t->settings);
  gtk_widget_activate_action(GTK_WIDGET(composer), "figure.clear", NULL);
  adw_view_stack_set_visible_child_name(window_test_child(t, "views"), "attention");
  window_test_settle(t);
  window_test_act(t, "win.add-to-figure", NULL);
  app_test_until(regard_composer_get_sheet(composer)->panels->len == 1);
  regard_composer_add_text(composer, " I love my dogs. ");
  app_test_until(!regard_composer_is_busy(composer));
  const RegardSheet *sheet = regard_composer_get_sheet(composer);
  g_assert_cmpuint(sheet->panels->len, ==, 2);
  g_assert_cmpuint(sheet->mosaic.rows, ==, 1); /* a head in a row, two texts in columns */
  g_assert_cmpstr(regard_panel_text(regard_sheet_find(sheet, 'B')), ==, "I love my dogs.");
  g_assert_true(regard_sheet_has_sentences(sheet));
  regard_composer_add_text(composer, "I love my dogs."); /* it is there */
  app_test_until(!regard_composer_is_busy(composer));
  g_assert_true(regard_composer_get_sheet(composer) == sheet);

  gtk_widget_activate_action(GTK_WIDGET(composer), "figure.template", "s", "sentences-rows");
  sheet = regard_composer_get_sheet(composer);
  g_assert_cmpuint(sheet->mosaic.rows, ==, 2);
  gtk_widget_activate_action(GTK_WIDGET(composer), "figure.template", "s", "figure-3");
  g_assert_true(regard_composer_get_sheet(composer) == sheet); /* no word is pinned */

  /* The same model gives the same numbers, and another sheet, which can be undone. */
  const mt_capture *before = regard_sheet_find(sheet, 'A')->look.capture;
  regard_composer_compute(composer, 'A');
  app_test_until(!regard_composer_is_busy(composer));
  g_assert_true(regard_composer_get_sheet(composer) != sheet);
  const mt_capture *after =
      regard_sheet_find(regard_composer_get_sheet(composer), 'A')->look.capture;
  mt_error error = {0};
  g_assert_true(after != before);
  mt_capture *difference = mt_capture_difference(before, after, &error);
  g_assert_cmpfloat(mt_capture_difference_most(difference), <, 1e-5);
  mt_capture_unref(difference);
  g_assert_true(regard_composer_undo(composer));
  g_assert_true(regard_composer_get_sheet(composer) == sheet);

  /* Another text that is looked at is added as it is. */
  window_test_translate(t, "I have a cat.");
  window_test_settle(t);
  window_test_act(t, "win.add-to-figure", NULL);
  app_test_until(regard_composer_get_sheet(composer)->panels->len == 3);
  g_assert_cmpstr(regard_panel_text(regard_sheet_find(regard_composer_get_sheet(composer), 'C')),
                  ==, "I have a cat.");
  window_test_settle(t);
  gtk_window_destroy(GTK_WINDOW(composer));
}

TESTS(.begin = window_test_begin)
{
#define ADD(path, function) \
  g_test_add(path, WindowTest, NULL, set_up, function, window_test_tear_down)
  ADD("/window/export/formats", test_formats);
  ADD("/window/export/locales", test_locales);
  ADD("/window/export/in-english", test_in_english);
  ADD("/window/export/waits", test_waits);
  ADD("/window/export/unwritable", test_unwritable);
  ADD("/window/export/high", test_high);
  ADD("/window/export/closed", test_closed);
  ADD("/window/export/clipboard", test_clipboard);
  ADD("/window/export/capture", test_capture);
  ADD("/window/export/figure", test_figure);
  ADD("/window/export/figure/texts", test_figure_texts);
  ADD("/window/export/disk-full", test_disk_full);
  ADD("/window/export/nothing", test_nothing);
  g_test_add_func("/window/export/suggestion", test_suggestion);
  WINDOW_TEST("/window/export/offered-name", test_offered_name);
}
