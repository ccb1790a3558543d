/* test-export.c — picture files, read back by us and by other programs; and what happens when a
 * file cannot be written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "export-test.h"
#include "formats/regard-export-private.h"
#include "picture.h"
#include "sample-capture.h"
#include "suite.h"
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
test_formats(void)
{
  static const char *const ids[] = {"png", "svg",  "pdf", "tikz", "pgfplots",
                                    "csv", "json", "npz", "dot",  "html"};
  guint n;
  const RegardExportFormat *const *formats = regard_export_formats(&n);
  g_assert_cmpuint(n, ==, G_N_ELEMENTS(ids));
  for (guint i = 0; i < n; i++) {
    g_assert_cmpstr(formats[i]->id, ==, ids[i]);
    g_assert_cmpint(formats[i]->is_picture, ==, i < 5);
    g_assert_true(regard_export_format_find(ids[i]) == formats[i]);
    g_autofree char *path = g_strdup_printf("/some.where/fig.v2.%s", ids[i]);
    g_assert_true(regard_export_format_find(path) == formats[i]);
  }
  g_assert_true(regard_export_format_find("PICTURE.PNG") == formats[0]);
  g_assert_cmpstr(regard_export_format_find("paper.tex")->id, ==, "tikz");
  g_assert_null(regard_export_format_find("picture.bmp"));
  g_assert_null(regard_export_format_find("no-extension"));
  g_assert_null(regard_export_format_find("dir.png/file"));
  g_assert_null(regard_export_format_find(""));
  g_assert_null(regard_export_format_find(NULL));
}

/* ---- PNG ---- */

static guint32
big_endian(const guint8 *p)
{
  return (guint32) p[0] << 24 | (guint32) p[1] << 16 | (guint32) p[2] << 8 | p[3];
}

/* First chunk of a type; NULL if there is none. */
static const guint8 *
find_chunk(GBytes *png, const char *type, guint32 *length)
{
  gsize size, at = 8;
  const guint8 *data = g_bytes_get_data(png, &size);
  g_assert_cmpint(memcmp(data, "\x89PNG\r\n\x1a\n", 8), ==, 0);
  while (at + 12 <= size) {
    *length = big_endian(data + at);
    if (memcmp(data + at + 4, type, 4) == 0)
      return data + at + 8;
    at += 12 + (gsize) *length;
  }
  return NULL;
}

static void
test_png(void)
{
  g_autoptr(RegardFigure) figure = sample_figure(MT_CROSS);
  static const double dpis[] = {72, 300};
  for (gsize i = 0; i < G_N_ELEMENTS(dpis); i++) {
    RegardExportOptions options = {89, 7, dpis[i]};
    g_autoptr(GBytes) png = render(figure, "png", &options);
    guint32 length;
    const guint8 *header = find_chunk(png, "IHDR", &length);
    g_assert_cmpuint(big_endian(header), ==, (guint) ceil(89 / 25.4 * dpis[i] - 0.01));
    g_assert_cmpint(header[9], ==, 2); /* RGB: opaque */
    const guint8 *physical = find_chunk(png, "pHYs", &length);
    g_assert_nonnull(physical);
    g_assert_cmpfloat_with_epsilon(big_endian(physical) * 0.0254, dpis[i], 0.02);
    g_assert_cmpuint(physical[8], ==, 1); /* per metre */
    g_assert_nonnull(find_chunk(png, "tEXt", &length));
    g_assert_nonnull(find_chunk(png, "iTXt", &length));
    g_autoptr(GBytes) again = render(figure, "png", &options);
    g_assert_true(g_bytes_equal(png, again));
  }

  /* The picture itself: white paper, and the exact colours of the map. */
  RegardExportOptions options = {160, 7, 150};
  g_autoptr(GBytes) png = render(figure, "png", &options);
  cairo_surface_t *picture = picture_read(png);
  g_assert_cmphex(picture_pixel(picture, 0, 0), ==, 0xffffffff);
  const RegardMatrix *m = regard_figure_matrix(figure, 0);
  const RegardColormap *map = regard_colormap_default();
  gsize found[2] = {0};
  guint32 zero = regard_colormap_lookup(map, sqrt(regard_matrix_get(m, 0, 16)));
  guint32 peak = regard_colormap_lookup(map, sqrt(regard_matrix_row_max(m, 8)));
  for (int y = 0; y < picture_height(picture); y++)
    for (int x = 0; x < picture_width(picture); x++) {
      const guint32 color = picture_pixel(picture, x, y);
      found[0] += color == zero;
      found[1] += color == peak;
    }
  g_assert_cmpuint(found[0], >, 20000);
  g_assert_cmpuint(found[1], >, 400);
  cairo_surface_destroy(picture);
}

