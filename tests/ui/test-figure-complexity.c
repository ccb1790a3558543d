/* test-figure-complexity.c — the complexity card: nothing leaves the page and no two texts touch,
 * whatever the sizes, and what its places say.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "canvas-recorder.h"
#include "figures/regard-complexity.h"
#include "suite.h"

#include <math.h>
#include <string.h>

/* ---- Laws --------------------------------------------------------------------------------------
 */

static RegardComplexity
sample(gsize n, gsize m, gsize d, gboolean is_timed)
{
  const mt_config config = {.d_model = d,
                            .n_layers = {6, 6},
                            .n_heads = {8, 8},
                            .d_ffn = {4 * d, 4 * d},
                            .vocab_size = {58101, 58101}};
  RegardComplexity c = regard_complexity_count(&config, n, m, 3, 16);
  if (is_timed) {
    c.times = (mt_cost_times){.n_source = n, .n_target = m, .n_passes = 9, .n_threads = 4};
    for (int i = 0; i < MT_N_COSTS; i++)
      c.times.pass += c.times.of[i] = (double) c.costs.of[i] / 2e7 + 0.01;
    c.times.other = 0.25;
    c.times.pass += c.times.other;
  }
  return c;
}

static void
assert_laws(RegardFigure *figure, double width, double font)
{
  Recorder *r = record(figure, width, font);
  assert_on_page(r, figure, width, font);
  /* Four lines, each with a dash of its own (none is one). */
  g_assert_cmpuint(r->n_dashes, >=, 4);
  regard_canvas_free(&r->parent);
}

static void
test_laws(void)
{
  static const gsize sizes[][3] = {{1, 1, 8},          {4, 5, 256},        {15, 18, 512},
                                   {300, 280, 512},    {512, 512, 64},     {511, 500, 1024},
                                   {900, 1000, 16384}, {9999, 8000, 4096}, {60000, 50000, 1024}};
  static const struct {
    double width_mm, font;
  } pages[] = {{77, 5}, {77, 8}, {89, 7}, {110, 7}, {160, 7}, {183, 10}, {300, 9}};
  static const char *const badges[] = {"cross 4.1 zero", "encoder window 2", NULL};
  for (guint s = 0; s < G_N_ELEMENTS(sizes); s++)
    for (int timed = 0; timed < 2; timed++) {
      RegardComplexity c = sample(sizes[s][0], sizes[s][1], sizes[s][2], timed);
      RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
      style.dark = s % 2;
      g_autoptr(RegardFigure) figure =
          regard_figure_new_complexity(&c, "en-de", timed ? badges : NULL, &style);
      for (guint p = 0; p < G_N_ELEMENTS(pages); p++)
        assert_laws(figure, pages[p].width_mm * 72 / 25.4, pages[p].font);
    }
}

/* ---- What it says ------------------------------------------------------------------------------
 */

static void
test_written(void)
{
  RegardComplexity c = sample(15, 18, 512, TRUE);
  g_autoptr(RegardFigure) figure = regard_figure_new_complexity(&c, "en-de", NULL, NULL);
  Recorder *r = record(figure, 460, 7);
  g_assert_true(has_text(r, "115,200"));    /* 15² · 512 */
  g_assert_true(has_text(r, "3,932,160"));  /* 15 · 512² */
  g_assert_true(has_text(r, "11,796,480")); /* 3 · 15 · 512² */
  g_assert_true(has_text(r, "2.46"));       /* log 15 / log 3 */
  g_assert_true(has_text(r, "(16 is more than the sentence)"));
  g_assert_true(has_text(r, "n = d = 512"));
  g_assert_true(has_text(r, "this sentence, n = 15"));
  g_assert_true(has_text(r, "94,371,840"));  /* 6 · 4 · 15 · 512² */
  g_assert_true(has_text(r, "535,458,816")); /* 18 · 512 · 58101 */
  g_assert_true(has_text(r, "median of 9, 4 threads"));
  g_assert_true(has_text(r, "20.0")); /* 10⁹ in a second */
  g_assert_true(has_text(r, "en-de"));
  regard_canvas_free(&r->parent);

  g_autofree char *caption = regard_figure_caption(figure);
  g_assert_nonnull(strstr(caption, "n = 15, d = 512, k = 3, r = 15"));
  g_assert_nonnull(strstr(caption, "15 + 18 tokens, median of 9, 4 threads"));
  g_assert_null(strstr(caption, "Colour"));
  /* A wide model crosses nothing. */
  RegardComplexity wide = sample(15, 18, 16384, FALSE);
  g_autoptr(RegardFigure) other = regard_figure_new_complexity(&wide, NULL, NULL, NULL);
  r = record(other, 460, 7);
  g_assert_false(has_text(r, "n = d ="));
  g_assert_false(has_text(r, "median"));
  g_assert_true(has_text(r, "not timed"));
  regard_canvas_free(&r->parent);
}

