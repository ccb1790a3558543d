/* test-figure-lines.c — lines between two lists of labels as a figure in every format, and the
 * image of very many.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "canvas-recorder.h"
#include "export-test.h"
#include "figures/regard-figure-private.h"
#include "lines-test.h"
#include "sample-capture.h"
#include "suite.h"

#include <math.h>
#include <string.h>

/* ---- The image of very many ------------------------------------------------------------------ */

static guint32
pixel(cairo_surface_t *surface, int x, int y)
{
  guint32 argb;
  const guchar *row = cairo_image_surface_get_data(surface) +
                      (gsize) y * (gsize) cairo_image_surface_get_stride(surface);
  memcpy(&argb, row + 4 * (gsize) x, sizeof argb);
  return argb;
}

/* Lines cross as if one were painted over the other, and hundreds of lines that could not be seen
 * alone are seen. */
static void
test_image_composes(void)
{
  static const guint32 inks[] = {0xff0000ff, 0xffff0000};
  RegardStroke strokes[402] = {
      {.from = 5, .to = 5, .width = 2, .depth = (float) -log1p(-0.5), .ink = 0},
      {.from = 5, .to = 5, .width = 2, .depth = (float) -log1p(-0.5), .ink = 1},
  };
  cairo_surface_t *image = regard_lines_raster(strokes, 1, inks, 2, 40, 20, FALSE);
  g_assert_cmphex(pixel(image, 20, 4), ==, 0x80000080);
  g_assert_cmphex(pixel(image, 20, 5), ==, 0x80000080);
  g_assert_cmphex(pixel(image, 20, 3), ==, 0);
  g_assert_cmphex(pixel(image, 20, 6), ==, 0);
  cairo_surface_destroy(image);
  image = regard_lines_raster(strokes, 2, inks, 2, 40, 20, FALSE);
  g_assert_cmphex(pixel(image, 0, 4), ==, 0xbf600060); /* 3/4 of a half of each */
  cairo_surface_destroy(image);
  for (guint i = 0; i < 400; i++)
    strokes[2 + i] = (RegardStroke){10, 10, 1, (float) -log1p(-0.001), 0};
  image = regard_lines_raster(strokes + 2, 400, inks, 2, 40, 20, TRUE);
  g_assert_cmpint(cairo_image_surface_get_width(image), ==, 20);
  const double opacity = 1 - pow(0.999, 400);
  g_assert_cmpint((int) (pixel(image, 10, 7) >> 24) + (int) (pixel(image, 9, 7) >> 24), ==,
                  2 * (int) round(255 * (1 - sqrt(1 - opacity))));
  cairo_surface_destroy(image);
}

/* What is merged has the same ink, line for line where one stands out, and is much fewer. */
static void
test_merge(void)
{
  enum { N = 150 };
  g_autofree float *depths = g_new(float, N *N), *widths = g_new(float, N *N);
  g_autofree double *at = g_new(double, N);
  g_autoptr(GArray) strokes = g_array_new(FALSE, FALSE, sizeof(RegardStroke));
  double ink = 0, merged = 0;
  guint n_peaks = 0;
  for (guint i = 0; i < N; i++)
    at[i] = 3 + 2 * i;
  for (guint i = 0; i < N * N; i++) {
    const gboolean is_peak = i % 997 == 5;
    depths[i] = is_peak ? 0.7f : 1e-4f * (float) (i % 7);
    widths[i] = is_peak ? 1.2f : 0.8f;
    ink += (double) depths[i] * (double) widths[i];
    n_peaks += is_peak;
  }
  const RegardStrokePlane plane = {N, N, depths, widths, at, at, TRUE, 3};
  regard_lines_merge(&plane, 100000, strokes);
  for (guint i = 0; i < strokes->len; i++) {
    const RegardStroke *s = &g_array_index(strokes, RegardStroke, i);
    merged += (double) s->depth * (double) s->width;
    g_assert_cmpuint(s->ink, ==, 3);
    if (s->depth < 0.5f)
      continue;
    n_peaks--;
    g_assert_cmpfloat(s->width, ==, 1.2f);
    /* Exactly where it was. */
    const guint row = (guint) ((s->from - 3) / 2), col = (guint) ((s->to - 3) / 2);
    g_assert_cmpuint((row * N + col) % 997, ==, 5);
  }
  g_assert_cmpuint(n_peaks, ==, 0);
  g_assert_cmpfloat_with_epsilon(merged, ink, ink * 1e-4);
  g_assert_cmpuint(strokes->len, <, N * N / 20);
  /* No more than asked for, whatever that takes. */
  g_array_set_size(strokes, 0);
  regard_lines_merge(&plane, 30, strokes);
  g_assert_cmpuint(strokes->len, <=, 30);
}

