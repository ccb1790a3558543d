/* test-figure.c — laws that every layout of a figure keeps.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * They are checked on a canvas that records: nothing is written outside the page, no two labels of
 * an axis overlap, whatever the number of tokens, width and font.
 */
#include "figures/regard-canvas.h"
#include "figures/regard-figure-matrix.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-matrix-positions.h"
#include "figures/regard-scale.h"
#include "sample-capture.h"
#include "suite.h"
#include <math.h>
#include <pango/pangocairo.h>
#include <string.h>

/* ---- a canvas that records ---- */

typedef struct {
  char *group, *text;
  RegardRect box; /* unrotated, around the anchor point */
  double x, y, size, angle;
  gboolean bold;
} Written;

typedef struct {
  RegardCanvas parent;
  GArray *texts; /* of Written */
  GArray *rects; /* of RegardRect: everything filled or stroked */
  guint n_images, n_hatches;
  char *group;
} Recorder;

static void
record_rect(RegardCanvas *canvas, RegardRect rect)
{
  g_assert_true(isfinite(rect.x) && isfinite(rect.y));
  g_assert_cmpfloat(rect.width, >=, 0);
  g_assert_cmpfloat(rect.height, >=, 0);
  g_array_append_val(((Recorder *) canvas)->rects, rect);
}

static void
record_fill(RegardCanvas *canvas, RegardRect rect, double radius, guint32 argb)
{
  record_rect(canvas, rect);
}

static void
record_stroke(RegardCanvas *canvas, RegardRect rect, double width, guint32 argb)
{
  record_rect(canvas, rect);
}

static void
record_hatch(RegardCanvas *canvas, const RegardRect *rects, guint n, double spacing, double width,
             guint32 argb)
{
  ((Recorder *) canvas)->n_hatches++;
  for (guint i = 0; i < n; i++)
    record_rect(canvas, rects[i]);
}

static void
record_image(RegardCanvas *canvas, cairo_surface_t *surface, RegardRect rect)
{
  ((Recorder *) canvas)->n_images++;
  record_rect(canvas, rect);
}

static void
record_text(RegardCanvas *canvas, double x, double baseline, const RegardSpan *spans, guint n,
            double size, RegardAnchor anchor, double angle)
{
  double width = regard_canvas_text_width(canvas, spans, n, size);
  double left = anchor == REGARD_ANCHOR_START    ? 0
                : anchor == REGARD_ANCHOR_MIDDLE ? -width / 2
                                                 : -width;
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < n; i++)
    g_string_append(text, spans[i].text);
  Written w = {g_strdup(((Recorder *) canvas)->group),
               g_string_free(text, FALSE),
               {left, -0.76 * size, width, size * 0.98},
               x,
               baseline,
               size,
               angle,
               n > 0 && spans[n - 1].bold};
  g_array_append_val(((Recorder *) canvas)->texts, w);
}

static void
record_group(RegardCanvas *canvas, const char *name)
{
  g_free(((Recorder *) canvas)->group);
  ((Recorder *) canvas)->group = g_strdup(name);
}

static void
written_clear(void *written)
{
  g_free(((Written *) written)->group);
  g_free(((Written *) written)->text);
}

static void
recorder_free(RegardCanvas *canvas)
{
  Recorder *self = (Recorder *) canvas;
  g_array_unref(self->texts);
  g_array_unref(self->rects);
  g_free(self->group);
  regard_canvas_clear(canvas);
  g_free(self);
}

static Recorder *
record(RegardFigure *figure, double width, double font)
{
  static const RegardCanvasClass klass = {
      .fill_rect = record_fill,
      .stroke_rect = record_stroke,
      .hatch = record_hatch,
      .image = record_image,
      .text = record_text,
      .begin_group = record_group,
      .free = recorder_free,
  };
  Recorder *self = g_new0(Recorder, 1);
  regard_canvas_init(&self->parent, &klass);
  self->texts = g_array_new(FALSE, FALSE, sizeof(Written));
  g_array_set_clear_func(self->texts, written_clear);
  self->rects = g_array_new(FALSE, FALSE, sizeof(RegardRect));
  regard_figure_draw(figure, &self->parent, width, font);
  return self;
}

