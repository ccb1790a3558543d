/* test-sheet.c — sheets: their mosaic, where panels and cells come to stand, the one colour bar,
 * the caption, and drawings that are kept.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "canvas-recorder.h"
#include "figures/regard-figure-private.h"
#include "figures/regard-matrix-file.h"
#include "figures/regard-sheet-checks.h"
#include "formats/regard-export.h"
#include "sample-capture.h"
#include "suite.h"

#include <math.h>
#include <string.h>

#define WIDTH (160 * 72 / 25.4)
#define FONT  7.0

static mt_capture *capture;

static RegardPanel *
head(mt_attention_kind kind, guint layer, guint number)
{
  RegardPanel *panel = regard_panel_new_attention(capture, kind);
  panel->look.spec.layer = layer;
  panel->look.spec.head = number;
  return panel;
}

static RegardSheet *
new_sheet(const char *mosaic)
{
  RegardSheet *sheet = regard_sheet_new();
  RegardMosaic parsed;
  g_autofree char *reason = NULL;
  g_assert_true(regard_mosaic_parse(mosaic, &parsed, &reason));
  regard_sheet_set_mosaic(sheet, &parsed);
  return sheet;
}

static void
test_mosaic(void)
{
  static const struct {
    const char *text, *reason;
  } bad[] = {
      {"", "no panel"},          {"..", "no panel"},
      {"AB;C", "equally long"},  {"AB;BA", "rectangle"},
      {"A B", "letters"},        {"AAB;ABB", "rectangle"},
      {"ABCDEFGHIJKLM", "most"}, {"A\nB\nC\nD\nE\nF\nG\nH\nI\nJ\nK\nL\nM", "most"},
  };
  RegardMosaic m;
  RegardMosaicPlace place;
  char letters[REGARD_SHEET_MOST_PANELS + 1];
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autofree char *reason = NULL;
    g_assert_false(regard_mosaic_parse(bad[i].text, &m, &reason));
    g_assert_nonnull(strstr(reason, bad[i].reason));
  }
  g_autofree char *none = NULL;
  g_assert_true(regard_mosaic_parse("ab;Cc\n", &m, &none));
  g_autofree char *text = regard_mosaic_dup_text(&m);
  g_assert_cmpstr(text, ==, "AB;CC");
  g_assert_true(regard_mosaic_find(&m, 'C', &place));
  g_assert_cmpuint(place.row, ==, 1);
  g_assert_cmpuint(place.n_cols, ==, 2);
  g_assert_false(regard_mosaic_find(&m, 'D', &place));
  regard_mosaic_remove(&m, 'A');
  g_assert_cmpuint(regard_mosaic_letters(&m, letters), ==, 2);
  g_assert_cmpstr(letters, ==, "BC");
  g_assert_cmpint(regard_mosaic_add(&m), ==, 'A'); /* where it was */
  g_autofree char *again = regard_mosaic_dup_text(&m);
  g_assert_cmpstr(again, ==, "AB;CC");
  regard_mosaic_remove(&m, 'C');
  g_assert_cmpuint(m.rows, ==, 1);
}

/* One panel after the other, until there is room for no more. */
static void
test_adding(void)
{
  g_autoptr(RegardSheet) sheet = regard_sheet_new();
  for (guint i = 0; i < REGARD_SHEET_MOST_PANELS; i++)
    g_assert_true(regard_sheet_add(sheet, head(MT_CROSS, i % 4, i % 8)));
  g_assert_false(regard_sheet_add(sheet, head(MT_CROSS, 0, 0)));
  g_assert_cmpuint(sheet->panels->len, ==, REGARD_SHEET_MOST_PANELS);
  regard_sheet_remove(sheet, 'B');
  g_assert_null(regard_sheet_find(sheet, 'B'));
  g_assert_true(regard_sheet_add(sheet, head(MT_CROSS, 0, 0)));
  g_assert_nonnull(regard_sheet_find(sheet, 'B'));
}

