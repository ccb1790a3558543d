/* regard-figure-area.c — a figure on the screen: drawn as it is exported, and pointed at.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A figure of many tokens is many screens high, or wide. What is drawn is a part around what is
 * seen, kept as a node until that is left.
 */
#include "widgets/regard-figure-area.h"

#include "figures/regard-canvas.h"
#include "figures/regard-language.h"
#include "widgets/regard-gtk.h"
#include "widgets/regard-theme.h"

#include <math.h>

/* Letters of a figure to those of the window. */
#define FONT 0.86
/* Drawn around what is seen, in its widths and heights. */
#define BEYOND 0.5
/* Pixels beside a spot that are still meant for it. */
#define GAP 3

struct _RegardFigureArea {
  GtkWidget parent_instance;

  RegardFigure *figure;
  int least_width;            /* with letters of the usual size */
  int set_width;              /* and in pixels, whatever their size; 0: not set */
  double own_width, own_font; /* what the figure needs in this font; font 0: to be asked for */
  GArray *spots;              /* of the figure at this width; NULL: to be asked for */
  int spots_width;            /* that they are of */
  guint frame;                /* that was asked for last while they are; 0: none */
  gboolean has_frame;
  RegardRect frame_rect;
  int current; /* among spots; -1: none */
  gboolean leaves_sideways;
  gboolean by_key; /* the keyboard is where current comes from */
  double x, y;     /* of the pointer; -1: it is elsewhere */
  GskRenderNode *node;
  double node_left, node_right, node_top, node_bottom;
  int node_width;
  GtkAdjustment *adjustment, *sideways; /* of the scroller it is in */
  RegardTheme theme;
};

G_DEFINE_FINAL_TYPE(RegardFigureArea, regard_figure_area, GTK_TYPE_WIDGET)

enum { SPOT_CHANGED, SPOT_ACTIVATED, LOOK_CHANGED, MENU_WANTED, N_SIGNALS };
static guint signals[N_SIGNALS];

static double
font_of(RegardFigureArea *self)
{
  return regard_theme_font_px(GTK_WIDGET(self)) * FONT;
}

static const char *
family_of(RegardFigureArea *self)
{
  PangoContext *context = gtk_widget_get_pango_context(GTK_WIDGET(self));
  return pango_font_description_get_family(pango_context_get_font_description(context));
}

/* Larger letters need more room for the same words. */
static int
least_width_of(RegardFigureArea *self)
{
  const double usual = self->least_width * regard_theme_large_text(GTK_WIDGET(self));
  const double font = font_of(self);

  if (self->own_font != font) {
    self->own_width =
        self->figure ? regard_figure_least_width(self->figure, font, family_of(self)) : 0;
    self->own_font = font;
  }
  return (int) ceil(MAX(MAX(usual, self->own_width), self->set_width));
}

/* ---- Spots ----------------------------------------------------------------------------------- */

static GArray *
spots_of(RegardFigureArea *self)
{
  int width = MAX(gtk_widget_get_width(GTK_WIDGET(self)), least_width_of(self));

  if (self->spots && self->spots_width != width)
    g_clear_pointer(&self->spots, g_array_unref);
  if (!self->spots)
    self->frame = 0;
  if (!self->spots)
    self->spots = self->figure
                      ? regard_figure_spots(self->figure, width, font_of(self), family_of(self))
                      : g_array_new(FALSE, FALSE, sizeof(RegardSpot));
  self->spots_width = width;
  return self->spots;
}

const RegardSpot *
regard_figure_area_get_spot(RegardFigureArea *self)
{
  GArray *spots = spots_of(self);

  return self->current >= 0 && self->current < (int) spots->len
             ? &g_array_index(spots, RegardSpot, self->current)
             : NULL;
}

static void
update_accessible(RegardFigureArea *self)
{
  const RegardSpot *spot = regard_figure_area_get_spot(self);
  g_autofree char *subject = self->figure ? regard_figure_subject(self->figure) : NULL;
  g_autofree char *text = spot ? regard_figure_describe_spot(self->figure, spot) : NULL;

  gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                 text      ? text
                                 : subject ? subject
                                           : _("empty"),
                                 GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text ? text : "", -1);
}