static void
test_spots(void)
{
  enum { TYPES, PLOT, PARTS };
  guint n[3] = {0};
  RegardComplexity c = sample(15, 18, 512, TRUE);
  g_autoptr(RegardFigure) figure = regard_figure_new_complexity(&c, "en-de", NULL, NULL);
  g_autoptr(GArray) spots = regard_figure_spots(figure, 460, 7, NULL);
  const double height = regard_figure_height(figure, 460, 7);
  for (guint i = 0; i < spots->len; i++) {
    const RegardSpot *spot = &g_array_index(spots, RegardSpot, i);
    g_autofree char *says = regard_figure_describe_spot(figure, spot);
    g_autofree char *copy = regard_figure_copy_spot(figure, spot);
    g_assert_nonnull(says);
    g_assert_nonnull(copy);
    char *end;
    g_assert_true(isfinite(g_ascii_strtod(copy, &end)));
    g_assert_cmpint(*end, ==, '\0');
    g_assert_cmpfloat(spot->rect.width, >, 0);
    g_assert_cmpfloat(spot->rect.y + spot->rect.height, <=, height);
    g_assert_cmpint(spot->part, <=, PARTS);
    n[spot->part]++;
  }
  g_assert_cmpuint(n[TYPES], ==, 12);
  g_assert_cmpuint(n[PLOT], ==, 5);
  /* 9 lines of 4, without two numbers of what is no product and the share of the whole. */
  g_assert_cmpuint(n[PARTS], ==, 36 - 2 - 1);

  const struct {
    RegardSpot spot;
    const char *says, *copy;
  } wanted[] = {
      {{.part = TYPES, .row = MT_LAYER_RECURRENT, .col = 0},
       "Recurrent, operations per layer: n · d² = 3,932,160 with n = 15, d = 512",
       "3932160"},
      {{.part = PLOT, .row = -1, .col = 1}, "n = d = 512", "134217728"},
      {{.part = PARTS, .row = MT_COST_OUTPUT, .col = 0},
       "Output matrix: 535,458,816 multiply-adds, m · d · V",
       "535458816"},
      {{.part = PARTS, .row = MT_N_COSTS, .col = 2},
       "Everything else: 0.25 ms; one parallel pass",
       "0.25"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(wanted); i++) {
    g_autofree char *says = regard_figure_describe_spot(figure, &wanted[i].spot);
    g_autofree char *copy = regard_figure_copy_spot(figure, &wanted[i].spot);
    g_assert_true(g_str_has_prefix(says, wanted[i].says));
    g_assert_cmpstr(copy, ==, wanted[i].copy);
  }
}

static void
test_matrices(void)
{
  RegardComplexity c = sample(15, 18, 512, FALSE);
  g_autoptr(RegardFigure) figure = regard_figure_new_complexity(&c, "en-de", NULL, NULL);
  g_assert_cmpuint(regard_figure_n_matrices(figure), ==, 3);
  RegardMatrix *over_n = regard_figure_matrix(figure, 1);
  g_assert_cmpstr(over_n->id, ==, "over_n");
  g_assert_cmpuint(over_n->rows, ==, 14); /* 1, 2, 5, 10, 15, … 10,000 */
  g_assert_cmpstr(over_n->row_labels[4].text, ==, "15");
  g_assert_cmpfloat(regard_matrix_get(over_n, 4, MT_LAYER_SELF_ATTENTION), ==, 115200);
  g_assert_cmpstr(over_n->row_labels[13].text, ==, "10000");
  g_assert_cmpfloat(regard_matrix_get(over_n, 13, MT_LAYER_RESTRICTED), ==, 81920000);
  RegardMatrix *parts = regard_figure_matrix(figure, 2);
  g_assert_cmpstr(parts->id, ==, "parts");
  for (guint r = 0; r < parts->rows; r++)
    g_assert_true(isnan(regard_matrix_get(parts, r, 2)));
  /* A sentence longer than the plot usually is. */
  RegardComplexity endless = sample(12000, 18, 512, FALSE);
  g_autoptr(RegardFigure) other = regard_figure_new_complexity(&endless, NULL, NULL, NULL);
  RegardMatrix *longer = regard_figure_matrix(other, 1);
  g_assert_cmpstr(longer->row_labels[longer->rows - 1].text, ==, "100000");
}

TESTS()
{
  g_test_add_func("/figure-complexity/laws", test_laws);
  g_test_add_func("/figure-complexity/written", test_written);
  g_test_add_func("/figure-complexity/spots", test_spots);
  g_test_add_func("/figure-complexity/matrices", test_matrices);
}
