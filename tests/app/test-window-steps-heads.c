/* test-window-steps-heads.c — which head chose it: the page Steps sets what was chosen against what
 * is pointed at, against what was there before, or against the next best; with the engine's
 * numbers.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "steps-page-test.h"
#include "suite.h"

#include <string.h>

#define CAT "The cat sat on the mat."

static RegardFigureArea *
area(WindowTest *t, const char *name)
{
  GtkWidget *found = steps_page_find(GTK_WIDGET(steps_page_page(t)), REGARD_TYPE_FIGURE_AREA,
                                     steps_page_is_called, name);
  g_assert_nonnull(found);
  return REGARD_FIGURE_AREA(found);
}

#define BARS  "Heads that speak for one token and for another"
#define GRIDS "What each head does"

typedef struct {
  WindowTest *t;
  const char *words;
} Wanted;

static gboolean
is_weighed(gpointer data)
{
  const Wanted *wanted = data;
  RegardFigure *figure = regard_figure_area_get_figure(area(wanted->t, BARS));
  g_autofree char *caption = figure ? regard_figure_caption(figure) : NULL;
  return caption && strstr(caption, wanted->words) &&
         gtk_widget_get_opacity(GTK_WIDGET(area(wanted->t, BARS))) > 0.99;
}

/* Until heads were weighed for the token of a step against another one; what they are is what the
 * engine says. */
static void
wait_for_contrast(WindowTest *t, guint step, int32_t foil)
{
  const RegardSteps *steps = steps_page_steps(t);
  const mt_hypothesis *h = mt_translation_hypothesis(steps->translation, steps->hypothesis);
  g_autofree char *other = regard_steps_dup_piece(steps, foil);
  g_autofree char *words =
      g_strdup_printf("logit %s − logit %s,", mt_tokens_get(h->tokens, step)->piece, other);
  Wanted wanted = {t, words};
  app_test_wait(is_weighed, &wanted);

  mt_error error = {0};
  g_autoptr(mt_session) session = mt_session_new(steps->model, NULL, &error);
  const mt_ablation_params params = {.has_contrast = true, .token = step, .foil = foil};
  g_autoptr(mt_ablation) effects =
      mt_ablation_new(session, steps->translation, steps->hypothesis, &params, NULL, &error);
  g_assert_nonnull(effects);
  const char *const names[] = {BARS, GRIDS};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    RegardFigure *figure = regard_figure_area_get_figure(area(t, names[i]));
    guint n_found = 0;
    for (guint k = 0; k < regard_figure_n_matrices(figure); k++) {
      const RegardMatrix *m = regard_figure_matrix(figure, k);
      if (!g_str_equal(m->id, "cross_contrast"))
        continue;
      for (guint l = 0; l < m->rows; l++)
        for (guint head = 0; head < m->cols; head++)
          g_assert_cmpfloat_with_epsilon(m->values[l * m->cols + head],
                                         mt_ablation_contrast(effects, MT_CROSS, l, head), 1e-4);
      n_found++;
    }
    g_assert_cmpuint(n_found, ==, 1);
  }
}

static int32_t
candidate(WindowTest *t, guint step, guint i)
{
  const RegardSteps *steps = steps_page_steps(t);
  return steps->steps->rows[(gsize) steps->rows[step]].options[i].id;
}

