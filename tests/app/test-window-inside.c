/* test-window-inside.c — the pages Inside and Layers: what they show follows text, head, query and
 * keys; what they say and save.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-layers.h"
#include "figures/regard-walkthrough.h"
#include "suite.h"
#include "views/regard-view.h"
#include "widgets/regard-figure-area.h"
#include "window-test.h"

#include <string.h>

#define DOGS "I have two dogs."

static RegardView *
page(WindowTest *t)
{
  return REGARD_VIEW(adw_view_stack_get_visible_child(window_test_child(t, "views")));
}

/* The page with this name, and what it draws with, when it has drawn something. */
static RegardFigureArea *
open_page(WindowTest *t, const char *name)
{
  window_test_act(t, "win.show-view", "s", name);
  window_test_settle(t);
  RegardFigureArea *area = window_test_find(page(t), REGARD_TYPE_FIGURE_AREA);
  g_assert_nonnull(area);
  app_test_until(regard_figure_area_get_figure(area));
  return area;
}

/* Until another figure is shown. */
static void
wait_for_other(RegardFigureArea *area, RegardFigure *before)
{
  app_test_until(regard_figure_area_get_figure(area) &&
                 regard_figure_area_get_figure(area) != before);
}

static char *
caption_of(RegardFigureArea *area)
{
  return regard_figure_caption(regard_figure_area_get_figure(area));
}

/* Everything that the figure says of spots of one part. */
static char *
say(RegardFigureArea *area, int part)
{
  RegardFigure *figure = regard_figure_area_get_figure(area);
  g_autoptr(GArray) spots = regard_figure_spots(figure, 1200, 12, NULL);
  GString *words = g_string_new(NULL);
  for (guint i = 0; i < spots->len; i++) {
    const RegardSpot *spot = &g_array_index(spots, RegardSpot, i);
    g_autofree char *text =
        part < 0 || spot->part == part ? regard_figure_describe_spot(figure, spot) : NULL;
    g_autofree char *copied =
        part < 0 || spot->part == part ? regard_figure_copy_spot(figure, spot) : NULL;
    if (text)
      g_string_append_printf(words, "%s\n", text);
  }
  return g_string_free(words, FALSE);
}

/* One row: every place of it can be read, and says the weight that the capture has. */
static void
test_inside(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_selection_set_place(t->selection, MT_CROSS, 4, 1);
  RegardFigureArea *area = open_page(t, "inside");
  g_assert_true(window_test_key(t, GDK_KEY_space, GDK_SHIFT_MASK)); /* from the first to the last */
  g_autofree char *caption = caption_of(area), *all = say(area, -1);
  g_assert_true(g_str_has_prefix(caption, "Cross-attention · layer 5 · head 2, query "));
  g_assert_true(g_utf8_validate(all, -1, NULL));
  g_assert_nonnull(strstr(all, "a sum of 8 products"));
  mt_matrix w = mt_capture_weights(regard_selection_get_capture(t->selection), MT_CROSS, 4, 1);
  RegardFigure *figure = regard_figure_area_get_figure(area);
  g_autoptr(GArray) spots = regard_figure_spots(figure, 1200, 12, NULL);
  guint n = 0;
  for (guint i = 0; i < spots->len; i++) {
    const RegardSpot *spot = &g_array_index(spots, RegardSpot, i);
    if (spot->part != REGARD_SPOT_WEIGHT)
      continue;
    g_autofree char *copied = regard_figure_copy_spot(figure, spot);
    g_assert_cmpfloat_with_epsilon(g_ascii_strtod(copied, NULL), mt_matrix_at(&w, 1, spot->row),
                                   1e-5);
    n++;
  }
  g_assert_cmpuint(n, ==, w.cols);
}

