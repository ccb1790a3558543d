/* test-figure-references.c — figures against reference pictures.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * References are in two parts, since letters look a little different with every release of
 * FreeType, cairo and Pango: NAME.png is drawn without text, NAME.txt says which texts stand where.
 * With REGARD_RENEW_REFERENCES=1 they are written anew. What differs is left in the build directory
 * as NAME-actual.png and NAME-actual.txt. That cairo's canvas puts text where it is told to is held
 * by test-canvas.c.
 */
#include "figures/regard-canvas.h"
#include "figures/regard-figure-matrix.h"
#include "figures/regard-matrix-positions.h"
#include "figures/regard-sheet.h"
#include "formats/regard-export-private.h"
#include "picture.h"
#include "sample-capture.h"
#include "suite.h"
#include <math.h>
#include <pango/pangocairo.h>
#include <string.h>

static gboolean
has_test_fonts(void)
{
  RegardCanvas *canvas = regard_canvas_new_measure();
  PangoFontDescription *wanted = pango_font_description_from_string("Sans 10");
  PangoFont *font = pango_context_load_font(canvas->context, wanted);
  PangoFontDescription *found = pango_font_describe(font);
  gboolean ok = strcmp(pango_font_description_get_family(found), "DejaVu Sans") == 0;
  pango_font_description_free(found);
  g_object_unref(font);
  pango_font_description_free(wanted);
  regard_canvas_free(canvas);
  return ok;
}

/* A figure as it is compared: pixels without text, and a line for each text. */
typedef struct {
  cairo_surface_t *picture;
  char *texts;
} Drawn;

/* The texts of the figure that is being drawn; the class of cairo's canvas has no room for it. */
static GString *noted;

static void
note_text(RegardCanvas *canvas, double x, double baseline, const RegardSpan *spans, guint n,
          double size, RegardAnchor anchor, double angle)
{
  /* "-0.0" and "0.0" are one place. */
  g_string_append_printf(noted, "%.1f %.1f size %.1f anchor %d angle %.1f", x + 0.001,
                         baseline + 0.001, size, (int) anchor, angle);
  for (guint i = 0; i < n; i++)
    g_string_append_printf(noted, " %s#%08x “%s”", spans[i].bold ? "bold " : "", spans[i].argb,
                           spans[i].text);
  g_string_append_c(noted, '\n');
}

static Drawn
draw_figure(RegardFigure *figure, double width_mm, double dpi)
{
  const double width = width_mm / 25.4 * 72, font = 7;
  const double height = regard_figure_height(figure, width, font);
  cairo_surface_t *picture =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int) ceil(width * dpi / 72),
                                 (int) ceil(height * dpi / 72));
  cairo_t *cr = cairo_create(picture);
  cairo_set_source_rgb(cr, 1, 1, 1);
  cairo_paint(cr);
  cairo_scale(cr, dpi / 72, dpi / 72);
  RegardCanvas *canvas = regard_canvas_new_cairo(cr, 72 / dpi);
  RegardCanvasClass klass = *canvas->klass;
  klass.text = note_text;
  canvas->klass = &klass;
  noted = g_string_new(NULL);
  regard_figure_draw(figure, canvas, width, font);
  regard_canvas_free(canvas);
  g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy(cr);
  cairo_surface_flush(picture);
  return (Drawn){picture, g_string_free(noted, FALSE)};
}

static void
drawn_clear(Drawn *drawn)
{
  cairo_surface_destroy(drawn->picture);
  g_free(drawn->texts);
}

/* Whether a pixel of a is near none of b at its place and around it: an edge may be rounded to the
 * next pixel. */
static gboolean
is_imported(cairo_surface_t *a, cairo_surface_t *b, int x, int y)
{
  const guint32 color = picture_pixel(a, x, y);
  for (int v = MAX(y - 1, 0); v <= MIN(y + 1, picture_height(b) - 1); v++)
    for (int u = MAX(x - 1, 0); u <= MIN(x + 1, picture_width(b) - 1); u++)
      if (color_difference(color, picture_pixel(b, u, v)) <= 40)
        return FALSE;
  return TRUE;
}

/* Pixels that one picture has and the other has not; all if the sizes differ by more than one. */
static guint
difference(cairo_surface_t *a, cairo_surface_t *b)
{
  if (ABS(picture_width(a) - picture_width(b)) > 1 ||
      ABS(picture_height(a) - picture_height(b)) > 1)
    return G_MAXUINT;
  const int width = MIN(picture_width(a), picture_width(b));
  const int height = MIN(picture_height(a), picture_height(b));
  guint n = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      n += is_imported(a, b, x, y) || is_imported(b, a, x, y);
  return n;
}