/* The image is what the strokes are: pixel by pixel beside cairo, which draws them one by one.
 * Edges are a little stronger: half a pixel of a line that lets half through lets 0.71 through
 * here, 0.75 there. */
static void
test_image_is_like_strokes(void)
{
  g_autoptr(RegardMatrix) m = matrix_of_size(12, MT_CROSS);
  g_autoptr(RegardLines) lines = lines_of(m, 0.7);
  const RegardLinesMarks none = REGARD_LINES_MARKS_INIT;
  const RegardFigureStyle figure = REGARD_FIGURE_STYLE_INIT;
  RegardLinesStyle style;
  double sums[2] = {0}, differences = 0;
  cairo_surface_t *surfaces[2];
  regard_lines_style_init(&style, &figure, FALSE);
  for (int i = 0; i < 2; i++) {
    g_auto(RegardLinesLayout) l = {0};
    surfaces[i] = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 400, 420);
    cairo_t *cr = cairo_create(surfaces[i]);
    RegardCanvas *canvas = regard_canvas_new_cairo(cr, 1);
    regard_lines_lay_out(&l, canvas, lines, REGARD_LINES_UPRIGHT, (RegardRect){0, 0, 400, 0}, 30,
                         12);
    regard_lines_draw(lines, &l, &style, &none, REGARD_LINES_ALL, 1, i == 0 ? 100000 : 1, canvas);
    regard_canvas_free(canvas);
    cairo_destroy(cr);
    cairo_surface_flush(surfaces[i]);
  }
  for (int y = 0; y < 420; y++)
    for (int x = 0; x < 400; x++) {
      const double a = (double) (pixel(surfaces[0], x, y) >> 24);
      const double b = (double) (pixel(surfaces[1], x, y) >> 24);
      sums[0] += a;
      sums[1] += b;
      differences += fabs(a - b);
    }
  g_test_message("strokes %g, image %g, differences %g", sums[0], sums[1], differences);
  g_assert_cmpfloat(sums[0], >, 1e5);
  g_assert_cmpfloat(fabs(sums[0] - sums[1]), <, 0.13 * sums[0]);
  g_assert_cmpfloat(differences, <, 0.17 * sums[0]);
  cairo_surface_destroy(surfaces[0]);
  cairo_surface_destroy(surfaces[1]);
}

/* ---- The figure ------------------------------------------------------------------------------ */

static RegardFigure *
figure_of(RegardMatrix *m, RegardLinesOrientation orientation, const RegardLinesMarks *marks)
{
  g_autoptr(RegardLines) lines = lines_of(m, 0.7);
  return regard_figure_new_lines(lines, orientation, marks, NULL);
}

static void
test_laws(void)
{
  static const guint sizes[] = {1, 2, 5, 17, 60, 150, 512};
  static const struct {
    double width, font;
  } pages[] = {{218, 5}, {218, 10}, {252, 7}, {453, 7}, {519, 10}};
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
    for (guint p = sizes[i] > 200 ? 3 : 0; p < G_N_ELEMENTS(pages); p++) {
      g_autoptr(RegardMatrix) m = matrix_of_size(sizes[i], (mt_attention_kind) (i % MT_N_KINDS));
      g_autofree guint8 *one = g_malloc0(sizes[i]);
      RegardLinesMarks marks = {one, NULL, (int) sizes[i] / 2, 0, -1};
      one[sizes[i] / 2] = 1;
      g_autoptr(RegardFigure) plain = figure_of(m, REGARD_LINES_UPRIGHT, NULL);
      g_autoptr(RegardFigure) marked = figure_of(m, REGARD_LINES_UPRIGHT, &marks);
      RegardFigure *figures[] = {plain, marked};
      for (guint f = 0; f < 2; f++) {
        Recorder *r = record(figures[f], pages[p].width, pages[p].font);
        g_assert_cmpfloat(r->left, >=, 0);
        g_assert_cmpfloat(r->top, >=, 0);
        g_assert_cmpfloat(r->right, <=, pages[p].width + 0.1);
        g_assert_cmpfloat(r->bottom, <=,
                          regard_figure_height(figures[f], pages[p].width, pages[p].font) + 0.1);
        if (f == 0) /* what is isolated lies over its label */
          assert_on_page(r, figures[f], pages[p].width, pages[p].font);
        regard_canvas_free(&r->parent);
      }
    }
}