/* Space steps, Shift+Space steps back; Ctrl+Down is the next query; the head is the selection's. */
static void
test_keys(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  RegardFigureArea *area = open_page(t, "inside");
  g_autofree char *nothing = say(area, REGARD_SPOT_EXP);
  g_assert_cmpstr(nothing, ==, ""); /* it begins at the first */
  g_assert_true(window_test_key(t, GDK_KEY_space, GDK_SHIFT_MASK));
  g_autofree char *whole = say(area, REGARD_SPOT_EXP);
  g_assert_cmpstr(whole, !=, "");
  g_assert_true(window_test_key(t, GDK_KEY_space, 0)); /* from the last to the first */
  g_autofree char *first = say(area, REGARD_SPOT_PRODUCT), *key = say(area, REGARD_SPOT_KEY);
  g_assert_cmpstr(first, ==, "");
  g_assert_cmpstr(key, !=, "");
  g_assert_true(window_test_key(t, GDK_KEY_space, 0));
  g_autofree char *second = say(area, REGARD_SPOT_PRODUCT),
                  *not_yet = say(area, REGARD_SPOT_SCALED);
  g_assert_cmpstr(second, !=, "");
  g_assert_cmpstr(not_yet, ==, "");
  g_assert_true(window_test_key(t, GDK_KEY_space, GDK_SHIFT_MASK));
  g_assert_true(window_test_key(t, GDK_KEY_space, GDK_SHIFT_MASK));
  g_autofree char *again = say(area, REGARD_SPOT_EXP);
  g_assert_cmpstr(again, ==, whole);

  RegardFigure *before = regard_figure_area_get_figure(area);
  g_autofree char *old = caption_of(area);
  g_assert_true(window_test_key(t, GDK_KEY_Down, GDK_CONTROL_MASK));
  wait_for_other(area, before);
  g_assert_cmpint(regard_selection_get_pin(t->selection).row, ==, 2);
  g_autofree char *next = caption_of(area);
  g_assert_cmpstr(next, !=, old);
  /* Each key counts, whether the query before is on the page or not; and where the picture has the
   * keyboard, the scroller around it does not take the key. */
  g_assert_true(window_test_key(t, GDK_KEY_Up, GDK_CONTROL_MASK));
  g_assert_true(window_test_key(t, GDK_KEY_Up, GDK_CONTROL_MASK));
  g_assert_cmpint(regard_selection_get_pin(t->selection).row, ==, 0);
  gboolean is_used = FALSE;
  g_signal_emit_by_name(window_test_controller(GTK_WIDGET(area), "page-keys"), "key-pressed",
                        GDK_KEY_Down, 0u, GDK_CONTROL_MASK, &is_used);
  g_assert_true(is_used);
  g_assert_cmpint(regard_selection_get_pin(t->selection).row, ==, 1);
  g_signal_emit_by_name(window_test_controller(GTK_WIDGET(area), "page-keys"), "key-pressed",
                        GDK_KEY_Down, 0u, 0, &is_used);
  g_assert_false(is_used);

  before = regard_figure_area_get_figure(area);
  regard_selection_set_place(t->selection, MT_DECODER_SELF, 0, 3);
  wait_for_other(area, before);
  g_autofree char *place = caption_of(area);
  g_assert_nonnull(strstr(place, "layer 1 · head 4"));

  /* Arrows go from number to number; Enter on a key's line pins it. */
  g_assert_true(window_test_key(t, GDK_KEY_Home, 0));
  for (guint i = 0; i < 12; i++) {
    const RegardSpot *spot = regard_figure_area_get_spot(area);
    g_assert_nonnull(spot);
    if (spot->part == REGARD_SPOT_TOKEN)
      break;
    g_assert_true(window_test_key(t, GDK_KEY_Down, 0));
  }
}

/* Nothing is hidden from a query of the encoder: the step of the mask is shown on a head of the
 * decoder, and whoever goes on, or elsewhere, is at the head of before, with its query. The
 * sentence of a step stands in the picture on the page, and not in files. */
