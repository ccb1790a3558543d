/* regard-heatmap-draw.c — the heatmap as render nodes, each kept until what it shows changes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Moving the pointer makes only the overlay anew: a few rectangles and up to four bold labels. The
 * renderer compares nodes by identity and paints what has changed, but it runs through all nodes to
 * do so: therefore labels and cells are pictures that are only copied. Text is drawn with cairo
 * because it leans; cells are an image of one pixel a cell, enlarged without smoothing.
 */
#include "widgets/regard-heatmap-draw.h"
#include "figures/regard-language.h"
#include "figures/regard-raster.h"
#include "figures/regard-scale.h"

#include <math.h>
#include <string.h>

/* ---- Where everything in the heatmap goes. Numbers only, no drawing --------------------- */

/* Cells want to be as large as the space allows, the space depends on how long labels may be, and
 * labels depend on the size of the cells: solved by starting from generous labels and going round a
 * few times. */

#define GAP    REGARD_HEATMAP_GAP
#define MARGIN 2.0 /* around all */

#define STRIP_LEAST 15.0 /* height of the strip, px */
#define STRIP_MOST  26.0
#define MASS_WIDTH  3.2 /* of the bars of hidden mass, font sizes */

/* Whole device pixels, so that lines are crisp and cells equal; tiny cells need every fraction. */
static double
snap(double cell, int scale_factor)
{
  double device = cell * scale_factor;

  return device >= 6 ? floor(device) / scale_factor : cell;
}

/* Line height of a font. */
static double
line_height(double px)
{
  return px * 1.25;
}

/* What is to the right of the body, above it and beside it. */
static double
right_of_body(const RegardHeatmapLayout *out)
{
  return MAX(out->overhang, out->mass_w > 0 ? GAP + out->mass_w : 0);
}

/* Every k-th label: k so that they do not touch, and a number that is easy to count in. */
static guint
label_step(double cell, double px)
{
  static const guint steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

  if (cell >= REGARD_CELL_LABELS)
    return 1;
  if (cell < REGARD_CELL_SOME)
    return 0;
  for (guint i = 0; i < G_N_ELEMENTS(steps); i++)
    if (steps[i] * cell >= line_height(px) * 1.15)
      return steps[i];
  return 0;
}

static void
label_geometry(const RegardHeatmapInput *in, double cell_w, double cell_h, RegardHeatmapLayout *out)
{
  double cell = MIN(cell_w, cell_h), shrink, angle, widest = 0, overhang = 0, max_length;
  double zoom = CLAMP(in->zoom, 1, REGARD_TEXT_ZOOM);

  out->angle = cell_w < REGARD_CELL_UPRIGHT ? 90 : 45;
  out->label_px = CLAMP(cell * 0.72, REGARD_LEAST_TEXT, MAX(in->font_px * zoom, REGARD_LEAST_TEXT));
  out->value_px = CLAMP(cell * 0.34, REGARD_LEAST_TEXT, 15 * zoom);
  shrink = out->label_px / in->font_px;
  out->row_step = label_step(cell_h, out->label_px);
  out->col_step = label_step(cell_w, out->label_px);

  /* One very long word must not take the space of all cells; pointed at, it is shown whole. */
  out->row_label_max =
      MIN(MIN(in->row_label_width * shrink + 1, in->width * 0.34), out->label_px * 20);
  out->row_header_w = MAX(out->row_label_max, MIN(in->axis_width[0], in->width * 0.34)) + GAP;

  /* A label of length l leaning at 45° is l / sqrt 2 high, and the line's height comes on top. */
  angle = out->angle * G_PI / 180;
  for (guint i = 0; i < in->cols; i++)
    widest = MAX(widest, in->col_label_width[i] * shrink);
  max_length = MIN(in->height * 0.34 / sin(angle), out->label_px * 10);
  out->col_label_max = MIN(widest + 1, max_length);
  out->col_header_h =
      out->col_label_max * sin(angle) + line_height(out->label_px) * 0.75 * cos(angle) + GAP;

  if (out->angle < 90)
    for (guint i = 0; i < in->cols; i++) {
      double reach = MIN(in->col_label_width[i] * shrink, max_length) * cos(angle) +
                     line_height(out->label_px) * 0.4;

      overhang = MAX(overhang, reach - (in->cols - i - 0.5) * cell_w);
    }
  out->overhang = overhang;
  out->mass_w = in->has_mass ? MASS_WIDTH * in->font_px * zoom : 0;
  out->mass_h = in->has_mass ? line_height(in->font_px) + 4 : 0;
  out->strip_h = in->has_received ? floor(CLAMP(cell_h, STRIP_LEAST, STRIP_MOST)) : 0;
  out->mass_h = MAX(out->mass_h, in->has_received ? GAP + out->strip_h : 0);
}