static void
test_odd_labels(void)
{
  g_autofree char *endless = g_strnfill(3000, 'W');
  const char *labels[] = {endless, "▁世界", "▁مرحبا", "😀", "tab\there\nline\x01", "</s><&\"'>", ""};
  static const float values[49] = {0.5f, 0.2f, [24] = 0.7f};
  g_autoptr(RegardMatrix) odd = sample_matrix(values, 7, 7, labels, labels);
  g_autoptr(RegardFigure) figure = figure_of(odd, REGARD_LINES_UPRIGHT, NULL);
  Recorder *r = record(figure, 453, 7);
  assert_on_page(r, figure, 453, 7);
  g_assert_true(has_text(r, "世界"));
  g_assert_true(has_text(r, "😀"));
  regard_canvas_free(&r->parent);
  g_autofree char *svg = render_text(figure, "svg");
  g_assert_nonnull(strstr(svg, "&lt;/s&gt;"));
  g_autoptr(RegardFigure) level = figure_of(odd, REGARD_LINES_LEVEL, NULL);
  g_autoptr(GBytes) png = render(level, "png", NULL);
  g_assert_cmpuint(g_bytes_get_size(png), >, 1000);

  /* Nothing to draw: everything is hidden. */
  mt_capture *nothing = sample_capture_of("</s>", "</s>", 1, 1);
  RegardMatrixSpec spec = {.kind = MT_CROSS, .hide_special = TRUE};
  g_autoptr(RegardMatrix) empty = regard_matrix_new_attention(nothing, &spec);
  for (int o = 0; o < 2; o++) {
    g_autoptr(RegardFigure) none = figure_of(empty, (RegardLinesOrientation) o, NULL);
    g_autofree char *text = render_text(none, "svg");
    g_assert_nonnull(strstr(text, "</svg>"));
  }
  mt_capture_unref(nothing);
}

static guint
count_parts(const char *text, const char *part)
{
  guint n = 0;
  for (const char *p = text; (p = strstr(p, part)); p += strlen(part))
    n++;
  return n;
}

/* For who has not met pieces a figure says words; its numbers keep the pieces. */
static void
test_plain(void)
{
  const char *labels[] = {"▁house", "s", "⏎", "▁"};
  static const float values[16] = {0.5f, 0.2f};
  g_autoptr(RegardMatrix) m = sample_matrix(values, 4, 4, labels, labels);
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  g_autoptr(RegardFigure) pieces = regard_figure_new_matrix(m, &style);
  g_autofree char *as_pieces = render_text(pieces, "svg");
  g_assert_nonnull(strstr(as_pieces, ">▁house</text>"));
  style.is_plain = TRUE;
  g_autoptr(RegardFigure) words = regard_figure_new_matrix(m, &style);
  g_autofree char *as_words = render_text(words, "svg");
  g_assert_nonnull(strstr(as_words, ">house</text>"));
  g_assert_nonnull(strstr(as_words, ">end</text>"));
  g_assert_nonnull(strstr(as_words, ">▁</text>")); /* all there is to see */
  g_assert_null(strstr(as_words, "▁house</text>"));
  g_assert_null(strstr(as_words, "⏎</text>"));
  g_autofree char *csv = render_text(words, "csv"), *same = render_text(pieces, "csv");
  g_assert_cmpstr(csv, ==, same);
}

/* One path for each weight, as opaque as its place on the scale; real text; numbers as of a
 * heatmap. */