/* What a text chunk says: after the keyword, and in UTF-8 after three more fields that are empty.
 */
static char *
chunk_text(GBytes *png, const char *type, const char *key)
{
  guint32 length;
  const guint8 *chunk = find_chunk(png, type, &length);
  g_assert_nonnull(chunk);
  gsize skip = strlen(key) + 1;
  g_assert_cmpmem(chunk, skip, key, skip);
  if (strcmp(type, "iTXt") == 0) {
    g_assert_cmpmem(chunk + skip, 4, "\0\0\0\0", 4);
    skip += 4;
  }
  return g_strndup((const char *) chunk + skip, length - skip);
}

static cairo_surface_t *
color_wedge(int width, int height)
{
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  guint8 *data = cairo_image_surface_get_data(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const guint32 color = 0xff000000u | (guint32) (x * 7) << 16 | (guint32) (y * 11) << 8 | 0x2a;
      memcpy(data + y * stride + 4 * x, &color, sizeof color);
    }
  cairo_surface_mark_dirty(surface);
  return surface;
}

/* What was put in comes out, pixel by pixel; what is not Latin-1 is written as UTF-8. */
static void
test_png_encode(void)
{
  enum { WIDTH = 23, HEIGHT = 17 }; /* rows that end in the middle of a word of memory */
  cairo_surface_t *surface = color_wedge(WIDTH, HEIGHT);
  static const RegardPngText texts[] = {{"Software", "Regard"}, {"Title", "Köpfe · “八”\n"}};
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) png = regard_png_encode(surface, 150, texts, G_N_ELEMENTS(texts), &error);
  g_assert_no_error(error);
  g_autofree char *software = chunk_text(png, "tEXt", "Software");
  g_autofree char *title = chunk_text(png, "iTXt", "Title");
  g_assert_cmpstr(software, ==, texts[0].text);
  g_assert_cmpstr(title, ==, texts[1].text);
  cairo_surface_t *picture = picture_read(png);
  g_assert_cmpint(picture_width(picture), ==, WIDTH);
  g_assert_cmpint(picture_height(picture), ==, HEIGHT);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      g_assert_cmphex(picture_pixel(picture, x, y), ==, picture_pixel(surface, x, y));
  cairo_surface_destroy(picture);
  cairo_surface_destroy(surface);
}

/* What libpng refuses, here a text without a keyword, is an error with the reason, and no picture.
 */
static void
test_png_refused(void)
{
  cairo_surface_t *surface = color_wedge(23, 17);
  static const RegardPngText nameless[] = {{"Title", "first"}, {"", "text"}, {"", "ü"}};
  for (guint n = 2; n <= G_N_ELEMENTS(nameless); n++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(regard_png_encode(surface, 150, nameless, n, &error));
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_FAILED);
    const char *before = "A PNG picture of 23 × 17 pixels could not be made: ";
    g_assert_true(g_str_has_prefix(error->message, before));
    g_assert_cmpuint(strlen(error->message), >, strlen(before));
  }
  cairo_surface_destroy(surface);
}