static void
set_current(RegardFigureArea *self, int current, gboolean by_key)
{
  if (current == self->current)
    return;
  self->current = current;
  self->by_key = by_key;
  gtk_widget_queue_draw(GTK_WIDGET(self));
  gtk_widget_trigger_tooltip_query(GTK_WIDGET(self));
  update_accessible(self);
  g_signal_emit(self, signals[SPOT_CHANGED], 0);
}

/* The last that is drawn lies on top. Between two cells the nearer one is meant. */
static int
spot_at(RegardFigureArea *self, double x, double y)
{
  GArray *spots = spots_of(self);
  double nearest = GAP;
  int found = -1;

  for (int i = (int) spots->len - 1; i >= 0; i--) {
    const RegardRect *r = &g_array_index(spots, RegardSpot, i).rect;
    double dx = MAX(MAX(r->x - x, x - r->x - r->width), 0);
    double dy = MAX(MAX(r->y - y, y - r->y - r->height), 0);

    if (dx == 0 && dy == 0)
      return i;
    if (MAX(dx, dy) < nearest) {
      nearest = MAX(dx, dy);
      found = i;
    }
  }
  return found;
}

static void
scroll_to(RegardFigureArea *self, const RegardSpot *spot, double margin)
{
  GtkWidget *viewport = gtk_widget_get_ancestor(GTK_WIDGET(self), GTK_TYPE_VIEWPORT);
  GtkWidget *content = viewport ? gtk_viewport_get_child(GTK_VIEWPORT(viewport)) : NULL;
  double x, y;

  /* It need not be alone in the scroller. */
  if (!spot || !content ||
      !gtk_widget_translate_coordinates(GTK_WIDGET(self), content, spot->rect.x, spot->rect.y, &x,
                                        &y))
    return;
  if (self->adjustment)
    gtk_adjustment_clamp_page(self->adjustment, y - 8, y + spot->rect.height + 8);
  if (self->sideways)
    gtk_adjustment_clamp_page(self->sideways, x - margin, x + spot->rect.width + margin);
}

static void
show_spot(RegardFigureArea *self)
{
  scroll_to(self, regard_figure_area_get_spot(self), 8);
}

/* col -1: any; -1: there is none. */
static int
find_spot(RegardFigureArea *self, int part, int row, int col)
{
  GArray *spots = spots_of(self);

  for (guint i = 0; i < spots->len; i++) {
    const RegardSpot *spot = &g_array_index(spots, RegardSpot, i);

    if (spot->part == part && spot->row == row && (col < 0 || spot->col == col))
      return (int) i;
  }
  return -1;
}

gboolean
regard_figure_area_find(RegardFigureArea *self, int part, int part_end, int row, int col,
                        graphene_rect_t *rect)
{
  GArray *spots = spots_of(self);
  gboolean is_found = FALSE;

  for (guint i = 0; i < spots->len; i++) {
    const RegardSpot *spot = &g_array_index(spots, RegardSpot, i);
    const RegardRect *r = &spot->rect;
    const graphene_rect_t one =
        GRAPHENE_RECT_INIT((float) r->x, (float) r->y, (float) r->width, (float) r->height);

    if (spot->part < part || spot->part >= part_end || (row >= 0 && spot->row != row) ||
        (col >= 0 && spot->col != col))
      continue;
    if (is_found)
      graphene_rect_union(rect, &one, rect);
    else
      *rect = one;
    is_found = TRUE;
  }
  return is_found;
}

gboolean
regard_figure_area_find_frame(RegardFigureArea *self, guint frame, graphene_rect_t *rect)
{
  const RegardRect *r = &self->frame_rect;

  spots_of(self); /* when they are other ones, frames are, too */
  if (self->frame != frame)
    self->has_frame =
        self->figure && regard_figure_find_frame(self->figure, self->spots_width, font_of(self),
                                                 family_of(self), frame, &self->frame_rect);
  self->frame = frame;
  if (self->has_frame)
    *rect = GRAPHENE_RECT_INIT((float) r->x, (float) r->y, (float) r->width, (float) r->height);
  return self->has_frame;
}