static void
test_svg(void)
{
  g_autoptr(RegardMatrix) m = small_matrix();
  g_autoptr(RegardFigure) figure = figure_of(m, REGARD_LINES_UPRIGHT, NULL);
  g_autofree char *svg = render_text(figure, "svg");
  g_assert_cmpuint(count_parts(svg, "<path fill=\"none\""), ==, 5);
  g_assert_cmpuint(count_parts(svg, " C") + count_parts(svg, "C"), >=, 5);
  g_assert_nonnull(strstr(svg, ">▁house</text>"));
  g_assert_nonnull(strstr(svg, "15 % of the weight dimmed"));
  /* 0.8 is opaque at 0.10 + 0.82 * 0.8; 0.1 is dimmed: 0.20 * 0.1. */
  g_assert_nonnull(strstr(svg, "stroke-opacity=\"0.757\""));
  g_assert_nonnull(strstr(svg, "stroke-opacity=\"0.02\""));

  g_autofree char *csv = render_text(figure, "csv");
  g_autoptr(RegardFigure) heatmap = regard_figure_new_matrix(m, NULL);
  g_autofree char *same = render_text(heatmap, "csv");
  g_assert_cmpstr(csv, ==, same);
  g_autoptr(GBytes) npz = render(figure, "npz", NULL);
  g_autoptr(GBytes) same_npz = render(heatmap, "npz", NULL);
  g_assert_cmpuint(g_bytes_get_size(npz), ==, g_bytes_get_size(same_npz));
  g_autofree char *caption = regard_figure_caption(figure);
  g_assert_nonnull(strstr(caption, "as lines. Drawn strong: lines of the fewest keys that hold "
                                   "70 % of each row; the other 15 % is dimmed."));
  g_autoptr(GBytes) pdf = render(figure, "pdf", NULL);
  g_assert_cmpmem(g_bytes_get_data(pdf, NULL), 5, "%PDF-", 5);
}

/* Isolated: the others are still there, fainter. */
static void
test_svg_isolated(void)
{
  g_autoptr(RegardMatrix) m = small_matrix();
  static const guint8 first[] = {1, 0};
  const RegardLinesMarks marks = {first, NULL, 0, 1, -1};
  g_autoptr(RegardFigure) figure = figure_of(m, REGARD_LINES_UPRIGHT, &marks);
  g_autofree char *svg = render_text(figure, "svg");
  /* All five as a breath, the three of row 0, and the marked one with its halo. */
  g_assert_cmpuint(count_parts(svg, "<path fill=\"none\""), ==, 5 + 3 + 2);
  g_assert_nonnull(strstr(svg, ">.60</text>"));
  g_assert_nonnull(strstr(svg, ">.30</text>"));
  g_assert_nonnull(strstr(svg, "font-weight=\"bold\">▁Das</text>"));
}

/* Above 20,000 lines a file has an image of all of them. */
static void
test_many_are_an_image(void)
{
  enum { N = 160 };
  g_autofree float *values = g_new(float, N *N);
  for (guint i = 0; i < N * N; i++)
    values[i] = (float) (1 + i % 5) / (3 * N);
  g_autoptr(RegardMatrix) m = sample_matrix(values, N, N, NULL, NULL);
  g_autoptr(RegardFigure) figure = figure_of(m, REGARD_LINES_UPRIGHT, NULL);
  g_autofree char *svg = render_text(figure, "svg");
  g_assert_cmpuint(count_parts(svg, "<image"), ==, 2); /* lines, and the colour bar */
  g_assert_cmpuint(count_parts(svg, "<path fill=\"none\""), ==, 0);
}

/* Where every token attends to every other, lines are still not one colour. */
static void
test_exposure(void)
{
  enum { N = 300 };
  g_autofree float *values = g_new(float, N *N);
  for (guint i = 0; i < N * N; i++)
    values[i] = (i % N < 20 ? 4.0f : 1.0f) / N;
  g_autoptr(RegardMatrix) m = sample_matrix(values, N, N, NULL, NULL);
  g_autoptr(RegardLines) lines = lines_of(m, 1);
  const RegardLinesMarks none = REGARD_LINES_MARKS_INIT;
  const RegardFigureStyle figure = REGARD_FIGURE_STYLE_INIT;
  RegardLinesStyle style;
  g_auto(RegardLinesLayout) l = {0};
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 400, 640);
  cairo_t *cr = cairo_create(surface);
  RegardCanvas *canvas = regard_canvas_new_cairo(cr, 1);
  regard_lines_style_init(&style, &figure, FALSE);
  regard_lines_lay_out(&l, canvas, lines, REGARD_LINES_UPRIGHT, (RegardRect){0, 0, 400, 0}, 2, 12);
  regard_lines_draw(lines, &l, &style, &none, REGARD_LINES_ALL, 1, 1, canvas);
  regard_canvas_free(canvas);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  /* At the right end: keys that get four times as much, and others. */
  const int x = (int) (l.plot.x + l.plot.width) - 2;
  const guint32 many = pixel(surface, x, (int) l.list[REGARD_LINES_COLS].at[10]) >> 24;
  const guint32 few = pixel(surface, x, (int) l.list[REGARD_LINES_COLS].at[200]) >> 24;
  g_test_message("%u and %u of 255", many, few);
  g_assert_cmpuint(few, >, 60);
  g_assert_cmpuint(few, <, 200);
  g_assert_cmpuint(many, >, few + 15);
  cairo_surface_destroy(surface);
}