static void
test_contrast(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, CAT);
  steps_page_open(t);
  steps_page_go_to(t, 3);
  guint n_before, n;
  regard_view_get_export_choices(steps_page_page(t), &n_before);
  steps_page_press(t, GDK_KEY_w);
  /* The next best, as nothing was pointed at. */
  wait_for_contrast(t, 3, candidate(t, 3, 1));
  const RegardPicture *choices = regard_view_get_export_choices(steps_page_page(t), &n);
  g_assert_cmpuint(n, ==, n_before + 2);
  for (guint i = n_before; i < n; i++) {
    g_autoptr(RegardFigure) figure = regard_view_create_figure(steps_page_page(t), choices[i].id);
    g_assert_nonnull(figure);
    g_assert_cmpfloat(regard_figure_height(figure, 400, 7), >, 10);
  }

  /* What is pointed at, and it stays when the pointer has gone. */
  int32_t third = steps_page_point_at(t, 2);
  wait_for_contrast(t, 3, third);
  steps_page_press(t, GDK_KEY_Escape);
  window_test_settle(t);
  wait_for_contrast(t, 3, third);

  /* Another step has another question. */
  steps_page_press(t, GDK_KEY_Left);
  wait_for_contrast(t, 2, candidate(t, 2, candidate(t, 2, 0) == steps_page_token_at(t, 2)));

  /* One chooses: what was there before is what it is set against. */
  steps_page_go_to(t, 3);
  const int32_t own = steps_page_token_at(t, 3);
  steps_page_point_at(t, 2);
  steps_page_press(t, GDK_KEY_Return);
  steps_page_settle(t);
  g_assert_cmpint(steps_page_token_at(t, 3), ==, third);
  wait_for_contrast(t, 3, own);
}

/* A head that is clicked is the one that is looked at. */
static void
test_going_to_a_head(WindowTest *t, gconstpointer data)
{
  RegardSelection *s = t->selection;
  window_test_translate(t, CAT);
  steps_page_open(t);
  steps_page_go_to(t, 3);
  steps_page_press(t, GDK_KEY_w);
  wait_for_contrast(t, 3, candidate(t, 3, 1));
  const char *const names[] = {BARS, GRIDS};
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    RegardFigureArea *figure_area = area(t, names[i]);
    g_assert_true(regard_figure_area_handle_key(figure_area, GDK_KEY_End, 0));
    const RegardSpot spot = *regard_figure_area_get_spot(figure_area);
    g_assert_true(regard_figure_area_handle_key(figure_area, GDK_KEY_Return, 0));
    g_assert_cmpint(regard_selection_get_kind(s), ==, spot.part);
    g_assert_cmpuint(regard_selection_get_layer(s), ==, (guint) spot.row);
    g_assert_cmpuint(regard_selection_get_head(s), ==, (guint) spot.col);
    window_test_settle(t);
  }
}

/* Its menu leads there; what was chosen itself has nothing to be set against. And the window is
 * closed while heads are weighed: see the end of the test. */
static void
test_menu(WindowTest *t, gconstpointer data)
{
  window_test_translate(t, CAT);
  steps_page_open(t);
  steps_page_go_to(t, 3);
  for (int i = 0; i < 2; i++) {
    const int32_t id = steps_page_point_at(t, i);
    const RegardSpot spot = *regard_figure_area_get_spot(steps_page_candidates(t));
    g_autoptr(GMenuModel) menu = NULL;
    g_signal_emit_by_name(steps_page_candidates(t), "menu-wanted", &spot, &menu);
    g_assert_cmpint(g_menu_model_get_n_items(menu), ==, id == steps_page_token_at(t, 3) ? 2 : 3);
    if (i == 1)
      g_assert_true(gtk_widget_activate_action(GTK_WIDGET(steps_page_candidates(t)),
                                               "steps.contrast", "i", id));
  }
  wait_for_contrast(t, 3, candidate(t, 3, 1));
  /* The text goes: so do they. */
  regard_document_set_text(t->document, "");
  app_test_wait(steps_page_is_empty, t);
  window_test_translate(t, CAT);
  steps_page_settle(t);
  app_test_run_for(300);
}

TESTS(.begin = window_test_begin)
{
  WINDOW_TEST("/window-steps-heads/contrast", test_contrast);
  WINDOW_TEST("/window-steps-heads/going-to-a-head", test_going_to_a_head);
  WINDOW_TEST("/window-steps-heads/menu", test_menu);
}