void
regard_figure_area_scroll_to(RegardFigureArea *self, int part, int row, int col)
{
  const int i = find_spot(self, part, row, col);

  if (i >= 0)
    scroll_to(self, &g_array_index(self->spots, RegardSpot, (guint) i),
              self->sideways ? gtk_adjustment_get_page_size(self->sideways) / 4 : 8);
}

/* Words and symbols are for the pointer; keys go over what has a value. */
static gboolean
is_sign(RegardFigureArea *self, int i)
{
  return g_array_index(self->spots, RegardSpot, i).part == REGARD_SPOT_SIGN;
}

/* The first one from an end; -1: there is none. */
static int
find_end(RegardFigureArea *self, gboolean is_last)
{
  const int n = (int) spots_of(self)->len;

  for (int i = 0; i < n; i++)
    if (!is_sign(self, is_last ? n - 1 - i : i))
      return is_last ? n - 1 - i : i;
  return -1;
}

static void
activate(RegardFigureArea *self)
{
  if (!is_sign(self, self->current))
    g_signal_emit(self, signals[SPOT_ACTIVATED], 0);
}

/* The nearest spot in a direction; what lies aside counts three times, and what lies more aside
 * than in that direction is only meant where nothing else is. */
static void
move(RegardFigureArea *self, int dx, int dy)
{
  GArray *spots = spots_of(self);
  const RegardSpot *from = regard_figure_area_get_spot(self);
  double best = INFINITY;
  gboolean is_ahead = FALSE;
  int found = self->current;

  if (!from) {
    if (spots->len > 0)
      set_current(self, find_end(self, FALSE), TRUE);
    show_spot(self);
    return;
  }
  const double x = from->rect.x + from->rect.width / 2, y = from->rect.y + from->rect.height / 2;
  for (guint i = 0; i < spots->len; i++) {
    const RegardRect *r = &g_array_index(spots, RegardSpot, i).rect;
    double along = (r->x + r->width / 2 - x) * dx + (r->y + r->height / 2 - y) * dy;
    double aside = fabs((r->x + r->width / 2 - x) * dy) + fabs((r->y + r->height / 2 - y) * dx);

    if (!is_sign(self, (int) i) && along > 0.5 && (aside <= along) >= is_ahead &&
        ((aside <= along) > is_ahead || along + 3 * aside < best)) {
      is_ahead = aside <= along;
      best = along + 3 * aside;
      found = (int) i;
    }
  }
  set_current(self, found, TRUE);
  show_spot(self);
}

static gboolean
copy_spot(RegardFigureArea *self)
{
  const RegardSpot *spot = regard_figure_area_get_spot(self);
  g_autofree char *text = spot ? regard_figure_copy_spot(self->figure, spot) : NULL;

  if (text)
    gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self)), text);
  return text != NULL;
}

static gboolean
is_sideways(guint keyval)
{
  const guint key = regard_plain_key(keyval);

  return key == GDK_KEY_Left || key == GDK_KEY_Right || key == GDK_KEY_Home || key == GDK_KEY_End;
}

void
regard_figure_area_leave_sideways(RegardFigureArea *self)
{
  self->leaves_sideways = TRUE;
}