void
regard_heatmap_layout(const RegardHeatmapInput *in, RegardHeatmapLayout *out)
{
  double cell_w = REGARD_CELL_CAP, cell_h = REGARD_CELL_CAP, cap = REGARD_CELL_CAP;
  double room_w = 1, room_h = 1, used_w, used_h, top;

  *out = (RegardHeatmapLayout){0};
  if (in->rows == 0 || in->cols == 0 || in->width < 1 || in->height < 1)
    return;

  for (int round = 0; round < 4; round++) {
    double base, aspect;

    label_geometry(in, cell_w, cell_h, out);
    room_w = MAX(in->width - out->row_header_w - right_of_body(out) - 2 * MARGIN, 20);
    room_h = MAX(in->height - out->col_header_h - in->axis_height - out->mass_h - 2 * MARGIN, 20);
    cell_w = MIN(room_w / in->cols, cap);
    cell_h = MIN(room_h / in->rows, cap);
    base = MIN(cell_w, cell_h);
    /* Where cells are too small to be looked at one by one, space is worth more than their shape.
     */
    aspect = in->aspect > 1 && base < REGARD_CELL_LABELS ? in->aspect * 2 : in->aspect;
    cell_w = snap(MIN(cell_w, base * aspect), in->scale_factor);
    cell_h = snap(MIN(cell_h, base * aspect), in->scale_factor);
  }

  if (in->zoom > 1) {
    double zoom = MAX(MIN(in->zoom, REGARD_CELL_MAX / MAX(cell_w, cell_h)), 1);

    cell_w = snap(cell_w * zoom, in->scale_factor);
    cell_h = snap(cell_h * zoom, in->scale_factor);
    label_geometry(in, cell_w, cell_h, out);
    room_w = MAX(in->width - out->row_header_w - MARGIN * 2 -
                     (cell_w * in->cols <= in->width * 0.5 ? right_of_body(out)
                      : out->mass_w > 0                    ? GAP + out->mass_w
                                                           : 0),
                 20);
    room_h = MAX(in->height - out->col_header_h - in->axis_height - out->mass_h - 2 * MARGIN, 20);
  } else
    label_geometry(in, cell_w, cell_h, out);

  out->cell_w = cell_w;
  out->cell_h = cell_h;
  out->content_w = cell_w * in->cols;
  out->content_h = cell_h * in->rows;
  out->body_w = MIN(out->content_w, room_w);
  out->body_h = MIN(out->content_h, room_h);
  out->lines = MIN(cell_w, cell_h) >= REGARD_CELL_LABELS;
  out->values = MIN(cell_w, cell_h) >= REGARD_CELL_VALUES;

  /* In the middle, and a little above the middle: calm at any size. */
  used_w = out->row_header_w + out->body_w + MIN(right_of_body(out), in->width);
  used_h = out->col_header_h + in->axis_height + out->body_h + out->mass_h;
  top = MIN((in->height - used_h) * 0.3, 40);
  out->body_x = floor(MAX((in->width - used_w) / 2, MARGIN) + out->row_header_w);
  out->body_y = floor(MAX(top, MARGIN) + in->axis_height + out->col_header_h);
  out->strip_y = out->body_y + out->body_h + GAP;
}

/* ---- Beside the cells: how much of each row is hidden ----------------------------------- */

/* Where special tokens are hidden a row may be dark because nearly all of it went to them; the bar
 * says so. Exported pictures have the same bar (figures/regard-figure-matrix.c). */

#define BAR         0.76 /* height of a bar, of a row's */
#define LEAST_ROW   8.0  /* px: in lower ones there are no numbers */
#define PADDING     4.0
#define NAME_SIZE   0.86
#define GROUND      0.10 /* opacity of the bar's ground, and of the bar */
#define BAR_OPACITY 0.42

static void
set_color(cairo_t *cr, const GdkRGBA *color, double opacity)
{
  cairo_set_source_rgba(cr, color->red, color->green, color->blue, color->alpha * opacity);
}

static void
draw_number(cairo_t *cr, const RegardHeatmapScene *scene, double mass, double right, double middle)
{
  const RegardHeatmapLayout *l = scene->layout;
  char text[REGARD_CELL_TEXT];
  int width, height;

  regard_cell_text(text, mass, 1);
  if (!*text)
    return;
  g_autoptr(PangoLayout) layout =
      regard_heatmap_text_layout(scene->widget, text, MIN(l->label_px, l->cell_h / 1.25));
  pango_layout_get_pixel_size(layout, &width, &height);
  set_color(cr, &scene->theme.fg, 1);
  cairo_move_to(cr, right - width, floor(middle - height / 2.0));
  pango_cairo_show_layout(cr, layout);
}

