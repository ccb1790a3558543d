/* test-views.c — the registry's views, made of the widgets, against the shared selection.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "formats/regard-export.h"
#include "sample-capture.h"
#include "suite.h"
#include "views/regard-view.h"
#include "widget-find.h"
#include "widget-test.h"
#include "widgets/regard-cell-panel.h"
#include "widgets/regard-colorbar.h"
#include "widgets/regard-controls.h"
#include "widgets/regard-figure-area.h"
#include "widgets/regard-heads.h"
#include "widgets/regard-heatmap.h"
#include "widgets/regard-position-editor.h"
#include "widgets/regard-side-by-side.h"
#include "widgets/regard-token-strip.h"
#include "widgets/regard-wrap-layout.h"
#include <math.h>

static RegardView *
new_view(const char *id)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);

  for (guint i = 0; i < n; i++)
    if (g_str_equal(views[i].id, id))
      return g_object_new(views[i].get_type(), NULL);
  g_error("no view %s", id);
}

static void
test_registry(void)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);

  g_assert_cmpuint(n, >=, 2);
  for (guint i = 0; i < n; i++) {
    g_assert_true(g_type_is_a(views[i].get_type(), REGARD_TYPE_VIEW));
    g_assert_cmpint(strlen(views[i].title), >, 0);
    g_assert_cmpint(strlen(views[i].icon_name), >, 0);
    for (guint j = 0; j < i; j++)
      g_assert_cmpstr(views[i].id, !=, views[j].id);
  }
}

/* Pointing in the large picture reaches the selection, and so the chips and the numbers. */
static void
test_attention_view(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  RegardView *view = new_view("attention");
  GtkWidget *heatmap, *panel, *window;
  graphene_rect_t r;
  gboolean shown;
  int row, col;

  regard_view_set_selection(view, s);
  window = show_in_window(GTK_WIDGET(view));
  heatmap = find(GTK_WIDGET(view), REGARD_TYPE_HEATMAP);
  panel = find(GTK_WIDGET(view), REGARD_TYPE_CELL_PANEL);
  g_assert_true(regard_heatmap_get_cell_rect(REGARD_HEATMAP(heatmap), 6, 8, &r));
  move_pointer(heatmap, middle_x(&r), middle_y(&r));
  g_assert_cmpint(regard_selection_get_hover(s).row, ==, 6);
  g_assert_cmpint(regard_selection_get_hover(s).col, ==, 8);
  assert_says(panel, "▁die → ▁the\tquery 7 · key 9");
  click_at(heatmap, middle_x(&r), middle_y(&r));
  leave(heatmap);
  g_assert_cmpint(regard_selection_get_pin(s).row, ==, 6);
  regard_selection_set_merge_words(s, TRUE);
  regard_selection_set_pin(s, (RegardCell){3, 1});
  assert_says(panel, "überquerte → old\tquery word 4 · key word 2");
  regard_selection_set_pin(s, (RegardCell){3, -1});
  assert_says(panel, "überquerte\tquery word 4, the whole row");
  regard_selection_set_merge_words(s, FALSE);
  regard_selection_set_pin(s, (RegardCell){6, 8});
  regard_selection_hover_source(s, 2);
  regard_heatmap_get_hover(REGARD_HEATMAP(heatmap), &row, &col);
  g_assert_cmpint(col, ==, 2);

  /* keys of the view */
  g_assert_true(regard_view_handle_key(view, GDK_KEY_Page_Down, 0));
  g_assert_true(regard_view_handle_key(view, GDK_KEY_bracketright, 0));
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 1);
  g_assert_cmpuint(regard_selection_get_head(s), ==, 1);
  g_assert_true(regard_view_handle_key(view, GDK_KEY_Page_Up, 0));
  g_assert_true(regard_view_handle_key(view, GDK_KEY_Page_Up, 0)); /* no further */
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 0);
  g_assert_true(regard_view_handle_key(view, GDK_KEY_3, 0));
  g_assert_cmpint(regard_selection_get_kind(s), ==, MT_DECODER_SELF);
  g_assert_true(regard_view_handle_key(view, GDK_KEY_1, 0));
  g_assert_cmpint(regard_selection_get_kind(s), ==, MT_ENCODER_SELF);
  g_assert_true(regard_view_handle_key(view, GDK_KEY_Down, 0)); /* the heatmap's */
  g_assert_cmpint(regard_selection_get_pin(s).row, >=, 0);
  g_assert_true(regard_view_handle_key(view, GDK_KEY_Escape, 0));
  g_assert_false(regard_view_handle_key(view, GDK_KEY_q, 0));

  /* Panes keep their share when the window changes. */
  gtk_window_set_default_size(GTK_WINDOW(window), 1100, WINDOW_HEIGHT);
  wait_for_draw(GTK_WIDGET(view));
  gtk_window_set_default_size(GTK_WINDOW(window), WINDOW_WIDTH, WINDOW_HEIGHT);
  wait_for_draw(GTK_WIDGET(view));
  g_assert_cmpint(gtk_widget_get_width(panel), <, 270);
  /* … and whatever the numbers are about. */
  for (int i = -1; i < 3; i++) {
    regard_selection_set_hover(s, (RegardCell){i < 1 ? i : 5, i > 1 ? 5 : -1});
    wait_for_draw(GTK_WIDGET(view));
    g_assert_cmpint(gtk_widget_get_width(panel), <, 270);
  }

  g_object_set(view, "show-panel", FALSE, "show-heads", FALSE, NULL);
  g_object_get(view, "show-heads", &shown, NULL);
  g_assert_false(shown);
  g_assert_false(gtk_widget_get_visible(panel));
  g_object_set(view, "show-panel", TRUE, "show-heads", TRUE, NULL);
  wait_for_draw(GTK_WIDGET(view));
  g_assert_true(gtk_widget_get_mapped(panel));
  gtk_window_destroy(GTK_WINDOW(window));
}

