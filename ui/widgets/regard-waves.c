/* regard-waves.c — one pair of dimensions of a position table, drawn as two curves over position.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Besides the curves: the pair as a point in the plane. For a sinusoid that is a clock hand, and a
 * step of k positions turns it by the same angle wherever it starts, which is why PE(p + k) is
 * linear in PE(p).
 */
#include "widgets/regard-waves.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-theme.h"
#include <glib/gi18n.h>
#include <math.h>

#define LEFT   44.0
#define TOP    34.0
#define BOTTOM 66.0
#define RIGHT  14.0

struct _RegardWaves {
  GtkWidget parent_instance;

  float *values[2]; /* [n] */
  guint n;
  double omega; /* radians per position, or 0 */
  double max;   /* largest absolute value: the axis reaches this far */
  char *curve_names[2];
  char **names;
  guint n_names;
  int position; /* pointed at, or -1 */
  GskRenderNode *node;
  RegardTheme theme;
  gboolean theme_valid;
};

G_DEFINE_FINAL_TYPE(RegardWaves, regard_waves, GTK_TYPE_WIDGET)

static const GdkRGBA second_color = {0.90, 0.38, 0.0,
                                     1}; /* tells apart from accent blue for all eyes */

typedef struct {
  double x, y, w, h;     /* curves */
  double cx, cy, radius; /* plane */
} Places;

static void
get_places(RegardWaves *self, Places *p)
{
  double width = gtk_widget_get_width(GTK_WIDGET(self));
  double height = gtk_widget_get_height(GTK_WIDGET(self));
  double side = MIN(height - TOP - BOTTOM, width * 0.26);

  side = MAX(side, 40);
  p->x = LEFT;
  p->y = TOP;
  p->w = MAX(width - LEFT - RIGHT - side - 40, 40);
  p->h = MAX(height - TOP - BOTTOM, 40);
  p->radius = side / 2;
  p->cx = width - RIGHT - p->radius;
  p->cy = TOP + p->h / 2;
}

static double
x_of(const RegardWaves *self, const Places *p, double position)
{
  return p->x + (self->n > 1 ? position / (self->n - 1) : 0.5) * p->w;
}

static double
y_of(const RegardWaves *self, const Places *p, double value)
{
  return p->y + p->h / 2 - value / self->max * (p->h / 2 - 4);
}