/* Bars beside the rows in sight: how much of each was hidden. Caller owns. */
static GskRenderNode *
heatmap_mass_node(const RegardHeatmapScene *scene)
{
  const RegardHeatmapLayout *l = scene->layout;
  const RegardMatrix *m = scene->matrix;
  const double x = l->body_x + l->body_w + REGARD_HEATMAP_GAP;
  const guint first = floor(scene->scroll_y / l->cell_h);
  const guint end = MIN(ceil((scene->scroll_y + l->body_h) / l->cell_h), m->rows);
  g_autoptr(PangoLayout) name =
      regard_heatmap_text_layout(scene->widget, _("hidden"),
                                 regard_theme_font_px(scene->widget) * NAME_SIZE);
  int width, height;

  pango_layout_get_pixel_size(name, &width, &height);
  cairo_t *cr = regard_node_begin(scene->widget, x, l->body_y, MAX(l->mass_w, width) + 1,
                                  l->body_h + l->mass_h);
  set_color(cr, &scene->theme.dim, 1);
  cairo_move_to(cr, x + MAX((l->mass_w - width) / 2, 0), l->body_y + l->body_h + 2);
  pango_cairo_show_layout(cr, name);
  cairo_rectangle(cr, x, l->body_y, l->mass_w, l->body_h);
  cairo_clip(cr);
  for (guint r = first; r < end; r++) {
    const double mass = CLAMP(m->removed_mass[r], 0, 1), bar = MAX(l->cell_h * BAR, 1);
    const double middle = l->body_y - scene->scroll_y + (r + 0.5) * l->cell_h;

    cairo_rectangle(cr, x, middle - bar / 2, l->mass_w, bar);
    set_color(cr, &scene->theme.fg, GROUND);
    cairo_fill(cr);
    cairo_rectangle(cr, x, middle - bar / 2, l->mass_w * mass, bar);
    set_color(cr, &scene->theme.fg, BAR_OPACITY);
    cairo_fill(cr);
    if (l->cell_h >= LEAST_ROW)
      draw_number(cr, scene, m->removed_mass[r], x + l->mass_w - PADDING, middle);
  }
  return regard_node_end(cr);
}

/* ---- Nodes ------------------------------------------------------------------------------------
 */

static void
clear_nodes(GskRenderNode ***nodes, guint *n)
{
  for (guint i = 0; i < *n; i++)
    g_clear_pointer(&(*nodes)[i], gsk_render_node_unref);
  g_clear_pointer(nodes, g_free);
  *n = 0;
}

void
regard_heatmap_cache_clear(RegardHeatmapCache *cache, RegardHeatmapDirty dirty)
{
  g_clear_pointer(&cache->body, gsk_render_node_unref);
  g_clear_pointer(&cache->mass, gsk_render_node_unref);
  g_clear_pointer(&cache->strip, gsk_render_node_unref);
  if (dirty & (REGARD_DIRTY_STYLE | REGARD_DIRTY_LAYOUT | REGARD_DIRTY_MATRIX)) {
    g_clear_pointer(&cache->raster, cairo_surface_destroy);
    g_clear_pointer(&cache->axes, gsk_render_node_unref);
    clear_nodes(&cache->rows, &cache->n_rows);
    clear_nodes(&cache->cols, &cache->n_cols);
    g_clear_pointer(&cache->value_layouts, g_hash_table_unref);
  }
}

/* ---- Labels ------------------------------------------------------------------------------------
 */

static void
add_range(PangoAttrList *attrs, PangoAttribute *attribute, guint start, guint end)
{
  attribute->start_index = start;
  attribute->end_index = end;
  pango_attr_list_insert(attrs, attribute);
}

static void
grey_range(PangoAttrList *attrs, const RegardTheme *theme, guint start, guint end)
{
  add_range(attrs,
            pango_attr_foreground_new(theme->dim.red * 65535, theme->dim.green * 65535,
                                      theme->dim.blue * 65535),
            start, end);
  add_range(attrs, pango_attr_foreground_alpha_new(MAX(theme->dim.alpha * 65535, 1)), start, end);
}

static void
dim_range(PangoAttrList *attrs, const RegardTheme *theme, guint start, guint end)
{
  grey_range(attrs, theme, start, end);
  add_range(attrs, pango_attr_weight_new(PANGO_WEIGHT_NORMAL), start, end);
  add_range(attrs, pango_attr_scale_new(0.9), start, end);
}

PangoLayout *
regard_heatmap_text_layout(GtkWidget *widget, const char *text, double px)
{
  PangoLayout *layout = gtk_widget_create_pango_layout(widget, text);
  PangoFontDescription *font = pango_font_description_copy_static(
      pango_context_get_font_description(gtk_widget_get_pango_context(widget)));

  pango_font_description_set_absolute_size(font, MAX(px, REGARD_LEAST_TEXT) * PANGO_SCALE);
  pango_layout_set_font_description(layout, font);
  pango_layout_set_single_paragraph_mode(layout, TRUE);
  /* "in → out" stays in this order where a word runs from right to left. */
  pango_layout_set_auto_dir(layout, FALSE);
  pango_font_description_free(font);
  return layout;
}

