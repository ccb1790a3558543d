/* test-lines.c — lines between two lists of labels: which are strong, where they are, and what is
 * at a point.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-lines.h"
#include "lines-test.h"
#include "sample-capture.h"
#include "suite.h"

#include <math.h>
#include <string.h>

/* ---- The smallest set ------------------------------------------------------------------------ */

/* The fewest of n by trying all subsets. */
static guint
fewest(const float *values, guint n, double share)
{
  double all = 0;
  guint best = n + 1;
  for (guint i = 0; i < n; i++)
    all += fabsf(values[i]);
  for (guint set = 0; set < 1u << n; set++) {
    double sum = 0;
    guint size = 0;
    for (guint i = 0; i < n; i++)
      if (set >> i & 1) {
        sum += fabsf(values[i]);
        size++;
      }
    if (sum >= share * all * (1 - 1e-9))
      best = MIN(best, size);
  }
  return best;
}

static void
test_smallest_set_is_smallest(void)
{
  enum { N = 9 };
  guint32 state = 7;
  for (int round = 0; round < 400; round++) {
    float values[N];
    guint8 kept[N];
    double all = 0, held = 0;
    guint n = 0;
    for (guint i = 0; i < N; i++) {
      state = state * 1664525 + 1013904223;
      /* Peaked and flat rows, with a sign in every third round. */
      values[i] = powf((float) (state >> 8 & 0xffff) / 65536, (float) (1 + round % 4));
      if (round % 3 == 0 && state >> 31)
        values[i] = -values[i];
      all += fabsf(values[i]);
    }
    const double share = (round % 10 + 1) / 11.0;
    const guint n_kept = regard_lines_smallest_set(values, N, share, kept);
    for (guint i = 0; i < N; i++) {
      g_assert_cmpuint(kept[i], <=, 1);
      n += kept[i];
      held += kept[i] ? fabsf(values[i]) : 0;
    }
    g_assert_cmpuint(n, ==, n_kept);
    g_assert_cmpuint(n, ==, fewest(values, N, share));
    g_assert_cmpfloat(held, >=, share * all * (1 - 1e-6));
    /* None that is left out is larger than one that is kept. */
    for (guint i = 0; i < N; i++)
      for (guint j = 0; j < N; j++)
        g_assert_false(kept[i] && !kept[j] && fabsf(values[j]) > fabsf(values[i]));
  }
}

static void
test_smallest_set_of_odd_rows(void)
{
  guint8 kept[5];
  const float even[] = {0.2f, 0.2f, 0.2f, 0.2f, 0.2f}, nothing[5] = {0};
  const float odd[] = {NAN, 0.5f, INFINITY, -0.25f, 0.25f}, zeros[] = {0, 0.3f, 0, 0.7f, 0};
  /* Of equal ones the first; 0.6 of five is three of them, whatever 3 * 0.2f sums to. */
  g_assert_cmpuint(regard_lines_smallest_set(even, 5, 0.6, kept), ==, 3);
  g_assert_cmpmem(kept, 5, "\1\1\1\0\0", 5);
  g_assert_cmpuint(regard_lines_smallest_set(even, 5, 0.61, kept), ==, 4);
  g_assert_cmpuint(regard_lines_smallest_set(nothing, 5, 0.7, kept), ==, 0);
  g_assert_cmpmem(kept, 5, "\0\0\0\0\0", 5);
  g_assert_cmpuint(regard_lines_smallest_set(odd, 5, 0.7, kept), ==, 2);
  g_assert_cmpmem(kept, 5, "\0\1\0\1\0", 5);
  g_assert_cmpuint(regard_lines_smallest_set(zeros, 5, 0, kept), ==, 0);
  g_assert_cmpuint(regard_lines_smallest_set(zeros, 5, 1, kept), ==, 2);
  g_assert_cmpmem(kept, 5, "\0\1\0\1\0", 5);
  g_assert_cmpuint(regard_lines_smallest_set(even, 0, 0.7, kept), ==, 0);
}