/* Cells are equally large, plots of a row begin at one height, and labels stand once. */
static void
test_cells(void)
{
  g_autoptr(RegardSheet) sheet = new_sheet("AB;CC");
  regard_sheet_set(sheet, 'A', head(MT_CROSS, 0, 0));
  regard_sheet_set(sheet, 'B', head(MT_CROSS, 1, 2));
  regard_sheet_set(sheet, 'C', head(MT_ENCODER_SELF, 2, 3));
  g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
  RegardSheetLayout layout;
  regard_sheet_lay_out(figure, WIDTH, FONT, &layout);
  g_assert_cmpuint(layout.n, ==, 3);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpfloat_with_epsilon(layout.places[i].cell_width, layout.places[0].cell_width, 0.01);
    g_assert_cmpfloat_with_epsilon(layout.places[i].cell_height, layout.places[i].cell_width, 0.01);
    g_assert_cmpfloat(layout.places[i].box.x + layout.places[i].box.width, <=, WIDTH);
  }
  g_assert_cmpfloat(layout.places[0].cell_width, >, 8); /* the widths of columns are used */

  Recorder *r = record(figure, WIDTH, FONT);
  guint n = 0;
  for (guint i = 0; i < r->texts->len; i++)
    n += g_str_equal(g_array_index(r->texts, Written, i).text, "queries: translation");
  g_assert_cmpuint(n, ==, 1); /* of A, and B has the same */
  g_assert_true(has_text(r, "(c)"));
  g_assert_cmpfloat(r->right, <=, WIDTH);
  g_assert_cmpfloat(r->bottom, <=, layout.height);
  assert_on_page(r, figure, WIDTH, FONT);
  regard_canvas_free(&r->parent);

  g_autoptr(RegardSheet) apart = regard_sheet_copy(sheet);
  apart->equal = FALSE;
  g_autoptr(RegardFigure) other = regard_figure_new_sheet(apart);
  regard_sheet_lay_out(other, WIDTH, FONT, &layout);
  g_assert_cmpfloat(layout.places[2].cell_width, >, 1.2 * layout.places[0].cell_width);
}

/* A row that is said to be so high is, and all cells shrink with it. */
static void
test_heights(void)
{
  g_autoptr(RegardSheet) sheet = new_sheet("AB");
  RegardSheetLayout natural, said;
  regard_sheet_set(sheet, 'A', head(MT_ENCODER_SELF, 0, 0));
  regard_sheet_set(sheet, 'B', head(MT_ENCODER_SELF, 1, 2));
  g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
  regard_sheet_lay_out(figure, WIDTH, FONT, &natural);
  sheet->rows[0] = 60;
  regard_sheet_lay_out(figure, WIDTH, FONT, &said);
  g_assert_cmpfloat_with_epsilon(said.places[0].box.height, 60 * 72 / 25.4, 0.01);
  g_assert_cmpfloat(said.places[0].cell_width, <, natural.places[0].cell_width);
  g_assert_cmpfloat_with_epsilon(said.places[1].cell_width, said.places[0].cell_height, 0.01);
  Recorder *r = record(figure, WIDTH, FONT);
  g_assert_cmpfloat(r->bottom, <=, said.height);
  regard_canvas_free(&r->parent);
}

static guint
count_bars(RegardFigure *figure)
{
  Recorder *r = record(figure, WIDTH, FONT);
  guint n = 0;
  for (guint i = 0; i < r->texts->len; i++)
    n += strstr(g_array_index(r->texts, Written, i).text, " scale") != NULL;
  regard_canvas_free(&r->parent);
  return n;
}

