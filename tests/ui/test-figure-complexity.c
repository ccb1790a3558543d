/* test-figure-complexity.c — the complexity card: nothing leaves the page and no two texts touch,
 * whatever the sizes, and what its places say.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "figures/regard-canvas.h"
#include "figures/regard-figure-complexity.h"

#include <math.h>
#include <string.h>

/* ---- A canvas that records ---------------------------------------------------------------------
 */

typedef struct {
  char *text;
  RegardRect box;
} Written;

typedef struct {
  RegardCanvas parent;
  GArray *texts;        /* of Written */
  double right, bottom; /* of all that is drawn */
  double left, top;
  guint n_dashes; /* different ones */
  double dashes[16];
} Recorder;

static void
reach(RegardCanvas *canvas, double x, double y)
{
  Recorder *r = (Recorder *) canvas;
  g_assert_true(isfinite(x) && isfinite(y));
  r->left = MIN(r->left, x);
  r->top = MIN(r->top, y);
  r->right = MAX(r->right, x);
  r->bottom = MAX(r->bottom, y);
}

static void
reach_rect(RegardCanvas *canvas, RegardRect rect)
{
  g_assert_cmpfloat(rect.width, >=, 0);
  g_assert_cmpfloat(rect.height, >=, 0);
  reach(canvas, rect.x, rect.y);
  reach(canvas, rect.x + rect.width, rect.y + rect.height);
}

static void
record_fill(RegardCanvas *canvas, RegardRect rect, double radius, guint32 argb)
{
  /* The first is the background. */
  reach_rect(canvas, rect);
}

static void
record_stroke(RegardCanvas *canvas, RegardRect rect, double width, guint32 argb)
{
  reach_rect(canvas, rect);
}

static void
record_line(RegardCanvas *canvas, double x0, double y0, double x1, double y1, double width,
            guint32 argb)
{
  reach(canvas, x0, y0);
  reach(canvas, x1, y1);
}

static void
record_polyline(RegardCanvas *canvas, const RegardPoint *points, guint n, const RegardPen *pen)
{
  Recorder *r = (Recorder *) canvas;
  for (guint i = 0; i < n; i++)
    reach(canvas, points[i].x, points[i].y);
  for (guint i = 0; i < r->n_dashes; i++)
    if (r->dashes[i] == pen->dash)
      return;
  g_assert_cmpuint(r->n_dashes, <, G_N_ELEMENTS(r->dashes));
  r->dashes[r->n_dashes++] = pen->dash;
}

static void
record_text(RegardCanvas *canvas, double x, double baseline, const RegardSpan *spans, guint n,
            double size, RegardAnchor anchor, double angle)
{
  const double width = regard_canvas_text_width(canvas, spans, n, size);
  const double left = anchor == REGARD_ANCHOR_START    ? x
                      : anchor == REGARD_ANCHOR_MIDDLE ? x - width / 2
                                                       : x - width;
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < n; i++)
    g_string_append(text, spans[i].text);
  if (text->len == 0)
    return;
  g_assert_cmpfloat(angle, ==, 0);
  Written w = {g_strdup(text->str), {left, baseline - 0.76 * size, width, size * 0.98}};
  reach_rect(canvas, w.box);
  g_array_append_val(((Recorder *) canvas)->texts, w);
}

static void
written_clear(void *written)
{
  g_free(((Written *) written)->text);
}

static void
recorder_free(RegardCanvas *canvas)
{
  g_array_unref(((Recorder *) canvas)->texts);
  regard_canvas_clear(canvas);
  g_free(canvas);
}

static Recorder *
record(RegardFigure *figure, double width, double font)
{
  static const RegardCanvasClass klass = {
      .fill_rect = record_fill,
      .stroke_rect = record_stroke,
      .stroke_line = record_line,
      .polyline = record_polyline,
      .text = record_text,
      .free = recorder_free,
  };
  Recorder *r = g_new0(Recorder, 1);
  regard_canvas_init(&r->parent, &klass);
  r->texts = g_array_new(FALSE, FALSE, sizeof(Written));
  g_array_set_clear_func(r->texts, written_clear);
  regard_figure_paint(figure, &r->parent, width, font);
  return r;
}

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

static gboolean
overlap(const RegardRect *a, const RegardRect *b)
{
  const double touch = 0.2;
  return a->x + a->width > b->x + touch && b->x + b->width > a->x + touch &&
         a->y + a->height > b->y + touch && b->y + b->height > a->y + touch;
}

static void
assert_laws(RegardFigure *figure, double width, double font)
{
  const double height = regard_figure_height(figure, width, font);
  Recorder *r = record(figure, width, font);
  g_assert_cmpfloat(r->left, >=, 0);
  g_assert_cmpfloat(r->top, >=, 0);
  g_assert_cmpfloat(r->right, <=, width + 0.1);
  g_assert_cmpfloat(r->bottom, <=, height + 0.1);
  for (guint i = 0; i < r->texts->len; i++)
    for (guint k = 0; k < i; k++) {
      const Written *a = &g_array_index(r->texts, Written, i);
      const Written *b = &g_array_index(r->texts, Written, k);
      if (!overlap(&a->box, &b->box))
        continue;
      g_test_message("“%s” and “%s” overlap at %g × %g, font %g", a->text, b->text, width, height,
                     font);
      g_test_fail();
    }
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

static gboolean
has_text(const Recorder *r, const char *part)
{
  for (guint i = 0; i < r->texts->len; i++)
    if (strstr(g_array_index(r->texts, Written, i).text, part))
      return TRUE;
  return FALSE;
}

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

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/figure-complexity/laws", test_laws);
  g_test_add_func("/figure-complexity/written", test_written);
  g_test_add_func("/figure-complexity/spots", test_spots);
  g_test_add_func("/figure-complexity/matrices", test_matrices);
  return g_test_run();
}