static void
test_mask(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  regard_selection_set_place(t->selection, MT_CROSS, 4, 1);
  RegardFigureArea *area = open_page(t, "inside");
  const double on_page = regard_figure_height(regard_figure_area_get_figure(area), 1200, 12);
  g_autoptr(RegardFigure) file = regard_view_create_figure(page(t), "inside");
  regard_figure_leave_out(file, REGARD_PART_TITLE | REGARD_PART_MODEL);
  g_assert_cmpfloat(on_page, >, regard_figure_height(file, 1200, 12) + 12);
  regard_selection_set_pin(t->selection, (RegardCell){3, 2});
  for (guint i = 0; i < 2; i++)
    g_assert_true(window_test_key(t, GDK_KEY_space, 0));
  for (int way = 0; way < 3; way++) {
    RegardFigure *before = regard_figure_area_get_figure(area);
    g_assert_true(window_test_key(t, GDK_KEY_space, way == 1 ? GDK_SHIFT_MASK : 0));
    wait_for_other(area, before);
    g_assert_cmpint(regard_selection_get_kind(t->selection), ==, MT_DECODER_SELF);
    g_assert_cmpuint(regard_selection_get_layer(t->selection), ==, 4);
    g_autofree char *masked = say(area, REGARD_SPOT_MASK);
    g_assert_nonnull(strstr(masked, "may not be seen: −∞"));
    if (way == 2)
      window_test_act(t, "win.show-view", "s", "attention");
    else
      g_assert_true(window_test_key(t, GDK_KEY_space, way == 1 ? GDK_SHIFT_MASK : 0));
    window_test_settle(t);
    g_assert_cmpint(regard_selection_get_kind(t->selection), ==, MT_CROSS);
    g_assert_cmpuint(regard_selection_get_head(t->selection), ==, 1);
    g_assert_cmpint(regard_selection_get_pin(t->selection).row, ==, 3);
  }
}

/* The slider lies where the card has left room for it, and makes up other numbers. */
static void
test_made_up(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  RegardFigureArea *area = open_page(t, "inside");
  GtkWidget *slider = window_test_find(window_test_find(page(t), GTK_TYPE_OVERLAY), GTK_TYPE_SCALE);
  gtk_range_set_value(GTK_RANGE(slider), 9);
  window_test_settle(t);
  g_autofree char *numbers = say(area, REGARD_SPOT_MADE_UP);
  g_assert_nonnull(strstr(numbers, "d_k = 512"));
  g_assert_nonnull(
      strstr(numbers, "mean over 32 queries: largest weight 0.957, 1 − Σ a² = 0.0709"));
  gtk_test_accessible_assert_property(slider, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, "d_k = 512");
  g_assert_cmpint(gtk_widget_get_width(slider), >, 100);
  g_autoptr(RegardFigure) file = regard_view_create_figure(page(t), "inside-root");
  gboolean is_there = FALSE;
  for (guint i = 0; i < regard_figure_n_matrices(file); i++)
    is_there |= g_str_equal(regard_figure_matrix(file, i)->id, "made_up");
  g_assert_true(is_there);
}

/* What is saved: each part, with numbers of this head. */
static void
test_export(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  const char *const pages[] = {"inside", "layers"};
  for (guint p = 0; p < G_N_ELEMENTS(pages); p++) {
    guint n;
    open_page(t, pages[p]);
    const RegardPicture *choices = regard_view_get_export_choices(page(t), &n);
    g_assert_cmpuint(n, >=, 7);
    for (guint i = 0; i < n; i++) {
      g_autoptr(RegardFigure) figure = regard_view_create_figure(page(t), choices[i].id);
      g_autofree char *name = regard_view_name_choice(page(t), choices[i].id);
      g_assert_cmpstr(name, !=, "");
      g_assert_nonnull(figure);
      g_assert_cmpuint(regard_figure_n_matrices(figure), >=, 1);
      g_assert_cmpfloat(regard_figure_height(figure, 400, 7), >, 10);
    }
  }
}

/* From what is shown first, what each layer adds, to the lens. */
static void
go_to_lens(WindowTest *t, RegardFigureArea *area)
{
  g_autofree char *name = regard_view_name_choice(page(t), "layers");
  g_assert_true(g_str_has_prefix(name, "layers-added"));
  for (guint i = 0; i < REGARD_LAYERS_ADDED; i++) {
    RegardFigure *before = regard_figure_area_get_figure(area);
    g_assert_true(window_test_key(t, GDK_KEY_Page_Up, GDK_CONTROL_MASK));
    wait_for_other(area, before);
  }
}