static void
test_bad_options(void)
{
  g_autoptr(RegardFigure) figure = sample_figure(MT_CROSS);
  static const RegardExportOptions bad[] = {
      {2000, 7, 4800}, {0, 7, 300}, {-5, 7, 300},  {NAN, 7, 300}, {160, 0, 300},
      {160, NAN, 300}, {160, 7, 0}, {160, 7, 1e9}, {10, 20, 300}, {1e12, 7, 300},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
    GError *error = NULL;
    g_assert_null(regard_export_format_find("png")->render(figure, &bad[i], &error));
    g_assert_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
    g_clear_error(&error);
  }
}

/* ---- SVG and PDF ---- */

/* Texts of all <text> elements, and whether there are <title> and <desc>. */
typedef struct {
  GPtrArray *texts;
  GString *current;
  guint n_title, n_desc;
} Svg;

static void
svg_start(GMarkupParseContext *context, const char *name, const char **keys, const char **values,
          void *user, GError **error)
{
  Svg *svg = user;
  if (strcmp(name, "text") == 0)
    svg->current = g_string_new(NULL);
  svg->n_title += strcmp(name, "title") == 0;
  svg->n_desc += strcmp(name, "desc") == 0;
  /* Numbers are numbers in any locale. */
  for (; *keys; keys++, values++)
    if (strcmp(*keys, "x") == 0 || strcmp(*keys, "font-size") == 0) {
      char *end;
      double number = g_ascii_strtod(*values, &end);
      g_assert_true(*end == '\0' && isfinite(number));
    }
}

static void
svg_text(GMarkupParseContext *context, const char *text, gsize length, void *user, GError **error)
{
  Svg *svg = user;
  if (svg->current)
    g_string_append_len(svg->current, text, (gssize) length);
}

static void
svg_end(GMarkupParseContext *context, const char *name, void *user, GError **error)
{
  Svg *svg = user;
  if (strcmp(name, "text") == 0) {
    g_ptr_array_add(svg->texts, g_string_free(svg->current, FALSE));
    svg->current = NULL;
  }
}

static Svg
parse_svg(const char *text)
{
  Svg svg = {g_ptr_array_new_with_free_func(g_free), NULL, 0, 0};
  GMarkupParser parser = {svg_start, svg_end, svg_text, NULL, NULL};
  GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, &svg, NULL);
  GError *error = NULL;
  g_markup_parse_context_parse(context, text, -1, &error);
  g_assert_no_error(error);
  g_markup_parse_context_end_parse(context, &error);
  g_assert_no_error(error);
  g_markup_parse_context_free(context);
  return svg;
}

static gboolean
equal(const void *a, const void *b)
{
  return strcmp(a, b) == 0;
}

static char *
full_label(const RegardLabel *label)
{
  return g_strconcat(label->prefix ? label->prefix : "", label->text,
                     label->suffix ? label->suffix : "", NULL);
}

static void
test_svg(void)
{
  for (int kind = 0; kind < MT_N_KINDS; kind++) {
    g_autoptr(RegardFigure) figure = sample_figure((mt_attention_kind) kind);
    const RegardMatrix *m = regard_figure_matrix(figure, 0);
    g_autofree char *text = render_text(figure, "svg");
    g_assert_nonnull(strstr(text, " width=\"160.000mm\""));
    Svg svg = parse_svg(text);
    g_assert_cmpuint(svg.n_title, ==, 1);
    g_assert_cmpuint(svg.n_desc, ==, 1);
    for (guint r = 0; r < m->rows; r++) {
      g_autofree char *label = full_label(&m->row_labels[r]);
      g_assert_true(g_ptr_array_find_with_equal_func(svg.texts, label, equal, NULL));
    }
    for (guint c = 0; c < m->cols; c++)
      g_assert_true(
          g_ptr_array_find_with_equal_func(svg.texts, m->col_labels[c].text, equal, NULL));
    g_assert_true(g_ptr_array_find_with_equal_func(svg.texts, m->title, equal, NULL));
    g_ptr_array_unref(svg.texts);
  }
}

static gboolean
has_text(const Svg *svg, const char *text)
{
  return g_ptr_array_find_with_equal_func(svg->texts, text, equal, NULL);
}

