/* test-head-statistics.c — the numbers of all heads, the names they earn, filters in words, and the
 * list as a table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export-test.h"
#include "figures/regard-head-statistics.h"
#include "sample-capture.h"
#include "suite.h"

#include <math.h>
#include <string.h>

static double
get(const RegardHeadRow *row, const char *id)
{
  return regard_head_row_get(row, regard_head_statistic_find(id));
}

/* Every row says what the engine says of the same head, in the order of the window. */
static void
test_rows(void)
{
  mt_capture *capture = sample_capture(2);
  guint n, i = 0;
  gsize n_statistics;
  g_autofree RegardHeadRow *rows = regard_head_rows_new(capture, NULL, NULL, &n);
  const mt_head_statistic *statistics = mt_head_statistics(&n_statistics);
  static const mt_attention_kind order[] = {MT_ENCODER_SELF, MT_CROSS, MT_DECODER_SELF};
  g_assert_cmpuint(n, ==, 3 * 2 * 8);
  for (guint k = 0; k < 3; k++)
    for (guint l = 0; l < 2; l++)
      for (guint h = 0; h < 8; h++, i++) {
        mt_head_metrics expected = mt_head_metrics_compute(capture, order[k], l, h);
        g_autofree char *name = regard_head_row_name(&rows[i]);
        g_autofree char *wanted =
            g_strdup_printf("%s %u.%u", (const char *[]){"encoder", "cross", "decoder"}[k], l + 1,
                            h + 1);
        g_assert_cmpstr(name, ==, wanted);
        for (gsize m = 0; m < n_statistics; m++) {
          const double value = regard_head_row_get(&rows[i], &statistics[m]);
          if (statistics[m].absent || !(statistics[m].kinds & 1u << order[k]))
            g_assert_true(isnan(value));
          else
            g_assert_cmpfloat(value, ==, mt_head_statistic_of(&statistics[m], &expected));
        }
        g_assert_cmpfloat(get(&rows[i], "entropy"), ==, expected.mean_entropy);
      }
  g_assert_null(regard_head_statistic_find("mass"));
  mt_capture_unref(capture);
}