/* Every picture of the layers; a cell that is marked has its card. */
static void
test_layers(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, DOGS);
  RegardFigureArea *area = open_page(t, "layers");
  go_to_lens(t, area);
  g_autofree char *caption = caption_of(area);
  g_assert_true(g_str_has_prefix(caption, "Layers, logit lens"));
  for (guint i = 1; i <= REGARD_N_LAYERS_SHOWN; i++) {
    RegardFigure *before = regard_figure_area_get_figure(area);
    g_assert_true(window_test_key(t, GDK_KEY_Page_Down, GDK_CONTROL_MASK));
    wait_for_other(area, before);
    g_autofree char *words = say(area, -1);
    g_assert_cmpstr(words, !=, "");
  }
  g_autofree char *graph = caption_of(area);
  g_assert_true(g_str_has_prefix(graph, "Contributions"));
  static const char *const others[] = {"Embedding", "Complexity"};
  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    RegardFigure *before = regard_figure_area_get_figure(area);
    g_assert_true(window_test_key(t, GDK_KEY_Page_Down, GDK_CONTROL_MASK));
    wait_for_other(area, before);
    g_autofree char *caption_there = caption_of(area), *words_there = say(area, -1);
    g_assert_true(g_str_has_prefix(caption_there, others[i]));
    g_assert_cmpstr(words_there, !=, "");
  }

  for (guint i = 0; i < REGARD_N_LAYERS_SHOWN + G_N_ELEMENTS(others); i++)
    g_assert_true(window_test_key(t, GDK_KEY_Page_Up, GDK_CONTROL_MASK));
  g_assert_true(window_test_key(t, GDK_KEY_Home, 0));
  for (guint i = 0; i < 3; i++)
    g_assert_true(window_test_key(t, GDK_KEY_Right, 0));
  const RegardSpot *spot = regard_figure_area_get_spot(area);
  g_assert_cmpint(spot->col, ==, 3);
  GtkWidget *details = gtk_widget_get_next_sibling(GTK_WIDGET(area));
  g_assert_false(gtk_widget_get_visible(details));
  g_assert_true(window_test_key(t, GDK_KEY_Return, 0));
  app_test_until(gtk_widget_get_visible(details));
  g_autofree char *card = caption_of(REGARD_FIGURE_AREA(details));
  g_assert_nonnull(strstr(card, "batch norm over a batch, neurons"));
  g_autofree char *words = say(REGARD_FIGURE_AREA(details), -1);
  g_assert_nonnull(strstr(words, "raises "));
}

/* A small screen is wide enough for the window with these pages open, whatever they show. */
static void
test_narrow(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, "Donaudampfschifffahrtsgesellschaften have two dogs.");
  const char *const pages[] = {"inside", "layers"};
  for (guint p = 0; p < G_N_ELEMENTS(pages); p++) {
    RegardFigureArea *area = open_page(t, pages[p]);
    if (p)
      go_to_lens(t, area);
    for (guint i = 0; i < (p ? 9 : 1); i++) {
      int least;
      window_test_settle(t);
      gtk_widget_measure(GTK_WIDGET(t->window), GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL,
                         NULL);
      g_assert_cmpint(least, <=, 800);
      RegardFigure *before = regard_figure_area_get_figure(area);
      if (p && i < 8) {
        window_test_key(t, GDK_KEY_Page_Down, GDK_CONTROL_MASK);
        wait_for_other(area, before);
      }
    }
  }
}

/* While somebody types, the pages follow; nothing of the sentence before stays. */
static void
test_typing(WindowTest *t, gconstpointer data)
{
  const char *const pages[] = {"inside", "layers"};
  window_test_translate(t, DOGS);
  for (guint p = 0; p < G_N_ELEMENTS(pages); p++) {
    RegardFigureArea *area = open_page(t, pages[p]);
    RegardFigure *before = regard_figure_area_get_figure(area);
    window_test_translate(t, p ? "I see the dog." : "We have three dogs and no time.");
    wait_for_other(area, before);
    window_test_settle(t);
    regard_document_set_text(t->document, "");
    window_test_settle(t);
    g_assert_null(regard_figure_area_get_figure(area));
    window_test_translate(t, DOGS);
    app_test_until(regard_figure_area_get_figure(area));
  }
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-inside/inside", test_inside);
  WINDOW_TEST("/window-inside/keys", test_keys);
  WINDOW_TEST("/window-inside/mask", test_mask);
  WINDOW_TEST("/window-inside/made-up", test_made_up);
  WINDOW_TEST("/window-inside/export", test_export);
  WINDOW_TEST("/window-inside/layers", test_layers);
  WINDOW_TEST("/window-inside/typing", test_typing);
  WINDOW_TEST("/window-inside/narrow", test_narrow);
}