/* One bar for what is told in the same colours, and why not for the rest. */
static void
test_bar(void)
{
  mt_error error = {0};
  g_autoptr(RegardSheet) sheet = new_sheet("ABC");
  for (guint i = 0; i < 3; i++)
    regard_sheet_set(sheet, (char) ('A' + i), head(MT_CROSS, i, i));
  {
    g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
    g_autofree char *problem = regard_sheet_bar_problem(figure);
    g_assert_null(problem);
    g_assert_cmpuint(count_bars(figure), ==, 1);
  }
  regard_sheet_find(sheet, 'C')->scale = REGARD_SCALE_SQRT;
  {
    g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
    g_autofree char *problem = regard_sheet_bar_problem(figure);
    g_assert_nonnull(strstr(problem, "Panel (c)"));
    g_assert_nonnull(strstr(problem, "square root"));
    g_assert_cmpuint(count_bars(figure), ==, 2);
  }
  mt_capture *other = sample_changed_capture(4, "cross 2.3 zero");
  mt_capture *difference = mt_capture_difference_aligned(capture, other, &error);
  g_assert_cmpstr(error.message, ==, "");
  regard_sheet_set(sheet, 'C', regard_panel_new_attention(difference, MT_CROSS));
  {
    g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
    g_autofree char *problem = regard_sheet_bar_problem(figure);
    g_assert_nonnull(strstr(problem, "“difference”"));
    g_assert_nonnull(strstr(problem, "“weight”"));
  }
  mt_capture_unref(difference);
  mt_capture_unref(other);
  sheet->one_bar = FALSE;
  g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
  g_autofree char *problem = regard_sheet_bar_problem(figure);
  g_assert_null(problem);
  g_assert_cmpuint(count_bars(figure), ==, 3);
}

/* The range of one bar is that of all panels: of differences, the larger one on both sides. */
static void
test_range(void)
{
  mt_error error = {0};
  static const float by[] = {0.25f, -0.5f};
  g_autoptr(RegardSheet) sheet = new_sheet("AB");
  for (guint i = 0; i < 2; i++) {
    mt_capture *other = sample_capture(4);
    mt_capture_fill_weights(other, MT_CROSS, 0, 0)[3] += by[i];
    mt_capture *difference = mt_capture_difference_aligned(capture, other, &error);
    g_assert_cmpfloat(mt_capture_difference_most(difference), ==, fabsf(by[i]));
    regard_sheet_set(sheet, (char) ('A' + i), regard_panel_new_attention(difference, MT_CROSS));
    mt_capture_unref(difference);
    mt_capture_unref(other);
  }
  g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
  g_autofree char *problem = regard_sheet_bar_problem(figure);
  g_assert_null(problem);
  g_assert_cmpuint(count_bars(figure), ==, 1);
  Recorder *r = record(figure, WIDTH, FONT);
  g_assert_true(has_text(r, "−0.5"));
  g_assert_true(has_text(r, ".25")); /* in the cell */
  regard_canvas_free(&r->parent);
}

static guint
count(const char *text, const char *part)
{
  guint n = 0;
  for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
    n++;
  return n;
}

static void
test_caption(void)
{
  g_autoptr(RegardSheet) sheet = new_sheet("BA");
  regard_sheet_set(sheet, 'A', head(MT_CROSS, 0, 0));
  regard_sheet_set(sheet, 'B', head(MT_CROSS, 1, 2));
  g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
  g_autofree char *plain = regard_sheet_caption(figure, REGARD_CAPTION_PLAIN);
  /* In the order of reading. */
  g_assert_true(g_str_has_prefix(plain, "(a) Cross-attention · layer 2 · head 3. (b) "
                                        "Cross-attention · layer 1 · head 1. Source: “"));
  g_assert_cmpuint(count(plain, "Source: "), ==, 1);
  g_assert_cmpuint(count(plain, "Colour scale: "), ==, 1);
  g_autofree char *latex = regard_sheet_caption(figure, REGARD_CAPTION_LATEX);
  g_assert_true(g_str_has_prefix(latex, "\\textbf{(a)} Cross-attention $\\cdot$ layer 2"));
  g_autofree char *markdown = regard_sheet_caption(figure, REGARD_CAPTION_MARKDOWN);
  g_assert_true(g_str_has_prefix(markdown, "**(a)** Cross-attention · layer 2"));
  sheet->letters = REGARD_LETTERS_CAPITAL;
  sheet->bold = FALSE;
  g_autofree char *capital = regard_sheet_caption(figure, REGARD_CAPTION_LATEX);
  g_assert_true(g_str_has_prefix(capital, "A Cross-attention"));
  g_autofree char *of_figure = regard_figure_caption(figure);
  g_assert_true(g_str_has_prefix(of_figure, "A Cross-attention"));
}