static void
assert_on_page(const Written *w, double width, double height)
{
  double c = cos(w->angle * G_PI / 180), s = sin(w->angle * G_PI / 180);
  for (int corner = 0; corner < 4; corner++) {
    double x = w->box.x + (corner & 1 ? w->box.width : 0);
    double y = w->box.y + (corner & 2 ? w->box.height : 0);
    double px = w->x + x * c - y * s, py = w->y + x * s + y * c;
    if (px < -0.1 || py < -0.1 || px > width + 0.1 || py > height + 0.1) {
      g_test_message("“%s” (%s) reaches (%g, %g) on a page of %g × %g", w->text, w->group, px, py,
                     width, height);
      g_test_fail();
      return;
    }
  }
}

/* Labels of an axis, in order, are at least their size apart across their direction; level ones
 * (numbers above columns) also end before the next begins. */
static void
assert_apart(GArray *texts, const char *group)
{
  const Written *last = NULL;
  for (guint i = 0; i < texts->len; i++) {
    const Written *w = &g_array_index(texts, Written, i);
    if (g_strcmp0(w->group, group) != 0)
      continue;
    if (last) {
      double dx = w->x - last->x, dy = w->y - last->y, a = w->angle * G_PI / 180;
      double across = fabs(-dx * sin(a) + dy * cos(a));
      gboolean level_apart = a == 0 && last->x + last->box.x + last->box.width < w->x + w->box.x;
      if (across < w->size && !level_apart) {
        g_test_message("“%s” and “%s” (%s) are %g apart at size %g", last->text, w->text, group,
                       across, w->size);
        g_test_fail();
      }
    }
    last = w;
  }
}

static void
assert_laws(RegardFigure *figure, double width, double font)
{
  double height = regard_figure_height(figure, width, font);
  Recorder *r = record(figure, width, font);
  for (guint i = 0; i < r->texts->len; i++)
    assert_on_page(&g_array_index(r->texts, Written, i), width, height);
  for (guint i = 0; i < r->rects->len; i++) {
    RegardRect rect = g_array_index(r->rects, RegardRect, i);
    g_assert_cmpfloat(rect.x, >=, -0.1);
    g_assert_cmpfloat(rect.y, >=, -0.1);
    g_assert_cmpfloat(rect.x + rect.width, <=, width + 0.5);
    g_assert_cmpfloat(rect.y + rect.height, <=, height + 0.5);
  }
  assert_apart(r->texts, "row-labels");
  assert_apart(r->texts, "column-labels");
  regard_canvas_free(&r->parent);
}

static mt_capture *
capture_of_size(guint n)
{
  g_autoptr(GString) pieces = g_string_new(NULL);
  for (guint i = 0; i + 1 < n; i++)
    g_string_append_printf(pieces, "▁%.*s ", (int) (2 + i * 7 % 9), "attention");
  g_string_append(pieces, "</s>");
  return sample_capture_of(pieces->str, pieces->str, 2, 3);
}

/* One column, two columns; the smallest and the largest text that papers ask for. */
static const struct {
  double width_mm, font;
} pages[] = {{77, 5}, {77, 10}, {89, 7}, {160, 7}, {183, 10}};

static void
for_all_pages(RegardFigure *figure)
{
  for (gsize i = 0; i < G_N_ELEMENTS(pages); i++)
    assert_laws(figure, pages[i].width_mm * 72 / 25.4, pages[i].font);
  regard_figure_free(figure);
}

static void
test_laws_of_matrices(void)
{
  static const guint sizes[] = {1, 2, 5, 17, 60, 150};
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    mt_capture *capture = capture_of_size(sizes[i]);
    for (int kind = 0; kind < MT_N_KINDS; kind++) {
      RegardMatrixSpec spec = {.kind = (mt_attention_kind) kind, .hide_special = kind == MT_CROSS};
      RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
      style.scale = (RegardScale) (i % REGARD_N_SCALES);
      style.pinned_row = (int) sizes[i] / 2;
      style.pinned_col = (int) sizes[i] / 3;
      g_autoptr(RegardMatrix) matrix = regard_matrix_new_attention(capture, &spec);
      for_all_pages(regard_figure_new_matrix(matrix, &style));
    }
    mt_capture_unref(capture);
  }
}