PangoLayout *
regard_heatmap_label_layout(GtkWidget *widget, const RegardLabel *label, double px,
                            double max_width, gboolean bold, const RegardTheme *theme)
{
  const char *prefix = label->prefix ? label->prefix : "";
  const char *suffix = label->suffix ? label->suffix : "";
  g_autofree char *text = g_strconcat(prefix, label->text, suffix, NULL);
  PangoLayout *layout = regard_heatmap_text_layout(widget, text, px);
  PangoAttrList *attrs = pango_attr_list_new();
  gsize n_prefix = strlen(prefix), n_text = strlen(label->text), n_suffix = strlen(suffix);
  int width;

  if (bold)
    pango_attr_list_insert(attrs, pango_attr_weight_new(PANGO_WEIGHT_BOLD));
  if (n_prefix > 0)
    dim_range(attrs, theme, 0, n_prefix);
  if (n_suffix > 0)
    dim_range(attrs, theme, n_prefix + n_text, n_prefix + n_text + n_suffix);
  if (label->is_task)
    grey_range(attrs, theme, n_prefix, n_prefix + n_text);
  pango_layout_set_attributes(layout, attrs);
  pango_attr_list_unref(attrs);

  if (max_width > 0) {
    pango_layout_get_pixel_size(layout, &width, NULL);
    if (width > ceil(max_width)) {
      /* What the label is about comes last when there is a prefix: that end must stay. */
      pango_layout_set_ellipsize(layout,
                                 n_prefix > 0 ? PANGO_ELLIPSIZE_START : PANGO_ELLIPSIZE_END);
      pango_layout_set_width(layout, max_width * PANGO_SCALE);
    }
  }
  return layout;
}

char *
regard_heatmap_axis_title(const RegardMatrix *matrix, gboolean column)
{
  const char *title = column ? matrix->col_title : matrix->row_title;

  if (column && matrix->col_split > 0 && matrix->col_split < matrix->cols)
    /* Translators: an axis, and its two halves with their first and last number:
     * "dimension: sine 0–127, cosine 128–255 →" */
    return g_strdup_printf(_("%s: %s 0–%u, %s %u–%u →"), title, matrix->col_parts[0],
                           matrix->col_split - 1, matrix->col_parts[1], matrix->col_split,
                           matrix->cols - 1);
  return title && *title ? g_strdup_printf("%s %s", title, column ? "→" : "↓") : NULL;
}

/* A label around (0, 0), which is where it touches the body: rows end there, columns begin there
 * and lean or stand. plate: with the background behind it, to cover what it lies on. */
static GskRenderNode *
label_node(const RegardHeatmapScene *scene, const RegardLabel *label, gboolean column,
           gboolean bold, gboolean plate)
{
  const RegardHeatmapLayout *l = scene->layout;
  double max = column ? l->col_label_max : l->row_label_max, angle, c, s, x0, y0;
  /* Pointed at, a label is shown whole. */
  g_autoptr(PangoLayout) layout =
      regard_heatmap_label_layout(scene->widget, label, plate ? MAX(l->label_px, 11) : l->label_px,
                                  bold ? 0 : max, bold, &scene->theme);
  int width, height;
  cairo_t *cr;

  pango_layout_get_pixel_size(layout, &width, &height);
  if (column) {
    angle = l->angle * G_PI / 180;
    c = cos(angle), s = sin(angle);
    x0 = -height / 2.0 * s - 1;
    y0 = -width * s - height / 2.0 * c - 1;
    cr = regard_node_begin(scene->widget, x0 - 2, y0 - 2, width * c + height * s + 5,
                           width * s + height * c + 5);
    cairo_rotate(cr, -angle);
    cairo_translate(cr, 0, -height / 2.0);
  } else {
    cr = regard_node_begin(scene->widget, -width - 2, -height / 2.0 - 2, width + 5, height + 4);
    cairo_translate(cr, -width, -floor(height / 2.0));
  }
  if (plate) {
    gdk_cairo_set_source_rgba(cr, &scene->theme.bg);
    cairo_rectangle(cr, -2, 0, width + 4, height);
    cairo_fill(cr);
  }
  gdk_cairo_set_source_rgba(cr, &scene->theme.fg);
  pango_cairo_show_layout(cr, layout);
  return regard_node_end(cr);
}