/* Kept, written, read: the same picture, to the byte. */
static void
test_drawing(void)
{
  static const RegardScope scopes[] = {REGARD_SCOPE_HEAD, REGARD_SCOPE_KIND, REGARD_SCOPE_LAYER};
  const RegardMatrixSpec spec = {.kind = MT_DECODER_SELF, .layer = 1};
  for (guint i = 0; i < G_N_ELEMENTS(scopes); i++) {
    const char *expected, *text = NULL;
    g_autoptr(RegardFigure) figure = regard_figure_new_grid(capture, scopes[i], &spec, NULL);
    g_autoptr(RegardDrawing) drawing = regard_drawing_new(figure, WIDTH, FONT);
    json_object *object = regard_drawing_write(drawing);
    g_autofree char *written = g_strdup(json_object_to_json_string(object));
    json_object_put(object);
    object = json_tokener_parse(written);
    g_autoptr(RegardDrawing) again = regard_drawing_read(object, &expected);
    g_assert_nonnull(again);
    json_object_put(object);
    object = regard_drawing_write(again);
    g_assert_cmpstr(json_object_to_json_string(object), ==, written);
    json_object_put(object);
    g_assert_cmpfloat(regard_drawing_least_text(again, &text), >, 3);
    g_assert_nonnull(text);
  }
}

static void
test_drawing_refused(void)
{
  static const char *const bad[] = {
      "[]",
      "{\"width\": 10, \"height\": 10}",
      "{\"width\": 0, \"height\": 10, \"strokes\": []}",
      "{\"width\": 1e300, \"height\": 10, \"strokes\": []}",
      "{\"width\": 10, \"height\": 10, \"strokes\": [[\"r\", 1, 1, 1, 1, 0]]}",
      "{\"width\": 10, \"height\": 10, \"strokes\": [[\"r\", 1, 1, 1, 1, 0, \"red\"]]}",
      "{\"width\": 10, \"height\": 10, \"strokes\": [[\"x\"]]}",
      "{\"width\": 10, \"height\": 10, \"strokes\": [[\"]\"]]}",
      "{\"width\": 10, \"height\": 10, \"strokes\": [[\"[\", 0, 0, 1, 1]]}",
      "{\"width\": 10, \"height\": 10, \"strokes\": [[\"c\", 1, 0, 0, \"ff000000\", 0, 0]]}",
      "{\"width\": 10, \"height\": 10, \"strokes\": [[\"t\", 1, 1, 7, 3, 0, \"a\", \"ff000000\", "
      "false]]}",
      "{\"width\": 10, \"height\": 10, \"strokes\": [[\"t\", 1, 1, 7, 0, 0]]}",
      "{\"width\": 10, \"height\": 10, \"strokes\": [[\"h\", 0, 1, \"ff000000\", 0, 0, 9, 9]]}",
      "{\"width\": 10, \"height\": 10, \"strokes\": [[\"i\", 1, 1, 1, 1, \"iVBORw0KGgo=\"]]}",
  };
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    const char *expected = NULL;
    json_object *object = json_tokener_parse(bad[i]);
    g_assert_nonnull(object);
    g_assert_null(regard_drawing_read(object, &expected));
    g_assert_nonnull(expected);
    json_object_put(object);
  }
}

/* What a figure shows as attention stays attention, and draws the same matrix; all else becomes a
 * drawing. */