static void
test_laws_of_grids(void)
{
  mt_capture *capture = sample_capture(2);
  RegardMatrixSpec spec = {.kind = MT_DECODER_SELF, .layer = 1};
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  for (int scope = REGARD_SCOPE_LAYER; scope <= REGARD_SCOPE_ALL; scope++)
    for (int scale = 0; scale < REGARD_N_SCALES; scale++) {
      style.scale = (RegardScale) scale;
      for_all_pages(regard_figure_new_grid(capture, (RegardScope) scope, &spec, &style));
    }
  mt_capture_unref(capture);
}

static void
test_laws_of_positions(void)
{
  static float table[512 * 256];
  mt_positions_sinusoidal(table, 512, 256, MT_POSITIONS_SINUSOIDAL_HALVES);
  mt_matrix view = {table, 512, 256, 256};
  mt_tokens *tokens = sample_tokens("▁The ▁old ▁man ▁did n ' t ▁cross </s>");
  static const guint lengths[] = {1, 9, 30, 512};
  for (gsize i = 0; i < G_N_ELEMENTS(lengths); i++) {
    g_autoptr(RegardMatrix) p =
        regard_matrix_new_positions(view, lengths[i], MT_POSITIONS_SINUSOIDAL_HALVES, tokens,
                                    "en-de");
    for_all_pages(regard_figure_new_matrix(p, NULL));
    g_autoptr(RegardMatrix) s =
        regard_matrix_new_similarity(view, MIN(lengths[i], 128), tokens, NULL);
    for_all_pages(regard_figure_new_matrix(s, NULL));
  }
  g_autoptr(RegardMatrix) shift =
      regard_matrix_new_shift(256, 5, MT_POSITIONS_SINUSOIDAL_INTERLEAVED, NULL);
  for_all_pages(regard_figure_new_matrix(shift, NULL));
  mt_tokens_unref(tokens);
}

/* Everything hidden, and labels of any length and script. */
static void
test_laws_of_odd_input(void)
{
  mt_capture *nothing = sample_capture_of("</s>", "</s>", 1, 1);
  RegardMatrixSpec spec = {.kind = MT_CROSS, .hide_special = TRUE};
  g_autoptr(RegardMatrix) empty = regard_matrix_new_attention(nothing, &spec);
  g_assert_cmpuint(empty->rows, ==, 0);
  for_all_pages(regard_figure_new_matrix(empty, NULL));
  for_all_pages(regard_figure_new_grid(nothing, REGARD_SCOPE_ALL, &spec, NULL));
  mt_capture_unref(nothing);

  g_autofree char *endless = g_strnfill(3000, 'W');
  const char *labels[] = {endless, "▁世界", "▁مرحبا", "😀", "tab\there\nline\x01", "</s><&\"'>", ""};
  static const float values[49] = {0.5f, 0.2f};
  g_autoptr(RegardMatrix) odd = sample_matrix(values, 7, 7, labels, labels);
  for_all_pages(regard_figure_new_matrix(odd, NULL));
}

static guint
count_texts(const Recorder *r, const char *group)
{
  guint n = 0;
  for (guint i = 0; i < r->texts->len; i++)
    n += g_strcmp0(g_array_index(r->texts, Written, i).group, group) == 0;
  return n;
}

static const Written *
find_text(const Recorder *r, const char *group, const char *text)
{
  for (guint i = 0; i < r->texts->len; i++) {
    const Written *w = &g_array_index(r->texts, Written, i);
    if (g_strcmp0(w->group, group) == 0 && strcmp(w->text, text) == 0)
      return w;
  }
  return NULL;
}