static GskRenderNode *
axes_node(const RegardHeatmapScene *scene)
{
  const RegardHeatmapLayout *l = scene->layout;
  double px =
      gtk_widget_get_width(scene->widget) > 0 ? regard_theme_font_px(scene->widget) * 0.82 : 11;
  cairo_t *cr =
      regard_node_begin(scene->widget, 0, 0, gtk_widget_get_width(scene->widget), l->body_y);

  gdk_cairo_set_source_rgba(cr, &scene->theme.dim);
  for (int column = 0; column < 2; column++) {
    g_autofree char *name = regard_heatmap_axis_title(scene->matrix, column);
    /* Too many for labels: they are there, only not in this size. */
    gboolean is_bare = column && (l->row_step == 0 || l->col_step == 0);
    g_autofree char *title =
        is_bare ? g_strdup_printf(_("%s   + zooms in, to labels"), name ? name : "")
                : g_strdup(name);
    g_autoptr(PangoLayout) layout = NULL;
    int width, height;

    if (!title)
      continue;
    layout = regard_heatmap_text_layout(scene->widget, title, px);
    if (!column) { /* beside the body, not over the labels of columns */
      pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
      pango_layout_get_pixel_size(layout, &width, &height);
      if (width > l->body_x - GAP)
        pango_layout_set_width(layout, MAX(l->body_x - GAP, 1) * PANGO_SCALE);
    }
    pango_layout_get_pixel_size(layout, &width, &height);
    if (column)
      cairo_move_to(cr, l->body_x, l->body_y - l->col_header_h - height - 1);
    else
      cairo_move_to(cr, MAX(l->body_x - GAP - width, 0), l->body_y - height - 2);
    pango_cairo_show_layout(cr, layout);
  }
  return regard_node_end(cr);
}

/* ---- Body ---------------------------------------------------------------------------------------
 */

static void
fill_hatch(cairo_t *cr, const RegardHeatmapScene *scene)
{
  const RegardHeatmapLayout *l = scene->layout;
  const GdkRGBA *hatch = &scene->theme.hatch;

  gdk_cairo_set_source_rgba(cr, &scene->theme.bg);
  cairo_rectangle(cr, l->body_x, l->body_y, l->body_w, l->body_h);
  cairo_fill(cr);
  if (MIN(l->cell_w, l->cell_h) < REGARD_CELL_SOME) {
    cairo_set_source_rgba(cr, hatch->red, hatch->green, hatch->blue, hatch->alpha * 0.6);
    cairo_rectangle(cr, l->body_x, l->body_y, l->body_w, l->body_h);
    cairo_fill(cr);
    return;
  }
  gdk_cairo_set_source_rgba(cr, hatch);
  cairo_set_line_width(cr, 1);
  for (double d = -fmod(scene->scroll_x + scene->scroll_y, 6); d < l->body_w + l->body_h; d += 6) {
    cairo_move_to(cr, l->body_x + d, l->body_y);
    cairo_line_to(cr, l->body_x + d - l->body_h, l->body_y + l->body_h);
  }
  cairo_stroke(cr);
}

static void
make_raster(const RegardHeatmapScene *scene, RegardHeatmapCache *cache)
{
  const RegardHeatmapLayout *l = scene->layout;
  int device = gtk_widget_get_scale_factor(scene->widget);

  if (l->cell_w * device < 1 || l->cell_h * device < 1)
    cache->raster = regard_raster_new_pooled(scene->matrix, scene->colormap, scene->scale, 0,
                                             MAX(floor(l->content_w * device), 1),
                                             MAX(floor(l->content_h * device), 1));
  else
    cache->raster = regard_raster_new(scene->matrix, scene->colormap, scene->scale, 0);
}

static PangoLayout *
value_layout(const RegardHeatmapScene *scene, RegardHeatmapCache *cache, double value)
{
  char text[REGARD_CELL_TEXT];

  regard_cell_text(text, value, MAX(fabs(scene->matrix->lo), fabs(scene->matrix->hi)));
  if (!cache->value_layouts)
    cache->value_layouts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_object_unref);
  PangoLayout *layout = g_hash_table_lookup(cache->value_layouts, text);
  if (!layout) {
    layout = regard_heatmap_text_layout(scene->widget, text, scene->layout->value_px);
    g_hash_table_insert(cache->value_layouts, g_strdup(text), layout);
  }
  return layout;
}

static void
draw_values(cairo_t *cr, const RegardHeatmapScene *scene, RegardHeatmapCache *cache, guint row0,
            guint row1, guint col0, guint col1)
{
  const RegardHeatmapLayout *l = scene->layout;
  /* Near-zero numbers in every cell would drown the few that matter. */
  double least = (MIN(l->cell_w, l->cell_h) >= 40 ? 0.005 : 0.045) *
                 MAX(fabs(scene->matrix->lo), fabs(scene->matrix->hi));

  for (guint r = row0; r < row1; r++) {
    double row_max = scene->scale == REGARD_SCALE_ROW ? regard_matrix_row_max(scene->matrix, r) : 1;

    for (guint c = col0; c < col1; c++) {
      double value = regard_matrix_get(scene->matrix, r, c);
      PangoLayout *layout;
      guint32 color;
      int width, height;

      if (fabs(value) < least || regard_matrix_is_masked(scene->matrix, r, c))
        continue;
      layout = value_layout(scene, cache, value);
      pango_layout_get_pixel_size(layout, &width, &height);
      if (width > l->cell_w - 2)
        continue;
      color = regard_raster_cell_color(scene->matrix, scene->colormap, scene->scale, r, c, row_max);
      if (regard_color_wants_black_text(color))
        cairo_set_source_rgb(cr, 0, 0, 0);
      else
        cairo_set_source_rgb(cr, 1, 1, 1);
      cairo_move_to(cr, c * l->cell_w + floor((l->cell_w - width) / 2),
                    r * l->cell_h + floor((l->cell_h - height) / 2));
      pango_cairo_show_layout(cr, layout);
    }
  }
}