static void
test_panels(void)
{
  const RegardMatrixSpec spec = {.kind = MT_CROSS, .layer = 2, .head = 5, .hide_special = TRUE};
  const RegardFigureStyle style = {.scale = REGARD_SCALE_LOG, .pinned_row = 3, .pinned_col = 2};
  g_autoptr(RegardFigure) figure =
      regard_figure_new_grid(capture, REGARD_SCOPE_HEAD, &spec, &style);
  RegardPanel *panel = regard_panel_new(figure, WIDTH, FONT);
  g_assert_true(panel->is_attention);
  g_assert_true(panel->look.capture == capture);
  g_assert_cmpuint(panel->look.spec.head, ==, 5);
  g_assert_true(panel->look.spec.hide_special);
  g_assert_cmpint(panel->scale, ==, REGARD_SCALE_LOG);
  g_assert_cmpint(panel->pinned_row, ==, 3);
  g_autofree char *name = regard_panel_describe(panel);
  g_assert_cmpstr(name, ==, "Cross-attention · layer 3 · head 6");
  regard_panel_free(panel);

  static const float values[] = {1, 2, 3, 4};
  static const char *const labels[] = {"a", "b"};
  g_autoptr(RegardMatrix) m = sample_matrix(values, 2, 2, labels, labels);
  g_autoptr(RegardFigure) table = regard_figure_new_table(m, NULL);
  g_autoptr(RegardSheet) sheet = regard_sheet_new();
  regard_sheet_add(sheet, regard_panel_new(table, WIDTH, FONT));
  regard_sheet_add(sheet, head(MT_CROSS, 0, 0));
  g_assert_false(regard_sheet_find(sheet, 'A')->is_attention);
  g_autoptr(RegardFigure) both = regard_figure_new_sheet(sheet);
  Recorder *r = record(both, WIDTH, FONT);
  g_assert_true(has_text(r, "4.00"));
  g_assert_cmpfloat(r->right, <=, WIDTH);
  regard_canvas_free(&r->parent);
}

static const RegardSheetCheck *
find_check(const GPtrArray *checks, const char *part)
{
  for (guint i = 0; i < checks->len; i++) {
    const RegardSheetCheck *check = checks->pdata[i];
    if (strstr(check->text, part))
      return check;
  }
  g_error("no check says “%s”", part);
}

/* A matrix that is no attention, of three rows and so many columns, whose largest value is this. */
static RegardPanel *
numbers(guint cols, float most, const char *quantity)
{
  float *values = g_new(float, 3 * (gsize) cols);
  for (guint i = 0; i < 3 * cols; i++)
    values[i] = most * (float) ((int) i % 5 - 2) / 2;
  g_autoptr(RegardMatrix) m = regard_matrix_new_from(
      &(RegardMatrixSource){.id = "effects",
                            .title = "Effects · cross",
                            .value_name = quantity,
                            .rows = regard_axis_counted(3, 1, "layers", "layer"),
                            .cols = regard_axis_counted(cols, 1, "heads", "head"),
                            .values = values,
                            .range = REGARD_RANGE_SIGNED});
  const RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  g_autoptr(RegardFigure) figure = regard_figure_new_matrix(m, &style);
  RegardPanel *panel = regard_panel_new(figure, WIDTH, FONT);
  g_assert_nonnull(panel->matrices);
  g_assert_null(panel->drawing);
  return panel;
}

/* Matrices of other pages have the cells and the colour bar of all, and are checked like all. */
static void
test_matrices(void)
{
  g_autoptr(RegardSheet) sheet = new_sheet("AB;CC");
  RegardSheetLayout layout;
  regard_sheet_set(sheet, 'A', numbers(4, 0.5f, "nats"));
  regard_sheet_set(sheet, 'B', numbers(8, 2, "nats"));
  regard_sheet_set(sheet, 'C', head(MT_CROSS, 0, 0));
  {
    g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
    g_autofree char *problem = regard_sheet_bar_problem(figure);
    g_assert_nonnull(strstr(problem, "Panel (c)"));
    g_assert_nonnull(strstr(problem, "it shows “weight”, panel (a) “nats”"));
    g_assert_cmpuint(count_bars(figure), ==, 2);
    regard_sheet_lay_out(figure, WIDTH, FONT, &layout);
    for (guint i = 1; i < 3; i++)
      g_assert_cmpfloat_with_epsilon(layout.places[i].cell_width, layout.places[0].cell_width,
                                     0.01);
    Recorder *r = record(figure, WIDTH, FONT);
    g_assert_true(has_text(r, "−2")); /* the bar has the range of both */
    regard_canvas_free(&r->parent);
  }
  const RegardMatrix *kept = regard_sheet_find(sheet, 'A')->matrices->pdata[0];
  g_assert_cmpfloat(kept->hi, ==, 0.5f); /* what is kept has its own */
  regard_sheet_find(sheet, 'B')->scale = REGARD_SCALE_SQRT;
  {
    g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
    g_autofree char *problem = regard_sheet_bar_problem(figure);
    g_assert_nonnull(strstr(problem, "Panel (b) has a colour bar of its own: its scale"));
    g_autoptr(GPtrArray) checks = regard_sheet_check(figure);
    /* The two ends of blue and orange are as light as each other. */
    g_assert_nonnull(strstr(find_check(checks, "In grey")->text, "(a)"));
  }
  /* A plane of numbers leaves the others their cells. */
  const double before = layout.places[0].cell_width;
  regard_sheet_set(sheet, 'C', numbers(300, 1, "encoding"));
  g_autoptr(RegardFigure) plane = regard_figure_new_sheet(sheet);
  regard_sheet_lay_out(plane, WIDTH, FONT, &layout);
  g_assert_cmpfloat(layout.places[0].cell_width, >, 0.9 * before);
  g_assert_cmpfloat(layout.places[2].cell_width, <, 0.2 * before);
  Recorder *r = record(plane, WIDTH, FONT);
  assert_on_page(r, plane, WIDTH, FONT);
  regard_canvas_free(&r->parent);
}