static void
test_what_is_written(void)
{
  mt_capture *capture = sample_capture(5);
  RegardMatrixSpec spec = {.kind = MT_CROSS, .layer = 4, .head = 2};
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  style.scale = REGARD_SCALE_SQRT;
  style.pinned_row = 13;
  style.pinned_col = 14;
  g_autoptr(RegardMatrix) matrix = regard_matrix_new_attention(capture, &spec);
  g_autoptr(RegardFigure) figure = regard_figure_new_matrix(matrix, &style);
  Recorder *r = record(figure, 453, 7);
  g_assert_nonnull(find_text(r, "title", "Cross-attention · layer 5 · head 3"));
  g_assert_nonnull(find_text(r, "axis-titles", "queries: translation"));
  g_assert_nonnull(find_text(r, "axis-titles", "keys: source"));
  g_assert_nonnull(find_text(r, "colour-bar", "weight, square root scale"));
  g_assert_nonnull(find_text(r, "colour-bar", "0"));
  g_assert_nonnull(find_text(r, "colour-bar", "1"));
  g_assert_nonnull(find_text(r, "colour-bar", "en-de"));
  g_assert_cmpuint(count_texts(r, "row-labels"), ==, 17);
  g_assert_cmpuint(count_texts(r, "column-labels"), ==, 17);
  g_assert_true(find_text(r, "row-labels", "▁zu → ▁müde")->bold);
  g_assert_true(find_text(r, "column-labels", "▁tired")->bold);
  g_assert_false(find_text(r, "column-labels", "▁too")->bold);
  /* Every value that is not nothing, as printed numbers. */
  guint n_values = 0;
  for (guint i = 0; i < matrix->rows * matrix->cols; i++)
    n_values += matrix->values[i] >= 0.005f;
  g_assert_cmpuint(count_texts(r, "values"), ==, n_values);
  regard_canvas_free(&r->parent);

  /* Without values when asked, and when there is no room. */
  figure->style.left_out = REGARD_PART_NUMBERS;
  r = record(figure, 453, 7);
  g_assert_cmpuint(count_texts(r, "values"), ==, 0);
  regard_canvas_free(&r->parent);
  figure->style.left_out = 0;
  r = record(figure, 180, 7);
  g_assert_cmpuint(count_texts(r, "values"), ==, 0);
  regard_canvas_free(&r->parent);
  mt_capture_unref(capture);
}

/* Chosen heads beside each other, n of them. */
static RegardFigure *
new_panels(const mt_capture *capture, guint n, const RegardFigureStyle *style)
{
  guint8 chosen[64] = {0};
  RegardMatrixSpec spec = {.kind = MT_CROSS, .chosen = chosen};
  for (guint i = 0; i < n; i++)
    chosen[i * 3] = 1;
  return regard_figure_new_grid(capture, REGARD_SCOPE_CHOSEN, &spec, style);
}

/* Each has the tokens of both axes, cut like those of the others, and the numbers that are asked
 * for. */
static void
test_panels(void)
{
  mt_capture *capture = capture_of_size(9);
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  style.scale = REGARD_SCALE_SQRT;
  for (guint n = 1; n <= 2; n++)
    for_all_pages(new_panels(capture, n, &style));
  g_autoptr(RegardFigure) figure = new_panels(capture, 2, &style);
  for (guint numbers = 0; numbers < 2; numbers++) {
    figure->style.left_out = numbers ? 0 : REGARD_PART_NUMBERS;
    for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
      Recorder *r = record(figure, pages[i].width_mm * 72 / 25.4, pages[i].font);
      g_autoptr(GPtrArray) rows = g_ptr_array_new();
      g_assert_cmpuint(count_texts(r, "row-labels"), ==, 2 * 9);
      g_assert_cmpuint(count_texts(r, "column-labels"), ==, 2 * 9);
      g_assert_cmpuint(count_texts(r, "axis-titles"), ==, 2 * 2);
      g_assert_cmpuint(count_texts(r, "values") > 9 * 9, ==, numbers);
      for (guint k = 0; k < r->texts->len; k++)
        if (g_strcmp0(g_array_index(r->texts, Written, k).group, "row-labels") == 0)
          g_ptr_array_add(rows, g_array_index(r->texts, Written, k).text);
      for (guint k = 0; k < 9; k++)
        g_assert_cmpstr(rows->pdata[k], ==, rows->pdata[k + 9]);
      g_assert_nonnull(find_text(r, "head", "2.1"));
      regard_canvas_free(&r->parent);
    }
  }
  mt_capture_unref(capture);
}

static void
test_removed_mass_is_shown(void)
{
  mt_capture *capture = sample_capture(1);
  RegardMatrixSpec spec = {.kind = MT_DECODER_SELF, .hide_special = TRUE, .merge_words = TRUE};
  g_autoptr(RegardMatrix) matrix = regard_matrix_new_attention(capture, &spec);
  g_autoptr(RegardFigure) figure = regard_figure_new_matrix(matrix, NULL);
  Recorder *r = record(figure, 453, 7);
  g_assert_nonnull(find_text(r, "hidden-mass", "hidden"));
  g_assert_nonnull(find_text(r, "hidden-mass", "1.0")); /* the first row saw only the start */
  g_assert_nonnull(find_text(r, "title", "merged"));
  g_assert_nonnull(find_text(r, "title", "special tokens hidden"));
  g_assert_cmpuint(r->n_hatches, ==, 1);
  regard_canvas_free(&r->parent);
  mt_capture_unref(capture);
}

