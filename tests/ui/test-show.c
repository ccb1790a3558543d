/* test-show.c — attributions instead of weights, trust under the texts: what is said where there is
 * no model, and what the engine's list makes of itself.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-attribution.h"
#include "suite.h"
#include "views/regard-view.h"
#include "widget-find.h"
#include "widget-test.h"
#include "widgets/regard-heatmap.h"
#include "widgets/regard-live-attribution.h"
#include "widgets/regard-source-contribution.h"
#include "widgets/regard-token-strip.h"

#include <math.h>

typedef struct {
  RegardSelection *selection;
  RegardLiveAttribution *shown;
  RegardView *view;
  GtkWidget *window, *bar;
} Fixture;

static void
open_page(Fixture *f)
{
  guint n;
  const RegardViewInfo *views = regard_view_registry(&n);

  *f = (Fixture){.selection = new_selection()};
  f->shown = regard_live_attribution_of(f->selection);
  f->view = g_object_new(views[0].get_type(), NULL);
  regard_view_set_selection(f->view, f->selection);
  f->window = show_in_window(GTK_WIDGET(f->view));
  f->bar = find(GTK_WIDGET(f->view), REGARD_TYPE_SHOW_BAR);
}

static void
close_page(Fixture *f)
{
  gtk_window_destroy(GTK_WINDOW(f->window));
  g_object_unref(f->selection);
}

static void
wait_for_error(RegardLiveAttribution *shown)
{
  while (!regard_live_attribution_get_error(shown))
    g_main_context_iteration(NULL, TRUE);
}

/* The menu has attention and every method of the engine, by its name. */
static void
test_menu(void)
{
  Fixture f;

  open_page(&f);
  GtkWidget *menu = find(regard_show_bar_get_menu(REGARD_SHOW_BAR(f.bar)), GTK_TYPE_DROP_DOWN);
  GListModel *items = gtk_drop_down_get_model(GTK_DROP_DOWN(menu));
  g_assert_cmpuint(g_list_model_get_n_items(items), ==, mt_attribution_count() + 1);
  for (guint i = 0; i < mt_attribution_count(); i++) {
    g_autoptr(GtkStringObject) item = g_list_model_get_item(items, i + 1);

    g_assert_cmpstr(gtk_string_object_get_string(item), ==, mt_attribution_at(i)->name);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(menu), i + 1);
    g_assert_cmpint(regard_live_attribution_get_method(f.shown), ==, (int) i);
    g_assert_true(regard_show_bar_is_on(REGARD_SHOW_BAR(f.bar)));
    g_assert_true(gtk_widget_get_visible(f.bar));
  }
  gtk_drop_down_set_selected(GTK_DROP_DOWN(menu), 0);
  g_assert_cmpint(regard_live_attribution_get_method(f.shown), ==, -1);
  g_assert_false(gtk_widget_get_visible(f.bar));
  close_page(&f);
}

/* Models with relative positions have one thing more to show: the biases of the selected head. */
static void
test_bias(void)
{
  Fixture f;
  mt_capture *relative = sample_relative_capture(2), *other = sample_capture(2);

  open_page(&f);
  RegardShowBar *bar = REGARD_SHOW_BAR(f.bar);
  GtkWidget *menu = find(regard_show_bar_get_menu(bar), GTK_TYPE_DROP_DOWN);
  const guint n = (guint) mt_attribution_count() + 1;
  regard_selection_set_capture(f.selection, relative);
  regard_selection_set_place(f.selection, MT_DECODER_SELF, 1, 3);
  GListModel *items = gtk_drop_down_get_model(GTK_DROP_DOWN(menu));
  g_assert_cmpuint(g_list_model_get_n_items(items), ==, n + 1);
  gtk_drop_down_set_selected(GTK_DROP_DOWN(menu), n);
  g_assert_cmpint(regard_live_attribution_get_method(f.shown), ==, REGARD_SHOW_BIAS);
  const RegardMatrix *m = regard_show_bar_get_matrix(bar);
  g_assert_cmpstr(m->id, ==, "score_bias");
  g_assert_cmpuint(m->rows, ==, 17);
  for (guint r = 0; r < m->rows; r++)
    for (guint c = 0; c < m->cols; c++)
      if (regard_matrix_is_masked(m, r, c))
        g_assert_cmpuint(c, >, r);
      else
        g_assert_cmpfloat(regard_matrix_get(m, r, c), ==, (float) (1.5 - 0.375 * (r - c)));
  g_autofree char *name = regard_show_bar_name(bar);
  g_assert_cmpstr(name, ==, "bias-decoder-2.4");
  g_autofree char *says = regard_live_attribution_describe(f.shown);
  g_assert_nonnull(strstr(says, "by the distance"));

  /* A cell is the same one of the weights, both ways. */
  int row, col;
  GtkWidget *heatmap = find(GTK_WIDGET(f.view), REGARD_TYPE_HEATMAP);
  regard_selection_set_hover(f.selection, (RegardCell){5, 2});
  regard_heatmap_get_hover(REGARD_HEATMAP(heatmap), &row, &col);
  g_assert_cmpint(row, ==, 5);
  g_assert_cmpint(col, ==, 2);
  /* Keys go round, and it is one of the stops. */
  g_assert_true(regard_show_bar_handle_key(bar, GDK_KEY_m, 0));
  g_assert_cmpint(regard_live_attribution_get_method(f.shown), ==, -1);
  g_assert_true(regard_show_bar_handle_key(bar, GDK_KEY_M, GDK_SHIFT_MASK));
  g_assert_cmpint(regard_live_attribution_get_method(f.shown), ==, REGARD_SHOW_BIAS);

  regard_selection_set_place(f.selection, MT_CROSS, 1, 3);
  g_assert_null(regard_show_bar_get_matrix(bar));
  g_autofree char *none = regard_live_attribution_describe(f.shown);
  g_assert_nonnull(strstr(none, "cross-attention"));
  regard_selection_set_capture(f.selection, other); /* it has no such thing */
  g_assert_cmpint(regard_live_attribution_get_method(f.shown), ==, -1);
  g_assert_cmpuint(g_list_model_get_n_items(items), ==, n);
  mt_capture_unref(relative);
  mt_capture_unref(other);
  close_page(&f);
}