static void
unref_matrix(gpointer matrix)
{
  regard_matrix_unref(matrix);
}

/* Several maps of one figure are one panel, on the scale of all. */
static void
test_maps(void)
{
  g_autoptr(RegardSheet) sheet = new_sheet("AB");
  RegardPanel *maps = numbers(4, 0.5f, "nats"), *other = numbers(6, 0.5f, "nats");
  g_autoptr(GPtrArray) both = g_ptr_array_new_with_free_func(unref_matrix);
  g_ptr_array_add(both, regard_matrix_ref(maps->matrices->pdata[0]));
  g_ptr_array_add(both, regard_matrix_ref(other->matrices->pdata[0]));
  g_ptr_array_unref(maps->matrices);
  maps->matrices = g_ptr_array_ref(both);
  regard_panel_free(other);
  regard_sheet_set(sheet, 'A', maps);
  regard_sheet_set(sheet, 'B', numbers(4, 4, "nats"));
  g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
  g_autofree char *problem = regard_sheet_bar_problem(figure);
  g_assert_null(problem);
  g_assert_cmpuint(count_bars(figure), ==, 1);
  Recorder *r = record(figure, WIDTH, FONT);
  assert_on_page(r, figure, WIDTH, FONT);
  g_assert_true(has_text(r, "−4"));
  g_assert_true(has_text(r, "cross")); /* of each map, what its title has of its own */
  regard_canvas_free(&r->parent);
}

/* Written and read it is the same, to the last bit; and what is none is refused. */
static void
test_matrix_file(void)
{
  static const struct {
    const char *from, *to;
  } bad[] = {
      {"\"quantity\"", "\"amount\""},       {"\"decimal\"", "\"octal\""},
      {"\"split\":0", "\"split\":9"},       {"\"most\":1.5", "\"most\":-1"},
      {"\"values\":[", "\"values\":[0,"},   {"\"aspect\":1", "\"aspect\":0"},
      {"\"labels\":[", "\"labels\":[7,"},   {"\"signed\":true", "\"signed\":false"},
      {"\"badges\":[", "\"badges\":[null"},
  };
  RegardPanel *panel = numbers(4, 1.5f, "nats");
  RegardMatrix *m = panel->matrices->pdata[0];
  const char *expected = NULL;
  m->values[1] = NAN;
  m->values[2] = 1.0f / 3;
  json_object *object = regard_matrix_write(m);
  g_autofree char *written =
      g_strdup(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
  json_object_put(object);
  object = json_tokener_parse(written);
  g_autoptr(RegardMatrix) again = regard_matrix_read(object, &expected);
  g_assert_nonnull(again);
  json_object_put(object);
  g_assert_true(isnan(again->values[1]));
  g_assert_true(again->values[2] == m->values[2]);
  object = regard_matrix_write(again);
  g_assert_cmpstr(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN), ==, written);
  json_object_put(object);
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autoptr(GString) broken = g_string_new(written);
    g_assert_cmpuint(g_string_replace(broken, bad[i].from, bad[i].to, 1), ==, 1);
    object = json_tokener_parse(broken->str);
    g_assert_null(regard_matrix_read(object, &expected));
    g_assert_nonnull(strstr(expected, "a matrix"));
    json_object_put(object);
  }
  regard_panel_free(panel);
}