/* Chosen heads are shown each for itself; what is pointed at in one is so in all. */
static void
test_side_by_side(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  RegardView *view = new_view("attention");
  GtkWidget *window, *each, *combine, *name;
  const RegardPicture *choices;
  RegardHeatmap *heatmaps[3] = {NULL};
  guint n, n_found = 0;
  int row, col;

  regard_view_set_selection(view, s);
  window = show_in_window(GTK_WIDGET(view));
  each = find(GTK_WIDGET(view), REGARD_TYPE_SIDE_BY_SIDE);
  combine = find(GTK_WIDGET(view), GTK_TYPE_DROP_DOWN);
  regard_selection_set_place(s, MT_CROSS, 0, 0);
  gtk_drop_down_set_selected(GTK_DROP_DOWN(combine), REGARD_N_COMBINES);
  g_assert_cmpint(regard_selection_get_combine(s), ==, REGARD_COMBINE_CHOSEN);
  g_assert_false(gtk_widget_get_mapped(each)); /* nothing is chosen yet */
  regard_selection_toggle_chosen(s, MT_CROSS, 1, 2);
  g_assert_false(gtk_widget_get_mapped(each)); /* one is no several */
  regard_selection_toggle_chosen(s, MT_CROSS, 4, 0);
  regard_selection_toggle_chosen(s, MT_CROSS, 5, 7);
  wait_for_draw(GTK_WIDGET(view));
  g_assert_true(gtk_widget_get_mapped(each));
  for (GtkWidget *cell = gtk_widget_get_first_child(gtk_widget_get_first_child(each)); cell;
       cell = gtk_widget_get_next_sibling(cell))
    heatmaps[n_found++] = REGARD_HEATMAP(find(cell, REGARD_TYPE_HEATMAP));
  g_assert_cmpuint(n_found, ==, 3);
  /* As large as each other, whatever room there is: labels are cut alike. */
  for (int width = 900; width < 903; width++) {
    gtk_widget_size_allocate(each, &(GtkAllocation){0, 0, width, 600}, -1);
    for (guint i = 1; i < 3; i++) {
      g_assert_cmpint(gtk_widget_get_width(GTK_WIDGET(heatmaps[i])), ==,
                      gtk_widget_get_width(GTK_WIDGET(heatmaps[0])));
      g_assert_cmpint(gtk_widget_get_height(GTK_WIDGET(heatmaps[i])), ==,
                      gtk_widget_get_height(GTK_WIDGET(heatmaps[0])));
    }
  }
  static const guint places[][2] = {{1, 2}, {4, 0}, {5, 7}};
  for (guint i = 0; i < 3; i++) {
    mt_matrix w =
        mt_capture_weights(regard_selection_get_capture(s), MT_CROSS, places[i][0], places[i][1]);
    RegardMatrix *m = regard_heatmap_get_matrix(heatmaps[i]);
    for (guint r = 0; r < m->rows; r++)
      for (guint c = 0; c < m->cols; c++)
        g_assert_cmpfloat(regard_matrix_get(m, r, c), ==, mt_matrix_at(&w, r, c));
  }
  regard_selection_set_pin(s, (RegardCell){2, 3});
  for (guint i = 0; i < 3; i++) {
    regard_heatmap_get_pin(heatmaps[i], &row, &col);
    g_assert_cmpint(row, ==, 2);
    g_assert_cmpint(col, ==, 3);
  }
  g_assert_true(regard_view_handle_key(view, GDK_KEY_Down, 0));
  g_assert_cmpint(regard_selection_get_pin(s).row, ==, 3);
  regard_heatmap_get_pin(heatmaps[2], &row, &col);
  g_assert_cmpint(row, ==, 3);

  /* What is saved first is what is seen. */
  choices = regard_view_get_export_choices(view, &n);
  g_assert_cmpuint(n, ==, 5);
  g_assert_cmpstr(choices[0].id, ==, "chosen");
  g_assert_cmpstr(choices[1].id, ==, "head");
  g_autoptr(RegardFigure) figure = regard_view_create_figure(view, "chosen");
  g_assert_cmpuint(regard_figure_n_matrices(figure), ==, 3);
  g_assert_cmpuint(regard_matrix_get_attention(regard_figure_matrix(figure, 2))->spec.head, ==, 7);
  g_autofree char *caption = regard_figure_caption(figure);
  g_assert_nonnull(strstr(caption, "heads 2.3, 5.1, 6.8."));
  const RegardExportOptions options = REGARD_EXPORT_OPTIONS_INIT;
  static const char *const formats[] = {"svg", "csv", "json", "npz"};
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes =
        regard_export_format_find(formats[i])->render(figure, &options, &error);
    g_assert_no_error(error);
    if (i == 0)
      g_assert_nonnull(
          g_strstr_len(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), ">6.8<"));
  }

  /* A name shows its head alone. */
  name = find(gtk_widget_get_last_child(gtk_widget_get_first_child(each)), GTK_TYPE_BUTTON);
  g_signal_emit_by_name(name, "clicked");
  g_assert_cmpint(regard_selection_get_combine(s), ==, REGARD_COMBINE_HEAD);
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 5);
  g_assert_cmpuint(regard_selection_get_head(s), ==, 7);
  g_assert_false(gtk_widget_get_mapped(each));

  /* More than there is room for are counted. */
  gtk_drop_down_set_selected(GTK_DROP_DOWN(combine), REGARD_N_COMBINES);
  for (guint h = 0; h < 8; h++)
    regard_selection_toggle_chosen(s, MT_CROSS, 3, h);
  wait_for_draw(GTK_WIDGET(view));
  g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(gtk_widget_get_last_child(each))), ==,
                  "9 of 11 chosen heads");
  gtk_drop_down_set_selected(GTK_DROP_DOWN(combine), REGARD_COMBINE_CHOSEN);
  g_assert_false(gtk_widget_get_mapped(each));
  gtk_window_destroy(GTK_WINDOW(window));
}