static void
test_roles(void)
{
  static const struct {
    mt_attention_kind kind;
    mt_head_metrics metrics;
    const char *roles;
  } cases[] = {
      {MT_ENCODER_SELF, {.special_share = 0.7, .previous_share = 0.95}, "sink, previous"},
      {MT_ENCODER_SELF, {.special_share = 0.59, .previous_share = 0.89}, ""},
      {MT_ENCODER_SELF, {.monotone_share = 1, .confidence = 1}, ""},
      {MT_CROSS, {.monotone_share = 0.8, .confidence = 0.5}, "monotone"},
      {MT_CROSS, {.monotone_share = 1, .confidence = 0.39}, ""},
      {MT_CROSS, {.same_share = 1, .next_share = 1}, ""},
      {MT_DECODER_SELF, {.same_share = 0.9}, "same"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    const RegardHeadRow row = regard_head_row_of(cases[i].kind, 0, 0, &cases[i].metrics);
    g_autofree char *roles = regard_head_row_roles(&row);
    g_assert_cmpstr(roles, ==, cases[i].roles);
  }
}

static void
test_filters(void)
{
  RegardHeadRow cross = regard_head_row_of(MT_CROSS, 3, 0,
                                           &(mt_head_metrics){.mean_entropy = 1.38,
                                                              .confidence = 0.57,
                                                              .special_share = 0.19,
                                                              .monotone_share = 0.8});
  regard_head_row_set(&cross, regard_head_statistic_find("effect"), -0.31);
  regard_head_row_set(&cross, regard_head_statistic_find("moved"), 0.12);
  static const struct {
    const char *text;
    gboolean matches;
  } cases[] = {
      {"", TRUE},
      {"  , ", TRUE},
      {"cross", TRUE},
      {"Cross", TRUE},
      {"encoder", FALSE},
      {"monotone", TRUE},
      {"sink", FALSE},
      {"4.1", TRUE},
      {"4.*", TRUE},
      {"*.1", TRUE},
      {"*.2", FALSE},
      {"4.2", FALSE},
      {"entropy < 2", TRUE},
      {"entropy<1.38", FALSE},
      {"entropy<=1.38", TRUE},
      {"entropy ≥ 1,38", TRUE},
      {"entropy = 1.4", FALSE},
      {"entropy = 1.38", TRUE},
      {"special > 10 %", TRUE},
      {"special>19%", FALSE},
      {"special > .1, confidence > .5", TRUE},
      {"special > .1 confidence > .6", FALSE},
      {"cross 4.1 monotone>0.75", TRUE},
      {"previous > 0", FALSE}, /* not defined here */
      {"previous <= 0", FALSE},
      {"moved > 0.1", TRUE},
      {"moved > 12 %", FALSE},
      {"effect < -0.3", TRUE},
      {"effect<−0,3", TRUE}, /* the sign of the table */
      {"effect > -0.3", FALSE},
      {"effect > +0.1", FALSE},
  };
  static const char *const mistakes[][2] = {
      {"crosses", "“crosses” is no kind, role, place or measure"},
      {"mass > 1", "“mass” is no kind, role, place or measure"},
      {"rare > 1", "“rare” is no kind, role, place or measure"}, /* but over a text */
      {"cross entropy", "“entropy” wants a number: entropy > 0.5"},
      {"4.0", "“4.0” is no kind, role, place or measure"},
      {"4.1.2", "“4.1.2” is no kind, role, place or measure"},
      {"99999999999.1", "“99999999999.1” is no kind, role, place or measure"},
      {"special > x", "“special” wants a number: special > 0.5"},
      {"special > 1.2.3", "“special” wants a number: special > 0.5"},
      {"effect > --1", "“effect” wants a number: effect > 0.5"},
      {"> 3", "“>” is no kind, role, place or measure"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    char *error = NULL;
    g_autoptr(RegardHeadFilter) filter = regard_head_filter_new(FALSE, cases[i].text, &error);
    g_assert_cmpstr(error, ==, NULL);
    g_assert_cmpint(regard_head_filter_matches(filter, &cross), ==, cases[i].matches);
  }
  const RegardHeadRow unasked = regard_head_row_init(MT_CROSS, 3, 0);
  g_autoptr(RegardHeadFilter) any_effect = regard_head_filter_new(FALSE, "effect > -100", NULL);
  g_assert_false(regard_head_filter_matches(any_effect, &unasked));
  for (guint i = 0; i < G_N_ELEMENTS(mistakes); i++) {
    g_autofree char *error = NULL;
    g_assert_null(regard_head_filter_new(FALSE, mistakes[i][0], &error));
    g_assert_cmpstr(error, ==, mistakes[i][1]);
  }
}

/* The table is drawn, and its files hold every number; where there is none, nothing. */
static void
test_table(void)
{
  mt_capture *capture = sample_capture(1);
  guint n;
  g_autofree RegardHeadRow *rows = regard_head_rows_new(capture, NULL, NULL, &n);
  const RegardHeadRow *shown[] = {&rows[9], &rows[0]};
  g_autoptr(RegardMatrix) m = regard_matrix_new_heads(capture, shown, 2, "Heads");
  mt_capture_unref(capture);
  g_assert_cmpstr(m->row_labels[0].text, ==, "cross 1.2");
  g_assert_cmpstr(m->row_labels[1].text, ==, "encoder 1.1");
  g_assert_cmpstr(m->col_labels[0].text, ==, "Entropy (bit)");
  g_assert_cmpfloat(regard_matrix_get(m, 0, 0), ==, (float) get(&rows[9], "entropy"));
  g_assert_true(isnan(regard_matrix_get(m, 0, 4)));
  g_autoptr(RegardFigure) figure = regard_figure_new_table(m, NULL);
  g_assert_cmpfloat(regard_figure_height(figure, 450, 7), >, 7 * 4);
  g_assert_cmpfloat(regard_figure_height(figure, 450, 7), <, 7 * 20);
  g_autofree char *svg = render_text(figure, "svg");
  g_autofree char *number = g_strdup_printf(">%.2f<", get(&rows[9], "entropy"));
  g_assert_nonnull(strstr(svg, number));
  g_assert_nonnull(strstr(svg, "cross 1.2"));
  g_assert_null(strstr(svg, "nan"));
  g_autofree char *csv = render_text(figure, "csv");
  g_assert_nonnull(strstr(csv, "1:encoder 1.1,"));
  g_assert_nonnull(strstr(csv, "0:entropy,1:confidence"));
  g_autofree char *json = render_text(figure, "json");
  g_assert_nonnull(strstr(json, "null"));
  g_autofree char *caption = regard_figure_caption(figure);
  g_assert_nonnull(strstr(caption, "Rows are heads, columns are measures on this sentence."));
  g_assert_nonnull(strstr(caption, "Model: en-de."));
  static const char *const pictures[] = {"png", "pdf", "npz"};
  for (guint i = 0; i < G_N_ELEMENTS(pictures); i++) {
    g_autoptr(GBytes) bytes = render(figure, pictures[i], NULL);
    g_assert_cmpuint(g_bytes_get_size(bytes), >, 100);
  }
}

/* What was asked for: effects of heads, and how far they moved; a column for each that is there. */
static void
test_asked(void)
{
  mt_capture *a = sample_capture(1), *b = sample_capture(1);
  guint n;
  g_autofree RegardHeadRow *rows = regard_head_rows_new(a, a, b, &n);
  const mt_head_statistic *moved = regard_head_statistic_find("moved");
  const mt_head_statistic *effect = regard_head_statistic_find("effect");
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat(get(&rows[i], "moved"), ==,
                      mt_capture_divergence(a, b, rows[i].kind, rows[i].layer, rows[i].head));
  const RegardHeadRow *shown[] = {&rows[3], &rows[9]};
  g_assert_true(regard_head_statistic_is_there(moved, shown, 2));
  g_assert_false(regard_head_statistic_is_there(effect, shown, 2));
  {
    g_autoptr(RegardMatrix) m = regard_matrix_new_heads(a, shown, 2, "Heads");
    g_assert_cmpstr(m->col_labels[m->cols - 1].text, ==, "Moved (bit)");
    g_assert_cmpuint(m->cols, ==, 9);
    g_assert_null(m->badges[0]);
  }

  double numbers[8];
  for (guint h = 0; h < 8; h++)
    numbers[h] = 0.1 * h - 0.25;
  RegardAblation effects = {.with = MT_ABLATION_UNIFORM};
  effects.kinds[MT_ENCODER_SELF] =
      (RegardAblationKind){.n_layers = 1, .n_heads = 8, .effects = numbers};
  for (guint i = 0; i < n; i++)
    regard_head_row_set_ablation(&rows[i], &effects);
  g_assert_cmpfloat(get(&rows[3], "effect"), ==, numbers[3]);
  g_assert_true(isnan(get(&rows[9], "effect"))); /* there are none of cross-attention */
  {
    g_autoptr(RegardMatrix) m = regard_matrix_new_heads(a, shown, 2, "Heads");
    g_assert_cmpuint(m->cols, ==, 10);
    g_assert_cmpstr(m->badges[0], ==, "effects with uniform");
    g_autoptr(RegardFigure) figure = regard_figure_new_table(m, NULL);
    g_autofree char *csv = render_text(figure, "csv");
    g_assert_nonnull(strstr(csv, "8:effect,9:moved"));
    g_autofree char *json = render_text(figure, "json");
    g_assert_nonnull(strstr(json, "effects with uniform"));
  }
  regard_head_row_set_ablation(&rows[3], NULL);
  g_assert_true(isnan(get(&rows[3], "effect")) && !rows[3].with);

  static const struct {
    const char *id;
    double value;
    const char *text;
  } texts[] = {{"effect", 0.3141, "+0.314"}, {"effect", -0.3141, "−0.314"},
               {"effect", -1e-5, "0.000"},   {"moved", 0.0666, "0.067"},
               {"entropy", 1.384, "1.38"},   {"effect", NAN, ""}};
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree char *text =
        regard_head_statistic_format(regard_head_statistic_find(texts[i].id), texts[i].value);
    g_assert_cmpstr(text, ==, texts[i].text);
  }
  mt_capture_unref(a);
  mt_capture_unref(b);
}

/* Where scores have a part that is position there is its share, in files, too; but of
 * cross-attention. */
static void
test_position(void)
{
  mt_capture *capture = sample_relative_capture(1);
  guint n;
  g_autofree RegardHeadRow *rows = regard_head_rows_new(capture, NULL, NULL, &n);
  const RegardHeadRow *shown[] = {&rows[1], &rows[8 + 1]};
  const double share = mt_head_metrics_compute(capture, MT_ENCODER_SELF, 0, 1).position_share;
  g_assert_cmpfloat(get(&rows[1], "position"), ==, share);
  g_assert_true(isnan(get(&rows[8 + 1], "position")));
  g_autoptr(RegardMatrix) m = regard_matrix_new_heads(capture, shown, 2, "Heads");
  g_autoptr(RegardFigure) figure = regard_figure_new_table(m, NULL);
  g_autofree char *csv = render_text(figure, "csv"), *json = render_text(figure, "json");
  g_assert_nonnull(strstr(csv, "8:position"));
  g_assert_nonnull(strstr(json, "\"position\""));
  mt_capture_unref(capture);
}

TESTS()
{
  g_test_add_func("/head-statistics/rows", test_rows);
  g_test_add_func("/head-statistics/roles", test_roles);
  g_test_add_func("/head-statistics/filters", test_filters);
  g_test_add_func("/head-statistics/table", test_table);
  g_test_add_func("/head-statistics/asked", test_asked);
  g_test_add_func("/head-statistics/position", test_position);
}