/* Heads by texts: each panel says of which text it is, the caption each text once, and all have
 * cells of one size and one colour bar. */
static void
test_sentences(void)
{
  g_autoptr(RegardSheet) sheet = new_sheet("AB;CD");
  mt_capture *other = sample_capture_of("▁Two ▁dogs . </s>", "▁Zwei ▁Hunde . </s>", 4, 8);
  for (guint i = 0; i < 4; i++) {
    RegardPanel *panel = regard_panel_new_attention(i % 2 ? other : capture, MT_CROSS);
    panel->look.spec.layer = i / 2;
    regard_sheet_set(sheet, (char) ('A' + i), panel);
  }
  mt_capture_unref(other);
  g_assert_true(regard_sheet_has_sentences(sheet));
  RegardSheetLayout layout;
  {
    g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
    g_autofree char *caption = regard_sheet_caption(figure, REGARD_CAPTION_PLAIN);
    g_assert_cmpuint(count(caption, "Source: "), ==, 2);
    g_assert_nonnull(strstr(caption, "(b), (d): Source: “"));
    g_assert_cmpuint(count(caption, "Colour scale: "), ==, 1);
    g_assert_cmpuint(count_bars(figure), ==, 1);
    Recorder *r = record(figure, WIDTH, FONT);
    assert_on_page(r, figure, WIDTH, FONT);
    g_autofree char *label = regard_panel_dup_sentence(regard_sheet_find(sheet, 'A'));
    g_assert_true(g_str_has_suffix(label, "…"));
    g_autofree char *shown = g_strdup_printf("“%s”", label);
    g_assert_true(has_text(r, shown));
    regard_canvas_free(&r->parent);
    regard_sheet_lay_out(figure, WIDTH, FONT, &layout);
    for (guint i = 1; i < 4; i++)
      g_assert_cmpfloat_with_epsilon(layout.places[i].cell_width, layout.places[0].cell_width,
                                     0.01);
  }
  /* A label of its own is that of all panels of the text, also of those that have many heads. */
  regard_sheet_name_sentence(sheet, regard_panel_text(regard_sheet_find(sheet, 'B')), "dogs");
  regard_sheet_find(sheet, 'D')->look.scope = REGARD_SCOPE_LAYER;
  {
    g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
    g_autofree char *caption = regard_sheet_caption(figure, REGARD_CAPTION_LATEX);
    g_assert_nonnull(strstr(caption, "\\textbf{(b)}, \\textbf{(d)}, dogs: Source: ``"));
    Recorder *r = record(figure, WIDTH, FONT);
    guint n = 0;
    for (guint i = 0; i < r->texts->len; i++)
      n += g_str_equal(g_array_index(r->texts, Written, i).text, "dogs");
    g_assert_cmpuint(n, ==, 2);
    regard_canvas_free(&r->parent);
  }
  /* Of one text nobody has to say it. */
  regard_sheet_remove(sheet, 'B');
  regard_sheet_remove(sheet, 'D');
  g_assert_false(regard_sheet_has_sentences(sheet));
}