static void
test_attention_exports(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  RegardView *view = new_view("attention");
  static const guint n_matrices[] = {1, 8, 48, 144};
  const RegardPicture *choices;
  mt_capture *c = sample_capture(6);
  guint n;

  g_object_ref_sink(view);
  regard_view_set_selection(view, s);
  regard_view_get_export_choices(view, &n);
  g_assert_cmpuint(n, ==, 0);
  g_assert_null(regard_view_create_figure(view, "head"));
  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  choices = regard_view_get_export_choices(view, &n);
  g_assert_cmpuint(n, ==, 4);
  for (guint i = 0; i < n; i++) {
    g_autoptr(RegardFigure) figure = regard_view_create_figure(view, choices[i].id);

    g_assert_nonnull(figure);
    g_assert_cmpuint(regard_figure_n_matrices(figure), ==, n_matrices[i]);
  }
  g_assert_null(regard_view_create_figure(view, "nonsense"));
  g_assert_null(regard_view_create_figure(view, "sum"));

  /* What is added up can be written, too, until it is let go. */
  regard_selection_toggle_summed(s, (RegardCell){-1, 2});
  choices = regard_view_get_export_choices(view, &n);
  g_assert_cmpuint(n, ==, 5);
  g_assert_cmpstr(choices[4].id, ==, "sum");
  g_autoptr(RegardFigure) sum = regard_view_create_figure(view, "sum");
  g_assert_cmpuint(regard_figure_matrix(sum, 0)->rows, ==, 1);
  g_assert_true(regard_view_handle_key(view, GDK_KEY_Escape, 0));
  regard_view_get_export_choices(view, &n);
  g_assert_cmpuint(n, ==, 4);
  g_object_unref(view);
}

