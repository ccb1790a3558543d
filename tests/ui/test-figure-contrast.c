/* test-figure-contrast.c — which heads chose a token: the ones that matter most are drawn, on their
 * side and in their order, nothing leaves the page, and files have all of them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "canvas-recorder.h"
#include "figures/regard-ablation.h"
#include "steps-test.h"
#include "suite.h"

#include <math.h>

static StepsTest test;

/* Of the frozen model, of one step of a translation. */
static RegardAblation *
weigh(guint step, int32_t foil)
{
  mt_error error = {0};
  const mt_search_params params = steps_test_params(&test, 4);
  g_autoptr(RegardSteps) steps = steps_test_search(&test, STEPS_TEST_DOGS, &params);
  const mt_ablation_params asked = {.has_contrast = true, .token = step, .foil = foil};
  mt_ablation *effects = mt_ablation_new(test.session, steps->translation, 0, &asked, NULL, &error);
  g_assert_cmpstr(error.message, ==, "");
  RegardAblation *made =
      regard_ablation_new(test.model, effects, mt_translation_source(steps->translation),
                          mt_translation_hypothesis(steps->translation, 0)->tokens, NULL, step,
                          mt_model_piece(test.model, MT_STACK_DECODER, foil));
  mt_ablation_unref(effects);
  return made;
}

static RegardFigure *
make(RegardAblation *effects, gboolean dark)
{
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  style.dark = dark;
  return regard_figure_new_contrast(effects, &style);
}

static double
value_of(const RegardAblation *effects, const RegardSpot *spot)
{
  return regard_ablation_shown(effects, (mt_attention_kind) spot->part, (guint) spot->row,
                               (guint) spot->col);
}

/* From the one that speaks most for the token to the one that speaks most for the other; no head
 * that is left out matters more than one of its side that is drawn. */
static void
test_order(void)
{
  g_autoptr(RegardAblation) effects = weigh(1, 100);
  g_autoptr(RegardFigure) figure = make(effects, FALSE);
  g_autoptr(GArray) spots = regard_figure_spots(figure, 400, 10, NULL);
  guint n_for = 0, n_more_for = 0, n_against = 0, n_more_against = 0;
  double least_for = INFINITY, least_against = -INFINITY;
  for (guint i = 0; i < spots->len; i++) {
    const RegardSpot *spot = &g_array_index(spots, RegardSpot, i);
    const double value = value_of(effects, spot);
    g_autofree char *words = regard_figure_describe_spot(figure, spot);
    g_autofree char *copied = regard_figure_copy_spot(figure, spot);
    g_assert_cmpfloat_with_epsilon(g_ascii_strtod(copied, NULL), value, 1e-7);
    g_assert_nonnull(strstr(words, "part in the contrast"));
    if (i > 0) {
      g_assert_cmpfloat(value, <=, value_of(effects, spot - 1));
      g_assert_cmpfloat(spot->rect.y, >, spot[-1].rect.y);
    }
    n_for += value > 0;
    n_against += value < 0;
    if (value > 0)
      least_for = MIN(least_for, value);
    else
      least_against = MAX(least_against, value);
  }
  g_assert_cmpuint(n_for, ==, REGARD_CONTRAST_MOST);
  g_assert_cmpuint(n_against, ==, REGARD_CONTRAST_MOST);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++)
    for (guint l = 0; l < effects->kinds[kind].n_layers; l++)
      for (guint h = 0; h < effects->kinds[kind].n_heads; h++) {
        const double value = regard_ablation_shown(effects, kind, l, h);
        n_more_for += value > least_for;
        n_more_against += value < least_against;
      }
  g_assert_cmpuint(n_more_for, ==, REGARD_CONTRAST_MOST - 1);
  g_assert_cmpuint(n_more_against, ==, REGARD_CONTRAST_MOST - 1);
  g_assert_cmpuint(regard_figure_n_matrices(figure), ==, 3 * MT_N_KINDS);
}

/* Wide and narrow, light and dark; a token against itself, where no head makes a difference. */
static void
test_page(void)
{
  g_autoptr(RegardAblation) one = weigh(1, 100);
  g_autoptr(RegardAblation) same = weigh(0, mt_model_config(test.model)->eos_id);
  RegardAblation *const all[] = {one, same};
  static const double widths[] = {230, 330, 700};
  for (guint e = 0; e < G_N_ELEMENTS(all); e++)
    for (guint w = 0; w < G_N_ELEMENTS(widths); w++) {
      g_autoptr(RegardFigure) figure = make(all[e], w == 1);
      g_autofree char *caption = regard_figure_caption(figure);
      Recorder *r = record(figure, widths[w], 10);
      assert_on_page(r, figure, widths[w], 10);
      g_assert_true(has_text(r, "rather than"));
      g_assert_nonnull(strstr(caption, "Which head chose it"));
      g_assert_nonnull(strstr(caption, "Source: “" STEPS_TEST_DOGS "” Translation: “"));
      regard_canvas_free(&r->parent);
    }
}

/* All parts are 0: nobody chose. */
static void
test_nobody(void)
{
  g_autoptr(RegardAblation) effects = weigh(1, 100);
  for (mt_attention_kind kind = 0; kind < MT_N_KINDS; kind++) {
    RegardAblationKind *k = &effects->kinds[kind];
    for (gsize i = 0; i < (gsize) k->n_layers * k->n_heads; i++)
      k->contrast[i] = 0;
  }
  g_autoptr(RegardFigure) figure = make(effects, FALSE);
  g_autoptr(GArray) spots = regard_figure_spots(figure, 400, 10, NULL);
  Recorder *r = record(figure, 400, 10);
  g_assert_cmpuint(spots->len, ==, 0);
  g_assert_true(has_text(r, "No head makes a difference."));
  regard_canvas_free(&r->parent);
}

static void
tear_down(void)
{
  steps_test_close(&test);
}

TESTS(.end = tear_down)
{
  steps_test_open(&test, "frozen/en-de");
  g_test_add_func("/figure-contrast/order", test_order);
  g_test_add_func("/figure-contrast/page", test_page);
  g_test_add_func("/figure-contrast/nobody", test_nobody);
}