/* Large matrices are an image, not a hundred thousand rectangles. */
static void
test_large_is_an_image(void)
{
  mt_capture *capture = capture_of_size(200);
  RegardMatrixSpec spec = {.kind = MT_CROSS};
  g_autoptr(RegardMatrix) matrix = regard_matrix_new_attention(capture, &spec);
  g_autoptr(RegardFigure) figure = regard_figure_new_matrix(matrix, NULL);
  Recorder *r = record(figure, 453, 7);
  g_assert_cmpuint(r->n_images, ==, 2); /* cells and colour bar */
  g_assert_cmpuint(r->rects->len, <, 500);
  regard_canvas_free(&r->parent);
  g_autoptr(RegardFigure) grid = regard_figure_new_grid(capture, REGARD_SCOPE_ALL, &spec, NULL);
  r = record(grid, 453, 7);
  g_assert_cmpuint(r->n_images, ==, 3 * 2 * 3 + 1);
  regard_canvas_free(&r->parent);
  mt_capture_unref(capture);
}

/* Rectangles overlap to hide seams in vector files, but nowhere may one be seen outside its cell:
 * every corner of every cell has the cell's colour. */
static void
test_cells_are_exact(void)
{
  enum { N = 23, CELL = 40 };
  float values[N * N];
  guint32 state = 99;
  for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
    state = state * 1664525 + 1013904223;
    values[i] = state >> 30 ? 0 : (float) (state >> 8 & 0xffff) / 65536;
  }
  g_autoptr(RegardMatrix) m = sample_matrix(values, N, N, NULL, NULL);
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  style.colormap = regard_colormap_default();
  /* A cell is 4 points, 40 pixels; the canvas believes that it is a vector file. */
  cairo_surface_t *surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, (N + 2) * CELL, (N + 2) * CELL);
  cairo_t *cr = cairo_create(surface);
  cairo_scale(cr, CELL / 4.0, CELL / 4.0);
  RegardCanvas *canvas = regard_canvas_new_cairo(cr, 0);
  RegardRect plot = {4, 4, 4 * N, 4 * N};
  RegardCellOptions options = {FALSE, FALSE, FALSE, 7};
  regard_figure_cells(canvas, regard_figure_palette(&style), &style, m, plot, &options);
  regard_canvas_free(canvas);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  const guint8 *data = cairo_image_surface_get_data(surface);
  int stride = cairo_image_surface_get_stride(surface);
  for (guint r = 0; r < N; r++)
    for (guint c = 0; c < N; c++)
      for (int corner = 0; corner < 4; corner++) {
        /* Off the frame, which is drawn over the outer edge. */
        guint x = (c + 1) * CELL + (corner & 1 ? CELL - 4 : 3);
        guint y = (r + 1) * CELL + (corner & 2 ? CELL - 4 : 3);
        guint32 found = *(const guint32 *) (const void *) (data + y * (guint) stride + x * 4);
        g_assert_cmphex(found & 0xffffff, ==,
                        0xffffff & regard_colormap_lookup(style.colormap, values[r * N + c]));
      }
  cairo_surface_destroy(surface);
}

static void
test_numbers(void)
{
  static const struct {
    double value, range;
    const char *text;
  } cases[] = {
      {0.981, 1, ".98"},   {0.996, 1, "1.0"},   {1, 1, "1.0"},   {0.004, 1, ""},
      {0.006, 1, ".01"},   {-0.31, 1, "−.31"},  {-0.004, 1, ""}, {-1, 1, "−1.0"},
      {12.34, 15, "12.3"}, {127.6, 128, "128"}, {0.3, 128, ""},  {0, 1, ""},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    char text[16];
    regard_cell_text(text, cases[i].value, cases[i].range);
    g_assert_cmpstr(text, ==, cases[i].text);
  }
  g_assert_cmpuint(regard_figure_nice_step(0.2, FALSE), ==, 1);
  g_assert_cmpuint(regard_figure_nice_step(3, FALSE), ==, 5);
  g_assert_cmpuint(regard_figure_nice_step(51, FALSE), ==, 100);
  g_assert_cmpuint(regard_figure_nice_step(9, TRUE), ==, 16);
}