/* Title, numbers and model can each be left out; what was done to the matrix cannot. */
static void
test_left_out(void)
{
  for (guint left_out = 0; left_out < 8; left_out++) {
    mt_capture *capture = sample_capture(1);
    RegardMatrixSpec spec = {.kind = MT_CROSS, .hide_special = TRUE};
    g_autoptr(RegardMatrix) m = regard_matrix_new_attention(capture, &spec);
    g_autoptr(RegardFigure) figure = regard_figure_new_matrix(m, NULL);
    RegardExportOptions options = REGARD_EXPORT_OPTIONS_INIT;
    mt_capture_unref(capture);
    options.left_out = left_out;
    g_autoptr(GBytes) bytes = render(figure, "svg", &options);
    g_autofree char *text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
    Svg svg = parse_svg(text);
    g_assert_cmpint(has_text(&svg, m->title), ==, !(left_out & REGARD_PART_TITLE));
    g_assert_cmpint(has_text(&svg, "en-de"), ==, !(left_out & REGARD_PART_MODEL));
    gboolean has_numbers = FALSE;
    for (guint i = 0; i < svg.texts->len && !has_numbers; i++)
      has_numbers = g_str_has_prefix(svg.texts->pdata[i], "."); /* ".41" */
    g_assert_true(has_text(&svg, "special tokens hidden"));
    g_assert_true(has_text(&svg, "▁The"));
    g_ptr_array_unref(svg.texts);
    /* Hidden mass has numbers of its own. */
    g_assert_true(has_numbers);
    g_autoptr(RegardFigure) plain = sample_figure(MT_ENCODER_SELF);
    g_autoptr(GBytes) plain_bytes = render(plain, "svg", &options);
    g_autofree char *plain_text =
        g_strndup(g_bytes_get_data(plain_bytes, NULL), g_bytes_get_size(plain_bytes));
    g_assert_cmpint(g_regex_match_simple(">\\.[0-9][0-9]<", plain_text, 0, 0), ==,
                    !(left_out & REGARD_PART_NUMBERS));
  }
}

/* A figure is as high as is asked for, to a tenth of a point, whatever it draws. */
static void
test_heights(void)
{
  RegardFigure *figures[] = {sample_figure(MT_CROSS), sample_figure(MT_DECODER_SELF),
                             grid_figure(REGARD_SCOPE_LAYER), grid_figure(REGARD_SCOPE_KIND),
                             grid_figure(REGARD_SCOPE_ALL)};
  static const double heights[] = {60, 100, 160, 300};
  for (guint i = 0; i < G_N_ELEMENTS(figures); i++) {
    for (guint k = 0; k < G_N_ELEMENTS(heights); k++) {
      RegardExportOptions options = REGARD_EXPORT_OPTIONS_INIT;
      double width_pt, height_pt;
      GError *error = NULL;
      options.height_mm = heights[k];
      if (i == 4 && k == 0)
        options.font_pt = 4; /* three kinds have many lines of text */
      g_assert_true(regard_export_size(figures[i], &options, &width_pt, &height_pt, &error));
      g_assert_no_error(error);
      g_assert_cmpfloat_with_epsilon(height_pt, heights[k] * 72 / 25.4, 0.1);
    }
    RegardExportOptions low = REGARD_EXPORT_OPTIONS_INIT;
    g_autoptr(GError) error = NULL;
    low.height_mm = 12;
    g_assert_null(regard_export_format_find("pdf")->render(figures[i], &low, &error));
    g_assert_true(
        g_str_has_prefix(error->message, "A picture 12 mm high has no room for its text"));
    regard_figure_free(figures[i]);
  }
}