/* What is too small, and what looks alike to whom. */
static void
test_checks(void)
{
  g_autoptr(RegardSheet) sheet = new_sheet("AB");
  RegardPanel *several = head(MT_CROSS, 0, 0);
  guint8 *chosen = g_new0(guint8, 32);
  chosen[0] = chosen[3] = chosen[9] = 1;
  regard_sheet_set(sheet, 'A', head(MT_CROSS, 0, 0));
  several->look.form = REGARD_FORM_LINES;
  several->look.scope = REGARD_SCOPE_CHOSEN;
  several->look.spec.chosen = chosen;
  regard_sheet_set(sheet, 'B', several);
  {
    g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
    g_autoptr(GPtrArray) checks = regard_sheet_check(figure);
    g_assert_cmpuint(checks->len, ==, 6);
    g_assert_true(find_check(checks, "smallest text")->is_good);
    g_assert_true(find_check(checks, "smallest cell")->is_good);
    g_assert_false(find_check(checks, "In grey")->is_good); /* three heads by colour */
  }
  sheet->width_mm = 40;
  sheet->font_pt = 5;
  regard_sheet_find(sheet, 'A')->colormap = regard_colormap_find("blue-orange");
  g_autoptr(RegardFigure) small = regard_figure_new_sheet(sheet);
  g_autoptr(GPtrArray) checks = regard_sheet_check(small);
  g_assert_false(find_check(checks, "smallest text")->is_good);
  g_assert_false(find_check(checks, "less than 1, in panel (a)")->is_good);
  g_assert_nonnull(strstr(find_check(checks, "In grey")->text, "(a), (b)"));
  g_assert_true(find_check(checks, "red cones")->is_good);
}

/* Grey is grey, and red and green are near each other for whoever lacks a kind of cones. */
static void
test_sights(void)
{
  const guint32 grey = regard_sight_color(REGARD_SIGHT_GREY, 0xffff0000);
  g_assert_cmpuint(grey & 0xff, ==, grey >> 8 & 0xff);
  g_assert_cmpuint(grey & 0xff, ==, grey >> 16 & 0xff);
  g_assert_cmpuint(grey & 0xff, ==, 127); /* luminance 0.2126 */
  for (RegardSight s = 0; s < REGARD_N_SIGHTS; s++) {
    g_assert_cmphex(regard_sight_color(s, 0xffffffff), ==, 0xffffffff);
    g_assert_cmphex(regard_sight_color(s, 0xff000000), ==, 0xff000000);
  }
  const guint32 red = regard_sight_color(REGARD_SIGHT_DEUTAN, 0xffc00000),
                green = regard_sight_color(REGARD_SIGHT_DEUTAN, 0xff008000);
  g_assert_cmpint(ABS((int) (red >> 16 & 0xff) - (int) (green >> 16 & 0xff)), <, 60);
}

/* In all formats of pictures. */
static void
test_formats(void)
{
  guint n;
  const RegardExportFormat *const *formats = regard_export_formats(&n);
  g_autoptr(RegardSheet) sheet = new_sheet("A.;BB");
  regard_sheet_set(sheet, 'A', head(MT_CROSS, 0, 0));
  RegardPanel *lines = head(MT_CROSS, 1, 1);
  lines->look.form = REGARD_FORM_LINES;
  lines->title = g_strdup("Lines");
  regard_sheet_set(sheet, 'B', lines);
  g_autoptr(RegardFigure) figure = regard_figure_new_sheet(sheet);
  for (guint i = 0; i < n; i++) {
    const RegardExportOptions options = {160, 7, 72, 0, 0};
    g_autoptr(GError) error = NULL;
    if (!formats[i]->is_picture || !regard_export_format_fits(formats[i], figure))
      continue;
    g_autoptr(GBytes) bytes = formats[i]->render(figure, &options, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(g_bytes_get_size(bytes), >, 1000);
  }
}

TESTS()
{
  capture = sample_capture(4);
  g_test_add_func("/sheet/mosaic", test_mosaic);
  g_test_add_func("/sheet/adding", test_adding);
  g_test_add_func("/sheet/cells", test_cells);
  g_test_add_func("/sheet/heights", test_heights);
  g_test_add_func("/sheet/bar", test_bar);
  g_test_add_func("/sheet/range", test_range);
  g_test_add_func("/sheet/caption", test_caption);
  g_test_add_func("/sheet/drawing", test_drawing);
  g_test_add_func("/sheet/drawing/refused", test_drawing_refused);
  g_test_add_func("/sheet/panels", test_panels);
  g_test_add_func("/sheet/matrices", test_matrices);
  g_test_add_func("/sheet/maps", test_maps);
  g_test_add_func("/sheet/matrix/file", test_matrix_file);
  g_test_add_func("/sheet/sentences", test_sentences);
  g_test_add_func("/sheet/checks", test_checks);
  g_test_add_func("/sheet/sights", test_sights);
  g_test_add_func("/sheet/formats", test_formats);
}