/* In the form of lines, what is seen is exported as lines, and the grids are what they were; chosen
 * heads are one picture, in colours. */
static void
test_lines_exports(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  RegardView *view = new_view("attention");
  mt_capture *c = sample_capture(3);
  guint n;

  g_object_ref_sink(view);
  regard_view_set_selection(view, s);
  regard_selection_set_form(s, REGARD_FORM_LINES);
  g_assert_null(regard_view_create_figure(view, "head"));
  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  regard_selection_set_pin(s, (RegardCell){2, -1});
  g_autoptr(RegardFigure) lines = regard_view_create_figure(view, "head");
  g_autofree char *caption = regard_figure_caption(lines);
  g_assert_nonnull(
      strstr(caption, "as lines. Drawn strong: lines of the fewest keys that hold 70 %"));
  g_autofree char *name = regard_view_name_choice(view, "head");
  g_assert_cmpstr(name, ==, "cross-1.1-lines");
  regard_selection_set_lines_share(s, 1);
  g_autoptr(RegardFigure) all = regard_view_create_figure(view, "head");
  g_autofree char *of_all = regard_figure_caption(all);
  g_assert_nonnull(strstr(of_all, "Drawn strong: all "));
  g_autoptr(RegardFigure) layer = regard_view_create_figure(view, "layer");
  g_assert_cmpuint(regard_figure_n_matrices(layer), ==, 8);

  /* A second one that is chosen is seen beside the first. */
  regard_selection_toggle_chosen(s, MT_CROSS, 0, 2);
  g_assert_cmpint(regard_selection_get_combine(s), ==, REGARD_COMBINE_HEAD);
  regard_selection_toggle_chosen(s, MT_CROSS, 2, 5);
  g_assert_cmpint(regard_selection_get_combine(s), ==, REGARD_COMBINE_CHOSEN);
  const RegardPicture *choices = regard_view_get_export_choices(view, &n);
  g_assert_cmpstr(choices[0].id, ==, "chosen");
  g_autoptr(RegardFigure) both = regard_view_create_figure(view, "chosen");
  g_assert_cmpuint(regard_figure_n_matrices(both), ==, 2);
  g_autofree char *of_both = regard_figure_caption(both);
  g_assert_nonnull(strstr(of_both, "Colours: cross 1.3, cross 3.6."));
  g_autofree char *chosen = regard_view_name_choice(view, "chosen");
  g_assert_cmpstr(chosen, ==, "cross-chosen-lines");
  g_object_unref(view);
}