/* Whatever a token is, the file stays XML and the text stays itself. */
static void
test_svg_escapes(void)
{
  const char *labels[] = {"</text>", "a&b", "\"'<>", "]]>", "\x01\x1f", "\xff\xfe", "ﷺ😀"};
  static const float values[49] = {1};
  g_autoptr(RegardMatrix) m = sample_matrix(values, 7, 7, labels, labels);
  g_autoptr(RegardFigure) figure = regard_figure_new_matrix(m, NULL);
  g_autofree char *text = render_text(figure, "svg");
  Svg svg = parse_svg(text);
  for (guint i = 0; i < 4; i++)
    g_assert_true(g_ptr_array_find_with_equal_func(svg.texts, labels[i], equal, NULL));
  g_assert_true(g_ptr_array_find_with_equal_func(svg.texts, "␁␟", equal, NULL));
  g_ptr_array_unref(svg.texts);
}

/* Whatever a token is, LaTeX reads it as letters; tests/latex compiles it where that is installed.
 */
static void
test_tikz_escapes(void)
{
  static const char *const labels[] = {"\\end{x}", "50% $a_1", "#&~^",  "▁猫",
                                       "α₁₂√",     "a\nb\xff", "``--''"};
  static const char *const written[] = {
      "}\\textbackslash{}end\\{x\\}}",
      "}50\\%\\ \\$a\\_1}",
      "}\\#\\&\\textasciitilde{}\\textasciicircum{}}",
      "}\\regardspace{}猫}",
      "}$\\alpha$$_1$$_2$$\\surd$}",
      "letters such as 猫",
      "}\\textasciigrave{}\\textasciigrave{}{-}{-}\\textquotesingle{}\\textquotesingle{}}",
  };
  static const float values[49] = {1};
  g_autoptr(RegardMatrix) m =
      sample_matrix(values, 7, 7, (const char **) labels, (const char **) labels);
  g_autoptr(RegardFigure) figure = regard_figure_new_matrix(m, NULL);
  g_autofree char *text = render_text(figure, "tikz");
  int depth = 0;
  for (gsize i = 0; i < G_N_ELEMENTS(written); i++)
    if (!strstr(text, written[i]))
      g_error("'%s' is not in the file:\n%s", written[i], text);
  /* Groups end where they should, and nothing of a token is read as a remark. */
  for (const char *p = text; *p; p++) {
    if (*p == '\\')
      p++;
    else if (*p == '%')
      p = strchr(p, '\n');
    else {
      depth += (*p == '{') - (*p == '}');
      g_assert_cmpint(depth, >=, 0);
    }
  }
  g_assert_cmpint(depth, ==, 0);
}

/* Legal in UTF-8, refused by cairo and by XML: in labels, in the title and in the caption. */
static void
test_odd_text(void)
{
  const char *labels[] = {"\uFFFE", "\uFFFF", "\uFDD0", "\U0001FFFE", "", "\u202Eabc", "\n\a\xff"};
  static const float values[49] = {1};
  g_autoptr(RegardMatrix) m = sample_matrix(values, 7, 7, labels, labels);
  g_free(m->title);
  m->title = g_strdup("of \uFFFE and \uFDEF and \xc2\x9b");
  g_autoptr(RegardFigure) figure = regard_figure_new_matrix(m, NULL);
  static const char *const formats[] = {"pdf", "svg", "png"};
  for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
    g_autoptr(GBytes) bytes = render(figure, formats[i], NULL);
    g_assert_nonnull(bytes);
  }
  g_autofree char *caption = regard_figure_caption(figure), *text = render_text(figure, "svg");
  g_assert_true(g_str_has_prefix(caption, "of \uFFFD and \uFFFD and [U+009B]."));
  Svg svg = parse_svg(text);
  g_assert_true(g_ptr_array_find_with_equal_func(svg.texts, "\uFFFD", equal, NULL));
  g_assert_true(g_ptr_array_find_with_equal_func(svg.texts, "[U+202E]abc", equal, NULL));
  g_ptr_array_unref(svg.texts);
}

/* Runs a program if it is installed; its output, or NULL if it is not. */
static char *
run_if_found(const char *const *argv)
{
  g_autofree char *found = g_find_program_in_path(argv[0]);
  if (!found)
    return NULL;
  char *out = NULL, *err = NULL;
  int status = 0;
  GError *error = NULL;
  g_spawn_sync(NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &err, &status,
               &error);
  g_assert_no_error(error);
  if (status != 0)
    g_test_message("%s: %s", argv[0], err);
  g_assert_cmpint(status, ==, 0);
  g_free(err);
  return out;
}