/* ---- Below the cells: what each key receives --------------------------------------------------
 */

/* In the colours of the cells. Exported pictures have the same strip. */
static GskRenderNode *
strip_node(const RegardHeatmapScene *scene, RegardHeatmapCache *cache)
{
  const RegardHeatmapLayout *l = scene->layout;
  const RegardMatrix *m = scene->matrix;
  const guint first = floor(scene->scroll_x / l->cell_w);
  const guint end = MIN(ceil((scene->scroll_x + l->body_w) / l->cell_w), m->cols);
  double most = 0;
  int width, height;
  cairo_t *cr =
      regard_node_begin(scene->widget, 0, l->strip_y, l->body_x + l->body_w, l->strip_h + 1);
  g_autoptr(PangoLayout) name =
      regard_heatmap_text_layout(scene->widget, _("received, mean"),
                                 regard_theme_font_px(scene->widget) * NAME_SIZE);

  pango_layout_set_ellipsize(name, PANGO_ELLIPSIZE_END);
  pango_layout_get_pixel_size(name, &width, &height);
  if (width > l->body_x - GAP)
    pango_layout_set_width(name, MAX(l->body_x - GAP, 1) * PANGO_SCALE);
  set_color(cr, &scene->theme.dim, 1);
  cairo_move_to(cr, MAX(l->body_x - GAP - width, 0), l->strip_y + floor((l->strip_h - height) / 2));
  pango_cairo_show_layout(cr, name);
  cairo_rectangle(cr, l->body_x, l->strip_y, l->body_w, l->strip_h);
  cairo_clip(cr);
  for (guint c = 0; c < m->cols; c++)
    most = MAX(most, (double) m->received[c]);
  for (guint c = first; c < end; c++) {
    const double x = l->body_x + c * l->cell_w - scene->scroll_x;
    const guint32 color =
        regard_raster_value_color(m, scene->colormap, scene->scale, (double) m->received[c], most);

    cairo_set_source_rgb(cr, (color >> 16 & 0xff) / 255.0, (color >> 8 & 0xff) / 255.0,
                         (color & 0xff) / 255.0);
    cairo_rectangle(cr, x, l->strip_y, l->cell_w, l->strip_h);
    cairo_fill(cr);
    PangoLayout *value = value_layout(scene, cache, (double) m->received[c]);
    pango_layout_get_pixel_size(value, &width, &height);
    if (width <= l->cell_w - 2) {
      const double ink = regard_color_wants_black_text(color) ? 0 : 1;

      cairo_set_source_rgb(cr, ink, ink, ink);
      cairo_move_to(cr, x + floor((l->cell_w - width) / 2),
                    l->strip_y + floor((l->strip_h - height) / 2));
      pango_cairo_show_layout(cr, value);
    }
    if (l->lines && c > first) {
      gdk_cairo_set_source_rgba(cr, &scene->theme.grid);
      cairo_rectangle(cr, x, l->strip_y, 1, l->strip_h);
      cairo_fill(cr);
    }
  }
  return regard_node_end(cr);
}

/* ---- The cells ------------------------------------------------------------------------------- */