/* Whether two lines of note_text say the same within a point. */
static gboolean
same_text(const char *a, const char *b)
{
  for (int i = 0; i < 2; i++) {
    char *after_a, *after_b;
    if (fabs(g_ascii_strtod(a, &after_a) - g_ascii_strtod(b, &after_b)) > 1)
      return FALSE;
    a = after_a;
    b = after_b;
  }
  return strcmp(a, b) == 0;
}

/* The first line that differs, counted from 1; 0 if none does. */
static guint
differing_text(const char *a, const char *b)
{
  g_auto(GStrv) lines_a = g_strsplit(a, "\n", -1), lines_b = g_strsplit(b, "\n", -1);
  guint i = 0;
  for (; lines_a[i] && lines_b[i]; i++)
    if (!same_text(lines_a[i], lines_b[i]))
      return i + 1;
  return lines_a[i] || lines_b[i] ? i + 1 : 0;
}

/* Pixels that may differ, as corners may. The inside of a cell of the smallest matrix has more. */
#define TOLERANCE 3

static gboolean
is_like(const Drawn *drawn, const Drawn *reference, const char *name)
{
  const guint differing = difference(drawn->picture, reference->picture);
  const guint line = differing_text(drawn->texts, reference->texts);
  if (differing > 0)
    g_test_message("%s: %u pixels differ", name, differing);
  if (line > 0)
    g_test_message("%s: line %u of the texts differs", name, line);
  return differing <= TOLERANCE && line == 0;
}

static void
drawn_write(const Drawn *drawn, GTestFileType where, const char *directory, const char *name)
{
  GError *error = NULL;
  g_autofree char *stem = g_test_build_filename(where, directory, name, NULL);
  g_autofree char *png = g_strconcat(stem, ".png", NULL), *txt = g_strconcat(stem, ".txt", NULL);
  g_autoptr(GBytes) bytes = regard_png_encode(drawn->picture, 72, NULL, 0, &error);
  g_assert_no_error(error);
  g_file_set_contents(png, g_bytes_get_data(bytes, NULL), (gssize) g_bytes_get_size(bytes), &error);
  g_assert_no_error(error);
  g_file_set_contents(txt, drawn->texts, -1, &error);
  g_assert_no_error(error);
}

static Drawn
drawn_read(const char *name)
{
  GError *error = NULL;
  Drawn drawn;
  g_autofree char *stem = g_test_build_filename(G_TEST_DIST, "reference", name, NULL);
  g_autofree char *png = g_strconcat(stem, ".png", NULL), *txt = g_strconcat(stem, ".txt", NULL);
  drawn.picture = picture_read_file(png);
  g_file_get_contents(txt, &drawn.texts, NULL, &error);
  g_assert_no_error(error);
  return drawn;
}

static void
assert_like_reference(RegardFigure *figure, const char *name, double width_mm, double dpi)
{
  Drawn actual = draw_figure(figure, width_mm, dpi);
  regard_figure_free(figure);
  if (g_getenv("REGARD_RENEW_REFERENCES"))
    drawn_write(&actual, G_TEST_DIST, "reference", name);
  Drawn reference = drawn_read(name);
  if (!is_like(&actual, &reference, name)) {
    g_autofree char *kept = g_strconcat(name, "-actual", NULL);
    drawn_write(&actual, G_TEST_BUILT, ".", kept);
    g_test_fail();
  }
  drawn_clear(&reference);
  drawn_clear(&actual);
}

/* The comparison itself: a wrong cell, a label that is missing, other, or has moved are seen; an
 * edge or a label that is rounded in another way is not. */