static void
test_svg_in_librsvg(void)
{
  g_autoptr(RegardFigure) figure = sample_figure(MT_DECODER_SELF);
  g_autofree char *path = in_directory("figure.svg"), *png = in_directory("from-svg.png");
  write_to(figure, path);
  const char *argv[] = {"rsvg-convert", "--dpi-x=150", "--dpi-y=150", "-o", png, path, NULL};
  g_autofree char *out = run_if_found(argv);
  if (!out) {
    g_test_skip("rsvg-convert (librsvg2-bin) is not installed");
    return;
  }
  /* Another program draws nearly the picture that we do. */
  RegardExportOptions options = {160, 7, 150};
  g_autoptr(GBytes) ours = render(figure, "png", &options);
  cairo_surface_t *a = picture_read(ours), *b = picture_read_file(png);
  g_assert_cmpint(ABS(picture_width(a) - picture_width(b)), <=, 1);
  g_assert_cmpint(ABS(picture_height(a) - picture_height(b)), <=, 1);
  int width = MIN(picture_width(a), picture_width(b));
  int height = MIN(picture_height(a), picture_height(b));
  double sum = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const guint32 p = picture_pixel(a, x, y), q = picture_pixel(b, x, y);
      for (int shift = 0; shift < 24; shift += 8)
        sum += abs((int) (p >> shift & 0xff) - (int) (q >> shift & 0xff));
    }
  cairo_surface_destroy(a);
  cairo_surface_destroy(b);
  g_assert_cmpfloat(sum / (3.0 * width * height), <, 6);
}

static char *
without_space(const char *text)
{
  GString *out = g_string_new(NULL);
  for (const char *p = text; *p; p = g_utf8_next_char(p))
    if (!g_unichar_isspace(g_utf8_get_char(p)))
      g_string_append_len(out, p, g_utf8_next_char(p) - p);
  return g_string_free(out, FALSE);
}

static void
test_pdf(void)
{
  g_autoptr(RegardFigure) figure = sample_figure(MT_CROSS);
  const RegardMatrix *m = regard_figure_matrix(figure, 0);
  g_autofree char *path = in_directory("figure.pdf");
  write_to(figure, path);

  const char *fonts_argv[] = {"pdffonts", path, NULL};
  g_autofree char *fonts = run_if_found(fonts_argv);
  if (!fonts) {
    g_test_skip("pdffonts (poppler-utils) is not installed");
    return;
  }
  g_auto(GStrv) lines = g_strsplit(fonts, "\n", -1);
  guint n_fonts = 0;
  for (guint i = 2; lines[i] && *lines[i]; i++, n_fonts++) {
    /* … emb sub uni: embedded, and with a map back to Unicode. */
    g_assert_true(g_regex_match_simple(" yes +yes +yes ", lines[i], 0, 0));
  }
  g_assert_cmpuint(n_fonts, >=, 1);

  const char *info_argv[] = {"pdfinfo", path, NULL};
  g_autofree char *info = run_if_found(info_argv);
  g_assert_nonnull(strstr(info, "Cross-attention · layer 2 · head 3"));
  g_assert_nonnull(strstr(info, "Regard " MT_VERSION));
  const char *page = strstr(info, "Page size:");
  g_assert_nonnull(page);
  g_assert_cmpfloat_with_epsilon(g_ascii_strtod(page + strlen("Page size:"), NULL), 160 / 25.4 * 72,
                                 0.01);

  /* In content order. */
  const char *text_argv[] = {"pdftotext", "-raw", path, "-", NULL};
  g_autofree char *text = run_if_found(text_argv);
  g_autofree char *joined = without_space(text);
  for (guint r = 0; r < m->rows; r++) {
    g_autofree char *label = full_label(&m->row_labels[r]);
    g_autofree char *bare = without_space(label);
    g_assert_nonnull(strstr(joined, bare));
  }
  /* Words at 45 degrees too are words, whatever order they are read in. */
  const char *laid_out_argv[] = {"pdftotext", path, "-", NULL};
  g_autofree char *laid_out = run_if_found(laid_out_argv);
  g_auto(GStrv) words = g_regex_split_simple("\\s+", text, 0, 0);
  g_auto(GStrv) laid_out_words = g_regex_split_simple("\\s+", laid_out, 0, 0);
  for (guint c = 0; c < m->cols; c++) {
    if (!g_strv_contains((const char *const *) laid_out_words, m->col_labels[c].text))
      g_test_message("column “%s” is not found", m->col_labels[c].text);
    g_assert_true(g_strv_contains((const char *const *) words, m->col_labels[c].text));
    g_assert_true(g_strv_contains((const char *const *) laid_out_words, m->col_labels[c].text));
  }
  g_assert_nonnull(strstr(text, "weight, square root scale"));
}