static void
test_positions_view(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  RegardView *view = new_view("positions");
  GtkWidget *heatmap, *waves, *window;
  const RegardPicture *choices;
  mt_capture *c = sample_capture(1);
  RegardMatrix *m;
  guint n;

  regard_view_set_selection(view, s);
  window = show_in_window(GTK_WIDGET(view));
  heatmap = find(GTK_WIDGET(view), REGARD_TYPE_HEATMAP);
  waves = find(GTK_WIDGET(view), REGARD_TYPE_FIGURE_AREA);
  g_assert_null(regard_heatmap_get_matrix(REGARD_HEATMAP(heatmap)));
  regard_view_get_export_choices(view, &n);
  g_assert_cmpuint(n, ==, 0);

  regard_selection_set_capture(s, c);
  mt_capture_unref(c);
  wait_for_draw(GTK_WIDGET(view));
  /* It opens on the bench, which is the last page; the table of numbers is the first. */
  g_assert_true(gtk_widget_get_mapped(find(GTK_WIDGET(view), REGARD_TYPE_POSITION_EDITOR)));
  for (guint i = 0; i < 4; i++)
    g_assert_true(regard_view_handle_key(view, GDK_KEY_Page_Up, 0));
  wait_for_draw(GTK_WIDGET(view));
  m = regard_heatmap_get_matrix(REGARD_HEATMAP(heatmap));
  g_assert_nonnull(m);
  g_assert_cmpstr(m->id, ==, "positions");
  g_assert_cmpuint(m->rows, ==, 17);
  g_assert_cmpstr(m->row_labels[2].text, ==, "▁man");
  g_assert_true(gtk_widget_get_mapped(heatmap));

  g_assert_true(regard_view_handle_key(view, GDK_KEY_Page_Down, 0));
  m = regard_heatmap_get_matrix(REGARD_HEATMAP(heatmap));
  g_assert_cmpstr(m->id, ==, "similarity");
  g_assert_true(regard_view_handle_key(view, GDK_KEY_Page_Down, 0));
  wait_for_draw(GTK_WIDGET(view));
  g_assert_true(gtk_widget_get_mapped(waves));
  g_assert_false(gtk_widget_get_mapped(heatmap));
  g_assert_null(regard_figure_area_get_spot(REGARD_FIGURE_AREA(waves)));
  g_assert_true(regard_view_handle_key(view, GDK_KEY_Right, 0));
  g_assert_cmpint(regard_figure_area_get_spot(REGARD_FIGURE_AREA(waves))->row, ==, 0);
  gtk_test_accessible_assert_property(
      waves, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT,
      "position 0 · ▁The: dimension 0 (sine) 0.000, dimension 32 (cosine) 1.000");
  g_assert_true(regard_view_handle_key(view, GDK_KEY_End, 0));
  g_assert_cmpint(regard_figure_area_get_spot(REGARD_FIGURE_AREA(waves))->row, ==, 16);
  g_assert_true(regard_view_handle_key(view, GDK_KEY_Escape, 0));
  g_assert_true(regard_view_handle_key(view, GDK_KEY_Page_Down, 0));
  m = regard_heatmap_get_matrix(REGARD_HEATMAP(heatmap));
  g_assert_cmpstr(m->id, ==, "shift");

  /* Places are keys of every page, but Page Up and Down are this one's own. */
  g_assert_true(regard_view_handle_key(view, GDK_KEY_bracketright, 0));
  g_assert_true(regard_view_handle_key(view, GDK_KEY_3, 0));
  g_assert_cmpuint(regard_selection_get_head(s), ==, 1);
  g_assert_cmpuint(regard_selection_get_layer(s), ==, 0);
  g_assert_cmpint(regard_selection_get_kind(s), ==, MT_DECODER_SELF);
  regard_selection_set_pin(s, (RegardCell){1, 1});
  g_assert_true(regard_view_handle_key(view, GDK_KEY_Escape, 0));
  g_assert_cmpint(regard_selection_get_pin(s).row, ==, -1);
  g_assert_false(regard_view_handle_key(view, GDK_KEY_bracketright, GDK_CONTROL_MASK));

  choices = regard_view_get_export_choices(view, &n);
  g_assert_cmpuint(n, ==, 5);
  g_assert_cmpstr(choices[0].id, ==, "shift"); /* what the eye is on */
  for (guint i = 0; i < n; i++) {
    g_autoptr(RegardFigure) figure = regard_view_create_figure(view, choices[i].id);

    g_assert_nonnull(figure);
  }
  gtk_window_destroy(GTK_WINDOW(window));
}