static void
test_grid_matrices(void)
{
  mt_capture *capture = sample_capture(2);
  RegardMatrixSpec spec = {.kind = MT_CROSS, .layer = 1, .combine = REGARD_COMBINE_MEAN};
  static const guint expected[] = {1, 8, 16, 48};
  for (int scope = REGARD_SCOPE_HEAD; scope <= REGARD_SCOPE_ALL; scope++) {
    g_autoptr(RegardFigure) figure =
        regard_figure_new_grid(capture, (RegardScope) scope, &spec, NULL);
    g_assert_cmpuint(regard_figure_n_matrices(figure), ==, expected[scope]);
    const RegardMatrix *last = regard_figure_matrix(figure, expected[scope] - 1);
    g_assert_cmpstr(last->title, ==,
                    scope == REGARD_SCOPE_HEAD ? "Cross-attention · layer 2 · mean of 8 heads"
                                               : "Cross-attention · layer 2 · head 8");
    g_autofree char *caption = regard_figure_caption(figure);
    g_assert_nonnull(strstr(caption, "Cross-attention") ? caption : strstr(caption, "every kind"));
    g_assert_nonnull(strstr(caption, "“The old man didn't cross the street"));
    g_assert_null(strstr(caption, ".”.")); /* the sentence has its own full stop */
    g_assert_nonnull(strstr(caption, "Colour scale: linear."));
    g_assert_nonnull(strstr(caption, "Model: en-de."));
  }
  mt_capture_unref(capture);
}

/* Images in vector files: sharp cells, but not more pixels than a page can show. */
static void
test_enlarge(void)
{
  static const struct {
    int width, height;
    double on_page; /* width, points */
    int expected;
  } cases[] = {{400, 400, 50, 400}, /* pooled: that is enough */
               {443, 511, 55, 443}, /* not quite eight a point, before rounding */
               {100, 100, 50, 400},      {17, 17, 100, 136},    {512, 512, 400, 3584},
               {1000, 1000, 4000, 4000}, {5000, 10, 900, 5000}, {256, 1, 112, 2048}};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    cairo_surface_t *small =
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, cases[i].width, cases[i].height);
    RegardRect rect = {0, 0, cases[i].on_page, cases[i].on_page * cases[i].height / cases[i].width};
    if (cases[i].height == 1)
      rect.height = 6;
    cairo_surface_t *large = regard_canvas_enlarge(small, rect);
    g_assert_cmpint(cairo_image_surface_get_width(large), ==, cases[i].expected);
    cairo_surface_destroy(large);
    cairo_surface_destroy(small);
  }
}

/* A figure outlives whoever made what it shows, and the last picture of it gives it back. */
static void
test_subject(void)
{
  const float values[] = {0.25f, 0.75f, 1, 0};
  RegardMatrix *matrix = sample_matrix(values, 2, 2, NULL, NULL);
  RegardFigure *a = regard_figure_new_matrix(matrix, NULL);
  RegardFigure *b = regard_figure_new_table(matrix, NULL);
  regard_matrix_unref(matrix);
  g_assert_true(regard_figure_matrix(a, 0) == regard_figure_matrix(b, 0));
  regard_figure_free(a);
  g_assert_true(g_atomic_ref_count_compare(&matrix->subject.ref_count, 1));
  g_assert_cmpfloat(regard_matrix_get(regard_figure_matrix(b, 0), 0, 1), ==, 0.75f);
  regard_figure_free(b);
}

TESTS()
{
  g_test_add_func("/figure/subject", test_subject);
  g_test_add_func("/figure/laws-of-matrices", test_laws_of_matrices);
  g_test_add_func("/figure/laws-of-grids", test_laws_of_grids);
  g_test_add_func("/figure/laws-of-positions", test_laws_of_positions);
  g_test_add_func("/figure/laws-of-odd-input", test_laws_of_odd_input);
  g_test_add_func("/figure/what-is-written", test_what_is_written);
  g_test_add_func("/figure/panels", test_panels);
  g_test_add_func("/figure/removed-mass-is-shown", test_removed_mass_is_shown);
  g_test_add_func("/figure/large-is-an-image", test_large_is_an_image);
  g_test_add_func("/figure/cells-are-exact", test_cells_are_exact);
  g_test_add_func("/figure/numbers", test_numbers);
  g_test_add_func("/figure/grid-matrices", test_grid_matrices);
  g_test_add_func("/figure/enlarge", test_enlarge);
}