/* ---- writing ---- */

static void
assert_contents(const char *path, const char *expected)
{
  g_autofree char *contents = NULL;
  g_assert_true(g_file_get_contents(path, &contents, NULL, NULL));
  g_assert_cmpstr(contents, ==, expected);
}

static guint
n_files(const char *path)
{
  GDir *dir = g_dir_open(path, 0, NULL);
  g_assert_nonnull(dir);
  guint n = 0;
  while (g_dir_read_name(dir))
    n++;
  g_dir_close(dir);
  return n;
}

static void
assert_refused(const char *path, int code)
{
  g_autoptr(RegardFigure) figure = sample_figure(MT_CROSS);
  GError *error = NULL;
  g_assert_false(regard_export_write(figure, regard_export_format_find("svg"), NULL, path, &error));
  g_assert_error(error, G_IO_ERROR, code);
  g_assert_nonnull(strstr(error->message, path));
  g_error_free(error);
}

static void
test_write_failures(void)
{
  g_autofree char *file = in_directory("file"), *below = in_directory("file/figure.svg");
  g_autofree char *missing = in_directory("missing/figure.svg");
  g_assert_true(g_file_set_contents(file, "kept", -1, NULL));
  assert_refused(below, G_IO_ERROR_NOT_DIRECTORY);
  assert_contents(file, "kept");
  assert_refused(missing, G_IO_ERROR_NOT_FOUND);
  assert_refused(export_directory, G_IO_ERROR_IS_DIRECTORY);
  assert_refused("", G_IO_ERROR_NOT_FOUND);
  /* A device is neither written nor, by a rename over it, replaced. */
  assert_refused("/dev/full", G_IO_ERROR_NOT_REGULAR_FILE);
  GStatBuf st;
  g_assert_cmpint(g_stat("/dev/full", &st), ==, 0);
  g_assert_true(S_ISCHR(st.st_mode));
}

static void
test_read_only_directory(void)
{
  g_autofree char *locked = in_directory("locked"), *path = in_directory("locked/figure.svg");
  g_assert_cmpint(g_mkdir(locked, 0700), ==, 0);
  g_assert_true(g_file_set_contents(path, "earlier", -1, NULL));
  g_assert_cmpint(g_chmod(export_directory, 0755), ==, 0);
  g_assert_cmpint(g_chmod(locked, 0555), ==, 0);
  /* Root may write anywhere: be somebody else for a moment. */
  const gboolean root = geteuid() == 0;
  if (root)
    g_assert_cmpint(seteuid(65534), ==, 0);
  assert_refused(path, G_IO_ERROR_PERMISSION_DENIED);
  assert_contents(path, "earlier");
  if (root)
    g_assert_cmpint(seteuid(0), ==, 0);
  g_assert_cmpint(g_chmod(locked, 0700), ==, 0);
  g_unlink(path);
  g_rmdir(locked);
}

static GBytes *
render_nothing(RegardFigure *figure, const RegardExportOptions *options, GError **error)
{
  g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, "the reason");
  return NULL;
}