/* The pair of dimensions leaves as curves in every picture format, with its numbers in the others.
 */
static void
test_waves_export(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  RegardView *view = new_view("positions");
  RegardExportOptions options = REGARD_EXPORT_OPTIONS_INIT;
  g_autoptr(RegardFigure) figure = NULL;
  g_autofree char *caption = NULL;
  const RegardExportFormat *const *formats;
  guint n;

  g_object_ref_sink(view);
  regard_view_set_selection(view, s);
  figure = regard_view_create_figure(view, "waves");
  g_assert_nonnull(figure);
  caption = regard_figure_caption(figure);
  g_assert_nonnull(strstr(caption, "dimensions 0 and 32"));
  g_assert_null(strstr(caption, "Colour scale"));
  formats = regard_export_formats(&n);
  for (guint i = 0; i < n; i++) {
    if (!regard_export_format_fits(formats[i], figure))
      continue;
    g_autoptr(GError) error = NULL;
    g_autoptr(GBytes) bytes = formats[i]->render(figure, &options, &error);

    g_assert_no_error(error);
    g_assert_cmpuint(g_bytes_get_size(bytes), >, 200);
    if (g_str_equal(formats[i]->id, "svg")) {
      g_autofree char *svg = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));

      g_assert_nonnull(strstr(svg, "dimension 32 (cosine)"));
      g_assert_nonnull(strstr(svg, ">position<"));
    }
    if (g_str_equal(formats[i]->id, "csv")) {
      g_autofree char *csv = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));

      g_assert_nonnull(strstr(csv, "0.8414")); /* sin 1 */
    }
    if (g_str_equal(formats[i]->id, "json")) { /* it is no attention */
      g_autofree char *json = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));

      g_assert_nonnull(strstr(json, "\"sort\":\"pair\""));
    }
    if (g_getenv("REGARD_TEST_KEEP")) { /* to look at them */
      g_autofree char *path =
          g_strdup_printf("%s/waves.%s", g_getenv("REGARD_TEST_KEEP"), formats[i]->id);

      g_assert_true(
          g_file_set_contents(path, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), NULL));
    }
  }
  g_object_unref(view);
}