gboolean
regard_figure_area_handle_key(RegardFigureArea *self, guint keyval, GdkModifierType state)
{
  GArray *spots = spots_of(self);

  state &= gtk_accelerator_get_default_mod_mask();
  if (state == GDK_CONTROL_MASK && (keyval == GDK_KEY_c || keyval == GDK_KEY_Insert))
    return copy_spot(self);
  if (state || spots->len == 0 || (self->leaves_sideways && is_sideways(keyval)))
    return FALSE;
  switch (regard_plain_key(keyval)) {
  case GDK_KEY_Left:
    move(self, -1, 0);
    return TRUE;
  case GDK_KEY_Right:
    move(self, 1, 0);
    return TRUE;
  case GDK_KEY_Up:
    move(self, 0, -1);
    return TRUE;
  case GDK_KEY_Down:
    move(self, 0, 1);
    return TRUE;
  case GDK_KEY_Home:
  case GDK_KEY_End:
    set_current(self, find_end(self, regard_plain_key(keyval) == GDK_KEY_End), TRUE);
    show_spot(self);
    return TRUE;
  case GDK_KEY_Return:
    if (!regard_figure_area_get_spot(self))
      return FALSE;
    activate(self);
    return TRUE;
  case GDK_KEY_Escape:
    if (self->current < 0)
      return FALSE;
    set_current(self, -1, FALSE);
    return TRUE;
  default:
    return FALSE;
  }
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void
on_motion(RegardFigureArea *self, double x, double y)
{
  /* GTK sends motion again after a redraw. A pointer that rests must not take back what the
   * keyboard has taken over. */
  if (x == self->x && y == self->y)
    return;
  self->x = x;
  self->y = y;
  set_current(self, spot_at(self, x, y), FALSE);
}

static void
on_leave(RegardFigureArea *self)
{
  self->x = self->y = -1;
  if (!self->by_key)
    set_current(self, -1, FALSE);
}

static void
on_pressed(RegardFigureArea *self, int n_press, double x, double y)
{
  gtk_widget_grab_focus(GTK_WIDGET(self));
  set_current(self, spot_at(self, x, y), FALSE);
  if (self->current >= 0)
    activate(self);
}

static gboolean
on_key(RegardFigureArea *self, guint keyval, guint keycode, GdkModifierType state)
{
  return regard_figure_area_handle_key(self, keyval, state);
}

static void
on_menu(RegardFigureArea *self, int n_press, double x, double y)
{
  g_autoptr(GMenuModel) more = NULL;

  set_current(self, spot_at(self, x, y), FALSE);
  const RegardSpot *spot = regard_figure_area_get_spot(self);
  g_autofree char *text = spot ? regard_figure_copy_spot(self->figure, spot) : NULL;
  if (spot)
    g_signal_emit(self, signals[MENU_WANTED], 0, spot, &more);
  regard_figure_menu_popup(GTK_WIDGET(self), x, y, more, text != NULL);
}

static void
copy_action(GtkWidget *widget, const char *name, GVariant *parameter)
{
  copy_spot(REGARD_FIGURE_AREA(widget));
}

static gboolean
query_tooltip(GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  RegardFigureArea *self = REGARD_FIGURE_AREA(widget);
  const RegardSpot *spot = regard_figure_area_get_spot(self);
  g_autofree char *text = spot ? regard_figure_describe_spot(self->figure, spot) : NULL;

  /* For a room, the line below the picture says it. */
  if (!text || !*text || regard_theme_is_presented(widget))
    return FALSE;
  gtk_tooltip_set_text(tooltip, text);
  gtk_tooltip_set_tip_area(tooltip, &(GdkRectangle){(int) spot->rect.x, (int) spot->rect.y,
                                                    (int) ceil(spot->rect.width),
                                                    (int) ceil(spot->rect.height)});
  return TRUE;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* What of it is seen. */
static void
get_visible(RegardFigureArea *self, double *left, double *right, double *top, double *bottom)
{
  double height = gtk_widget_get_height(GTK_WIDGET(self));
  double width = gtk_widget_get_width(GTK_WIDGET(self));
  GtkWidget *scroller = gtk_widget_get_ancestor(GTK_WIDGET(self), GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t bounds;

  *left = *top = 0;
  *right = width;
  *bottom = height;
  if (scroller && gtk_widget_compute_bounds(scroller, GTK_WIDGET(self), &bounds)) {
    *top = CLAMP(bounds.origin.y, 0, height);
    *bottom = CLAMP(bounds.origin.y + bounds.size.height, *top, height);
    *left = CLAMP(bounds.origin.x, 0, width);
    *right = CLAMP(bounds.origin.x + bounds.size.width, *left, width);
  }
}

static void
ensure_node(RegardFigureArea *self)
{
  int width = MAX(gtk_widget_get_width(GTK_WIDGET(self)), least_width_of(self));
  double left, right, top, bottom, beyond, height = gtk_widget_get_height(GTK_WIDGET(self));

  get_visible(self, &left, &right, &top, &bottom);
  if (self->node && self->node_width == width && self->node_top <= top &&
      self->node_bottom >= bottom && self->node_left <= left && self->node_right >= right)
    return;
  beyond = (bottom - top) * BEYOND;
  self->node_top = floor(MAX(top - beyond, 0));
  self->node_bottom = ceil(MIN(bottom + beyond, height));
  beyond = (right - left) * BEYOND;
  self->node_left = floor(MAX(left - beyond, 0));
  self->node_right = ceil(MIN(right + beyond, width));
  self->node_width = width;
  g_clear_pointer(&self->node, gsk_render_node_unref);
  cairo_t *cr =
      regard_node_begin(GTK_WIDGET(self), self->node_left, self->node_top,
                        self->node_right - self->node_left, self->node_bottom - self->node_top);
  g_autoptr(RegardCanvas) canvas =
      regard_canvas_new_cairo(cr, 1.0 / gtk_widget_get_scale_factor(GTK_WIDGET(self)));
  canvas->family = family_of(self);
  canvas->ground = regard_theme_ground(&self->theme);
  canvas->visible =
      (RegardRect){self->node_left, self->node_top, self->node_right - self->node_left,
                   self->node_bottom - self->node_top};
  regard_figure_paint(self->figure, canvas, width, font_of(self));
  self->node = regard_node_end(cr);
}

static void
snapshot_widget(GtkWidget *widget, GtkSnapshot *snapshot)
{
  RegardFigureArea *self = REGARD_FIGURE_AREA(widget);

  if (!self->figure)
    return;
  regard_theme_get(widget, &self->theme);
  ensure_node(self);
  gtk_snapshot_append_node(snapshot, self->node);
  const RegardSpot *spot = regard_figure_area_get_spot(self);
  if (spot)
    regard_snapshot_outline(snapshot, floor(spot->rect.x) - 1, floor(spot->rect.y) - 1,
                            ceil(spot->rect.width) + 2, ceil(spot->rect.height) + 2,
                            self->by_key && gtk_widget_has_focus(widget) ? 2 : 1.5, 3,
                            &self->theme.accent);
}

static void
redraw(RegardFigureArea *self)
{
  g_clear_pointer(&self->node, gsk_render_node_unref);
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
measure(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
        int *minimum_baseline, int *natural_baseline)
{
  RegardFigureArea *self = REGARD_FIGURE_AREA(widget);

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *minimum = *natural = least_width_of(self);
  else
    *minimum = *natural =
        self->figure
            ? (int) ceil(regard_figure_height_in(self->figure, MAX(for_size, least_width_of(self)),
                                                 font_of(self), family_of(self)))
            : 0;
}

static void
css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
  RegardFigureArea *self = REGARD_FIGURE_AREA(widget);

  GTK_WIDGET_CLASS(regard_figure_area_parent_class)->css_changed(widget, change);
  g_clear_pointer(&self->spots, g_array_unref);
  gtk_widget_queue_resize(widget);
  redraw(self);
  gboolean was_dark = self->theme.dark;
  regard_theme_get(widget, &self->theme);
  if (self->theme.dark != was_dark)
    g_signal_emit(self, signals[LOOK_CHANGED], 0);
}

static void
on_scrolled(RegardFigureArea *self)
{
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void
root(GtkWidget *widget)
{
  RegardFigureArea *self = REGARD_FIGURE_AREA(widget);

  GTK_WIDGET_CLASS(regard_figure_area_parent_class)->root(widget);
  GtkWidget *scroller = gtk_widget_get_ancestor(widget, GTK_TYPE_SCROLLED_WINDOW);
  if (scroller && !self->adjustment) {
    self->adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller));
    g_object_ref(self->adjustment);
    regard_connect(self->adjustment, "value-changed", G_CALLBACK(on_scrolled), self);
    self->sideways =
        g_object_ref(gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(scroller)));
    regard_connect(self->sideways, "value-changed", G_CALLBACK(on_scrolled), self);
  }
}

/* ---- Life ------------------------------------------------------------------------------------ */

void
regard_figure_area_set_figure(RegardFigureArea *self, RegardFigure *figure)
{
  g_autoptr(RegardFigure) old = NULL;
  RegardSpot before = {{0}, -1, -1, -1};

  if (regard_figure_area_get_spot(self))
    before = *regard_figure_area_get_spot(self);
  old = self->figure;
  self->figure = figure;
  self->own_font = 0;
  g_clear_pointer(&self->spots, g_array_unref);
  self->current = -1;
  if (before.part >= 0) {
    GArray *spots = spots_of(self);

    for (guint i = 0; i < spots->len && self->current < 0; i++) {
      const RegardSpot *spot = &g_array_index(spots, RegardSpot, i);

      if (spot->part == before.part && spot->row == before.row && spot->col == before.col)
        self->current = (int) i;
    }
    if (self->current < 0)
      g_signal_emit(self, signals[SPOT_CHANGED], 0);
  }
  update_accessible(self);
  gtk_widget_queue_resize(GTK_WIDGET(self));
  redraw(self);
}

void
regard_figure_area_redraw(RegardFigureArea *self)
{
  redraw(self);
}

void
regard_figure_area_set_least_width(RegardFigureArea *self, int least_width)
{
  if (least_width == self->set_width)
    return;
  self->set_width = least_width;
  g_clear_pointer(&self->spots, g_array_unref);
  gtk_widget_queue_resize(GTK_WIDGET(self));
  redraw(self);
}

double
regard_figure_area_get_font(RegardFigureArea *self, const char **family)
{
  *family = family_of(self);
  return font_of(self);
}

gboolean
regard_figure_area_point_at(RegardFigureArea *self, int part, int row, int col)
{
  const int i = find_spot(self, part, row, col);

  if (i < 0)
    return FALSE;
  set_current(self, i, TRUE);
  show_spot(self);
  return TRUE;
}

RegardFigure *
regard_figure_area_get_figure(RegardFigureArea *self)
{
  return self->figure;
}

gboolean
regard_figure_area_is_dark(RegardFigureArea *self)
{
  regard_theme_get(GTK_WIDGET(self), &self->theme);
  return self->theme.dark;
}

static void
dispose(GObject *object)
{
  RegardFigureArea *self = REGARD_FIGURE_AREA(object);

  g_clear_pointer(&self->figure, regard_figure_free);
  g_clear_pointer(&self->spots, g_array_unref);
  g_clear_pointer(&self->node, gsk_render_node_unref);
  g_clear_object(&self->adjustment);
  g_clear_object(&self->sideways);
  for (GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(self)); child;
       child = gtk_widget_get_first_child(GTK_WIDGET(self)))
    gtk_widget_unparent(child);
  G_OBJECT_CLASS(regard_figure_area_parent_class)->dispose(object);
}