/* What there is to choose follows what the method says of itself, and a wish outlives a method that
 * cannot grant it. */
static void
test_choices(void)
{
  Fixture f;

  open_page(&f);
  g_assert_false(regard_live_attribution_can_be_about(f.shown, REGARD_ABOUT_WORDS)); /* attention */
  regard_live_attribution_set_about(f.shown, REGARD_ABOUT_ENCODER);
  regard_live_attribution_set_part(f.shown, REGARD_ATTRIBUTION_HEAD);
  for (guint i = 0; i < mt_attribution_count(); i++) {
    const mt_attribution_method *m = mt_attribution_at(i);
    g_autofree char *said = NULL;

    regard_live_attribution_set_method(f.shown, (int) i);
    g_assert_cmpint(regard_live_attribution_get_about(f.shown), ==,
                    m->has_encoder ? REGARD_ABOUT_ENCODER : REGARD_ABOUT_WORDS);
    g_assert_cmpint(regard_live_attribution_get_part(f.shown), ==,
                    m->has_heads    ? REGARD_ATTRIBUTION_HEAD
                    : m->has_layers ? REGARD_ATTRIBUTION_LAYER
                                    : REGARD_ATTRIBUTION_ALL_LAYERS);
    said = regard_live_attribution_describe(f.shown);
    g_assert_nonnull(strstr(said, m->gives));
    g_assert_nonnull(strstr(said, m->source));
    g_assert_true(m->has_heads || strstr(said, "the selected head changes nothing"));
  }
  close_page(&f);
}

/* Weights from a file: it is said that only a model knows, there is nothing to export, and keys
 * lead back. */
static void
test_without_model(void)
{
  Fixture f;
  guint n;
  GtkWidget *heatmap;

  open_page(&f);
  heatmap = find(GTK_WIDGET(f.view), REGARD_TYPE_HEATMAP);
  g_assert_nonnull(regard_heatmap_get_matrix(REGARD_HEATMAP(heatmap)));
  g_assert_true(regard_view_handle_key(f.view, GDK_KEY_m, 0));
  g_assert_cmpint(regard_live_attribution_get_method(f.shown), ==, 0);
  wait_for_error(f.shown);
  g_assert_nonnull(strstr(regard_live_attribution_get_error(f.shown), "only a model can say"));
  g_assert_null(regard_heatmap_get_matrix(REGARD_HEATMAP(heatmap)));
  regard_view_get_export_choices(f.view, &n);
  g_assert_cmpuint(n, ==, 0);
  g_assert_true(regard_view_handle_key(f.view, GDK_KEY_M, GDK_SHIFT_MASK));
  g_assert_cmpint(regard_live_attribution_get_method(f.shown), ==, -1);
  g_assert_true(regard_heatmap_get_matrix(REGARD_HEATMAP(heatmap)) ==
                regard_selection_get_matrix(f.selection));
  regard_view_get_export_choices(f.view, &n);
  g_assert_cmpuint(n, >, 0);
  /* Round the other way: the last method. */
  g_assert_true(regard_view_handle_key(f.view, GDK_KEY_M, GDK_SHIFT_MASK));
  g_assert_cmpint(regard_live_attribution_get_method(f.shown), ==,
                  (int) mt_attribution_count() - 1);
  close_page(&f);
}