static GskRenderNode *
body_node(const RegardHeatmapScene *scene, RegardHeatmapCache *cache)
{
  const RegardHeatmapLayout *l = scene->layout;
  guint row0 = floor(scene->scroll_y / l->cell_h), col0 = floor(scene->scroll_x / l->cell_w);
  guint row1 = MIN(ceil((scene->scroll_y + l->body_h) / l->cell_h), scene->matrix->rows);
  guint col1 = MIN(ceil((scene->scroll_x + l->body_w) / l->cell_w), scene->matrix->cols);
  cairo_t *cr = regard_node_begin(scene->widget, l->body_x, l->body_y, l->body_w, l->body_h);

  cairo_rectangle(cr, l->body_x, l->body_y, l->body_w, l->body_h);
  cairo_clip(cr);
  if (!mt_attention_mask_is_empty(scene->matrix->mask))
    fill_hatch(cr, scene);
  cairo_translate(cr, l->body_x - scene->scroll_x, l->body_y - scene->scroll_y);

  cairo_save(cr);
  cairo_scale(cr, l->content_w / cairo_image_surface_get_width(cache->raster),
              l->content_h / cairo_image_surface_get_height(cache->raster));
  cairo_set_source_surface(cr, cache->raster, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
  cairo_paint(cr);
  cairo_restore(cr);

  if (l->lines) {
    gdk_cairo_set_source_rgba(cr, &scene->theme.grid);
    for (guint r = MAX(row0, 1); r < row1; r++)
      cairo_rectangle(cr, scene->scroll_x, r * l->cell_h, l->body_w, 1);
    for (guint c = MAX(col0, 1); c < col1; c++)
      cairo_rectangle(cr, c * l->cell_w, scene->scroll_y, 1, l->body_h);
    cairo_fill(cr);
  }
  if (l->values)
    draw_values(cr, scene, cache, row0, row1, col0, col1);
  return regard_node_end(cr);
}

/* ---- Overlay --------------------------------------------------------------------------------- */

static void
fill(GtkSnapshot *snapshot, const GdkRGBA *color, double x, double y, double w, double h)
{
  gtk_snapshot_append_color(snapshot, color, &GRAPHENE_RECT_INIT(x, y, w, h));
}

/* Lines along both sides of a row and a column, and the cell where they meet. */
static void
draw_cell_mark(GtkSnapshot *snapshot, const RegardHeatmapScene *scene, int row, int col,
               double strength, double line)
{
  const RegardHeatmapLayout *l = scene->layout;
  double x = l->body_x - scene->scroll_x + MAX(col, 0) * l->cell_w;
  double y = l->body_y - scene->scroll_y + MAX(row, 0) * l->cell_h;
  double band = row >= 0 && col >= 0 ? 1 : line; /* a band alone is the thing itself */
  GdkRGBA lines = scene->theme.mark;

  lines.alpha *= strength;
  if (row >= 0) {
    fill(snapshot, &lines, l->body_x, y - band, l->body_w, band);
    fill(snapshot, &lines, l->body_x, y + l->cell_h, l->body_w, band);
  }
  if (col >= 0) {
    fill(snapshot, &lines, x - band, l->body_y, band, l->body_h);
    fill(snapshot, &lines, x + l->cell_w, l->body_y, band, l->body_h);
  }
  if (row >= 0 && col >= 0) {
    double w = MAX(l->cell_w, 3), h = MAX(l->cell_h, 3);

    x -= (w - l->cell_w) / 2, y -= (h - l->cell_h) / 2;
    if (line > 2) /* a rim tells the mark from cells of its own colour */
      regard_snapshot_outline(snapshot, x - line, y - line, w + 2 * line, h + 2 * line, 1, 0,
                              &scene->theme.bg);
    regard_snapshot_outline(snapshot, x - line + 1, y - line + 1, w + 2 * line - 2,
                            h + 2 * line - 2, line, 2, &scene->theme.mark);
  }
}

/* Labels of one axis whose cells are in sight; those that are pointed at or pinned are bold. */
static void
draw_labels(GtkSnapshot *snapshot, const RegardHeatmapScene *scene, RegardHeatmapCache *cache,
            gboolean column)
{
  const RegardHeatmapLayout *l = scene->layout;
  const RegardLabel *labels = column ? scene->matrix->col_labels : scene->matrix->row_labels;
  guint n = column ? scene->matrix->cols : scene->matrix->rows;
  guint step = column ? l->col_step : l->row_step;
  double cell = column ? l->cell_w : l->cell_h, scroll = column ? scene->scroll_x : scene->scroll_y;
  double room = column ? l->body_w : l->body_h;
  int hover = column ? scene->hover_col : scene->hover_row;
  int pin = column ? scene->pin_col : scene->pin_row;
  GskRenderNode ***nodes = column ? &cache->cols : &cache->rows;
  guint *n_nodes = column ? &cache->n_cols : &cache->n_rows;
  guint first = MAX(ceil(scroll / cell - 0.5), 0);
  guint last = MIN(floor((scroll + room) / cell + 0.5), n);

  if (!*nodes) {
    *nodes = g_new0(GskRenderNode *, n);
    *n_nodes = n;
  }
  for (int pass = 0; pass < 2; pass++)
    for (guint i = first; i < last; i++) {
      gboolean lit = (int) i == hover || (int) i == pin;
      double at = floor((i + 0.5) * cell - scroll);
      GskRenderNode *node;

      if (lit != (pass == 1) || (!lit && (step == 0 || i % step != 0)))
        continue;
      if (lit)
        node = label_node(scene, &labels[i], column, TRUE, step != 1);
      else {
        if (!(*nodes)[i])
          (*nodes)[i] = label_node(scene, &labels[i], column, FALSE, FALSE);
        node = gsk_render_node_ref((*nodes)[i]);
      }
      gtk_snapshot_save(snapshot);
      gtk_snapshot_translate(snapshot,
                             &GRAPHENE_POINT_INIT(column ? l->body_x + at : l->body_x - GAP,
                                                  column ? l->body_y - GAP + 1 : l->body_y + at));
      gtk_snapshot_append_node(snapshot, node);
      gtk_snapshot_restore(snapshot);
      gsk_render_node_unref(node);
    }
}

/* The bracket beside the rows (and columns) that are the sentence. */
static void
draw_marked(GtkSnapshot *snapshot, const RegardHeatmapScene *scene)
{
  const RegardHeatmapLayout *l = scene->layout;
  double height = MIN(scene->marked * l->cell_h - scene->scroll_y, l->body_h);
  double width = MIN(scene->marked * l->cell_w - scene->scroll_x, l->body_w);

  if (scene->marked > 0 && height > 0)
    fill(snapshot, &scene->theme.accent, l->body_x - 5, l->body_y, 3, height);
  if (scene->marked > 0 && scene->marked_both && width > 0)
    fill(snapshot, &scene->theme.accent, l->body_x, l->body_y - 5, width, 3);
}

/* A bar beside each row, or column, that is added up with others. */
static void
draw_summed(GtkSnapshot *snapshot, const RegardHeatmapScene *scene)
{
  const RegardHeatmapLayout *l = scene->layout;
  const gboolean column = scene->sum_axis == REGARD_SUM_KEYS;
  const double cell = column ? l->cell_w : l->cell_h, room = column ? l->body_w : l->body_h;
  const double gap = cell > 6 ? 1 : 0;

  for (guint i = 0; i < scene->n_summed; i++) {
    const double at = i * cell - (column ? scene->scroll_x : scene->scroll_y);
    const double from = MAX(at + gap, 0), to = MIN(at + cell - gap, room);

    if (!scene->summed[i] || from >= to)
      continue;
    if (column)
      fill(snapshot, &scene->theme.mark, l->body_x + from, l->body_y - 6, to - from, 4);
    else
      fill(snapshot, &scene->theme.mark, l->body_x - 6, l->body_y + from, 4, to - from);
  }
}

/* What is not computed yet: only where it will stand is seen. */
static void
draw_veil(GtkSnapshot *snapshot, const RegardHeatmapScene *scene)
{
  const RegardHeatmapLayout *l = scene->layout;
  double top = scene->computed * l->cell_h - scene->scroll_y, height = MIN(l->body_h, l->content_h);
  GdkRGBA veil = scene->theme.bg;

  if (scene->computed < 0 || top >= height)
    return;
  top = MAX(top, 0);
  veil.alpha = 0.9;
  fill(snapshot, &veil, l->body_x, l->body_y + top, l->body_w, height - top);
  fill(snapshot, &scene->theme.accent, l->body_x, l->body_y + top - 1, l->body_w, 2);
}

void
regard_heatmap_draw(const RegardHeatmapScene *scene, RegardHeatmapCache *cache,
                    GtkSnapshot *snapshot)
{
  const RegardHeatmapLayout *l = scene->layout;
  gboolean hovered = scene->hover_row >= 0 || scene->hover_col >= 0;
  gboolean pinned = scene->pin_row >= 0 || scene->pin_col >= 0;

  if (!scene->matrix || l->cell_w <= 0)
    return;

  if (!cache->raster)
    make_raster(scene, cache);
  if (!cache->body)
    cache->body = body_node(scene, cache);
  if (!cache->mass && l->mass_w > 0)
    cache->mass = heatmap_mass_node(scene);
  if (!cache->strip && l->strip_h > 0)
    cache->strip = strip_node(scene, cache);
  if (!cache->axes)
    cache->axes = axes_node(scene);

  if (scene->dimmed)
    gtk_snapshot_push_opacity(snapshot, regard_theme_opacity(&scene->theme, REGARD_STALE_OPACITY));
  gtk_snapshot_append_node(snapshot, cache->axes);
  gtk_snapshot_append_node(snapshot, cache->body);
  if (cache->mass)
    gtk_snapshot_append_node(snapshot, cache->mass);
  if (cache->strip)
    gtk_snapshot_append_node(snapshot, cache->strip);
  draw_veil(snapshot, scene);
  draw_labels(snapshot, scene, cache, FALSE);
  draw_labels(snapshot, scene, cache, TRUE);
  draw_marked(snapshot, scene);
  draw_summed(snapshot, scene);

  gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(l->body_x - 3, l->body_y - 3, l->body_w + 6,
                                                       l->body_h + 6));
  if (pinned)
    draw_cell_mark(snapshot, scene, scene->pin_row, scene->pin_col, hovered ? 0.45 : 1, 3);
  if (hovered)
    draw_cell_mark(snapshot, scene, scene->hover_row, scene->hover_col, 1, 2);
  gtk_snapshot_pop(snapshot);
  if (scene->dimmed)
    gtk_snapshot_pop(snapshot);

  if (scene->focused)
    regard_snapshot_outline(snapshot, l->body_x - 4, l->body_y - 4, l->body_w + 8, l->body_h + 8, 2,
                            4, &scene->theme.accent);
}