/* A learned table has no shift map: said, not drawn, and not offered for export. */
static void
test_positions_learned(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  RegardView *view = new_view("positions");
  mt_tokens *source = sample_tokens("▁a ▁b </s>");
  mt_capture_spec spec = {.model_name = "learned",
                          .source = source,
                          .n_layers = {[MT_ENCODER_SELF] = 1},
                          .n_heads = {[MT_ENCODER_SELF] = 1},
                          .d_model = 6,
                          .position_kind = MT_POSITIONS_LEARNED};
  mt_capture *c = mt_capture_new(&spec, NULL);
  GtkWidget *window;
  guint n;

  for (int i = 0; i < 18; i++)
    mt_capture_fill_positions(c, MT_STACK_ENCODER)[i] = sinf(i);
  regard_view_set_selection(view, s);
  window = show_in_window(GTK_WIDGET(view));
  regard_selection_set_capture(s, c);
  wait_for_draw(GTK_WIDGET(view));
  regard_view_handle_key(view, GDK_KEY_Page_Up, 0); /* from the bench to the map of a shift: none */
  g_assert_null(
      regard_heatmap_get_matrix(REGARD_HEATMAP(find(GTK_WIDGET(view), REGARD_TYPE_HEATMAP))));
  regard_view_get_export_choices(view, &n);
  g_assert_cmpuint(n, ==, 4);
  g_assert_null(regard_view_create_figure(view, "shift"));
  mt_capture_unref(c);
  mt_tokens_unref(source);
  gtk_window_destroy(GTK_WINDOW(window));
}

/* A file has the positions of both stacks, of one, or none: there is a choice where there is one,
 * and nothing of another model is shown. */
static void
test_positions_of_files(void)
{
  g_autoptr(RegardSelection) s = regard_selection_new();
  RegardView *view = new_view("positions");
  mt_tokens *tokens = sample_tokens("▁a ▁b </s>");
  mt_capture_spec bare = {.model_name = "bert",
                          .source = tokens,
                          .n_layers = {[MT_ENCODER_SELF] = 1},
                          .n_heads = {[MT_ENCODER_SELF] = 1}};
  mt_capture *captures[] = {sample_capture_through_file(sample_capture(1)),
                            sample_capture_through_file(sample_decoder_capture("▁a ▁b ▁c", 1, 1)),
                            sample_capture_through_file(mt_capture_new(&bare, NULL))};
  const guint n_rows[] = {17, 3, 0};
  const gboolean has_choice[] = {TRUE, FALSE, FALSE};
  GtkWidget *window, *choice, *heatmap, *colorbar;
  guint n;

  regard_view_set_selection(view, s);
  window = show_in_window(GTK_WIDGET(view));
  choice = find(GTK_WIDGET(view), GTK_TYPE_DROP_DOWN);
  heatmap = find(GTK_WIDGET(view), REGARD_TYPE_HEATMAP);
  colorbar = find(GTK_WIDGET(view), REGARD_TYPE_COLORBAR);
  for (guint i = 0; i < G_N_ELEMENTS(captures); i++) {
    regard_selection_set_capture(s, captures[i]);
    wait_for_draw(GTK_WIDGET(view));
    RegardMatrix *m = regard_heatmap_get_matrix(REGARD_HEATMAP(heatmap));

    g_assert_cmpuint(m ? m->rows : 0, ==, n_rows[i]);
    g_assert_cmpint(gtk_widget_get_visible(choice), ==, has_choice[i]);
    g_assert_cmpint(gtk_widget_get_visible(colorbar), ==, n_rows[i] > 0);
    regard_view_get_export_choices(view, &n);
    g_assert_cmpint(n > 0, ==, n_rows[i] > 0);
    mt_capture_unref(captures[i]);
  }
  mt_tokens_unref(tokens);
  gtk_window_destroy(GTK_WINDOW(window));
}

TESTS(.begin = gtk_init_check)
{
  g_test_add_func("/view/registry", test_registry);
  g_test_add_func("/view/attention", test_attention_view);
  g_test_add_func("/view/side-by-side", test_side_by_side);
  g_test_add_func("/view/attention-exports", test_attention_exports);
  g_test_add_func("/view/lines-exports", test_lines_exports);
  g_test_add_func("/view/positions", test_positions_view);
  g_test_add_func("/view/waves-export", test_waves_export);
  g_test_add_func("/view/positions-of-files", test_positions_of_files);
  g_test_add_func("/view/positions-learned", test_positions_learned);
}