static GtkSizeRequestMode
get_request_mode(GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
regard_figure_area_class_init(RegardFigureAreaClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = dispose;
  widget_class->snapshot = snapshot_widget;
  widget_class->measure = measure;
  widget_class->get_request_mode = get_request_mode;
  widget_class->query_tooltip = query_tooltip;
  widget_class->css_changed = css_changed;
  widget_class->root = root;
  signals[SPOT_CHANGED] = regard_signal_new(klass, "spot-changed", 0);
  signals[SPOT_ACTIVATED] = regard_signal_new(klass, "spot-activated", 0);
  signals[LOOK_CHANGED] = regard_signal_new(klass, "look-changed", 0);
  signals[MENU_WANTED] = g_signal_new("menu-wanted", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0,
                                      g_signal_accumulator_first_wins, NULL, NULL,
                                      G_TYPE_MENU_MODEL, 1, G_TYPE_POINTER);
  gtk_widget_class_install_action(widget_class, "figure.copy-spot", NULL, copy_action);
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_widget_class_set_css_name(widget_class, "figurearea");
}

static void
regard_figure_area_init(RegardFigureArea *self)
{
  self->current = -1;
  self->x = self->y = -1;
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
  gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
  regard_widget_listen(GTK_WIDGET(self), &(RegardInput){.motion = G_CALLBACK(on_motion),
                                                        .leave = G_CALLBACK(on_leave),
                                                        .pressed = G_CALLBACK(on_pressed),
                                                        .secondary = G_CALLBACK(on_menu),
                                                        .key = G_CALLBACK(on_key)});
}

GtkWidget *
regard_figure_area_new(int least_width)
{
  RegardFigureArea *self = g_object_new(REGARD_TYPE_FIGURE_AREA, NULL);
  self->least_width = least_width;
  return GTK_WIDGET(self);
}