static void
test_comparison(void)
{
  g_assert_false(same_text("10.0 20.0 size 7.0 “a”", "10.0 21.5 size 7.0 “a”"));
  g_assert_false(same_text("10.0 20.0 size 7.0 “a”", "11.5 20.0 size 7.0 “a”"));
  g_assert_false(same_text("10.0 20.0 size 7.0 “a”", "10.0 20.0 size 7.0 “b”"));
  g_assert_false(same_text("10.0 20.0 size 7.0 “a”", "10.0 20.0 size 6.0 “a”"));
  g_assert_true(same_text("10.0 20.0 size 7.0 “a”", "10.1 19.9 size 7.0 “a”"));
  g_assert_cmpuint(differing_text("1 1 a\n1 9 b\n", "1 1 a\n1 9 b\n"), ==, 0);
  g_assert_cmpuint(differing_text("1 1 a\n1 9 b\n", "1 1 a\n"), ==, 2);
  g_assert_cmpuint(differing_text("1 1 a\n", "1 1 a\n1 9 b\n"), ==, 2);

  mt_capture *capture = sample_capture(4);
  RegardMatrixSpec spec = {.kind = MT_CROSS, .layer = 3, .head = 3};
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  RegardFigure *figure = regard_figure_new_grid(capture, REGARD_SCOPE_HEAD, &spec, &style);
  Drawn right = draw_figure(figure, 89, 110), wrong = draw_figure(figure, 89, 110);
  g_assert_true(is_like(&right, &wrong, "twice the same"));
  g_assert_nonnull(strstr(right.texts, "man"));
  regard_figure_free(figure);

  /* A small cell in another colour. */
  cairo_t *cr = cairo_create(wrong.picture);
  cairo_set_source_rgb(cr, 1, 0.5, 0);
  cairo_rectangle(cr, picture_width(right.picture) / 2, picture_height(right.picture) / 2, 5, 5);
  cairo_fill(cr);
  cairo_destroy(cr);
  cairo_surface_flush(wrong.picture);
  g_assert_false(is_like(&wrong, &right, "a wrong cell"));
  drawn_clear(&wrong);

  style.colormap = regard_colormap_find("magma");
  figure = regard_figure_new_grid(capture, REGARD_SCOPE_HEAD, &spec, &style);
  wrong = draw_figure(figure, 89, 110);
  g_assert_false(is_like(&wrong, &right, "other colours"));
  regard_figure_free(figure);
  drawn_clear(&wrong);
  drawn_clear(&right);
  mt_capture_unref(capture);
}

static void
test_references(void)
{
  if (!has_test_fonts()) {
    g_test_skip("DejaVu Sans (fonts-dejavu-core) is not installed");
    return;
  }
  mt_capture *capture = sample_capture(4);
  RegardFigureStyle style = REGARD_FIGURE_STYLE_INIT;
  style.scale = REGARD_SCALE_SQRT;
  style.pinned_row = 13;
  style.pinned_col = 14;
  RegardMatrixSpec spec = {.kind = MT_CROSS, .layer = 3, .head = 3};
  assert_like_reference(regard_figure_new_grid(capture, REGARD_SCOPE_HEAD, &spec, &style), "cross",
                        160, 110);

  style = (RegardFigureStyle) REGARD_FIGURE_STYLE_INIT;
  style.colormap = regard_colormap_find("paper-blue");
  spec = (RegardMatrixSpec){.kind = MT_DECODER_SELF,
                            .combine = REGARD_COMBINE_MEAN,
                            .merge_words = TRUE,
                            .hide_special = TRUE};
  assert_like_reference(regard_figure_new_grid(capture, REGARD_SCOPE_HEAD, &spec, &style),
                        "decoder-merged", 89, 150);

  style.colormap = regard_colormap_find("magma");
  style.dark = TRUE;
  style.scale = REGARD_SCALE_LOG;
  spec = (RegardMatrixSpec){.kind = MT_ENCODER_SELF};
  assert_like_reference(regard_figure_new_grid(capture, REGARD_SCOPE_KIND, &spec, &style),
                        "encoder-grid-dark", 89, 150);

  float table[20 * 64];
  mt_positions_sinusoidal(table, 20, 64, MT_POSITIONS_SINUSOIDAL_HALVES);
  g_autoptr(RegardMatrix) positions =
      regard_matrix_new_positions((mt_matrix){table, 20, 64, 64}, 20,
                                  MT_POSITIONS_SINUSOIDAL_HALVES, mt_capture_source(capture),
                                  "en-de");
  assert_like_reference(regard_figure_new_matrix(positions, NULL), "positions", 89, 150);

  /* A column of a paper: cells equally large, labels once, one colour bar. */
  g_autoptr(RegardSheet) sheet = regard_sheet_new();
  for (guint i = 0; i < 4; i++) {
    RegardPanel *panel = regard_panel_new_attention(capture, i == 3 ? MT_ENCODER_SELF : MT_CROSS);
    panel->look.spec.layer = panel->look.spec.head = i;
    panel->look.form = i == 2 ? REGARD_FORM_LINES : REGARD_FORM_MATRIX;
    g_assert_true(regard_sheet_add(sheet, panel));
  }
  assert_like_reference(regard_figure_new_sheet(sheet), "sheet", 160, 110);
  mt_capture_unref(capture);
}

TESTS()
{
  g_test_add_func("/figure-references/comparison", test_comparison);
  g_test_add_func("/figure-references/references", test_references);
}
