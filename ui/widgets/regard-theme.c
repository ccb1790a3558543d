/* regard-theme.c — the colours and fonts in which the widgets that draw themselves draw.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-theme.h"
#include <math.h>

#define USUAL_FONT 14.7 /* px: 11 pt at 96 dpi */
/* With it dim text of the style sheet for high contrast still has 4.5 : 1. */
#define READABLE_OPACITY 0.82

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
  static const char *const contrast[] = {"regard_contrast_color", NULL};
  GdkRGBA ignored;
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
    theme->dim = with_alpha(theme->fg, 0.72);
  if (!lookup(context, mark, &theme->mark))
    theme->mark = (GdkRGBA){0.97, 0.45, 0.02, 1};
  if (!lookup(context, grid, &theme->grid))
    theme->grid = (GdkRGBA){0.5, 0.5, 0.5, 0.28};
  if (!lookup(context, hatch, &theme->hatch))
    theme->hatch = with_alpha(theme->fg, 0.16);
  theme->contrast = lookup(context, contrast, &ignored);
}

guint32
regard_theme_argb(const GdkRGBA *color)
{
  return (guint32) round(color->alpha * 255) << 24 | (guint32) round(color->red * 255) << 16 |
         (guint32) round(color->green * 255) << 8 | (guint32) round(color->blue * 255);
}

guint32
regard_theme_ground(const RegardTheme *theme)
{
  return theme->contrast ? regard_theme_argb(&theme->bg) | 0xff000000 : 0;
}

double
regard_theme_opacity(const RegardTheme *theme, double usual)
{
  return theme->contrast ? MAX(usual, READABLE_OPACITY) : usual;
}

gboolean
regard_theme_is_presented(GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root(widget);

  return root && gtk_widget_has_css_class(GTK_WIDGET(root), "presenting");
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

double
regard_theme_large_text(GtkWidget *widget)
{
  return MAX(regard_theme_font_px(widget) / USUAL_FONT, 1);
}

cairo_t *
regard_node_begin(GtkWidget *widget, double x, double y, double width, double height)
{
  int scale = gtk_widget_get_scale_factor(widget);
  double x0 = floor(x), y0 = floor(y);
  cairo_surface_t *surface =
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, MAX(ceil(x + width) - x0, 1) * scale,
                                 MAX(ceil(y + height) - y0, 1) * scale);

  cairo_surface_set_device_scale(surface, scale, scale);
  cairo_surface_set_device_offset(surface, -x0 * scale, -y0 * scale);
  cairo_t *cr = cairo_create(surface);
  cairo_surface_destroy(surface); /* cr keeps it */
  return cr;
}

GskRenderNode *
regard_node_end(cairo_t *cr)
{
  cairo_surface_t *surface = cairo_get_target(cr);
  double scale, ignored, dx, dy;

  cairo_surface_flush(surface);
  cairo_surface_get_device_scale(surface, &scale, &ignored);
  cairo_surface_get_device_offset(surface, &dx, &dy);
  graphene_rect_t bounds =
      GRAPHENE_RECT_INIT(-dx / scale, -dy / scale, cairo_image_surface_get_width(surface) / scale,
                         cairo_image_surface_get_height(surface) / scale);
  GskRenderNode *node = gsk_cairo_node_new(&bounds);
  cairo_t *copy = gsk_cairo_node_get_draw_context(node);
  cairo_set_source_surface(copy, surface, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(copy), CAIRO_FILTER_NEAREST);
  cairo_rectangle(copy, bounds.origin.x, bounds.origin.y, bounds.size.width, bounds.size.height);
  cairo_fill(copy);
  cairo_destroy(copy);
  cairo_destroy(cr);
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
