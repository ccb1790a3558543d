/* regard-colorbar.c — which colour means which value, with the range and the name of the scale.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "widgets/regard-colorbar.h"
#include "figures/regard-language.h"
#include "figures/regard-scale.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-theme.h"
#include <math.h>

#define BAR_WIDTH  150.0
#define BAR_HEIGHT 12.0
#define SPACE      8.0
#define OVERHANG   12.0 /* room for the numbers beside the bar's ends */
#define GAP        5.0  /* between two numbers */

struct _RegardColorbar {
  GtkWidget parent_instance;

  const RegardColormap *colormap;
  RegardScale scale;
  double lo, hi;
  double mark;       /* negative: none */
  PangoLayout *name; /* "square root" */
  GskRenderNode *node;
  RegardTheme theme;
  gboolean theme_valid;
};

G_DEFINE_FINAL_TYPE(RegardColorbar, regard_colorbar, GTK_TYPE_WIDGET)

static void
restyle(RegardColorbar *self)
{
  self->theme_valid = FALSE;
  g_clear_pointer(&self->node, gsk_render_node_unref);
  g_clear_object(&self->name);
  gtk_widget_queue_resize(GTK_WIDGET(self));
}

void
regard_colorbar_set(RegardColorbar *self, const RegardColormap *colormap, RegardScale scale,
                    double lo, double hi)
{
  if (colormap == self->colormap && scale == self->scale && lo == self->lo && hi == self->hi)
    return;
  self->colormap = colormap;
  self->scale = scale;
  self->lo = lo;
  self->hi = hi;
  g_autofree char *text = regard_strdup_printf(_("Colours from %.3g to %.3g, scale: %s"), lo, hi,
                                               _(regard_scale_info(scale)->caption));
  regard_accessible_set_label(GTK_WIDGET(self), text);
  restyle(self);
}

void
regard_colorbar_set_mark(RegardColorbar *self, double place)
{
  if (!(place >= 0))
    place = -1;
  place = MIN(place, 1);
  if (place == self->mark)
    return;
  self->mark = place;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

/* Large letters need room beside each other. */
static int
bar_width(RegardColorbar *self)
{
  return (int) (BAR_WIDTH * regard_theme_large_text(GTK_WIDGET(self)));
}

static PangoLayout *
small_layout(RegardColorbar *self, const char *text)
{
  PangoLayout *layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
  PangoFontDescription *font = pango_font_description_copy_static(
      pango_context_get_font_description(gtk_widget_get_pango_context(GTK_WIDGET(self))));

  pango_font_description_set_absolute_size(font, MAX(regard_theme_font_px(GTK_WIDGET(self)) * 0.8,
                                                     REGARD_LEAST_TEXT) *
                                                     PANGO_SCALE);
  pango_layout_set_font_description(layout, font);
  pango_font_description_free(font);
  return layout;
}

static PangoLayout *
name_layout(RegardColorbar *self)
{
  if (!self->name)
    self->name = small_layout(self, _(regard_scale_info(self->scale)->caption));
  return self->name;
}

static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
{
  RegardColorbar *self = REGARD_COLORBAR(widget);
  int width, height;

  pango_layout_get_pixel_size(name_layout(self), &width, &height);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *minimum = *natural = bar_width(self) + SPACE * 2 + width + 14;
  else
    *minimum = *natural = BAR_HEIGHT + height + 6;
}

static double
mark_width(gpointer self, const char *text)
{
  g_autoptr(PangoLayout) layout = small_layout(self, text);
  int width, height;

  pango_layout_get_pixel_size(layout, &width, &height);
  return width;
}

static GskRenderNode *
bar_node(RegardColorbar *self)
{
  const double left = OVERHANG, top = 2;
  RegardScaleMark marks[REGARD_MAX_SCALE_MARKS];
  int width, height;
  cairo_t *cr = regard_node_begin(GTK_WIDGET(self), 0, 0, gtk_widget_get_width(GTK_WIDGET(self)),
                                  gtk_widget_get_height(GTK_WIDGET(self)));

  for (int i = 0; i < bar_width(self); i++) {
    guint32 c = regard_colormap_lookup(self->colormap, (i + 0.5) / bar_width(self));

    cairo_set_source_rgb(cr, (c >> 16 & 255) / 255.0, (c >> 8 & 255) / 255.0, (c & 255) / 255.0);
    cairo_rectangle(cr, left + i, top, 1, BAR_HEIGHT);
    cairo_fill(cr);
  }
  gdk_cairo_set_source_rgba(cr, &self->theme.grid);
  cairo_set_line_width(cr, 1);
  cairo_rectangle(cr, left + 0.5, top + 0.5, bar_width(self) - 1, BAR_HEIGHT - 1);
  cairo_stroke(cr);

  gdk_cairo_set_source_rgba(cr, &self->theme.dim);
  guint n_marks = regard_scale_marks(self->scale, self->lo, self->hi, bar_width(self), GAP,
                                     OVERHANG, mark_width, self, marks);
  for (guint i = 0; i < n_marks; i++) {
    g_autoptr(PangoLayout) layout = small_layout(self, marks[i].text);

    cairo_rectangle(cr, left + MIN(floor(marks[i].x), bar_width(self) - 1), top + BAR_HEIGHT, 1, 3);
    cairo_fill(cr);
    cairo_move_to(cr, left + marks[i].middle - marks[i].width / 2, top + BAR_HEIGHT + 2);
    pango_cairo_show_layout(cr, layout);
  }
  pango_layout_get_pixel_size(name_layout(self), &width, &height);
  cairo_move_to(cr, left + bar_width(self) + SPACE, top + (BAR_HEIGHT - height) / 2);
  pango_cairo_show_layout(cr, name_layout(self));
  return regard_node_end(cr);
}

static void
snapshot_widget(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardColorbar *self = REGARD_COLORBAR(widget);

  if (!self->colormap)
    return;
  if (!self->theme_valid)
    regard_theme_get(widget, &self->theme);
  self->theme_valid = TRUE;
  if (!self->node)
    self->node = bar_node(self);
  gtk_snapshot_append_node(snapshot, self->node);
  if (self->mark >= 0)
    regard_snapshot_outline(snapshot, OVERHANG + self->mark * bar_width(self) - 3, 0, 6,
                            BAR_HEIGHT + 4, 2, 2, &self->theme.mark);
}

static void
css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS(regard_colorbar_parent_class)->css_changed(widget, change);
  restyle(REGARD_COLORBAR(widget));
}

static void
size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  g_clear_pointer(&REGARD_COLORBAR(widget)->node, gsk_render_node_unref);
}

static void
finalize(GObject *object)
{
  RegardColorbar *self = REGARD_COLORBAR(object);

  g_clear_pointer(&self->node, gsk_render_node_unref);
  g_clear_object(&self->name);
  G_OBJECT_CLASS(regard_colorbar_parent_class)->finalize(object);
}

static void
regard_colorbar_class_init(RegardColorbarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = finalize;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  widget_class->snapshot = snapshot_widget;
  widget_class->css_changed = css_changed;
  gtk_widget_class_set_css_name(widget_class, "colorbar");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
regard_colorbar_init(RegardColorbar *self)
{
  /* What is drawn goes from left to right in every language, as in a figure. */
  gtk_widget_set_direction(GTK_WIDGET(self), GTK_TEXT_DIR_LTR);
  self->mark = -1;
  self->colormap = regard_colormap_default();
  self->hi = 1;
}

GtkWidget *
regard_colorbar_new(void)
{
  return g_object_new(REGARD_TYPE_COLORBAR, NULL);
}