static void
update_accessible(RegardWaves *self)
{
  g_autofree char *text = NULL;

  if (self->n == 0)
    text = g_strdup(_("empty"));
  else if (self->position < 0)
    text = g_strdup_printf(_("%s and %s over %u positions"), self->curve_names[0],
                           self->curve_names[1], self->n);
  else
    text = g_strdup_printf(_("position %d: %s %.3f, %s %.3f"), self->position, self->curve_names[0],
                           self->values[0][self->position], self->curve_names[1],
                           self->values[1][self->position]);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text,
                                 GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static void
redraw(RegardWaves *self)
{
  g_clear_pointer(&self->node, gsk_render_node_unref);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
clear(RegardWaves *self)
{
  for (int i = 0; i < 2; i++) {
    g_clear_pointer(&self->values[i], g_free);
    g_clear_pointer(&self->curve_names[i], g_free);
  }
  g_clear_pointer(&self->names, g_strfreev);
  self->n = self->n_names = 0;
  self->position = -1;
}

void
regard_waves_set(RegardWaves *self, mt_matrix table, guint n, guint first_dim, guint second_dim,
                 double omega, const char *first_name, const char *second_name,
                 const char *const *names, guint n_names)
{
  int position = self->position;

  clear(self);
  n = table.data ? MIN(n, table.rows) : 0;
  if (n > 0) {
    g_return_if_fail(first_dim < table.cols && second_dim < table.cols);
    self->n = n;
    self->max = 1e-6;
    self->omega = omega;
    for (int i = 0; i < 2; i++) {
      self->values[i] = g_new(float, n);
      self->curve_names[i] = g_strdup(i == 0 ? first_name : second_name);
      for (guint p = 0; p < n; p++) {
        self->values[i][p] = mt_matrix_at(&table, p, i == 0 ? first_dim : second_dim);
        self->max = MAX(self->max, fabs(self->values[i][p]));
      }
    }
    self->n_names = MIN(n_names, n);
    self->names = g_new0(char *, self->n_names + 1);
    for (guint i = 0; i < self->n_names; i++)
      self->names[i] = g_strdup(names[i]);
    self->position = MIN(position, (int) n - 1);
  }
  update_accessible(self);
  redraw(self);
}

int
regard_waves_get_position(RegardWaves *self)
{
  return self->position;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static void
show_text(RegardWaves *self, cairo_t *cr, const char *text, double px, const GdkRGBA *color,
          double x, double y, double align)
{
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
  PangoFontDescription *font = pango_font_description_copy_static(
      pango_context_get_font_description(gtk_widget_get_pango_context(GTK_WIDGET(self))));
  int width, height;

  pango_font_description_set_absolute_size(font, px * PANGO_SCALE);
  pango_layout_set_font_description(layout, font);
  pango_font_description_free(font);
  pango_layout_get_pixel_size(layout, &width, &height);
  gdk_cairo_set_source_rgba(cr, color);
  cairo_move_to(cr, floor(x - width * align), floor(y - height / 2.0));
  pango_cairo_show_layout(cr, layout);
  cairo_new_path(cr); /* text leaves a point to draw from */
}

static void
draw_axes(RegardWaves *self, cairo_t *cr, const Places *p, double px)
{
  guint step = MAX((self->n + 7) / 8, 1);
  double levels[] = {self->max, 0, -self->max};

  cairo_set_line_width(cr, 1);
  for (guint i = 0; i < G_N_ELEMENTS(levels); i++) {
    g_autofree char *text = g_strdup_printf("%.2g", levels[i]);
    double y = floor(y_of(self, p, levels[i])) + 0.5;

    show_text(self, cr, text, px, &self->theme.dim, p->x - 8, y, 1);
    gdk_cairo_set_source_rgba(cr, &self->theme.hatch);
    cairo_move_to(cr, p->x, y);
    cairo_line_to(cr, p->x + p->w, y);
    cairo_stroke(cr);
  }
  for (guint i = 0; i < self->n; i += step) {
    g_autofree char *text = g_strdup_printf("%u", i);

    show_text(self, cr, text, px, &self->theme.dim, x_of(self, p, i), p->y + p->h + 10, 0.5);
  }
  show_text(self, cr, _("position →"), px, &self->theme.dim, p->x + p->w, p->y + p->h + 28, 1);
}

/* Names of the sentence's tokens under their positions, as many as fit. */
static void
draw_names(RegardWaves *self, cairo_t *cr, const Places *p, double px)
{
  double room = self->n > 1 ? p->w / (self->n - 1) : p->w;
  guint step = MAX(ceil(px * 1.3 / room), 1);

  for (guint i = 0; i < self->n_names; i += step) {
    double x = x_of(self, p, i);

    cairo_save(cr);
    cairo_translate(cr, x + 3, p->y + p->h + 24);
    cairo_rotate(cr, -G_PI / 4);
    show_text(self, cr, self->names[i], px, &self->theme.fg, 0, 0, 1);
    cairo_restore(cr);
  }
}

static void
draw_curve(RegardWaves *self, cairo_t *cr, const Places *p, int which)
{
  const GdkRGBA *color = which == 0 ? &self->theme.accent : &second_color;
  guint parts = self->omega > 0 ? 16 : 1; /* of the way from one position to the next */
  double room = self->n > 1 ? p->w / (self->n - 1) : p->w;

  gdk_cairo_set_source_rgba(cr, color);
  cairo_set_line_width(cr, 2);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  if (which == 1) /* not by colour alone */
    cairo_set_dash(cr, (double[]){6, 4}, 2, 0);
  cairo_new_path(cr);
  for (guint i = 0; i <= (self->n - 1) * parts; i++) {
    double position = i / (double) parts, angle = self->omega * position;
    double value = i % parts == 0 ? self->values[which][i / parts]
                   : which == 0   ? sin(angle)
                                  : cos(angle);

    cairo_line_to(cr, x_of(self, p, position), y_of(self, p, value));
  }
  cairo_stroke(cr);
  cairo_set_dash(cr, NULL, 0, 0);
  for (guint i = 0; i < self->n; i++) {
    if (i >= self->n_names && room < 9)
      break;
    cairo_new_sub_path(cr);
    cairo_arc(cr, x_of(self, p, i), y_of(self, p, self->values[which][i]),
              i < self->n_names ? 3.6 : 1.8, 0, 2 * G_PI);
  }
  cairo_fill(cr);
}

static void
draw_plane(RegardWaves *self, cairo_t *cr, const Places *p, double px)
{
  double scale = p->radius / self->max * 0.9;

  gdk_cairo_set_source_rgba(cr, &self->theme.hatch);
  cairo_set_line_width(cr, 1);
  cairo_new_path(cr);
  cairo_arc(cr, p->cx, p->cy, p->radius * 0.9, 0, 2 * G_PI);
  cairo_stroke(cr);
  gdk_cairo_set_source_rgba(cr, &self->theme.dim);
  for (guint i = 0; i < MAX(self->n_names, MIN(self->n, 64)); i++) {
    double x = p->cx + self->values[1][i] * scale, y = p->cy - self->values[0][i] * scale;

    cairo_new_sub_path(cr);
    cairo_arc(cr, x, y, i < self->n_names ? 3.2 : 1.2, 0, 2 * G_PI);
    cairo_fill(cr);
  }
  show_text(self, cr, self->curve_names[1], px, &self->theme.dim, p->cx + p->radius,
            p->cy + p->radius + 12, 1);
  show_text(self, cr, self->curve_names[0], px, &self->theme.dim, p->cx - p->radius,
            p->cy - p->radius - 10, 0);
}

static GskRenderNode *
make_node(RegardWaves *self, const Places *p)
{
  double px = regard_theme_font_px(GTK_WIDGET(self)) * 0.84;
  cairo_t *cr = regard_node_begin(GTK_WIDGET(self), 0, 0, gtk_widget_get_width(GTK_WIDGET(self)),
                                  gtk_widget_get_height(GTK_WIDGET(self)));

  draw_axes(self, cr, p, px);
  draw_names(self, cr, p, px);
  for (int i = 0; i < 2; i++) {
    const GdkRGBA *color = i == 0 ? &self->theme.accent : &second_color;

    draw_curve(self, cr, p, i);
    gdk_cairo_set_source_rgba(cr, color);
    cairo_set_line_width(cr, 2);
    if (i == 1)
      cairo_set_dash(cr, (double[]){6, 4}, 2, 0);
    cairo_move_to(cr, p->x + i * p->w * 0.4, 14);
    cairo_rel_line_to(cr, 24, 0);
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
    show_text(self, cr, self->curve_names[i], px, &self->theme.fg, p->x + i * p->w * 0.4 + 32, 14,
              0);
  }
  draw_plane(self, cr, p, px);
  return regard_node_end(cr);
}

/* The position that is pointed at: a line, two dots, a hand in the plane, and its numbers. */
static GskRenderNode *
position_node(RegardWaves *self, const Places *p)
{
  int i = self->position;
  double x = x_of(self, p, i), scale = p->radius / self->max * 0.9;
  double px = regard_theme_font_px(GTK_WIDGET(self)) * 0.9;
  g_autofree char *text = NULL;
  cairo_t *cr = regard_node_begin(GTK_WIDGET(self), 0, 0, gtk_widget_get_width(GTK_WIDGET(self)),
                                  gtk_widget_get_height(GTK_WIDGET(self)));

  gdk_cairo_set_source_rgba(cr, &self->theme.mark);
  cairo_set_line_width(cr, 1);
  cairo_move_to(cr, floor(x) + 0.5, p->y);
  cairo_line_to(cr, floor(x) + 0.5, p->y + p->h);
  cairo_stroke(cr);
  for (int c = 0; c < 2; c++) {
    cairo_new_path(cr);
    cairo_arc(cr, x, y_of(self, p, self->values[c][i]), 4.5, 0, 2 * G_PI);
    cairo_fill(cr);
  }
  cairo_set_line_width(cr, 2);
  cairo_move_to(cr, p->cx, p->cy);
  cairo_line_to(cr, p->cx + self->values[1][i] * scale, p->cy - self->values[0][i] * scale);
  cairo_stroke(cr);
  text =
      g_strdup_printf(_("position %d%s%s: %.3f, %.3f"), i, (guint) i < self->n_names ? " · " : "",
                      (guint) i < self->n_names ? self->names[i] : "", self->values[0][i],
                      self->values[1][i]);
  show_text(self, cr, text, px, &self->theme.fg, gtk_widget_get_width(GTK_WIDGET(self)) - RIGHT, 14,
            1);
  return regard_node_end(cr);
}

static void
snapshot_widget(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardWaves *self = REGARD_WAVES(widget);
  Places p;

  if (self->n == 0)
    return;
  if (!self->theme_valid)
    regard_theme_get(widget, &self->theme);
  self->theme_valid = TRUE;
  get_places(self, &p);
  if (!self->node)
    self->node = make_node(self, &p);
  gtk_snapshot_append_node(snapshot, self->node);
  if (self->position >= 0) {
    GskRenderNode *node = position_node(self, &p);

    gtk_snapshot_append_node(snapshot, node);
    gsk_render_node_unref(node);
  }
  if (gtk_widget_has_focus(widget))
    regard_snapshot_outline(snapshot, p.x - 4, p.y - 4, p.w + 8, p.h + 8, 2, 4,
                            &self->theme.accent);
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void
set_position(RegardWaves *self, int position)
{
  if (position == self->position)
    return;
  self->position = position;
  update_accessible(self);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
on_motion(RegardWaves *self, double x, double y)
{
  Places p;
  int position = -1;

  if (self->n > 0) {
    get_places(self, &p);
    if (x >= p.x - 6 && x <= p.x + p.w + 6)
      position = CLAMP(round((x - p.x) / p.w * (self->n - 1)), 0, self->n - 1);
  }
  set_position(self, position);
}

static void
on_leave(RegardWaves *self)
{
  set_position(self, -1);
}

static gboolean
on_key(RegardWaves *self, guint keyval, guint keycode, GdkModifierType state)
{
  int last = (int) self->n - 1;

  if (self->n == 0 || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)))
    return FALSE;
  switch (regard_plain_key(keyval)) {
  case GDK_KEY_Left:
    set_position(self, MAX(self->position - 1, 0));
    return TRUE;
  case GDK_KEY_Right:
    set_position(self, MIN(self->position + 1, last));
    return TRUE;
  case GDK_KEY_Home:
    set_position(self, 0);
    return TRUE;
  case GDK_KEY_End:
    set_position(self, last);
    return TRUE;
  case GDK_KEY_Escape:
    if (self->position < 0)
      return FALSE;
    set_position(self, -1);
    return TRUE;
  default:
    return FALSE;
  }
}

/* ---- GtkWidget ------------------------------------------------------------------------------- */

static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 320 : 200;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 700 : 340;
}

static void
size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
  g_clear_pointer(&REGARD_WAVES(widget)->node, gsk_render_node_unref);
}

static void
css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  RegardWaves *self = REGARD_WAVES(widget);

  GTK_WIDGET_CLASS(regard_waves_parent_class)->css_changed(widget, change);
  self->theme_valid = FALSE;
  redraw(self);
}