static void
test_signed(void)
{
  static const float values[] = {0.5f, -0.4f, 0.1f, -0.2f};
  g_autoptr(RegardMatrix) m = sample_matrix(values, 2, 2, NULL, NULL);
  g_assert_true(m->diverging);
  g_autoptr(RegardLines) lines = lines_of(m, 0.7);
  g_assert_cmpmem(lines->kept[0], 4, "\1\1\1\1", 4); /* 0.5 and -0.2 alone hold too little */
  const RegardFigureStyle figure = REGARD_FIGURE_STYLE_INIT;
  RegardLinesStyle style;
  regard_lines_style_init(&style, &figure, TRUE);
  const guint32 more = regard_lines_ink(lines, &style, 0, FALSE);
  const guint32 less = regard_lines_ink(lines, &style, 0, TRUE);
  g_assert_cmphex(more, !=, less);
  g_assert_cmpfloat(regard_lines_opacity(lines, &style, 0.4, 1, TRUE), ==,
                    regard_lines_opacity(lines, &style, -0.4, 1, TRUE));
  g_autoptr(RegardFigure) f = regard_figure_new_lines(lines, REGARD_LINES_UPRIGHT, NULL, NULL);
  g_autofree char *svg = render_text(f, "svg");
  g_autofree char *positive = g_strdup_printf("stroke=\"#%06x\"", more & 0xffffff);
  g_autofree char *negative = g_strdup_printf("stroke=\"#%06x\"", less & 0xffffff);
  g_assert_cmpuint(count_parts(svg, positive), ==, 2);
  g_assert_cmpuint(count_parts(svg, negative), ==, 2);
}

/* Several heads: a colour each, a legend, and files with all of them. */
static void
test_several_heads(void)
{
  mt_capture *capture = sample_capture(3);
  RegardMatrixSpec spec = {.kind = MT_CROSS, .layer = 2, .head = 1};
  g_autoptr(RegardMatrix) a = regard_matrix_new_attention(capture, &spec);
  g_autoptr(RegardMatrix) b = regard_matrix_new_head(a, 0, 4);
  g_autoptr(RegardMatrix) other = small_matrix(); /* of another shape: left out */
  RegardMatrix *matrices[] = {a, other, b};
  const char *const names[] = {"cross 3.2", "other", "cross 1.5"};
  g_autoptr(RegardLines) lines = regard_lines_new(matrices, names, 3, 0.7);
  g_assert_cmpuint(lines->n, ==, 2);
  g_autoptr(RegardFigure) figure = regard_figure_new_lines(lines, REGARD_LINES_UPRIGHT, NULL, NULL);
  Recorder *r = record(figure, 453, 7);
  assert_on_page(r, figure, 453, 7);
  g_assert_true(has_text(r, "cross 3.2"));
  g_assert_true(has_text(r, "cross 1.5"));
  regard_canvas_free(&r->parent);
  g_autofree char *svg = render_text(figure, "svg");
  g_assert_nonnull(strstr(svg, "stroke=\"#0072b2\""));
  g_assert_nonnull(strstr(svg, "stroke=\"#d55e00\""));
  g_autofree char *csv = render_text(figure, "csv");
  g_assert_nonnull(strstr(csv, "cross,3,2,"));
  g_assert_nonnull(strstr(csv, "cross,1,5,"));
  g_autofree char *caption = regard_figure_caption(figure);
  g_assert_nonnull(strstr(caption, "Colours: cross 3.2, cross 1.5."));
  g_autofree char *said = regard_lines_describe_line(lines, 1, 0, 0);
  g_assert_true(g_str_has_prefix(said, "cross 1.5: row "));
  mt_capture_unref(capture);
}

