/* regard-heatmap-mass.c — beside the cells: how much of each row is hidden.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where special tokens are hidden a row may be dark because nearly all of it went to them; the bar
 * says so. Exported pictures have the same bar (figures/regard-figure-matrix.c).
 */
#include "figures/regard-scale.h"
#include "widgets/regard-heatmap-private.h"

#include <glib/gi18n.h>
#include <math.h>

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

GskRenderNode *
regard_heatmap_mass_node(const RegardHeatmapScene *scene)
{
  const RegardHeatmapLayout *l = scene->layout;
  const RegardMatrix *m = scene->matrix;
  const double x = l->body_x + l->body_w + REGARD_HEATMAP_GAP;
  const guint first = floor(scene->scroll_y / l->cell_h);
  const guint end = MIN(ceil((scene->scroll_y + l->body_h) / l->cell_h), m->rows);
  g_autoptr(PangoLayout) name =
      regard_heatmap_text_layout(scene->widget, _("hidden"),
                                 regard_theme_font_px(scene->widget) * NAME_SIZE);
  cairo_t *cr;
  int width, height;

  pango_layout_get_pixel_size(name, &width, &height);
  cr = regard_node_begin(scene->widget, x, l->body_y, MAX(l->mass_w, width) + 1,
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