static void
test_earlier_file_survives(void)
{
  static const RegardExportFormat broken = {.id = "broken", .render = render_nothing};
  g_autoptr(RegardFigure) figure = sample_figure(MT_CROSS);
  g_autofree char *folder = in_directory("survives"), *path = in_directory("survives/figure.csv");
  g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
  g_assert_true(g_file_set_contents(path, "earlier", -1, NULL));
  GError *error = NULL;
  g_assert_false(regard_export_write(figure, &broken, NULL, path, &error));
  g_assert_nonnull(strstr(error->message, path));
  g_assert_nonnull(strstr(error->message, "the reason"));
  g_clear_error(&error);
  assert_contents(path, "earlier");
  g_assert_cmpuint(n_files(folder), ==, 1); /* nothing left behind */

  /* And is replaced when all goes well, keeping its permissions; again nothing else is left. */
  g_assert_cmpint(g_chmod(path, 0662), ==, 0); /* more than any umask gives */
  write_to(figure, path);
  GStatBuf st;
  g_assert_cmpint(g_stat(path, &st), ==, 0);
  g_assert_cmpint(st.st_mode & 0777, ==, 0662);
  g_assert_cmpint(st.st_size, >, 1000);
  g_assert_cmpuint(n_files(folder), ==, 1);

  /* A link is written through. */
  g_autofree char *link = in_directory("survives/link.csv");
  g_assert_cmpint(symlink("figure.csv", link), ==, 0);
  g_assert_true(g_file_set_contents(path, "again", -1, NULL));
  write_to(figure, link);
  g_assert_true(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
  g_assert_cmpint(g_stat(path, &st), ==, 0);
  g_assert_cmpint(st.st_size, >, 1000);
  g_unlink(link);
  g_unlink(path);
  g_rmdir(folder);
}

/* The same figure on several threads at once: exports run beside the window. */
static void *
render_on_thread(void *figure)
{
  return render(figure, "pdf", NULL);
}

static void
test_threads(void)
{
  enum { N = 4 };
  RegardFigure *figures[N];
  GThread *threads[N];
  for (int i = 0; i < N; i++) {
    figures[i] = sample_figure(MT_CROSS);
    threads[i] = g_thread_new("export", render_on_thread, figures[i]);
  }
  gsize first = 0;
  for (int i = 0; i < N; i++) {
    GBytes *bytes = g_thread_join(threads[i]);
    gsize size = g_bytes_get_size(bytes);
    if (i == 0)
      first = size;
    g_assert_cmpuint(size, >, 5000);
    g_assert_cmpint(ABS((int) size - (int) first), <, 200); /* the date may compress otherwise */
    g_bytes_unref(bytes);
    regard_figure_free(figures[i]);
  }
}

static void
tear_down(void)
{
  export_test_end();
}

TESTS(.end = tear_down)
{
  export_test_begin();
  g_test_add_func("/export/formats", test_formats);
  g_test_add_func("/export/png", test_png);
  g_test_add_func("/export/png/encode", test_png_encode);
  g_test_add_func("/export/png/refused", test_png_refused);
  g_test_add_func("/export/bad-options", test_bad_options);
  g_test_add_func("/export/svg", test_svg);
  g_test_add_func("/export/left-out", test_left_out);
  g_test_add_func("/export/heights", test_heights);
  g_test_add_func("/export/svg-escapes", test_svg_escapes);
  g_test_add_func("/export/odd-text", test_odd_text);
  g_test_add_func("/export/tikz-escapes", test_tikz_escapes);
  g_test_add_func("/export/svg-in-librsvg", test_svg_in_librsvg);
  g_test_add_func("/export/pdf", test_pdf);
  g_test_add_func("/export/write-failures", test_write_failures);
  g_test_add_func("/export/read-only-directory", test_read_only_directory);
  g_test_add_func("/export/earlier-file-survives", test_earlier_file_survives);
  g_test_add_func("/export/threads", test_threads);
}