static void
test_dimmed_is_said(void)
{
  g_autoptr(RegardMatrix) m = small_matrix();
  g_autoptr(RegardLines) lines = lines_of(m, 0.7);
  /* Row 0 keeps 0.6 and 0.3, row 1 its 0.8; 0.1 and 0.2 of 2 are dimmed. */
  g_assert_cmpmem(lines->kept[0], 6, "\1\1\0\0\0\1", 6);
  g_assert_cmpuint(lines->n_lines, ==, 5);
  g_assert_cmpuint(lines->n_kept, ==, 3);
  g_assert_cmpfloat_with_epsilon(lines->dimmed, 0.15, 1e-6);
  g_autofree char *text = regard_lines_describe(lines);
  g_assert_cmpstr(text, ==,
                  "lines of the fewest keys that hold 70 % of each row; the other 15 % is dimmed");
  g_autofree char *row = regard_lines_describe_token(lines, REGARD_LINES_ROWS, 0);
  g_assert_cmpstr(row, ==,
                  "row Das: The 0.60, big 0.30, house 0.10; 2 of 3 hold 0.90, the other 0.10 is "
                  "dimmed");
  g_autofree char *col = regard_lines_describe_token(lines, REGARD_LINES_COLS, 2);
  g_assert_cmpstr(col, ==, "column house: Haus 0.80, Das 0.10");
  g_autofree char *line = regard_lines_describe_line(lines, 0, 0, 2);
  g_assert_cmpstr(line, ==, "row Das, column house, 0.10, rank 3 of 3, dimmed");
  g_autofree char *strong = regard_lines_describe_line(lines, 0, 1, 2);
  g_assert_cmpstr(strong, ==, "row Haus, column house, 0.80, highest of 3");

  g_autoptr(RegardLines) all = lines_of(m, 1);
  g_autofree char *nothing = regard_lines_describe(all);
  g_assert_cmpstr(nothing, ==, "all 5 lines");
  g_assert_cmpfloat(all->dimmed, ==, 0);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

static void
lay_out(RegardLinesLayout *layout, const RegardLines *lines, RegardLinesOrientation orientation,
        double width, double pitch)
{
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_measure();
  regard_lines_lay_out(layout, canvas, lines, orientation, (RegardRect){10, 20, width, 0}, pitch,
                       12);
}

static void
test_layout(void)
{
  static const guint sizes[] = {1, 2, 5, 30, 120, 512};
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
    for (int o = 0; o < 2; o++) {
      g_autoptr(RegardMatrix) m = matrix_of_size(sizes[i], MT_CROSS);
      g_autoptr(RegardLines) lines = lines_of(m, 0.7);
      g_auto(RegardLinesLayout) l = {0};
      lay_out(&l, lines, (RegardLinesOrientation) o, 700, 0);
      g_assert_cmpfloat(l.plot.width, >, 20);
      g_assert_cmpfloat(l.plot.height, >, 5);
      g_assert_cmpfloat(l.whole.x, >=, 10);
      g_assert_cmpfloat(l.whole.x + l.whole.width, <=, 710.01);
      for (guint s = 0; s < 2; s++) {
        const RegardLinesList *list = &l.list[s];
        g_assert_cmpuint(list->n, ==, sizes[i]);
        for (guint t = 0; t < list->n; t++) {
          const double x = o ? list->at[t] : l.plot.x + 1, y = o ? l.plot.y + 1 : list->at[t];
          g_assert_true(t == 0 || list->at[t] > list->at[t - 1]);
          g_assert_cmpuint(regard_lines_nearest(&l, s, x, y), ==, t);
          g_assert_cmpfloat(x, >=, l.plot.x);
          g_assert_cmpfloat(x, <=, l.plot.x + l.plot.width);
          g_assert_cmpfloat(y, >=, l.plot.y);
          g_assert_cmpfloat(y, <=, l.plot.y + l.plot.height);
        }
        /* Labels that are drawn do not touch. */
        if (o == REGARD_LINES_UPRIGHT || list->angle != 0)
          g_assert_cmpfloat(list->pitch * list->step, >=, list->size * 0.99);
      }
    }
}

/* Both lists have one pitch, and the shorter one stands in the middle. */
static void
test_lists_of_two_lengths(void)
{
  static const float values[3 * 7] = {1};
  g_autoptr(RegardMatrix) m = sample_matrix(values, 3, 7, NULL, NULL);
  g_autoptr(RegardLines) lines = lines_of(m, 0.7);
  g_auto(RegardLinesLayout) l = {0};
  lay_out(&l, lines, REGARD_LINES_UPRIGHT, 500, 20);
  g_assert_cmpfloat_with_epsilon(l.plot.height, 7 * 20, 1e-9);
  g_assert_cmpfloat_with_epsilon(l.list[REGARD_LINES_ROWS].at[1], l.list[REGARD_LINES_COLS].at[3],
                                 1e-9);
  g_assert_cmpfloat_with_epsilon(l.list[REGARD_LINES_ROWS].at[2] - l.list[REGARD_LINES_ROWS].at[1],
                                 20, 1e-9);
}

/* Words that do not fit evenly stand as far apart as they are long. */
static void
test_level_words_do_not_overlap(void)
{
  static const char *const words[] = {"I", "a", "Donaudampfschifffahrtsgesellschaft", "of", "to"};
  static const float values[25] = {1};
  g_autoptr(RegardMatrix) m = sample_matrix(values, 5, 5, words, words);
  g_autoptr(RegardLines) lines = lines_of(m, 1);
  g_autoptr(RegardCanvas) canvas = regard_canvas_new_measure();
  g_auto(RegardLinesLayout) l = {0};
  lay_out(&l, lines, REGARD_LINES_LEVEL, 420, 0);
  g_assert_cmpfloat(l.list[0].angle, ==, 0);
  for (guint i = 1; i < 5; i++) {
    RegardSpan before = {words[i - 1], 0, FALSE}, here = {words[i], 0, FALSE};
    const double half = (regard_canvas_text_width(canvas, &before, 1, 12) +
                         regard_canvas_text_width(canvas, &here, 1, 12)) /
                        2;
    g_assert_cmpfloat(l.list[0].at[i] - l.list[0].at[i - 1], >, half);
  }
  regard_lines_layout_clear(&l);
  lay_out(&l, lines, REGARD_LINES_LEVEL, 100, 0);
  g_assert_cmpfloat(l.list[0].angle, ==, -90);
}

static void
test_hits(void)
{
  static const RegardLinesMarks none = REGARD_LINES_MARKS_INIT;
  g_autoptr(RegardMatrix) m = small_matrix();
  g_autoptr(RegardLines) lines = lines_of(m, 0.7);
  for (int o = 0; o < 2; o++) {
    g_auto(RegardLinesLayout) l = {0};
    lay_out(&l, lines, (RegardLinesOrientation) o, 400, 30);
    const gboolean is_level = o == REGARD_LINES_LEVEL;
    /* Every token, in the middle of where its label is. */
    for (guint s = 0; s < 2; s++)
      for (guint i = 0; i < l.list[s].n; i++) {
        const double at = l.list[s].at[i];
        const double before = (is_level ? l.plot.y : l.plot.x) - 15;
        const double behind =
            is_level ? l.plot.y + l.plot.height + 15 : l.plot.x + l.plot.width + 15;
        const double across = (s == REGARD_LINES_ROWS) == !is_level ? before : behind;
        RegardLinesHit hit =
            regard_lines_hit(&l, lines, &none, is_level ? at : across, is_level ? across : at, 4);
        g_assert_cmpint(hit.what, ==, REGARD_LINES_TOKEN);
        g_assert_cmpint(hit.side, ==, s);
        g_assert_cmpuint(hit.i, ==, i);
      }
    /* Every line, near its row, where they lie apart. */
    for (guint r = 0; r < 2; r++)
      for (guint c = 0; c < 3; c++) {
        const double u = is_level ? 0.25 : 0.75;
        const double at = regard_lines_position(&l, 0, r, c, u);
        const double x = is_level ? at : l.plot.x + u * l.plot.width;
        const double y = is_level ? l.plot.y + u * l.plot.height : at;
        RegardLinesHit hit = regard_lines_hit(&l, lines, &none, x, y, 1);
        if (regard_matrix_get(m, r, c) == 0) {
          g_assert_false(hit.what == REGARD_LINES_LINE && hit.row == r && hit.col == c);
          continue;
        }
        g_assert_cmpint(hit.what, ==, REGARD_LINES_LINE);
        g_assert_cmpuint(hit.row, ==, r);
        g_assert_cmpuint(hit.col, ==, c);
      }
    g_assert_cmpint(regard_lines_hit(&l, lines, &none, -50, -50, 4).what, ==, REGARD_LINES_NOTHING);
  }
}

/* A strong line is meant rather than a faint one beside it, and of isolated tokens only theirs. */
static void
test_hits_prefer(void)
{
  static const float values[] = {0.9f, 0.1f, 0.1f, 0.9f};
  g_autoptr(RegardMatrix) m = sample_matrix(values, 2, 2, NULL, NULL);
  g_autoptr(RegardLines) lines = lines_of(m, 0.7);
  static const guint8 second[] = {0, 1};
  RegardLinesMarks marks = REGARD_LINES_MARKS_INIT;
  g_auto(RegardLinesLayout) l = {0};
  lay_out(&l, lines, REGARD_LINES_UPRIGHT, 400, 30);
  const double x = l.plot.x + 2, y = l.list[0].at[0];
  RegardLinesHit hit = regard_lines_hit(&l, lines, &marks, x, y, 3);
  g_assert_cmpint(hit.what, ==, REGARD_LINES_LINE);
  g_assert_cmpuint(hit.col, ==, 0);
  marks.cols = second;
  hit = regard_lines_hit(&l, lines, &marks, x, y, 3);
  g_assert_cmpint(hit.what, ==, REGARD_LINES_LINE);
  g_assert_cmpuint(hit.row, ==, 0);
  g_assert_cmpuint(hit.col, ==, 1);
}

TESTS()
{
  g_test_add_func("/lines/smallest-set/smallest", test_smallest_set_is_smallest);
  g_test_add_func("/lines/smallest-set/odd-rows", test_smallest_set_of_odd_rows);
  g_test_add_func("/lines/dimmed", test_dimmed_is_said);
  g_test_add_func("/lines/layout", test_layout);
  g_test_add_func("/lines/two-lengths", test_lists_of_two_lengths);
  g_test_add_func("/lines/level-words", test_level_words_do_not_overlap);
  g_test_add_func("/lines/hits", test_hits);
  g_test_add_func("/lines/hits-prefer", test_hits_prefer);
}