/* Colours are seen on paper and on black, and no two heads have one. */
static void
test_inks(void)
{
  g_autoptr(RegardMatrix) m = small_matrix();
  RegardMatrix *six[] = {m, m, m, m, m, m};
  const char *const names[] = {"1", "2", "3", "4", "5", "6"};
  g_autoptr(RegardLines) lines = regard_lines_new(six, names, 6, 0.7);
  guint n_maps;
  const RegardColormap *const *maps = regard_colormaps(&n_maps);
  for (int dark = 0; dark < 2; dark++) {
    RegardFigureStyle figure = REGARD_FIGURE_STYLE_INIT;
    RegardLinesStyle style;
    figure.dark = dark;
    for (guint i = 0; i < n_maps; i++) {
      if (maps[i]->diverging)
        continue;
      g_autoptr(RegardLines) one = lines_of(m, 0.7);
      figure.colormap = maps[i];
      regard_lines_style_init(&style, &figure, FALSE);
      /* Black text reads well on what is seen on black. */
      g_assert_cmpint(regard_color_wants_black_text(regard_lines_ink(one, &style, 0, FALSE)), ==,
                      dark);
    }
    for (guint i = 0; i < 6; i++)
      for (guint j = 0; j < i; j++)
        g_assert_cmphex(regard_lines_ink(lines, &style, i, FALSE), !=,
                        regard_lines_ink(lines, &style, j, FALSE));
  }
}

/* Special tokens hidden: what they took stands beside the rows. */
static void
test_hidden_mass(void)
{
  mt_capture *capture = sample_capture(1);
  RegardMatrixSpec spec = {.kind = MT_DECODER_SELF, .hide_special = TRUE, .merge_words = TRUE};
  g_autoptr(RegardMatrix) m = regard_matrix_new_attention(capture, &spec);
  for (int o = 0; o < 2; o++) {
    g_autoptr(RegardFigure) figure = figure_of(m, (RegardLinesOrientation) o, NULL);
    g_autofree char *svg = render_text(figure, "svg");
    g_assert_nonnull(strstr(svg, "class=\"hidden-mass\""));
    g_assert_nonnull(strstr(svg, "special tokens hidden"));
  }
  mt_capture_unref(capture);
}

/* Labels as tokens to point at. */
static void
test_spots(void)
{
  g_autoptr(RegardMatrix) m = small_matrix();
  g_autoptr(RegardFigure) figure = figure_of(m, REGARD_LINES_LEVEL, NULL);
  g_autoptr(GArray) spots = regard_figure_spots(figure, 400, 10, NULL);
  g_assert_cmpuint(spots->len, ==, 5);
  g_autofree char *text = regard_figure_describe_spot(figure, &g_array_index(spots, RegardSpot, 4));
  g_assert_cmpstr(text, ==, "column house: Haus 0.80, Das 0.10");
}

TESTS()
{
  g_test_add_func("/figure-lines/image/composes", test_image_composes);
  g_test_add_func("/figure-lines/image/merge", test_merge);
  g_test_add_func("/figure-lines/image/like-strokes", test_image_is_like_strokes);
  g_test_add_func("/figure-lines/laws", test_laws);
  g_test_add_func("/figure-lines/odd-labels", test_odd_labels);
  g_test_add_func("/figure-lines/plain", test_plain);
  g_test_add_func("/figure-lines/svg", test_svg);
  g_test_add_func("/figure-lines/svg-isolated", test_svg_isolated);
  g_test_add_func("/figure-lines/many", test_many_are_an_image);
  g_test_add_func("/figure-lines/exposure", test_exposure);
  g_test_add_func("/figure-lines/signed", test_signed);
  g_test_add_func("/figure-lines/several-heads", test_several_heads);
  g_test_add_func("/figure-lines/inks", test_inks);
  g_test_add_func("/figure-lines/hidden-mass", test_hidden_mass);
  g_test_add_func("/figure-lines/spots", test_spots);
}
