/* regard-theme.c — the colours and fonts in which the widgets that draw themselves draw.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "regard-theme.h"
#include <math.h>

static gboolean
lookup(GtkStyleContext *context, const char *const *names, GdkRGBA *color)
{
  for (; *names; names++)
    if (gtk_style_context_lookup_color(context, *names, color))
      return TRUE;
  return FALSE;
}

static double
lightness(const GdkRGBA *c)
{
  return 0.2126 * c->red + 0.7152 * c->green + 0.0722 * c->blue;
}

static GdkRGBA
with_alpha(GdkRGBA color, double alpha)
{
  color.alpha *= alpha;
  return color;
}

void
regard_theme_get(GtkWidget *widget, RegardTheme *theme)
{
  static const char *const bg[] = {"window_bg_color", "theme_bg_color", NULL};
  static const char *const card[] = {"card_bg_color", "theme_base_color", NULL};
  static const char *const accent[] = {"accent_color", "theme_selected_bg_color", NULL};
  static const char *const dim[] = {"regard_dim_color", NULL};
  static const char *const mark[] = {"regard_mark_color", NULL};
  static const char *const grid[] = {"regard_grid_color", NULL};
  static const char *const hatch[] = {"regard_hatch_color", NULL};
  GtkStyleContext *context = gtk_widget_get_style_context(widget);

  gtk_style_context_get_color(context, &theme->fg);
  if (!lookup(context, bg, &theme->bg))
    theme->bg = lightness(&theme->fg) > 0.5 ? (GdkRGBA){0.14, 0.14, 0.14, 1}
                                            : (GdkRGBA){0.98, 0.98, 0.98, 1};
  theme->dark = lightness(&theme->fg) > lightness(&theme->bg);
  if (!lookup(context, card, &theme->card))
    theme->card = theme->bg;
  if (!lookup(context, accent, &theme->accent))
    theme->accent = (GdkRGBA){0.21, 0.52, 0.89, 1};
  if (!lookup(context, dim, &theme->dim))
    theme->dim = with_alpha(theme->fg, 0.6);
  if (!lookup(context, mark, &theme->mark))
    theme->mark = (GdkRGBA){0.97, 0.45, 0.02, 1};
  if (!lookup(context, grid, &theme->grid))
    theme->grid = (GdkRGBA){0.5, 0.5, 0.5, 0.28};
  if (!lookup(context, hatch, &theme->hatch))
    theme->hatch = with_alpha(theme->fg, 0.16);
}

double
regard_theme_font_px(GtkWidget *widget)
{
  const PangoFontDescription *font =
      pango_context_get_font_description(gtk_widget_get_pango_context(widget));
  double size = pango_font_description_get_size(font) / (double) PANGO_SCALE;

  if (size <= 0)
    return 14;
  if (!pango_font_description_get_size_is_absolute(font)) {
    double dpi = pango_cairo_context_get_resolution(gtk_widget_get_pango_context(widget));

    size *= (dpi > 0 ? dpi : 96) / 72;
  }
  return size;
}

GskRenderNode *
regard_node_new(double x, double y, double width, double height, cairo_t **cr)
{
  double x0 = floor(x), y0 = floor(y);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT(x0, y0, ceil(x + width) - x0, ceil(y + height) - y0);
  GskRenderNode *node = gsk_cairo_node_new(&bounds);

  *cr = gsk_cairo_node_get_draw_context(node);
  return node;
}

void
regard_snapshot_outline(GtkSnapshot *snapshot, double x, double y, double width, double height,
                        double line, double radius, const GdkRGBA *color)
{
  GskRoundedRect outline;

  gsk_rounded_rect_init_from_rect(&outline, &GRAPHENE_RECT_INIT(x, y, width, height), radius);
  gtk_snapshot_append_border(snapshot, &outline, (float[4]){line, line, line, line},
                             (GdkRGBA[4]){*color, *color, *color, *color});
}