static void
finalize(GObject *object)
{
  RegardWaves *self = REGARD_WAVES(object);

  clear(self);
  g_clear_pointer(&self->node, gsk_render_node_unref);
  G_OBJECT_CLASS(regard_waves_parent_class)->finalize(object);
}

static void
regard_waves_class_init(RegardWavesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->finalize = finalize;
  widget_class->measure = measure;
  widget_class->size_allocate = size_allocate;
  widget_class->snapshot = snapshot_widget;
  widget_class->css_changed = css_changed;
  gtk_widget_class_set_css_name(widget_class, "waves");
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
regard_waves_init(RegardWaves *self)
{
  static const RegardInput input = {
      .motion = G_CALLBACK(on_motion),
      .leave = G_CALLBACK(on_leave),
      .pressed = G_CALLBACK(gtk_widget_grab_focus),
      .key = G_CALLBACK(on_key),
      .focus_in = G_CALLBACK(gtk_widget_queue_draw),
      .focus_out = G_CALLBACK(gtk_widget_queue_draw),
  };

  self->position = -1;
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
  gtk_widget_set_hexpand(GTK_WIDGET(self), TRUE);
  gtk_widget_set_vexpand(GTK_WIDGET(self), TRUE);
  regard_widget_listen(GTK_WIDGET(self), &input);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("One pair of dimensions as waves"), -1);
  update_accessible(self);
}

GtkWidget *
regard_waves_new(void)
{
  return g_object_new(REGARD_TYPE_WAVES, NULL);
}