/* Nothing is computed while nobody looks; what was stopped says so. */
static void
test_seen(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  RegardLiveAttribution *shown = regard_live_attribution_of(s);

  g_assert_true(shown == regard_live_attribution_of(s));
  regard_live_attribution_set_method(shown, 0);
  g_assert_cmpfloat(regard_work_get_share(regard_live_attribution_get_work(shown)), <, 0);
  regard_work_set_seen(regard_live_attribution_get_work(shown), TRUE);
  g_assert_cmpfloat(regard_work_get_share(regard_live_attribution_get_work(shown)), ==, 0);
  regard_work_set_seen(regard_live_attribution_get_work(shown), FALSE);
  g_assert_cmpfloat(regard_work_get_share(regard_live_attribution_get_work(shown)), <, 0);
  regard_work_set_seen(regard_live_attribution_get_work(shown), TRUE);
  regard_work_stop(regard_live_attribution_get_work(shown));
  g_assert_cmpfloat(regard_work_get_share(regard_live_attribution_get_work(shown)), <, 0);
  g_assert_nonnull(strstr(regard_live_attribution_get_error(shown), "Stopped"));
  regard_live_attribution_again(shown);
  wait_for_error(shown);
  g_assert_null(strstr(regard_live_attribution_get_error(shown), "Stopped"));
}

static void
test_word(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  RegardLiveAttribution *shown = regard_live_attribution_of(s);
  const int n = (int) mt_tokens_count(mt_capture_output(regard_selection_get_capture(s)));

  regard_live_attribution_set_word(shown, 1);
  g_assert_cmpint(regard_live_attribution_get_word(shown), ==, 1);
  regard_live_attribution_set_word(shown, 1000);
  g_assert_cmpint(regard_live_attribution_get_word(shown), ==, n - 1);
  regard_selection_set_step(s, 2);
  g_assert_cmpint(regard_live_attribution_get_word(shown), ==, 2);
}

/* On without a model: no number, and why; pieces are higher while it is on. */
static void
test_trust(void)
{
  g_autoptr(RegardSelection) s = new_selection();
  RegardSourceContribution *trust = regard_source_contribution_of(s);
  GtkWidget *strip = regard_token_strip_new(REGARD_SIDE_TARGET);
  GtkWidget *window;
  graphene_rect_t before, with;
  g_autofree char *said = NULL, *token = NULL;

  regard_token_strip_set_selection(REGARD_TOKEN_STRIP(strip), s);
  window = show_in_window(strip);
  g_assert_true(regard_token_strip_get_chip(REGARD_TOKEN_STRIP(strip), 0, &before));
  g_assert_false(gtk_widget_get_has_tooltip(strip));
  g_object_set(trust, "on", TRUE, NULL);
  g_assert_true(regard_source_contribution_is_on(trust));
  do {
    g_clear_pointer(&said, g_free);
    g_main_context_iteration(NULL, TRUE);
    said = regard_source_contribution_describe(trust);
  } while (!strstr(said, "only a model can say"));
  g_assert_null(regard_source_contribution_get(trust));
  g_assert_true(isnan(regard_source_contribution_value(trust, FALSE, 0)));
  g_assert_false(regard_source_contribution_is_marked(trust, TRUE, 0));
  token = regard_source_contribution_describe_token(trust, TRUE, 0);
  g_assert_null(token);
  gtk_test_widget_wait_for_draw(window);
  while (!regard_token_strip_get_chip(REGARD_TOKEN_STRIP(strip), 0, &with))
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpfloat(with.size.height, >, before.size.height);
  g_assert_true(gtk_widget_get_has_tooltip(strip));
  g_object_set(trust, "on", FALSE, NULL);
  g_assert_false(gtk_widget_get_has_tooltip(strip));
  gtk_window_destroy(GTK_WINDOW(window));
}

TESTS(.begin = gtk_init_check)
{
  g_test_add_func("/show/menu", test_menu);
  g_test_add_func("/show/bias", test_bias);
  g_test_add_func("/show/choices", test_choices);
  g_test_add_func("/show/without-model", test_without_model);
  g_test_add_func("/show/seen", test_seen);
  g_test_add_func("/show/word", test_word);
  g_test_add_func("/show/trust", test_trust);
}
